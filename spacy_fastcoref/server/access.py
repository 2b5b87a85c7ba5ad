"""Decide which requests are answered: by whom they are sent, and under which name."""

import secrets
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Optional
from urllib.parse import urlsplit

from ..errors import Errors
from .problems import ProblemError

ANY_HOST = "*"
# No page of another host is served under these names, whatever its own name leads to.
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
# What has no texts in it needs no token.
_OPEN = frozenset(("/", "/health", "/openapi.json", "/palette.css"))
# The most bytes of all headers together, with the path and the query.
_MAX_HEAD = 1 << 15


@dataclass(frozen=True)
class Access:
    """Hold the conditions under which requests are answered.

    hosts (FrozenSet[str]): The names and addresses by which clients may call the
        server, in lower case, beside localhost and its addresses; "*" for any.
    token (Optional[str]): What clients have to send; None for nothing.
    """

    hosts: FrozenSet[str] = frozenset()
    token: Optional[str] = None

    def check(self, scope: Dict[str, Any]) -> None:
        """Check the head of a request."""
        headers = {k: v.decode("latin-1") for k, v in scope["headers"]}
        size = len(scope["query_string"]) + len(scope.get("raw_path") or b"")
        size += sum(len(name) + len(value) for name, value in scope["headers"])
        if size > _MAX_HEAD:
            raise ProblemError(431, Errors.FC202.format(part="head", most=_MAX_HEAD))
        if b"content-length" in headers and b"transfer-encoding" in headers:
            # A proxy before the server may have believed the other one.
            raise ProblemError(400, Errors.FC219)
        self._check_host(headers.get(b"host", ""))
        self._check_origin(scope["method"], headers)
        path = scope["path"]
        if self.token is None or path in _OPEN or path.startswith("/static/"):
            return
        expected = f"Bearer {self.token}".encode()
        found = headers.get(b"authorization", "").encode("latin-1")
        if not secrets.compare_digest(found, expected):
            raise ProblemError(401, Errors.FC232)

    def _check_host(self, host: str) -> None:
        """Check the name that the client knows the server by."""
        # A page of any host may let its own name lead to this machine.
        known = self.hosts | _LOOPBACK
        if ANY_HOST not in known and _find_name(host) not in known:
            raise ProblemError(403, Errors.FC230.format(host=host))

    def _check_origin(self, method: str, headers: Dict[bytes, str]) -> None:
        """Check that no page of another host makes a browser send the request."""
        origin = headers.get(b"origin")
        if origin is not None:
            # Behind a proxy the name of the page may be another one than the host.
            page = origin.lower().partition("://")[2]
            is_own = page == headers.get(b"host", "").lower()
            if not is_own and _find_name(page) not in self.hosts:
                raise ProblemError(403, Errors.FC231.format(origin=origin))
        site = headers.get(b"sec-fetch-site", "none")
        # A link may lead here: the page that has it can't read the answer.
        is_link = method == "GET" and headers.get(b"sec-fetch-dest") == "document"
        if site not in ("none", "same-origin") and not is_link:
            raise ProblemError(403, Errors.FC231.format(origin=site))


def _find_name(host: str) -> Optional[str]:
    """Find the name or the address in "host:port"; None if there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
