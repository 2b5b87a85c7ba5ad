"""Re-export spacy_fastcoref.compat.trainer under its old name."""

from .compat.trainer import CorefTrainer, TrainingArgs

__all__ = ["CorefTrainer", "TrainingArgs"]
