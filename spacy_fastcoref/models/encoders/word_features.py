"""Add word features to the encoder's vectors: shape, annotation scheme and language."""

from dataclasses import dataclass
from typing import Dict, Optional, Sequence

import numpy as np
import torch
from spacy.attrs import IS_DIGIT, IS_LOWER, IS_TITLE, IS_UPPER, LENGTH
from spacy.tokens import Doc
from torch import Tensor, nn

from ...errors import check_known
from ...span_groups import find_masked
from ..blocks import register_block
from ..runtime import Runtime

# Lower case, title case, a single capital, upper case, digits, and others.
_N_SHAPES = 6
SCHEME = "scheme"
_LANGUAGE = "language"


@register_block("spacy_fastcoref.WordShape.v1")
@dataclass(frozen=True)
class WordShapeBlock:
    """Describe a feature for uncased encoders: a vector for each word's shape."""

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        # 1 for lower case, 2 for title case, 3 for a single capital, 4 for upper case,
        # 5 for digits, and 0 for other or masked tokens.
        table = doc.to_array([IS_LOWER, IS_TITLE, IS_UPPER, IS_DIGIT, LENGTH])
        lower, title, upper, digit, length = table.astype(np.int64).T
        shape = np.zeros(len(doc), dtype=np.int64)
        # The last one that holds counts. np.select would take longer than all of this.
        tests = lower, title, upper, upper & (length == 1), digit
        for code, test in zip((1, 2, 4, 3, 5), tests, strict=True):
            shape[test > 0] = code
        shape[find_masked(doc)] = 0
        return {"shape": shape}

    def build(self, width: int) -> "CodeVectors":
        return CodeVectors("shape", _N_SHAPES, width)


@register_block("spacy_fastcoref.Scheme.v1")
@dataclass(frozen=True)
class SchemeBlock:
    """Describe a feature for the annotation scheme of a document.

    Corpora differ in which spans they annotate as mentions. A model that reads the
    scheme can be trained on several corpora, and predict mentions as in any of them.

    names (Sequence[str]): The names of the schemes, such as "ontogum".
    dropout (float): The share of training batches in which the scheme is hidden, so
        that the model also works without a scheme.
    default (Optional[str]): The scheme of documents without one; None for no scheme.
    """

    names: Sequence[str] = ()
    dropout: float = 0.5
    default: Optional[str] = None

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Read "scheme": the scheme's index in `names` plus 1, or 0 for no scheme.

        `doc._.coref_scheme` comes first, then the setting `scheme`, then `default`.

        RAISES (ValueError): The scheme is not in `names`.
        """
        name = doc._.coref_scheme or runtime.scheme or self.default
        if name is not None:
            check_known("annotation scheme", name, self.names)
        return {SCHEME: np.full(len(doc), [None, *self.names].index(name))}

    def build(self, width: int) -> "CodeVectors":
        return CodeVectors(SCHEME, len(self.names) + 1, width, dropout=self.dropout)


@register_block("spacy_fastcoref.LanguageCode.v1")
@dataclass(frozen=True)
class LanguageBlock:
    """Describe a feature for the language of a document, for multilingual models.

    langs (Sequence[str]): The codes of the languages, such as "de".
    dropout (float): The share of training batches in which the language is hidden, so
        that the model also works for other languages.
    """

    langs: Sequence[str] = ()
    dropout: float = 0.1

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Read "language": its index in `langs` plus 1, or 0 if it isn't there."""
        code = [*self.langs].index(doc.lang_) + 1 if doc.lang_ in self.langs else 0
        return {_LANGUAGE: np.full(len(doc), code)}

    def build(self, width: int) -> "CodeVectors":
        return CodeVectors(_LANGUAGE, len(self.langs) + 1, width, dropout=self.dropout)


class CodeVectors(nn.Module):
    """Look up a vector for each word's code. All vectors are zero at first."""

    def __init__(
        self, name: str, n_codes: int, width: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.name = name
        self.dropout = dropout
        self.vectors = nn.Embedding(n_codes, width)
        nn.init.zeros_(self.vectors.weight)

    def drop(self, codes: Dict[str, Tensor]) -> Dict[str, Tensor]:
        """Randomly set all codes of this feature to 0 in training; keep the others."""
        if self.training and self.dropout and torch.rand(()) < self.dropout:
            return {**codes, self.name: torch.zeros_like(codes[self.name])}
        return codes

    def forward(self, codes: Tensor) -> Tensor:
        return self.vectors(codes)
