"""Find and check files of plain text, which can be compressed."""

import codecs
import zlib
from pathlib import Path
from typing import Iterable, List, Optional, Sequence, Union

from ..errors import Errors
from ..files import digest_file
from ..formats.parsing import ZIPPED, open_text

TEXT, JSONL = ".txt", ".jsonl"
_CHUNK = 1 << 20


def find_texts(
    paths: Iterable[Union[Path, str]], kinds: Sequence[str] = (TEXT,)
) -> List[Path]:
    """List the text files of paths."""
    files: List[Path] = []
    for path in map(Path, paths):
        found = [path]
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            found = [file for file in inside if get_ending(file) in kinds]
        if not found or not path.exists():
            endings = ", ".join(f"{kind}, {kind}{ZIPPED}" for kind in kinds)
            reason = f"it has no files that end in {endings}"
            if not path.exists():
                reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        files.extend(found)
    return files


def get_ending(path: Path) -> Optional[str]:
    """Get the kind of a file by its ending, without ".gz"."""
    kind = Path(path.name.removesuffix(ZIPPED)).suffix
    return kind if kind in (TEXT, JSONL) else None


def find_problem(path: Path) -> Optional[str]:
    """Check a whole file before it is read, so that no file is read only in part."""
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


def identify_files(paths: Iterable[Path]) -> List[List[Optional[str]]]:
    """Identify files by their names and contents."""
    return [[path.name, digest_file(path)] for path in paths]
