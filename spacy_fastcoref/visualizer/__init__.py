"""Draw clusters, chains and links."""

from .rendering import render
from .serving import serve

__all__ = ["render", "serve"]
