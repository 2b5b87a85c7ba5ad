"""Limit and count requests, and secure every answer."""

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Callable, DefaultDict, Dict, List, Optional, Set

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from ..errors import Errors
from .access import Access
from .problems import ProblemError, tell

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
# The seconds in which no body is too slow.
_YOUNG = 0.25
_BODILESS = frozenset(("GET", "HEAD"))


@dataclass(frozen=True)
class Limits:
    """Hold the limits of size, time and concurrency.

    max_bytes (int): The largest body of a request.
    max_waiting (int): The number of requests that may be answered at once, and that may
        arrive at once from one address; others are told to come back.
    timeout (float): The seconds within which a request has to be read, and the seconds
        within which it has to be answered.
    grace (float): The seconds after which a body has to arrive at the rate `min_rate`.
    min_rate (float): The bytes a second.
    """

    max_bytes: int = 2 << 20
    max_waiting: int = 64
    timeout: float = 60.0
    grace: float = 5.0
    min_rate: float = 1000.0


class Metrics:
    """Hold the metrics of one server."""

    def __init__(self) -> None:
        self.registry = to = CollectorRegistry()
        said, names = "Requests by path and status", ["path", "status"]
        self.requests = Counter("coref_requests", said, names, registry=to)
        self.seconds = Histogram(
            "coref_request_seconds",
            "Time from the first byte of a request to its answer",
            ["path"],
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60),
            registry=to,
        )
        self.waiting = Gauge(
            "coref_requests_waiting", "Requests that are being answered", registry=to
        )
        self.batches = Histogram(
            "coref_batch_documents",
            "Documents that were resolved together",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
            registry=to,
        )

    def render(self) -> bytes:
        """Write the metrics in the format of Prometheus."""
        return generate_latest(self.registry)


@dataclass(eq=False)
class _Body:
    """Hold the body of a request that arrives."""

    begin: float = field(default_factory=time.monotonic)
    size: int = 0
    waiting: Optional[asyncio.Task] = None

    def find_end(self, limits: Limits) -> float:
        """Find the time by which more has to arrive."""
        slowest = limits.grace + self.size / limits.min_rate
        return self.begin + min(slowest, limits.timeout)


class LimitsMiddleware:
    """Read the body of each request, within the limits, before it is answered."""

    def __init__(
        self,
        app: Callable,
        limits: Limits,
        access: Access,
        metrics: Metrics,
        paths: frozenset,
    ) -> None:
        self.app = app
        self.limits = limits
        self.access = access
        self.metrics = metrics
        self.paths = paths
        self.n_waiting = 0
        # By the addresses of the clients. Slow bodies take no place of those that wait
        # for an answer.
        self._arriving: DefaultDict[str, Set[_Body]] = defaultdict(set)

    async def __call__(
        self, scope: Dict[str, Any], receive: Callable, send: Callable
    ) -> None:
        """Answer one request; see the ASGI specification."""
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
            self.access.check(scope)
            if scope["method"] in _BODILESS:
                await self.app(scope, receive, send_secured)
            else:
                body = await self._read(scope, receive)
                for message in await self._answer(scope, body, receive):
                    await send_secured(message)
        except ProblemError as problem:
            # The connection is closed on what has not arrived.
            answer = tell(problem, {"connection": "close"})
            await answer(scope, receive, send_secured)
        except ConnectionError:
            # The client has gone, and nobody waits for an answer.
            pass
        finally:
            status = str(statuses[0]) if statuses else "none"
            self.metrics.requests.labels(path, status).inc()
            self.metrics.seconds.labels(path).observe(time.monotonic() - begin)

    async def _read(self, scope: Dict[str, Any], receive: Callable) -> bytes:
        """Read the body of a request, unless it is too large or arrives too slowly."""
        self._check_free(self.n_waiting)
        headers = scope["headers"]
        lengths = [int(value) for name, value in headers if name == b"content-length"]
        # What is announced as too large is not read at all.
        self._check_size(max(lengths, default=0))
        client = str((scope.get("client") or ("",))[0])
        bodies = self._arriving[client]
        if len(bodies) >= self.limits.max_waiting:
            self._drop_slowest(bodies)
        body = _Body()
        bodies.add(body)
        try:
            return await self._collect(body, receive)
        finally:
            bodies.discard(body)
            if not bodies:
                self._arriving.pop(client, None)

    def _drop_slowest(self, bodies: Set[_Body]) -> None:
        slowest = min(bodies, key=lambda body: body.find_end(self.limits))
        if time.monotonic() - slowest.begin < _YOUNG:
            self._check_free(len(bodies))
        if slowest.waiting is not None:
            slowest.waiting.cancel()
        bodies.discard(slowest)

    async def _collect(self, body: _Body, receive: Callable) -> bytes:
        chunks: List[bytes] = []
        is_complete = False
        while not is_complete:
            body.waiting = asyncio.ensure_future(receive())
            left = body.find_end(self.limits) - time.monotonic()
            try:
                await asyncio.wait([body.waiting], timeout=max(0.0, left))
                if not body.waiting.done() or body.waiting.cancelled():
                    seconds = time.monotonic() - body.begin
                    message = Errors.FC205.format(size=body.size, seconds=seconds)
                    raise ProblemError(408, message)
            finally:
                body.waiting.cancel()
            message = body.waiting.result()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            chunks.append(message.get("body", b""))
            body.size += len(chunks[-1])
            self._check_size(body.size)
            is_complete = not message.get("more_body", False)
        return b"".join(chunks)

    async def _answer(
        self, scope: Dict[str, Any], body: bytes, receive: Callable
    ) -> List[Dict[str, Any]]:
        """Make the whole answer: a client that reads it slowly takes no place."""
        received = [{"type": "http.request", "body": body, "more_body": False}]
        sent: List[Dict[str, Any]] = []

        async def receive_body() -> Dict[str, Any]:
            return received.pop() if received else await receive()

        async def keep(message: Dict[str, Any]) -> None:
            sent.append(message)

        self._check_free(self.n_waiting)
        self.n_waiting += 1
        self.metrics.waiting.set(self.n_waiting)
        try:
            await self.app(scope, receive_body, keep)
        finally:
            self.n_waiting -= 1
            self.metrics.waiting.set(self.n_waiting)
        return sent

    def _check_free(self, n_waiting: int) -> None:
        if n_waiting >= self.limits.max_waiting:
            raise ProblemError(429, Errors.FC203.format(n_waiting=n_waiting))

    def _check_size(self, size: int) -> None:
        if size > self.limits.max_bytes:
            most = self.limits.max_bytes
            raise ProblemError(413, Errors.FC202.format(part="body", most=most))
