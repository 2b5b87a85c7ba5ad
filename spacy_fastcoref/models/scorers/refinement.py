"""Second-order models, which refine mention vectors by predicted antecedents."""

from dataclasses import dataclass
from typing import Callable, ClassVar, Sequence, Tuple, Type

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .mention_vectors import DocumentMentions
from .spans import Mentions, Spans

# How many mentions of a document are refined together. Memory grows with its square.
MAX_MENTIONS = 1024


class Refinement(nn.Module):
    """Refine the vectors of mentions by the probabilities of their antecedents.

    A subclass implements `gather`, which computes a second vector a of each mention
    from the vectors g of its antecedents. A gate mixes the two:

        f = sigmoid(W [g, a]),  g' = f * g + (1 - f) * a

    See Lee et al. (2018), section 3, and Kantor & Globerson (2019), equation 2.

    width (int): The width of the mention vectors.
    n_rounds (int): The number of times that antecedents are predicted and the
        vectors are refined.
    """

    def __init__(self, width: int, n_rounds: int) -> None:
        super().__init__()
        self.n_rounds = n_rounds
        self.gate = nn.Linear(2 * width, width)

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        """Compute the vector that is mixed into each mention's own vector.

        links (Tensor): Shape (n_mentions, n_mentions), the probability of each
            antecedent. Only entries below the diagonal are not 0.
        null (Tensor): Shape (n_mentions,), the probability of having no antecedent.
        vectors (Tensor): Shape (n_mentions, width).
        RETURNS (Tensor): Shape (n_mentions, width).
        """
        raise NotImplementedError

    def forward(self, pairs: Tensor, vectors: Tensor) -> Tensor:
        """Refine the mentions of one document.

        pairs (Tensor): Shape (n_mentions, n_mentions), the score of each mention with
            each earlier mention; -inf on and above the diagonal.
        vectors (Tensor): Shape (n_mentions, width).
        RETURNS (Tensor): Shape (n_mentions, width), the refined vectors.
        """
        probs = torch.cat([pairs.new_zeros(len(pairs), 1), pairs], 1).softmax(1)
        gathered = self.gather(probs[:, 1:], probs[:, 0], vectors)
        gate = torch.sigmoid(self.gate(torch.cat([vectors, gathered], 1)))
        return gate * vectors + (1 - gate) * gathered

    def refine(
        self,
        score_pairs: Callable,
        mentions: Sequence[Mentions],
        represented: Sequence[DocumentMentions],
        spans: Spans,
    ) -> Spans:
        """Refine the mentions of several documents.

        score_pairs (Callable): The method CorefNetwork.score_pairs.
        mentions (Sequence[Mentions]): The mentions of each document.
        represented (Sequence[DocumentMentions]): Their vectors, as the antecedent
            scorer returns them.
        spans (Spans): The mentions of all documents.
        RETURNS (Spans): The mentions with refined vectors.
        """
        vectors = torch.cat([spans.starts, spans.ends], 1)
        refined = [vectors[:0]]
        begin = 0
        for (_, _, doc_scores), doc_mentions in zip(mentions, represented, strict=True):
            for part in split_mentions(len(doc_scores)):
                scores = doc_scores[part]
                part_mentions = doc_mentions.narrow(part)
                pairs = score_pairs(scores, part_mentions, 0, len(scores), None)
                rows = slice(begin + part.start, begin + part.stop)
                refined.append(self(pairs, vectors[rows]))
            begin += len(doc_scores)
        starts, ends = torch.cat(refined).split(spans.starts.shape[1], 1)
        ids = torch.arange(len(starts), device=starts.device)
        return spans._replace(starts=starts, ends=ends, start_ids=ids, end_ids=ids)


class AntecedentAverage(Refinement):
    """Average the vectors of a mention's antecedents, weighted by their probability.

    A mention without an antecedent keeps its own vector. See Lee et al. (2018),
    section 3.
    """

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        return links @ vectors + null[:, None] * vectors


class EntityEqualization(Refinement):
    """Sum the vectors of the mentions of an entity, weighted by their probability.

    See Kantor & Globerson (2019), section 3.1. Let A be the probabilities of the
    antecedents and d those of having none. The paper's recursion for Q, the
    probability that mention i belongs to the entity that mention j begins, is the
    triangular system (I - A) Q = diag(d). The entity vectors of all mentions, each
    made from the text up to the mention, are then tril(Q Q^T) X.
    """

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        system = torch.eye(len(links), dtype=links.dtype, device=links.device) - links
        entities = torch.linalg.solve_triangular(
            system, null.diag(), upper=False, unitriangular=True
        )
        return (entities @ entities.T).tril() @ vectors


@dataclass(frozen=True)
class RefinementBlock:
    """Define the settings of a refinement.

    A subclass sets `layer`, the class of the layer to build.

    n_rounds (int): The number of times that antecedents are predicted and the
        vectors are refined.
    """

    layer: ClassVar[Type[Refinement]]
    n_rounds: int = 1

    def build(self, width: int) -> Refinement:
        """Build the layer.

        width (int): The width of the mention vectors.
        RETURNS (Refinement): The layer.
        """
        return self.layer(width, self.n_rounds)


@register_block("spacy_fastcoref.AntecedentAverage.v1")
@dataclass(frozen=True)
class AntecedentAverageBlock(RefinementBlock):
    """Configure antecedent averaging. See RefinementBlock for the setting."""

    layer = AntecedentAverage


@register_block("spacy_fastcoref.EntityEqualization.v1")
@dataclass(frozen=True)
class EntityEqualizationBlock(RefinementBlock):
    """Configure entity equalization. See RefinementBlock for the setting."""

    layer = EntityEqualization


def split_mentions(n_mentions: int) -> Tuple[slice, ...]:
    """Split a document's mentions into parts of up to MAX_MENTIONS.

    n_mentions (int): The number of mentions.
    RETURNS (Tuple[slice, ...]): The parts, in order.
    """
    return tuple(
        slice(begin, min(begin + MAX_MENTIONS, n_mentions))
        for begin in range(0, n_mentions, MAX_MENTIONS)
    )
