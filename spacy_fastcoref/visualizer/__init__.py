"""Draw clusters, chains and links."""

from .rendering import render, serve

__all__ = ["render", "serve"]
