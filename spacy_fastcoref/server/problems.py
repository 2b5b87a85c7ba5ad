"""Tell a client why there is no answer."""

import contextlib
from typing import Iterator, Mapping, Sequence, Tuple

from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

# How to go on: the seconds after which to ask again, and what to send.
_HEADERS = {
    401: {"www-authenticate": "Bearer"},
    429: {"retry-after": "2"},
    503: {"retry-after": "10"},
}


class ProblemError(HTTPException):
    """Hold the status and the reasons of an answer that is an error.

    places (Sequence[Tuple[str, str]]): The places in the request that are wrong, such
        as "documents.0.text", and what is wrong with each.
    """

    def __init__(
        self, status: int, detail: str, places: Sequence[Tuple[str, str]] = ()
    ) -> None:
        super().__init__(status, detail, _HEADERS.get(status))
        self.places = places


def tell(error: HTTPException, headers: Mapping[str, str] = {}) -> JSONResponse:  # noqa: B006
    """Make the answer to a request that fails."""
    places = [
        {"place": place, "message": said}
        for place, said in getattr(error, "places", ())
    ]
    return JSONResponse(
        {"detail": error.detail, "places": places},
        error.status_code,
        headers={**(error.headers or {}), **headers},
    )


@contextlib.contextmanager
def name_place(place: str) -> Iterator[None]:
    """Name the place in the request that errors within the context are about."""
    try:
        yield
    except ValueError as error:
        raise ProblemError(422, str(error), [(place, str(error))]) from error
