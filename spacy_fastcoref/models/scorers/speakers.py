"""An antecedent scorer that also sees who says each mention."""

from dataclasses import dataclass
from typing import Any, Dict, Tuple, Union

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor, nn

from ...grammar.speech import number_speakers
from ..blocks import register_block
from ..runtime import Runtime
from .antecedent_scorer import AntecedentScorer, WrapperScorer
from .spans import Spans, Vectors


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
        return SpeakerScorer(self.scorer.build(width), width, self.rank)


class SpeakerScorer(WrapperScorer):
    """Add a term that depends on the speakers of two mentions to another score.

    The term is a dot product of the mentions' vectors, with one set of weights for
    mentions by the same speaker and one for mentions by different speakers. It
    depends on the mentions, because "I" and "I" corefer if one speaker says both,
    and "I" and "you" can corefer if two speakers do.
    """

    n_own_tensors = 2, 2

    def __init__(self, scorer: AntecedentScorer, width: int, rank: int) -> None:
        super().__init__(scorer)
        self.rank = rank
        # The first half of the output is for the same speaker, the second for others.
        self.anaphor = nn.Linear(2 * width, 2 * rank)
        self.antecedent = nn.Linear(2 * width, 2 * rank)
        # Start from the scores of the inner scorer.
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
