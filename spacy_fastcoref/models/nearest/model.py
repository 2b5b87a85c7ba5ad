"""Provide a model without weights, which links anaphors by grammar and distance."""

import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model

from ...errors import Errors, Warnings, check_setting
from ...types import CorefModel, Links, Offsets
from .links import Distances, find_links

# The annotation by which mentions are found.
_NEEDED = ("DEP", "POS")


class NearestAntecedent(Model[List[Doc], List[Links]], CorefModel):
    """Link each anaphor with its nearest antecedents that grammar permits.

    The attributes of the model are the fields of Distances.

    limits (Distances): The distances at which antecedents are searched.
    """

    def __init__(self, limits: Distances) -> None:
        super().__init__("nearest_antecedent", forward, attrs=limits._asdict())
        self.has_warned = False

    def warn(self, docs: List[Doc]) -> None:
        """Warn once if Docs lack the annotation by which mentions are found."""
        missing = {
            name
            for doc in docs
            for name in _NEEDED
            if len(doc) and not doc.has_annotation(name)
        }
        if missing and not self.has_warned:
            self.has_warned = True
            message = Warnings.FCW13.format(missing=", ".join(sorted(missing)))
            warnings.warn(message, stacklevel=2)

    @property
    def limits(self) -> Distances:
        """The distances at which antecedents are searched."""
        return Distances(**{name: self.attrs[name] for name in Distances._fields})

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        """Score pairs of spans; NaN for those that are no link of the model."""
        links = find_links(doc, self.limits)
        scores = [links.find_score(*pair) for pair in pairs]
        return np.array([np.nan if x is None else x for x in scores], dtype=np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        raise NotImplementedError(Errors.FC153)

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "NearestAntecedent":
        # Thinc's method would make a plain Model, without the methods of this class.
        return NearestAntecedent(self.limits)


def forward(
    model: NearestAntecedent, docs: List[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Find the links of Docs. Training is refused, since there are no weights."""
    if is_train:
        raise NotImplementedError(Errors.FC153)
    model.warn(docs)
    return [find_links(doc, model.limits) for doc in docs], lambda d_links: []


@registry.architectures("spacy_fastcoref.NearestAntecedent.v1")
def make_nearest_antecedent(
    max_sentences: int = 5,
    max_sentences_nouns: int = 2,
    max_sentences_names: Optional[int] = None,
    max_candidates: int = 8,
) -> NearestAntecedent:
    """Make a model without weights, for any language with a grammar.

    It does not import PyTorch. It is as good as the tags and the parse of the pipeline.

    max_sentences (int): The maximum distance of an anaphor and its antecedent, in
        sentences.
    max_sentences_nouns (int): That of two nouns.
    max_sentences_names (Optional[int]): That of two names; null for any distance.
    max_candidates (int): The number of candidate antecedents of each mention.
    RETURNS (NearestAntecedent): The model.
    RAISES (ValueError): A setting is not valid.
    """
    limits = Distances(
        max_sentences, max_sentences_nouns, max_sentences_names, max_candidates
    )
    for name, value in limits._asdict().items():
        least = 1 if name == "max_candidates" else 0
        is_none = value is None and name == "max_sentences_names"
        is_valid = is_none or value >= least
        check_setting(name, value, is_valid, f"a whole number of {least} or more")
    return NearestAntecedent(limits)
