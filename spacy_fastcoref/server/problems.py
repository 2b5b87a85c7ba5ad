"""Tell a client why there is no answer."""

from typing import Dict, Sequence, Tuple

# The seconds after which a client that was sent away should ask again.
_RETRY_AFTER = {429: "2", 503: "10"}


class ProblemError(Exception):
    """Hold the status and the reasons of an answer that is an error.

    status (int): The HTTP status.
    detail (str): What is wrong, and what to do.
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

    @classmethod
    def at(cls, place: str, message: str) -> "ProblemError":
        """Make the answer to a request that is not valid in one place.

        place (str): The place in the request.
        message (str): What is wrong with it, and what to do.
        RETURNS (ProblemError): The answer.
        """
        return cls(422, message, [(place, message)])

    @property
    def headers(self) -> Dict[str, str]:
        """The headers of the answer that tell when to ask again."""
        wait = _RETRY_AFTER.get(self.status)
        return {} if wait is None else {"retry-after": wait}
