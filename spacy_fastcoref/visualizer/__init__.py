"""Draw clusters, chains and links."""

from .rendering import render

__all__ = ["render"]
