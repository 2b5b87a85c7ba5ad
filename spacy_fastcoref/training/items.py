"""Files of many items: what is wrong with one says where, and spares the others."""

import json
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Tuple, TypeVar, Union

from ..errors import Errors

ItemT = TypeVar("ItemT")
# What code that expects an item raises where it is given something else.
_NO_ITEM = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def parse_lines(
    path: Union[str, Path],
    lines: Iterable[Tuple[int, Any]],
    parse: Callable[[Any], ItemT],
    kind: str,
) -> Iterator[Union[ItemT, ValueError]]:
    """Parse the lines of a file.

    path (Union[str, Path]): The file, for messages.
    lines (Iterable[Tuple[int, Any]]): Each line's number and what it holds.
    parse (Callable[[Any], ItemT]): Makes an item of it, or raises an error.
    kind (str): What an item is called in messages.
    YIELDS (Union[ItemT, ValueError]): For each line its item, or what is wrong with
        it, with file and line.
    """
    for number, line in lines:
        item, reason = _parse(line, parse, kind)
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
        data = json.loads(Path(path).read_text(encoding="utf8"))
    except ValueError as error:
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
    except _NO_ITEM as error:
        return None, f"this is no {kind}: {type(error).__name__}: {error}"
