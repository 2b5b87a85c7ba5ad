"""Find the input files, and read their documents one after the other."""

import zlib
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple

from spacy.language import Language

from ..errors import Errors
from ..training.readers.parsing import STDIN
from .base import Entry, Format, get_format, guess_format, list_formats, name_file

# A file, and how to read it.
Input = Tuple[str, Format]


def find_inputs(
    paths: Iterable[str], name: Optional[str] = None, *, stdin: Optional[str] = None
) -> List[Input]:
    """Find files, and the format of each.

    paths (Iterable[str]): Files, folders, and "-" for standard input. All files of a
        folder and its subfolders are read that have an ending of the format, or of any
        format; hidden ones are not.
    name (Optional[str]): The name of the format; None to tell it by the ending.
    stdin (Optional[str]): The name of the format of standard input, if `name` is None.
    RETURNS (List[Tuple[str, Format]]): The files; those of a folder are sorted.
    RAISES (ValueError): There is no such file, a folder has no files, or a format can't
        be told.
    """
    given = None if name is None else get_format(name, reads=True)
    found: List[Input] = []
    for path in paths:
        if path == STDIN and given is None and stdin is not None:
            found.append((path, get_format(stdin, reads=True)))
        elif path == STDIN or not Path(path).is_dir():
            if path != STDIN and not Path(path).exists():
                reason = "there is no such file or folder"
                raise ValueError(Errors.FC052.format(path=path, reason=reason))
            found.append((path, given or guess_format(path, reads=True)))
        else:
            found += _list_folder(Path(path), given)
    return found


def _list_folder(folder: Path, given: Optional[Format]) -> List[Input]:
    formats = [given] if given else [one for one in list_formats().values() if one.read]
    endings = tuple(ending for one in formats for ending in one.endings)
    # Formats without an ending of their own are those of text.
    endings = endings or (".txt",)
    endings += tuple(f"{ending}.gz" for ending in endings)
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.name.lower().endswith(endings)
        and not file.name.startswith(".")
        and file.is_file()
    ]
    # A text beside a file of brat is a part of it.
    texts = {
        str(file.with_name(f"{name_file(file)}.txt"))
        for file in files
        if file.name.lower().endswith((".ann", ".ann.gz"))
    }
    found = [
        (str(file), given or guess_format(file, reads=True))
        for file in files
        if given or str(file) not in texts
    ]
    if not found:
        reason = f"this folder has no files that end in {', '.join(endings)}"
        raise ValueError(Errors.FC052.format(path=folder, reason=reason))
    return found


def read_inputs(inputs: Sequence[Input], nlp: Language) -> Iterator[Entry]:
    """Read the documents of files. A file that can't be read is one error.

    inputs (Sequence[Tuple[str, Format]]): The files.
    nlp (Language): The pipeline, for its tokenizer and vocabulary.
    YIELDS (Union[Document, ValueError]): The documents in order, and errors that name
        the file and, if there is one, the line.
    """
    for path, one in inputs:
        try:
            yield from one.read(path, nlp)
        except ValueError as error:
            yield error
        except (EOFError, OSError, zlib.error) as error:
            yield ValueError(Errors.FC052.format(path=path, reason=error))
