"""Antecedent scorers that add a term to the score that another one gives to a pair."""

from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Tuple, Union

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor, nn

from ...errors import check_setting
from ...grammar.speech import number_speakers
from ..blocks import register_block
from ..runtime import Runtime
from .heads import Head
from .s2e import AntecedentScorer
from .spans import Spans, Vectors


class WrapperScorer(AntecedentScorer):
    """Add a term to the score of the inner scorer. A new term adds nothing.

    A subclass has `n_own_tensors`, the number of tensors that `represent_own` computes
    for anaphors and for antecedents. They come before those of the inner scorer.
    """

    n_own_tensors: Tuple[int, int]

    def __init__(self, block: Any, width: int) -> None:
        super().__init__()
        # Of one name in all subclasses, so that weights can be moved between models
        # that wrap it differently.
        self.scorer: AntecedentScorer = block.scorer.build(width)

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute what the term needs of mentions; see AntecedentScorer.represent."""
        raise NotImplementedError

    def compute_term(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Compute the term for each anaphor with each antecedent; see forward."""
        raise NotImplementedError

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        own, inner = self.represent_own(spans), self.scorer.represent(spans)
        return (*own[0], *inner[0]), (*own[1], *inner[1])

    def forward(self, *sides: Vectors) -> Tensor:
        return self.scorer(*self._drop_own(*sides)) + self.compute_term(*sides)

    def score_for_training(self, *sides: Vectors) -> Tensor:
        # The other matrices train parts of the inner scorer.
        first, *others = self.scorer.score_for_training(*self._drop_own(*sides))
        return torch.stack([first + self.compute_term(*sides), *others])

    def _drop_own(self, *sides: Vectors) -> Iterator[Vectors]:
        return (side[n:] for side, n in zip(sides, self.n_own_tensors, strict=True))


@register_block("spacy_fastcoref.DistanceScorer.v1")
@dataclass(frozen=True)
class DistanceScorerBlock:
    """Configure an antecedent scorer that also sees the distance of two mentions.

    scorer (Any): The block of the antecedent scorer that it adds to.
    """

    scorer: Any

    def build(self, width: int) -> "DistanceScorer":
        return DistanceScorer(self, width)


class DistanceScorer(WrapperScorer):
    """Add a term that depends on the distance of two mentions.

    The term is linear in ln(1 + distance), where the distance is counted in words: 1
    for adjacent mentions, and 0 if the anaphor does not start after the antecedent.
    Slope and intercept are computed from the anaphor's vectors: the antecedent of
    "he" is usually near, that of a name may be far. The encoder's vectors do not
    tell the distance, because it encodes the segments of a document separately.
    """

    n_own_tensors = 2, 1

    def __init__(self, block: DistanceScorerBlock, width: int) -> None:
        super().__init__(block, width)
        # Computes the slope and the intercept.
        self.line = nn.Linear(2 * width, 2)
        nn.init.zeros_(self.line.weight)
        nn.init.zeros_(self.line.bias)

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        lines = self.line(torch.cat([spans.starts, spans.ends], -1)).float()
        return (spans.firsts, lines), (spans.lasts,)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        firsts, lines, *_ = anaphors
        slopes, intercepts = lines[:, None].unbind(-1)
        distances = (firsts[:, None] - antecedents[0]).clamp(min=0).float().log1p_()
        return torch.addcmul(intercepts, slopes, distances)


@register_block("spacy_fastcoref.SpeakerScorer.v1")
@dataclass(frozen=True)
class SpeakerScorerBlock:
    """Configure an antecedent scorer that also sees who says each mention.

    It reads the speakers from `doc.spans["speakers"]`, which has one span a turn
    with the speaker as its label. If a document has none, the scores are those of
    the inner scorer.

    scorer (Any): The block of the antecedent scorer that it adds to.
    rank (int): The width of the vectors whose dot product is added to a score.
    """

    scorer: Any
    rank: int = 32

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        return {"speaker": number_speakers(doc)}

    def build(self, width: int) -> "SpeakerScorer":
        return SpeakerScorer(self, width)


class SpeakerScorer(WrapperScorer):
    """Add a term that depends on the speakers of two mentions.

    The term is a dot product of the mentions' vectors, with one set of weights for
    mentions by the same speaker and one for mentions by different speakers. It
    depends on the mentions, because "I" and "I" corefer if one speaker says both,
    and "I" and "you" can corefer if two speakers do.
    """

    n_own_tensors = 2, 2

    def __init__(self, block: SpeakerScorerBlock, width: int) -> None:
        super().__init__(block, width)
        self.rank = block.rank
        # The first half of the output is for the same speaker, the second for others.
        self.anaphor = nn.Linear(2 * width, 2 * self.rank)
        self.antecedent = nn.Linear(2 * width, 2 * self.rank)
        nn.init.zeros_(self.antecedent.weight)
        nn.init.zeros_(self.antecedent.bias)

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        speakers = spans.codes["speaker"][spans.firsts]
        ends = torch.cat([spans.starts, spans.ends], -1)
        # Check all documents at once, because the CPU has to wait for the GPU.
        if spans.codes["speaker"].any():
            return (speakers, self.anaphor(ends)), (speakers, self.antecedent(ends))
        return (speakers, ends[:, :0]), (speakers, ends[:, :0])

    def compute_term(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        (speakers, left, *_), (others, right, *_) = anaphors, antecedents
        if not left.shape[1]:
            return 0.0
        halves = zip(*(t.split(self.rank, 1) for t in (left, right)), strict=True)
        speakers = speakers[:, None]
        term = torch.where(speakers == others, *(a @ b.T for a, b in halves))
        # 0 where a speaker is not known.
        return term.masked_fill((speakers == 0) | (others == 0), 0.0)


@register_block("spacy_fastcoref.TypeScorer.v1")
@dataclass(frozen=True)
class TypeScorerBlock:
    """Describe an antecedent scorer that uses the types of both mentions.

    The model needs a TypeHead as its `mention_types`.

    scorer (Any): The block of the inner scorer.
    n_types (int): The number of entity types of the TypeHead.
    """

    scorer: Any
    n_types: int = 10

    def build(self, width: int) -> "TypeScorer":
        return TypeScorer(self, width)


class TypeScorer(WrapperScorer):
    """Add a number for the predicted types of two mentions.

    With p and q the predicted distributions over the types of anaphor and antecedent,
    it adds p W q. No gradient flows back into the head, which learns from annotated
    types alone.
    """

    n_own_tensors = 1, 1

    def __init__(self, block: TypeScorerBlock, width: int) -> None:
        super().__init__(block, width)
        self.table = nn.Parameter(torch.zeros(1 + block.n_types, 1 + block.n_types))

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        types = spans.types.to(self.table.dtype)
        return (types @ self.table,), (types,)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        return anaphors[0] @ antecedents[0].T


def check_types(scorer: nn.Module, head: Optional[Head], path: str) -> None:
    """Check that antecedent scorer and head know the same number of types."""
    n_types = 0 if head is None else len(head.names) - 1
    expected = f"{n_types}, the number of `mention_types` in '{path}'"
    for layer in scorer.modules():
        if isinstance(layer, TypeScorer):
            n_own = len(layer.table) - 1
            check_setting("n_types", n_own, n_own == n_types, expected)
