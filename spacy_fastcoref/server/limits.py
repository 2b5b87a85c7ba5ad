"""Limit the size, the time and the number of requests, and secure every answer."""

import asyncio
import json
import time
from typing import Any, Callable, Dict, List, Tuple

from ..errors import Errors
from .metrics import Metrics
from .problems import ProblemError
from .settings import Limits

# The page loads nothing from elsewhere, runs no code but its own, and is in no frame.
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_OTHER = "other"
_BODILESS = frozenset(("GET", "HEAD"))


class LimitsMiddleware:
    """Read the body of each request, within the limits, before it is answered.

    app (Callable): The ASGI application.
    limits (Limits): The limits.
    metrics (Metrics): Counts requests.
    paths (FrozenSet[str]): The paths that are counted by name.
    """

    def __init__(
        self, app: Callable, limits: Limits, metrics: Metrics, paths: frozenset
    ) -> None:
        self.app = app
        self.limits = limits
        self.metrics = metrics
        self.paths = paths
        self.n_waiting = 0

    async def __call__(
        self, scope: Dict[str, Any], receive: Callable, send: Callable
    ) -> None:
        """Answer one request; see the ASGI specification.

        scope (Dict[str, Any]): The request.
        receive (Callable): Receives the body.
        send (Callable): Sends the answer.
        """
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin = time.monotonic()
        path = scope["path"] if scope["path"] in self.paths else _OTHER
        statuses: List[int] = []

        async def send_secured(message: Dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        try:
            if scope["method"] in _BODILESS:
                await self.app(scope, receive, send_secured)
            else:
                await self._answer(scope, receive, send_secured)
        finally:
            status = str(statuses[0]) if statuses else "none"
            self.metrics.requests.labels(path, status).inc()
            self.metrics.seconds.labels(path).observe(time.monotonic() - begin)

    async def _answer(
        self, scope: Dict[str, Any], receive: Callable, send: Callable
    ) -> None:
        self.n_waiting += 1
        self.metrics.waiting.set(self.n_waiting)
        try:
            body = await self._read(scope["headers"], receive)
            await _run(self.app, scope, body, receive, send)
        except ProblemError as problem:
            await _refuse(problem, send)
        except ConnectionError:
            # The client has gone, and nobody waits for an answer.
            pass
        finally:
            self.n_waiting -= 1
            self.metrics.waiting.set(self.n_waiting)

    async def _read(
        self, headers: List[Tuple[bytes, bytes]], receive: Callable
    ) -> bytes:
        """Read the body of a request, unless there are too many or it is too large."""
        if self.n_waiting > self.limits.max_waiting:
            raise ProblemError(429, Errors.FC203.format(n_waiting=self.n_waiting - 1))
        most = self.limits.max_bytes
        lengths = [int(value) for name, value in headers if name == b"content-length"]
        # What is announced as too large is not read at all.
        if max(lengths, default=0) > most:
            raise ProblemError(413, Errors.FC202.format(most=most))
        try:
            return await asyncio.wait_for(_collect(receive, most), self.limits.timeout)
        except asyncio.TimeoutError as error:
            message = Errors.FC205.format(timeout=self.limits.timeout)
            raise ProblemError(408, message) from error


async def _run(
    app: Callable, scope: Dict[str, Any], body: bytes, receive: Callable, send: Callable
) -> None:
    """Answer a request whose body was read, unless the client goes away."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    # After the body, all that can come is that the client has gone.
    gone = asyncio.ensure_future(receive())

    async def receive_body() -> Dict[str, Any]:
        return messages.pop() if messages else await asyncio.shield(gone)

    answering = asyncio.ensure_future(app(scope, receive_body, send))
    try:
        await asyncio.wait((answering, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ConnectionError
        await answering
    finally:
        answering.cancel()
        gone.cancel()


async def _collect(receive: Callable, most: int) -> bytes:
    chunks: List[bytes] = []
    size, is_complete = 0, False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > most:
            raise ProblemError(413, Errors.FC202.format(most=most))
        is_complete = not message.get("more_body", False)
    return b"".join(chunks)


async def _refuse(problem: ProblemError, send: Callable) -> None:
    """Answer before the body has arrived, and close the connection on the rest."""
    body = json.dumps({"detail": problem.detail, "places": []}).encode("utf8")
    headers: List[Tuple[bytes, bytes]] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode("ascii")),
        (b"connection", b"close"),
    ]
    headers += [(k.encode(), v.encode()) for k, v in problem.headers.items()]
    start = {"type": "http.response.start", "status": problem.status}
    await send({**start, "headers": headers})
    await send({"type": "http.response.body", "body": body})
