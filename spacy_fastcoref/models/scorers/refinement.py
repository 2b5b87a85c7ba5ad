"""Second-order models, which refine mention vectors by predicted antecedents."""

from dataclasses import dataclass
from typing import Callable, Sequence

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .mention_vectors import MentionVectors
from .spans import Spans

# How many mentions of a document are refined together. Memory grows with its square.
MAX_MENTIONS = 1024


@register_block("spacy_fastcoref.EntityEqualization.v1")
@dataclass(frozen=True)
class EntityEqualizationBlock:
    """Configure entity equalization.

    n_rounds (int): The number of times that antecedents are predicted and the
        vectors are refined.
    """

    n_rounds: int = 1

    def build(self, width: int) -> "EntityEqualization":
        # A mention's vector is the concatenation of its ends.
        return EntityEqualization(2 * width, self.n_rounds)


class EntityEqualization(nn.Module):
    """Mix into the vector of each mention the vectors of its entity's mentions.

    See Kantor & Globerson (2019), section 3.1. Let A be the probabilities of the
    antecedents and d those of having none. The paper's recursion for Q, the
    probability that mention i belongs to the entity that mention j begins, is the
    triangular system (I - A) Q = diag(d). The entity vectors a of all mentions, each
    made from the text up to the mention, are then tril(Q Q^T) X. A gate mixes them
    with the mentions' own vectors g (equation 2):

        f = sigmoid(W [g, a]),  g' = f * g + (1 - f) * a
    """

    def __init__(self, width: int, n_rounds: int) -> None:
        super().__init__()
        self.n_rounds = n_rounds
        self.gate = nn.Linear(2 * width, width)

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        """Compute the entity vector of each mention: A, d and X are the arguments."""
        system = torch.eye(len(links), dtype=links.dtype, device=links.device) - links
        entities = torch.linalg.solve_triangular(
            system, null.diag(), upper=False, unitriangular=True
        )
        return (entities @ entities.T).tril() @ vectors

    def forward(self, pairs: Tensor, vectors: Tensor) -> Tensor:
        """Refine the vectors of one document by the scores of all pairs, -inf on and
        above the diagonal."""
        probs = torch.cat([pairs.new_zeros(len(pairs), 1), pairs], 1).softmax(1)
        gathered = self.gather(probs[:, 1:], probs[:, 0], vectors)
        gate = torch.sigmoid(self.gate(torch.cat([vectors, gathered], 1)))
        return gate * vectors + (1 - gate) * gathered

    def refine(
        self,
        score_pairs: Callable,
        scores: Sequence[Tensor],
        represented: MentionVectors,
        spans: Spans,
    ) -> Spans:
        """Refine the mentions of documents, given their scores and their vectors."""
        vectors = torch.cat([spans.starts, spans.ends], 1)
        refined = [vectors[:0]]
        first = 0
        for part in (part for one in scores for part in one.split(MAX_MENTIONS)):
            pairs = score_pairs(part, represented, first, 0, len(part), None)
            refined.append(self(pairs, vectors[first : first + len(part)]))
            first += len(part)
        starts, ends = torch.cat(refined).split(spans.starts.shape[1], 1)
        ids = torch.arange(len(starts), device=starts.device)
        return spans._replace(starts=starts, ends=ends, start_ids=ids, end_ids=ids)
