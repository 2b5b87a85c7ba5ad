"""Find and check files of plain text, which can be compressed."""

import codecs
import zlib
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Union

from ..errors import Errors
from ..files import digest_file
from ..formats.parsing import ZIPPED, open_text

TEXT, JSONL = ".txt", ".jsonl"
_CHUNK = 1 << 20


def list_inputs(path: Path) -> List[Path]:
    """List the text and jsonlines files of a path.

    path (Path): A file that ends in .txt, .jsonl, .txt.gz or .jsonl.gz, or a folder of
        such files.
    RETURNS (List[Path]): The file, or all files of the folder and its subfolders,
        sorted.
    RAISES (ValueError): There are no such files.
    """
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in found if get_kind(file) and file.is_file()]
    if not files:
        reason = "there has to be a file, or a folder of files, that ends in .txt, "
        reason += ".jsonl, .txt.gz or .jsonl.gz"
        raise ValueError(Errors.FC080.format(path=path, reason=reason))
    return files


def find_texts(paths: Iterable[Union[Path, str]]) -> List[Path]:
    """List the plain text files of paths.

    paths (Iterable[Union[Path, str]]): Files with any ending, and folders with files
        that end in .txt or .txt.gz.
    RETURNS (List[Path]): The files; those of each folder are sorted.
    RAISES (ValueError): A path does not exist, or a folder has no such files.
    """
    files: List[Path] = []
    for path in map(Path, paths):
        found = [path]
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            found = [file for file in inside if get_kind(file) == TEXT]
        if not found or not path.exists():
            reason = "it has no files that end in .txt or .txt.gz"
            if not path.exists():
                reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        files.extend(found)
    return files


def get_kind(path: Path) -> Optional[str]:
    """Get the kind of a file by its ending, without ".gz".

    path (Path): The file.
    RETURNS (Optional[str]): ".txt" or ".jsonl"; None for other endings.
    """
    kind = Path(path.name.removesuffix(ZIPPED)).suffix
    return kind if kind in (TEXT, JSONL) else None


def find_problem(path: Path) -> Optional[str]:
    """Check a whole file before it is read, so that no file is read only in part.

    path (Path): The file.
    RETURNS (Optional[str]): Why the file can't be read as text; None if it can.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line, is_empty = 1, True
    try:
        with open_text(path) as file:
            while True:
                chunk = file.read(_CHUNK)
                if b"\0" in chunk:
                    line += chunk.count(b"\n", 0, chunk.index(b"\0"))
                    return f"it is binary, there is a null byte in line {line}"
                text = decoder.decode(chunk, final=not chunk)
                is_empty = is_empty and not text.strip()
                if not chunk:
                    return "it is empty" if is_empty else None
                line += chunk.count(b"\n")
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        return f"line {line} is not UTF-8"
    # The file was removed in the meantime, is not readable, or is not valid gzip.
    except (OSError, EOFError, zlib.error) as error:
        return str(error)


def describe_inputs(paths: List[Path], root: Path) -> Dict[str, Optional[str]]:
    """Identify files by their contents.

    paths (List[Path]): The files.
    root (Path): The folder of the files, or the only file.
    RETURNS (Dict[str, Optional[str]]): The digest of each file, by its path relative to
        the folder.
    """
    folder = root if root.is_dir() else root.parent
    return {str(path.relative_to(folder)): digest_file(path) for path in paths}
