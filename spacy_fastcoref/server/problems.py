"""Tell a client why there is no answer."""

import contextlib
from typing import Iterator, Mapping, Sequence, Tuple

from fastapi.responses import JSONResponse

# How to go on: the seconds after which to ask again, and what to send.
_HEADERS = {
    401: {"www-authenticate": "Bearer"},
    429: {"retry-after": "2"},
    503: {"retry-after": "10"},
}


class ProblemError(Exception):
    """Hold the status and the reasons of an answer that is an error.

    places (Sequence[Tuple[str, str]]): The places in the request that are wrong, such
        as "documents.0.text", and what is wrong with each.
    """

    def __init__(
        self, status: int, detail: str, places: Sequence[Tuple[str, str]] = ()
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.places = list(places)

    def answer(self, headers: Mapping[str, str] = {}) -> JSONResponse:  # noqa: B006
        """Make the answer."""
        places = [{"place": place, "message": said} for place, said in self.places]
        return JSONResponse(
            {"detail": self.detail, "places": places},
            self.status,
            headers={**_HEADERS.get(self.status, {}), **headers},
        )


@contextlib.contextmanager
def name_place(place: str) -> Iterator[None]:
    """Name the place in the request that errors within the context are about."""
    try:
        yield
    except ValueError as error:
        raise ProblemError(422, str(error), [(place, str(error))]) from error
