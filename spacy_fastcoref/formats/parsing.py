"""Parse the records of a file, with errors that name the line or item.

An invalid record does not prevent the others from being read.
"""

import contextlib
import gzip
import io
import itertools
import json
import re
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Tuple,
    TypeVar,
    Union,
)

from ..errors import Errors
from ..files import check_unpacked

RecordT = TypeVar("RecordT")
# The first character of a mention, the one after the last, and its entity.
Mark = Tuple[int, int, str]
# The path of standard input, and the first bytes of gzip files.
STDIN = "-"
ZIPPED = ".gz"
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 16
# The errors that a parser raises for data of another structure.
PARSE_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
# open_lines reads bytes that are not UTF-8 as surrogates. JSON escapes can contain
# unpaired surrogates, too.
_SURROGATE = re.compile("[\ud800-\udfff]")


@contextlib.contextmanager
def open_lines(path: Union[str, Path]) -> Iterator[Iterator[str]]:
    """Open a UTF-8 file of lines, with or without a byte order mark.

    Bytes that are not UTF-8 are read as surrogates, so that `check_text` can report
    their line and the other lines can be read. Where the file is damaged, an error
    names it and the line.
    """
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape")
        try:
            yield _read_lines(path, text)
        finally:
            # The wrapper would close standard input.
            text.detach()


def _read_lines(path: Union[str, Path], lines: Iterable[str]) -> Iterator[str]:
    number = 1
    try:
        for line in lines:
            yield line
            number += 1
    # Half of a compressed file, or a disk that fails.
    except (EOFError, OSError, zlib.error) as error:
        message = Errors.FC051.format(path=path, line=number, reason=error)
        raise ValueError(message) from error


@contextlib.contextmanager
def open_bytes(path: Union[str, Path]) -> Iterator[BinaryIO]:
    """Open a file, or standard input, and decompress it.

    A file is compressed if it ends in .gz, standard input if it begins as such files.
    """
    is_stdin = str(path) == STDIN
    raw: Any = sys.stdin.buffer if is_stdin else io.FileIO(path)
    file = _Counted(raw)
    try:
        is_zipped = Path(path).suffix == ZIPPED
        if is_zipped or is_stdin and file.peek(len(_GZIP)).startswith(_GZIP):
            yield io.BufferedReader(_Unzipped(file), _PIECE)
        else:
            yield file
    finally:
        # Standard input belongs to the program.
        file.detach() if is_stdin else file.close()


class _Counted(io.BufferedReader):
    """Count the bytes that are read."""

    n_read = 0

    def read(self, size: Optional[int] = -1, /) -> bytes:
        data = super().read(size)
        self.n_read += len(data)
        return data


