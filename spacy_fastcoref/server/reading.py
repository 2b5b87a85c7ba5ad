"""Read the JSON of a request, and say where it is wrong."""

import json
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from fastapi import Request

from ..errors import Errors
from .problems import ProblemError

_TYPE = "application/json"
# The most names in an object, and the most errors that an answer lists.
_MAX_NAMES = 64
_MAX_PLACES = 100
_JSON = "json_invalid"


def check_type(found: str) -> None:
    """Check that a request is sent as JSON, which no page of another host can do."""
    if found.partition(";")[0].strip().lower() != _TYPE:
        raise ProblemError(415, Errors.FC217.format(found=found))


class JsonRequest(Request):
    """Read JSON; whatever is wrong with it, the error names the place."""

    async def json(self) -> Any:
        """Parse the body."""
        body = await self.body()
        try:
            text = body.decode("utf8")
        except UnicodeDecodeError as error:
            before = body[: error.start].decode("utf8")
            reason = "a byte that is not UTF-8"
            raise _make_error(reason, before, len(before)) from error
        try:
            return json.loads(text, object_pairs_hook=_make_object)
        except json.JSONDecodeError as error:
            raise _make_error(error.msg, text, error.pos) from error
        except RecursionError as error:
            raise _make_error("values nested too deeply", text, 0) from error
        except ValueError as error:
            raise _make_error(str(error), text, 0) from error


def _make_object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    # Each name that is not known is an error.
    if len(pairs) > _MAX_NAMES:
        raise ValueError(f"an object with {len(pairs)} names")
    return dict(pairs)


def _make_error(reason: str, text: str, position: int) -> json.JSONDecodeError:
    error = json.JSONDecodeError(reason, text, position)
    error.msg = Errors.FC214.format(
        reason=reason, line=error.lineno, column=error.colno
    )
    return error


def describe_invalid(
    errors: Sequence[Mapping[str, Any]],
) -> Tuple[str, List[Tuple[str, str]]]:
    """Describe what is wrong with a request.

    RETURNS (Tuple[str, List[Tuple[str, str]]]): A message; each place, such as
        "documents.0.text", and what is wrong there.
    """
    for error in errors:
        if error["type"] == _JSON:
            return error["ctx"]["error"], []
    places = [
        (".".join(map(str, _drop_tags(error["loc"]))), error["msg"])
        for error in errors[:_MAX_PLACES]
    ]
    place, message = places[0]
    reason = f"{message} (in {place})" if place else message
    return Errors.FC216.format(reason=reason), places


def _drop_tags(loc: Sequence[Any]) -> List[Any]:
    """Drop what is no name in the request: "body", and the tags of unions."""
    if loc[0] != "body":
        return list(loc)
    names = list(loc[2:])
    if names[:1] == ["documents"] and len(names) > 2:
        del names[2]
    return names
