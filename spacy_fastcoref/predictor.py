"""Re-export spacy_fastcoref.compat.predictor under its old name."""

from .compat.predictor import CorefResult, FCoref, LingMessCoref

__all__ = ["CorefResult", "FCoref", "LingMessCoref"]
