"""fastcoref's name for what registers the component, which importing it does."""

from .pipeline.fastcoref import make_fastcoref  # noqa: F401
