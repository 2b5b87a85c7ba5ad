"""Resolve coreference in spaCy; importing this registers the extension attributes."""

import importlib
from typing import TYPE_CHECKING, Any, List

from .about import __version__
from .registry import registry  # noqa: F401 (users register functions by it)
from .tokens.extensions import set_extensions

if TYPE_CHECKING:
    from .compat.predictor import CorefResult, FCoref, LingMessCoref
    from .compat.trainer import CorefTrainer, TrainingArgs
    from .conversation.conversation import Conversation
    from .pipeline.processes import pipe
    from .resolution.resolve import ResolvedText, resolve, resolve_text
    from .rules.questions import find_anaphors, find_mentions, judge
    from .tokens.chains import get_clusters
    from .tokens.clusters import set_clusters
    from .tokens.merge import from_docs
    from .visualizer.rendering import render
    from .visualizer.serving import serve

# The module of each public name, which is imported at first use.
_MODULES = {
    "Conversation": ".conversation.conversation",
    "CorefResult": ".compat.predictor",
    "CorefTrainer": ".compat.trainer",
    "FCoref": ".compat.predictor",
    "LingMessCoref": ".compat.predictor",
    "ResolvedText": ".resolution.resolve",
    "TrainingArgs": ".compat.trainer",
    "find_anaphors": ".rules.questions",
    "find_mentions": ".rules.questions",
    "from_docs": ".tokens.merge",
    "get_clusters": ".tokens.chains",
    "judge": ".rules.questions",
    "pipe": ".pipeline.processes",
    "render": ".visualizer.rendering",
    "resolve": ".resolution.resolve",
    "resolve_text": ".resolution.resolve",
    "serve": ".visualizer.serving",
    "set_clusters": ".tokens.clusters",
}

__all__ = [
    "Conversation",
    "CorefResult",
    "CorefTrainer",
    "FCoref",
    "LingMessCoref",
    "ResolvedText",
    "TrainingArgs",
    "__version__",
    "find_anaphors",
    "find_mentions",
    "from_docs",
    "get_clusters",
    "judge",
    "pipe",
    "render",
    "resolve",
    "resolve_text",
    "serve",
    "set_clusters",
]

set_extensions()


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted({*globals(), *_MODULES})
