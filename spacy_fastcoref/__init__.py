"""Resolve coreference in spaCy; importing this registers the extension attributes."""

import importlib
from typing import TYPE_CHECKING, Any, List

from .about import __version__
from .extensions import set_extensions
from .registry import registry  # noqa: F401 (users register functions by it)

if TYPE_CHECKING:
    from .clusters.chains import get_clusters
    from .clusters.store import from_docs, set_clusters
    from .compat.predictor import CorefResult, FCoref, LingMessCoref
    from .compat.trainer import CorefTrainer, TrainingArgs
    from .conversation.conversation import Conversation
    from .grammar.questions import find_anaphors, find_mentions, judge
    from .pipeline.processes import pipe
    from .quotes.component import format_quotes, get_quotes
    from .resolution.chunks import resolve_chunks
    from .resolution.resolve import ResolvedText, resolve, resolve_text
    from .uses.facts import find_facts
    from .uses.pseudonyms import PseudonymOperator, pseudonymize, restore
    from .visualizer.rendering import render, serve

# The module of each public name, which is imported at first use.
_MODULES = {
    name: module
    for module, *names in (
        (".clusters.chains", "get_clusters"),
        (".clusters.store", "from_docs", "set_clusters"),
        (".compat.predictor", "CorefResult", "FCoref", "LingMessCoref"),
        (".compat.trainer", "CorefTrainer", "TrainingArgs"),
        (".conversation.conversation", "Conversation"),
        (".grammar.questions", "find_anaphors", "find_mentions", "judge"),
        (".pipeline.processes", "pipe"),
        (".quotes.component", "format_quotes", "get_quotes"),
        (".resolution.chunks", "resolve_chunks"),
        (".resolution.resolve", "ResolvedText", "resolve", "resolve_text"),
        (".uses.facts", "find_facts"),
        (".uses.pseudonyms", "PseudonymOperator", "pseudonymize", "restore"),
        (".visualizer.rendering", "render", "serve"),
    )
    for name in names
}

__all__ = [
    "Conversation",
    "CorefResult",
    "CorefTrainer",
    "FCoref",
    "LingMessCoref",
    "PseudonymOperator",
    "ResolvedText",
    "TrainingArgs",
    "__version__",
    "find_anaphors",
    "find_facts",
    "find_mentions",
    "format_quotes",
    "from_docs",
    "get_clusters",
    "get_quotes",
    "judge",
    "pipe",
    "pseudonymize",
    "render",
    "resolve",
    "resolve_chunks",
    "resolve_text",
    "restore",
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
