"""Parse the records of a file, with errors that name the line or item.

An invalid record does not prevent the others from being read.
"""

import contextlib
import gzip
import io
import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Tuple, TypeVar, Union

from ...errors import Errors
from .text_files import open_text

RecordT = TypeVar("RecordT")
# The path of standard input, and the first bytes of gzip files.
STDIN = "-"
_GZIP = b"\x1f\x8b"
# The errors that a parser raises for data of another structure.
PARSE_ERRORS = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
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
    their line and the other lines can be read.

    path (Union[str, Path]): The file, see open_bytes.
    YIELDS (Iterator[str]): The lines. If the file is damaged, a ValueError is raised
        that names the file and the line.
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

    path (Union[str, Path]): The file, which is compressed if it ends in .gz; or "-" for
        standard input, which is compressed if it begins as gzip files do.
    YIELDS (BinaryIO): The bytes.
    """
    if str(path) != STDIN:
        with open_text(Path(path)) as file:
            yield file
        return
    # Not closed: standard input belongs to the program.
    stdin = io.BufferedReader(sys.stdin.buffer)
    try:
        is_zipped = stdin.peek(len(_GZIP)).startswith(_GZIP)
        with gzip.open(stdin) if is_zipped else contextlib.nullcontext(stdin) as file:
            yield file
    finally:
        stdin.detach()


def check_text(text: str) -> None:
    """Check that a text can be encoded as UTF-8.

    text (str): The text.
    RAISES (ValueError): The text has a character that can't be encoded.
    """
    match = _SURROGATE.search(text)
    if match is not None:
        raise ValueError(f"character {match.start() + 1} is not UTF-8")


class FileRecord:
    """Raise errors that name the file and the line of a record.

    path (str): The file.
    line (int): The line where the record starts.
    """

    path: str
    line: int

    def fail(self, reason: str) -> None:
        """Raise an error that names the file and the line.

        reason (str): What is wrong, for the message.
        RAISES (ValueError): Always.
        """
        raise ValueError(
            Errors.FC051.format(path=self.path, line=self.line, reason=reason)
        )


@contextlib.contextmanager
def name_line(path: Union[str, Path], line: int) -> Iterator[None]:
    """Add the file and the line to errors that are raised within the context.

    path (Union[str, Path]): The file.
    line (int): The line.
    RAISES (ValueError): One of PARSE_ERRORS was raised within the context.
    """
    try:
        yield
    except PARSE_ERRORS as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            Errors.FC051.format(path=path, line=line, reason=reason)
        ) from error


def parse_lines(
    path: Union[str, Path],
    lines: Iterable[Tuple[int, str]],
    parse: Callable[[str], RecordT],
    kind: str,
) -> Iterator[Union[RecordT, ValueError]]:
    """Parse the lines of a file, except empty ones.

    path (Union[str, Path]): The file, for messages.
    lines (Iterable[Tuple[int, str]]): The number of each line and the line; see
        open_lines.
    parse (Callable[[str], RecordT]): Function that makes a record of a line, or raises
        one of PARSE_ERRORS.
    kind (str): The kind of record, for messages.
    YIELDS (Union[RecordT, ValueError]): A record for each line, or an error that names
        the file and the line.
    """

    def parse_text(line: str) -> RecordT:
        check_text(line)
        return parse(line)

    for number, line in lines:
        if not line.strip():
            continue
        record, reason = _parse(line, parse_text, kind)
        message = Errors.FC051.format(path=path, line=number, reason=reason)
        yield ValueError(message) if reason else record


def parse_json(
    path: Union[str, Path], parse: Callable[[Any], RecordT], kind: str
) -> Iterator[Union[RecordT, ValueError]]:
    """Parse the values of a JSON file that is one list or one object.

    path (Union[str, Path]): The file, see open_bytes.
    parse (Callable[[Any], RecordT]): Function that makes a record of a value, or raises
        one of PARSE_ERRORS.
    kind (str): The kind of record, for messages.
    YIELDS (Union[RecordT, ValueError]): A record for each value, or an error that names
        the file, and the value's key or its number in the list, counted from 1.
    RAISES (ValueError): The file is not JSON, or is neither a list nor an object.
    """
    try:
        with open_bytes(path) as file:
            data = json.loads(file.read().decode("utf-8-sig"))
    except (EOFError, RecursionError, ValueError, zlib.error) as error:
        raise ValueError(Errors.FC052.format(path=path, reason=error)) from error
    if not isinstance(data, (dict, list)):
        reason = "it holds neither a list nor an object"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    named = data.items() if isinstance(data, dict) else enumerate(data, start=1)
    for name, value in named:
        record, reason = _parse(value, parse, kind)
        message = Errors.FC091.format(path=path, item=name, reason=reason)
        yield ValueError(message) if reason else record


def _parse(value: Any, parse: Callable, kind: str) -> Tuple[Any, str]:
    try:
        return parse(value), ""
    except PARSE_ERRORS as error:
        return None, f"this is not {kind}: {type(error).__name__}: {error}"
