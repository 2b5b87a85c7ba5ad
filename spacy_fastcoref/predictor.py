"""The module's earlier place; see spacy_fastcoref.compat.predictor."""

from .compat.predictor import CorefResult, FCoref, LingMessCoref

__all__ = ["CorefResult", "FCoref", "LingMessCoref"]
