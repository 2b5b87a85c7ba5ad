"""Files of many items: what is wrong with one says where, and spares the others."""

import contextlib
import json
import re
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, TextIO, Tuple, TypeVar, Union

from ...errors import Errors

ItemT = TypeVar("ItemT")
# What code that expects an item raises where it is given something else.
NO_ITEM = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
# Bytes that were no UTF-8, and halves of characters, as JSON may have them.
_SURROGATE = re.compile("[\ud800-\udfff]")


def open_lines(path: Union[str, Path]) -> TextIO:
    """Open a file of lines, with a byte order mark or without one.

    path (Union[str, Path]): The file, UTF-8. One bad line does not end the file: what
        cannot be decoded is kept, for check_text to find.
    RETURNS (TextIO): The lines.
    """
    return open(path, encoding="utf-8-sig", errors="surrogateescape")


def check_text(text: str) -> None:
    """Check that a text is one that can be encoded.

    text (str): The text.
    RAISES (ValueError): Some of it is not UTF-8.
    """
    match = _SURROGATE.search(text)
    if match is not None:
        raise ValueError(f"character {match.start() + 1} is not UTF-8")


class InFile:
    """Be an item that starts in a line of a file."""

    path: str
    line: int

    def fail(self, reason: str) -> None:
        """Raise an error that names the file and the line.

        reason (str): What is wrong.
        RAISES (ValueError): Always.
        """
        raise ValueError(
            Errors.FC051.format(path=self.path, line=self.line, reason=reason)
        )


@contextlib.contextmanager
def name_line(path: Union[str, Path], line: int) -> Iterator[None]:
    """Let what goes wrong with an item name the file and the line.

    path (Union[str, Path]): The file.
    line (int): The line.
    RAISES (ValueError): The block raised an error.
    """
    try:
        yield
    except NO_ITEM as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            Errors.FC051.format(path=path, line=line, reason=reason)
        ) from error


def parse_lines(
    path: Union[str, Path],
    lines: Iterable[Tuple[int, str]],
    parse: Callable[[str], ItemT],
    kind: str,
) -> Iterator[Union[ItemT, ValueError]]:
    """Parse the lines of a file but for empty ones.

    path (Union[str, Path]): The file, for messages.
    lines (Iterable[Tuple[int, str]]): Each line's number and the line; see open_lines.
    parse (Callable[[str], ItemT]): Makes an item of it, or raises an error.
    kind (str): What an item is called in messages.
    YIELDS (Union[ItemT, ValueError]): For each line its item, or what is wrong with
        it, with file and line.
    """

    def parse_text(line: str) -> ItemT:
        check_text(line)
        return parse(line)

    for number, line in lines:
        if not line.strip():
            continue
        item, reason = _parse(line, parse_text, kind)
        message = Errors.FC051.format(path=path, line=number, reason=reason)
        yield ValueError(message) if reason else item


def parse_json(
    path: Union[str, Path], parse: Callable[[Any], ItemT], kind: str
) -> Iterator[Union[ItemT, ValueError]]:
    """Parse the items of a JSON file that is one list or one object.

    path (Union[str, Path]): The file.
    parse (Callable[[Any], ItemT]): Makes an item of a value, or raises an error.
    kind (str): What an item is called in messages.
    YIELDS (Union[ItemT, ValueError]): Each item, or what is wrong with it, with file
        and its number in the list, from 1 on, or its name in the object.
    RAISES (ValueError): The file is something else.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (RecursionError, ValueError) as error:
        raise ValueError(Errors.FC052.format(path=path, reason=error)) from error
    if not isinstance(data, (dict, list)):
        reason = "it holds neither a list nor an object"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    named = data.items() if isinstance(data, dict) else enumerate(data, start=1)
    for name, value in named:
        item, reason = _parse(value, parse, kind)
        message = Errors.FC091.format(path=path, item=name, reason=reason)
        yield ValueError(message) if reason else item


def _parse(value: Any, parse: Callable, kind: str) -> Tuple[Any, str]:
    try:
        return parse(value), ""
    except NO_ITEM as error:
        return None, f"this is no {kind}: {type(error).__name__}: {error}"
