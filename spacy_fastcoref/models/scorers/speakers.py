"""Who says a mention: pairs by the same speaker, and by others."""

from dataclasses import dataclass
from typing import Any, Dict, Tuple, Union

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor, nn

from ...tokens.speakers import number_speakers
from ..blocks import register_block
from ..inference.runtime import Runtime
from .spans import Spans, Vectors
from .wrapper_scorer import WrapperScorer


@register_block("spacy_fastcoref.SpeakerScorer.v1")
@dataclass(frozen=True)
class SpeakerScorerBlock:
    """Describe an antecedent scorer that knows who speaks.

    Speakers are read from doc.spans["speakers"], one span a turn, the speaker as its
    label. Where there are none, the inner scorer answers alone.

    scorer (Any): The block of the inner scorer.
    rank (int): The width of the vectors whose product is added for two mentions by
        the same speaker, or by two.
    """

    scorer: Any
    rank: int = 32

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        """Find who says each token.

        doc (Doc): The document.
        runtime (Runtime): Not used.
        RETURNS (Dict[str, numpy.ndarray]): "speaker", see number_speakers.
        """
        return {"speaker": number_speakers(doc)}

    def build(self, width: int) -> "SpeakerScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (SpeakerScorer): The layer.
        """
        return SpeakerScorer(self.scorer.build(width), width, self.rank)


class SpeakerScorer(WrapperScorer):
    """Add to the score of a pair what its two speakers tell.

    For each of "same" and "other" it adds a product of low rank, so that what they
    tell depends on the mentions: two times "I" by one speaker are the same, "I" and
    "you" by two may be.

    scorer (nn.Module): The inner scorer.
    width (int): The width of the encoder's vectors.
    rank (int): The width of the vectors that are multiplied.
    """

    n_own = 2, 2

    def __init__(self, scorer: nn.Module, width: int, rank: int) -> None:
        super().__init__(scorer)
        self.rank = rank
        # Both for the same speaker, then for another.
        self.anaphor = nn.Linear(2 * width, 2 * rank)
        self.antecedent = nn.Linear(2 * width, 2 * rank)
        # At first speakers say nothing.
        nn.init.zeros_(self.antecedent.weight)
        nn.init.zeros_(self.antecedent.bias)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): The speakers, shape (n_mentions,), the
            vectors to be multiplied, shape (n_mentions, 2 * rank), and what the inner
            scorer has. Where no speaker is known in the whole batch, vectors have no
            numbers.
        """
        anaphors, antecedents = self.scorer.represent(spans)
        speakers = spans.codes["speaker"][spans.firsts]
        ends = torch.cat([spans.starts, spans.ends], -1)
        # Asked once for all documents: a GPU has to be waited for.
        if spans.codes["speaker"].any():
            vectors = self.anaphor(ends), self.antecedent(ends)
        else:
            vectors = ends[:, :0], ends[:, :0]
        mine, theirs = vectors
        return (speakers, mine, *anaphors), (speakers, theirs, *antecedents)

    def add(self, anaphors: Vectors, antecedents: Vectors) -> Union[Tensor, float]:
        """Tell what speakers add to all pairs.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Union[Tensor, float]): Shape (n_mentions, n_antecedents); 0 if none is
            known.
        """
        mine, theirs = anaphors[0][:, None], antecedents[0]
        if not anaphors[1].shape[1]:
            return 0.0
        same, other = (
            left @ right.T
            for left, right in zip(
                anaphors[1].split(self.rank, 1),
                antecedents[1].split(self.rank, 1),
                strict=True,
            )
        )
        return _choose(mine, theirs, same, other)

    def add_pairs(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Tell what speakers add to some pairs.

        anaphors (Vectors): Of n_pairs.
        antecedents (Vectors): Of n_pairs.
        RETURNS (Union[Tensor, float]): Shape (n_pairs,); 0 if none is known.
        """
        if not anaphors[1].shape[1]:
            return 0.0
        products = (anaphors[1] * antecedents[1]).view(-1, 2, self.rank).sum(-1)
        return _choose(anaphors[0], antecedents[0], *products.unbind(1))


def _choose(mine: Tensor, theirs: Tensor, same: Tensor, other: Tensor) -> Tensor:
    """Take `same` or `other` where both speakers are known, else 0."""
    chosen = torch.where(mine == theirs, same, other)
    return chosen.masked_fill((mine == 0) | (theirs == 0), 0.0)
