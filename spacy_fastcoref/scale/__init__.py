"""Annotate datasets on clusters of machines."""

from .run import Annotated, annotate

__all__ = ["Annotated", "annotate"]
