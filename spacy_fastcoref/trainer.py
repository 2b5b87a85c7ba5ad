"""The module's earlier place; see spacy_fastcoref.compat.trainer."""

from .compat.trainer import CorefTrainer, TrainingArgs

__all__ = ["CorefTrainer", "TrainingArgs"]
