"""Run the server until it is told to stop."""

import asyncio
import math
import socket
from typing import Any, Mapping, Optional

import uvicorn
from spacy.language import Language
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import Errors
from .access import Access
from .app import make_app
from .limits import Limits

# The seconds within which a client has to send the head of a request.
HEAD_TIMEOUT = 10.0
# The seconds within which it has to read some of an answer.
READ_TIMEOUT = 30.0


class TimedProtocol(H11Protocol):
    """Close connections on which no request begins in time, or no answer is read."""

    _timer: Optional[asyncio.TimerHandle] = None
    _unread: Optional[asyncio.TimerHandle] = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        super().connection_lost(exc)
        self.resume_writing()
        self._stop()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(READ_TIMEOUT, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """Take a port, before anything takes long."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        message = Errors.FC201.format(host=host, port=port, reason=error)
        raise ValueError(message) from error


def run(
    pipelines: Mapping[str, Language],
    taken: socket.socket,
    limits: Limits,
    access: Access,
    log_level: str = "warning",
) -> None:
    """Serve until the process gets SIGINT or SIGTERM, and answer what has begun."""
    config = uvicorn.Config(
        make_app(pipelines, limits, access),
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        log_level=log_level,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(limits.timeout),
    )
    with taken:
        uvicorn.Server(config).run(sockets=[taken])
