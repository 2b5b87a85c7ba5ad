"""LingMess: an expert for each kind of pair, and one for all."""

from dataclasses import dataclass
from typing import Dict, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor

from .antecedent_scorer import AntecedentScorer
from .blocks import register_block
from .categories import (
    CATEGORIES,
    categorize,
    categorize_pairs,
    find_words,
    read_categories,
    unpack,
)
from .layers import Bilinears, FullyConnected, MlpBlock
from .runtime import Runtime
from .shapes import pad_rows
from .spans import Side, Spans

N_EXPERTS = len(CATEGORIES) + 1
_ALL = len(CATEGORIES)


@register_block("spacy_fastcoref.LingMess.v1")
@dataclass(frozen=True)
class LingMessBlock(MlpBlock):
    """Describe the antecedent scorer of LingMess; settings beyond MlpBlock's:

    lang (str): The language whose pronouns and stop words tell the kinds of pairs.
    """

    lang: str = "en"

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Read what the kinds of pairs depend on.

        doc (Doc): The document.
        runtime (Runtime): Not used.
        RETURNS (Dict[str, numpy.ndarray]): See read_categories.
        """
        return read_categories(doc, self.lang)

    def build(self, width: int) -> "LingMessScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (LingMessScorer): The layer.
        """
        return LingMessScorer(width, self)


class LingMessScorer(AntecedentScorer):
    """Score a pair by the expert for its kind and by one that knows all kinds.

    See LingMess (Otmazgin et al. 2022b), section 3. Every expert's score is that of
    s2e: four products of ends.

    width (int): The width of the encoder's vectors.
    settings (MlpBlock): Those of its layers.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        super().__init__()
        self.hidden_size = settings.hidden_size
        size = N_EXPERTS * settings.hidden_size
        # One layer for all experts, and one norm over them, as LingMess has it.
        layer = {"activation": settings.activation, "eps": settings.eps}
        layer["dropout"] = settings.dropout
        self.start_mlp = FullyConnected(width, size, **layer)
        self.end_mlp = FullyConnected(width, size, **layer)
        self.start_to_start = Bilinears(N_EXPERTS, settings.hidden_size)
        self.end_to_end = Bilinears(N_EXPERTS, settings.hidden_size)
        self.start_to_end = Bilinears(N_EXPERTS, settings.hidden_size)
        self.end_to_start = Bilinears(N_EXPERTS, settings.hidden_size)

    def represent(self, spans: Spans) -> Tuple[Side, Side]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Side, Side]): What the kinds of pairs depend on, see Words, and
            vectors of shape (n_mentions, n_experts, 2 * hidden_size). They are the same
            for both, and in the precision of the layers that make them: seven experts'
            are too many to be kept twice, and at full length, for a novel.
        """
        shape = -1, N_EXPERTS, self.hidden_size
        ends = [self.start_mlp(spans.starts), self.end_mlp(spans.ends)]
        vectors = torch.cat([end.view(shape) for end in ends], -1)
        side = (*find_words(spans), vectors)
        return side, side

    def _multiply(self, vectors: Tensor) -> Tensor:
        """Give anaphors what an expert's score is the product of with antecedents.

        vectors (Tensor): Shape (n_mentions, n_experts, 2 * hidden_size).
        RETURNS (Tensor): Of the same shape.
        """
        start, end = vectors.transpose(0, 1).split(self.hidden_size, -1)
        to_start = self.start_to_start(start) + self.end_to_start(end)
        to_end = self.end_to_end(end) + self.start_to_end(start)
        return torch.cat([to_start, to_end], -1).transpose(0, 1)

    def forward(self, anaphors: Side, antecedents: Side) -> Tensor:
        """Score every anaphor with every antecedent.

        anaphors (Side): Of n_mentions.
        antecedents (Side): Of n_antecedents.
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        kinds = categorize(words, other_words, right.dtype)
        left, right = self._multiply(pad_rows(left)), pad_rows(right)
        here = tuple(map(slice, kinds.shape))

        def multiply(expert: int) -> Tensor:
            return (left[:, expert] @ right[:, expert].T)[here]

        own = multiply(0)
        for kind in range(1, len(CATEGORIES)):
            own = torch.where(kinds == kind, multiply(kind), own)
        scores = multiply(_ALL).float()
        scores += own
        return scores

    def score_parts(self, anaphors: Side, antecedents: Side) -> Tensor:
        """Score every pair by each expert, for a loss that every expert learns from.

        anaphors (Side): Of n_mentions.
        antecedents (Side): Of n_antecedents.
        RETURNS (Tensor): Shape (1 + n_experts, n_mentions, n_antecedents): the scores
            themselves; then each expert's, -inf for pairs of another kind.
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        kinds = categorize(words, other_words)
        every = torch.arange(N_EXPERTS, device=kinds.device)[:, None, None]
        is_its = (kinds == every) | (every == _ALL)
        parts = torch.einsum("ief,jef->eij", self._multiply(left), right.float())
        scores = parts.masked_fill(~is_its, 0.0).sum(0, keepdim=True)
        return torch.cat([scores, parts.masked_fill(~is_its, -torch.inf)])

    def score_pairs(self, anaphors: Side, antecedents: Side) -> Tensor:
        """Score some pairs.

        anaphors (Side): Of n_pairs.
        antecedents (Side): Of n_pairs.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        products = (self._multiply(left).float() * right).sum(-1)
        kinds = categorize_pairs(words, other_words)
        own = products.gather(1, kinds[:, None].long()).squeeze(1)
        return own + products[:, _ALL]
