"""Coreference resolution for spaCy. Importing the package registers its views."""

import importlib

from .about import __version__
from .registry import registry  # noqa: F401 (people register functions of their own)
from .tokens.extensions import set_extensions

_HOMES = {
    "CorefResult": ".compat.predictor",
    "CorefTrainer": ".compat.trainer",
    "FCoref": ".compat.predictor",
    "LingMessCoref": ".compat.predictor",
    "ResolvedText": ".resolution.resolve",
    "TrainingArgs": ".compat.trainer",
    "from_docs": ".tokens.merge",
    "get_clusters": ".tokens.chains",
    "resolve": ".resolution.resolve",
    "resolve_text": ".resolution.resolve",
    "set_clusters": ".tokens.clusters",
}

__all__ = ["__version__", *sorted(_HOMES)]

set_extensions()


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})