class _Unzipped(io.RawIOBase):
    """Decompress a file, unless far more comes out of it than a text has."""

    def __init__(self, file: _Counted) -> None:
        self._packed, self._n_read = file, 0
        self._unpacked = gzip.GzipFile(fileobj=file, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._unpacked.readinto(buffer)
        self._n_read += size
        check_unpacked(self._n_read, self._packed.n_read)
        return size


def check_text(text: str) -> None:
    """Check that a text can be encoded as UTF-8."""
    match = _SURROGATE.search(text)
    if match is not None:
        raise ValueError(f"character {match.start() + 1} is not UTF-8")


class LineError(ValueError):
    """Report what is wrong in another line than the last one."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def strip_marks(
    text: str, pattern: "re.Pattern[str]", name: str, line: int = 1
) -> Tuple[str, List[Mark]]:
    """Remove the brackets around mentions from a text.

    pattern (re.Pattern): What opens a mention, whose first group is the entity; what
        closes it; or the opening bracket alone, which is an error.
    """
    pieces: List[str] = []
    opened: List[Tuple[int, str, int]] = []
    mentions = []
    size = begin = last = 0
    for mark in pattern.finditer(text):
        pieces.append(text[last : mark.start()])
        size += len(pieces[-1])
        line += text.count("\n", begin, mark.start())
        begin, last = mark.span()
        if mark[1]:
            opened.append((size, mark[1], line))
        elif mark[0] in "[{":
            raise LineError(f"no entity in {text[begin : begin + 20]!r}", line)
        elif opened:
            start, entity, _ = opened.pop()
            mentions.append((start, size, entity))
        else:
            before = text[max(0, mark.start() - 20) : mark.end()]
            reason = f"the {name} at the end of {before!r} was never opened"
            raise LineError(reason, line)
    for _, entity, line in opened[-1:]:
        raise LineError(f"the {name} of {entity!r} is never closed", line)
    return "".join(pieces) + text[last:], mentions


def describe_error(error: Exception) -> str:
    """Describe one of PARSE_ERRORS, with its type if it is not our own."""
    name = type(error).__name__
    is_ours = type(error) in (ValueError, LineError)
    return str(error) if is_ours else f"{name}: {error}"


@dataclass
class Lines:
    """Iterate over the lines of one record of a file.

    first (int): The number of the first one.
    index (int): The number of the record in the file, from 1.
    shared (Dict[str, Any]): What one record of a file says to those after it.
    ATTRIBUTES:
        number (int): The number of the line that was read last, for errors; that of the
            first one after all lines were read.
    """

    lines: List[str]
    first: int = 1
    index: int = 1
    shared: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.number = self.first

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.lines, start=self.first):
            self.number = number
            check_text(line)
            yield line
        self.number = self.first


def read_records(
    path: Union[str, Path],
    make: Callable[[Lines], Optional[RecordT]],
    starts: Callable[[str], bool] = lambda line: False,
) -> Iterator[Union[RecordT, ValueError]]:
    """Read the records of a file of lines, or errors that name the file and the line.

    make (Callable[[Lines], Optional[RecordT]]): Function that makes a record of its
        lines, or raises one of PARSE_ERRORS; None for lines that are no record.
    """
    found = Lines([])
    with open_lines(path) as lines:
        # After the last line.
        for number, line in enumerate(itertools.chain(lines, [None]), start=1):
            if line is None or starts(line):
                record = _make(path, found, make)
                index = found.index + (record is not None)
                found = Lines([], number, index, found.shared)
                if record is not None:
                    yield record
            if line is not None:
                found.lines.append(line)


def parse_lines(
    path: Union[str, Path],
    parse: Callable[[str, int], RecordT],
    kind: str,
    first: int = 1,
) -> Iterator[Union[RecordT, ValueError]]:
    """Parse the lines of a file, and their numbers, except empty ones."""

    def make(lines: Lines) -> RecordT:
        (line,) = lines
        return parse(line, lines.first)

    with open_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            if number >= first and line.strip():
                yield _make(path, Lines([line], number), make, f"this is not {kind}: ")


def _make(
    path: Union[str, Path], lines: Lines, make: Callable[[Lines], Any], said: str = ""
) -> Any:
    try:
        return make(lines)
    except PARSE_ERRORS as error:
        line = getattr(error, "line", lines.number)
        reason = f"{said}{describe_error(error)}"
        return ValueError(Errors.FC051.format(path=path, line=line, reason=reason))


@contextlib.contextmanager
def name_in_errors(path: Union[str, Path], said: str = "") -> Iterator[None]:
    """Name a file in errors of what reads it as a whole."""
    try:
        yield
    except (EOFError, OSError, SyntaxError, zlib.error, *PARSE_ERRORS) as error:
        reason = f"{said}{describe_error(error)}"
        raise ValueError(Errors.FC052.format(path=path, reason=reason)) from error


def parse_json(
    path: Union[str, Path], parse: Callable[[Any], RecordT], kind: str
) -> Iterator[Union[RecordT, ValueError]]:
    """Parse the values of a JSON file that is one list or one object.

    An error names the file, and the value's key or its number in the list, from 1.
    """
    with name_in_errors(path):
        with open_bytes(path) as file:
            data = json.loads(file.read().decode("utf-8-sig"))
        if not isinstance(data, (dict, list)):
            raise ValueError("it holds neither a list nor an object")
    named = data.items() if isinstance(data, dict) else enumerate(data, start=1)
    for name, value in named:
        try:
            record: Union[RecordT, ValueError] = parse(value)
        except PARSE_ERRORS as error:
            reason = f"this is not {kind}: {describe_error(error)}"
            message = Errors.FC091.format(path=path, item=name, reason=reason)
            record = ValueError(message)
        yield record
