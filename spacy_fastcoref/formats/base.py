"""Define what a format is, look formats up, and read the documents of files."""

import zlib
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, check_known
from ..registry import registry
from .parsing import STDIN, ZIPPED

_UNKNOWN = (
    "its clusters are not known. If the text has brackets or another annotation, name "
    "its format, such as --from brackets"
)


class Document(NamedTuple):
    """Hold one document.

    key (str): The document's name.
    doc (Doc): The document, with the clusters that its file has.
    line (int): The line of the file in which it begins.
    is_text (bool): Whether the file has a text, of which the pipeline's tokenizer made
        the tokens.
    has_clusters (bool): Whether the file says what the clusters are; there may be none.
    widened (Sequence[str]): What was said about each mention that begins or ends inside
        a token, and was widened to whole tokens.
    shared (Sequence[Tuple[int, int]]): The mentions of several clusters, which are kept
        in the first of them.
    """

    key: str
    doc: Doc
    line: int = 1
    is_text: bool = False
    has_clusters: bool = True
    widened: Sequence[str] = ()
    shared: Sequence[Tuple[int, int]] = ()


# A document, or an error that names the file and the line.
Entry = Union[Document, ValueError]


@dataclass(frozen=True)
class Format:
    """Read and write the documents of one file format.

    name (str): The name on the command line.
    description (str): What it is, in a few words.
    endings (Tuple[str, ...]): The endings of its files.
    read (Optional[Callable[[str, Language], Iterator[Union[Document, ValueError]]]]):
        Function that yields the documents of a file, or of standard input if the path
        is "-", and an error for each document that can't be read. The pipeline is for
        its tokenizer and vocabulary. None for formats that are only written.
    dump (Optional[Callable[[Document], bytes]]): Function that writes one document, or
        raises a ValueError if the format can't hold it. A file is what this returns for
        each document, one after the other. None for formats that are only read.
    header (bytes): The beginning of a file.
    footer (bytes): The end of a file.
    finish (Optional[Callable[[BinaryIO, BinaryIO], None]]): Function that reads what
        was dumped and writes the file, for a format in which documents can't be
        written one after the other.
    """

    name: str
    description: str
    endings: Tuple[str, ...] = ()
    read: Optional[Callable[[str, Language], Iterator[Entry]]] = None
    dump: Optional[Callable[[Document], bytes]] = None
    header: bytes = b""
    footer: bytes = b""
    finish: Optional[Callable[[BinaryIO, BinaryIO], None]] = None


# A file, and how to read it.
Input = Tuple[str, Format]


def list_formats() -> Dict[str, Format]:
    """List the registered formats."""
    formats = [make() for make in registry.coref_formats.get_all().values()]
    return {one.name: one for one in sorted(formats, key=lambda one: one.name)}


def _list_usable(reads: bool) -> Dict[str, Format]:
    formats = list_formats().items()
    return {key: one for key, one in formats if (one.read if reads else one.dump)}


def get_format(name: str, *, reads: bool) -> Format:
    """Get a format by its name."""
    formats = _list_usable(reads)
    check_known(f"format to {'read' if reads else 'write'},", name, formats)
    return formats[name]


def guess_format(path: Union[str, Path], *, reads: bool) -> Format:
    """Get the format of a file by its ending."""
    name = str(path).removesuffix(ZIPPED).lower()
    formats = _list_usable(reads).values()
    endings = {ending: one for one in formats for ending in one.endings}
    # The longest ending is the most specific one.
    found = max(filter(name.endswith, endings), key=len, default=None)
    if found is not None:
        return endings[found]
    option = "--from" if reads else "--to"
    known = ", ".join(sorted(endings))
    raise ValueError(Errors.FC161.format(path=path, option=option, endings=known))


def name_file(path: Union[str, Path]) -> str:
    """Name the documents of a file that have no names of their own."""
    if str(path) == STDIN:
        return "stdin"
    return Path(str(path).removesuffix(ZIPPED)).stem


def reader(split: Callable[..., Iterator], *given: Any) -> Callable[[Callable], Any]:
    """Let a function that makes a document of a record read all records of a file, as
    `read_records`, `parse_lines` or `parse_json` does, with what it is given besides.
    """

    def decorate(make: Callable) -> Callable[..., Iterator[Entry]]:
        @wraps(make)
        def read(path: str, nlp: Language, **settings: Any) -> Iterator[Entry]:
            name = name_file(path)
            return split(path, partial(make, nlp=nlp, name=name, **settings), *given)

        return read

    return decorate


def find_inputs(
    paths: Iterable[Union[str, Path]],
    name: Optional[str] = None,
    *,
    stdin: Optional[str] = None,
) -> List[Input]:
    """Find files, and the format of each.

    Of folders and their subfolders, these are the files with an ending of the format,
    or of any format, but for hidden ones. Standard input may have another format.
    """
    given = None if name is None else get_format(name, reads=True)
    found: List[Input] = []
    for path in map(str, paths):
        if path == STDIN and given is None and stdin is not None:
            found.append((path, get_format(stdin, reads=True)))
        elif Path(path).is_dir():
            found += _list_folder(Path(path), given)
        elif path == STDIN or Path(path).exists():
            found.append((path, given or guess_format(path, reads=True)))
        else:
            reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return found


def _list_folder(folder: Path, given: Optional[Format]) -> List[Input]:
    formats = [given] if given else _list_usable(True).values()
    # Formats without an ending of their own are those of text.
    endings = tuple(ending for one in formats for ending in one.endings) or (".txt",)
    kept = {
        file
        for file in folder.rglob("*")
        if file.name.lower().removesuffix(ZIPPED).endswith(endings)
        and not file.name.startswith(".")
        and file.is_file()
    }
    if given is None:
        # A text beside a file of brat is a part of it.
        marks = [f for f in kept if f.name.lower().endswith((".ann", ".ann.gz"))]
        kept -= {file.with_name(f"{name_file(file)}.txt") for file in marks}
    if not kept:
        reason = f"this folder has no files that end in {', '.join(endings)}"
        raise ValueError(Errors.FC052.format(path=folder, reason=reason))
    return [(str(f), given or guess_format(f, reads=True)) for f in sorted(kept)]


def read_inputs(
    inputs: Sequence[Input], nlp: Language, *, needs_clusters: bool = False
) -> Iterator[Entry]:
    """Read the documents of files. A file that can't be read is one error; so is a
    document of which the clusters are needed and not known."""
    for path, one in inputs:
        try:
            for entry in one.read(path, nlp):
                yield check_clusters(path, entry) if needs_clusters else entry
        except ValueError as error:
            yield error
        except (EOFError, OSError, zlib.error) as error:
            yield ValueError(Errors.FC052.format(path=path, reason=error))


def check_clusters(path: Union[str, Path], entry: Entry) -> Entry:
    """Check that the file of a document says what its clusters are."""
    if isinstance(entry, ValueError) or entry.has_clusters:
        return entry
    return ValueError(Errors.FC051.format(path=path, line=entry.line, reason=_UNKNOWN))
