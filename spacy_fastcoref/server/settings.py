"""Hold the limits of a server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Hold the limits of size, time and concurrency.

    max_bytes (int): The largest body of a request.
    max_waiting (int): The number of requests that may be answered at once; others are
        told to come back.
    timeout (float): The seconds within which a request has to be read, and the seconds
        within which it has to be answered.
    """

    max_bytes: int = 2 << 20
    max_waiting: int = 64
    timeout: float = 60.0
