"""Register the component at import, like fastcoref's module of the same name."""

from .pipeline.fastcoref import make_fastcoref  # noqa: F401
