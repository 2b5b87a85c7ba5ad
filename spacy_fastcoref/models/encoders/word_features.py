"""Extra word features: word shape and annotation scheme."""

from dataclasses import dataclass
from typing import Dict, Optional, Sequence

import numpy as np
import torch
from spacy.attrs import IS_DIGIT, IS_LOWER, IS_TITLE, IS_UPPER, LENGTH
from spacy.tokens import Doc
from torch import Tensor, nn

from ...errors import Errors
from ...tokens.words import find_masked
from ..blocks import register_block
from ..inference.runtime import Runtime

# Lower, Title, a capital alone, UPPER, digits; anything else is 0.
_N_SHAPES = 6
SCHEME = "scheme"


@register_block("spacy_fastcoref.WordShape.v1")
@dataclass(frozen=True)
class WordShapeBlock:
    """Describe a feature for uncased encoders: a vector for each word's shape."""

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Find the shape of each token.

        doc (Doc): The document.
        runtime (Runtime): Not used.
        RETURNS (Dict[str, numpy.ndarray]): "shape", shape (n_tokens,): 1 for lower,
            2 for Title, 3 for a capital alone, 4 for UPPER, 5 for digits, 0 else, and
            for what is masked.
        """
        table = doc.to_array([IS_LOWER, IS_TITLE, IS_UPPER, IS_DIGIT, LENGTH])
        lower, title, upper, digit, length = table.astype(np.int64).T
        tests = [digit, upper & (length == 1), upper, title, lower]
        shape = np.select([t > 0 for t in tests], [5, 3, 4, 2, 1])
        shape[find_masked(doc)] = 0
        return {"shape": shape}

    def build(self, width: int) -> "CodeVectors":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (CodeVectors): The layer.
        """
        return CodeVectors("shape", _N_SHAPES, width)


@register_block("spacy_fastcoref.Scheme.v1")
@dataclass(frozen=True)
class SchemeBlock:
    """Describe a feature for the annotation scheme of a document.

    Corpora differ in what they call a mention. A model that knows which one it sees
    can learn from all, and answer as any of them.

    names (Sequence[str]): The schemes, such as "ontogum".
    dropout (float): In training, for how many batches none is told, so that the model
        can do without.
    default (Optional[str]): The scheme where none is named; null for none.
    """

    names: Sequence[str] = ()
    dropout: float = 0.5
    default: Optional[str] = None

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Find the scheme of a document.

        doc (Doc): The document; its `doc._.coref_scheme` counts first.
        runtime (Runtime): Its `scheme` is the default.
        RETURNS (Dict[str, numpy.ndarray]): "scheme", shape (n_tokens,): the scheme's
            place among the names from 1 on, 0 for none.
        RAISES (ValueError): There is no such scheme.
        """
        name = doc._.coref_scheme or runtime.scheme or self.default
        if name is not None and name not in self.names:
            available = ", ".join(self.names)
            raise ValueError(Errors.FC019.format(scheme=name, available=available))
        code = 0 if name is None else list(self.names).index(name) + 1
        return {SCHEME: np.full(len(doc), code)}

    def build(self, width: int) -> "CodeVectors":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (CodeVectors): The layer.
        """
        return CodeVectors(SCHEME, len(self.names) + 1, width, dropout=self.dropout)


class CodeVectors(nn.Module):
    """Look up a vector for each word's code, at first all zero.

    name (str): The name of the code.
    n_codes (int): The number of codes.
    width (int): The width of the vectors.
    dropout (float): In training, the probability of setting all codes to 0.
    """

    def __init__(
        self, name: str, n_codes: int, width: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.name = name
        self.dropout = dropout
        self.vectors = nn.Embedding(n_codes, width)
        nn.init.zeros_(self.vectors.weight)

    def drop(self, codes: Dict[str, Tensor]) -> Dict[str, Tensor]:
        """Randomly set all codes to 0 in training.

        codes (Dict[str, Tensor]): Shape (n_words,) each, by name.
        RETURNS (Dict[str, Tensor]): The same, or others.
        """
        if self.training and self.dropout and torch.rand(()) < self.dropout:
            return {**codes, self.name: torch.zeros_like(codes[self.name])}
        return codes

    def forward(self, codes: Tensor) -> Tensor:
        """Look the vectors up.

        codes (Tensor): Shape (n_words,), the codes of its own name.
        RETURNS (Tensor): Shape (n_words, width).
        """
        return self.vectors(codes)
