"""Second-order models: mentions that know of the entities they belong to."""

from dataclasses import dataclass
from typing import Callable, ClassVar, Sequence, Tuple, Type

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .mention_vectors import DocumentMentions
from .spans import Mentions, Spans

# How many mentions of a document are refined together: what is held is square in it.
MAX_MENTIONS = 1024


class Refinement(nn.Module):
    """The base of what refines the vectors of mentions by their antecedents.

    A subclass has `gather(links, null, vectors)`, which makes of each mention's
    probable antecedents what they say of it. A gate decides how much of that is taken;
    see Lee et al. (2018), section 3, and Kantor & Globerson (2019), equation 2.

    width (int): The width of the vectors.
    n_rounds (int): How often antecedents are found anew.
    """

    def __init__(self, width: int, n_rounds: int) -> None:
        super().__init__()
        self.n_rounds = n_rounds
        self.gate = nn.Linear(2 * width, width)

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        """Make of each mention's antecedents what they say of it.

        links (Tensor): Shape (n_mentions, n_mentions), the probability of each
            antecedent: 0 but below the diagonal.
        null (Tensor): Shape (n_mentions,), that of having none.
        vectors (Tensor): Shape (n_mentions, width).
        RETURNS (Tensor): Shape (n_mentions, width).
        """
        raise NotImplementedError

    def forward(self, pairs: Tensor, vectors: Tensor) -> Tensor:
        """Refine the mentions of one document.

        pairs (Tensor): Shape (n_mentions, n_mentions), the scores of earlier mentions,
            -inf elsewhere.
        vectors (Tensor): Shape (n_mentions, width).
        RETURNS (Tensor): Shape (n_mentions, width), the refined vectors.
        """
        everything = torch.cat([pairs.new_zeros(len(pairs), 1), pairs], 1).softmax(1)
        gathered = self.gather(everything[:, 1:], everything[:, 0], vectors)
        gate = torch.sigmoid(self.gate(torch.cat([vectors, gathered], 1)))
        return gate * vectors + (1 - gate) * gathered

    def refine(
        self,
        score_pairs: Callable,
        chosen: Sequence[Mentions],
        sides: Sequence[DocumentMentions],
        spans: Spans,
    ) -> Spans:
        """Refine the mentions of several documents.

        score_pairs (Callable): CorefNetwork.score_pairs.
        chosen (Sequence[Mentions]): The mentions of each document.
        sides (Sequence[DocumentMentions]): What the antecedent scorer makes of them.
        spans (Spans): The mentions of all documents.
        RETURNS (Spans): The same with other vectors.
        """
        vectors = torch.cat([spans.starts, spans.ends], 1)
        refined = [vectors[:0]]
        begin = 0
        for mentions, own in zip(chosen, sides, strict=True):
            for part in split_mentions(len(mentions.scores)):
                scores = mentions.scores[part]
                pairs = score_pairs(scores, own.narrow(part), 0, len(scores), None)
                inside = slice(begin + part.start, begin + part.stop)
                refined.append(self(pairs, vectors[inside]))
            begin += len(mentions.scores)
        starts, ends = torch.cat(refined).split(spans.starts.shape[1], 1)
        ids = torch.arange(len(starts), device=starts.device)
        return spans._replace(starts=starts, ends=ends, start_ids=ids, end_ids=ids)


class AntecedentAverage(Refinement):
    """Average a mention's antecedents by their probability: see Lee et al. (2018)."""

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        return links @ vectors + null[:, None] * vectors


class EntityEqualization(Refinement):
    """Sum up a mention's entity as far as it is known there.

    See Kantor & Globerson (2019), section 3.1: with A the antecedents and d the null
    column, their recursion for the entity that each mention begins is the triangular
    system (I - A) Q = diag(d), and what each mention is given is tril(Q Q^T) X.
    """

    def gather(self, links: Tensor, null: Tensor, vectors: Tensor) -> Tensor:
        system = torch.eye(len(links), dtype=links.dtype, device=links.device) - links
        entities = torch.linalg.solve_triangular(
            system, null.diag(), upper=False, unitriangular=True
        )
        return (entities @ entities.T).tril() @ vectors


@dataclass(frozen=True)
class RefinementBlock:
    """Hold the settings of a refinement. A subclass has `layer`, the class to make.

    n_rounds (int): How often antecedents are found anew.
    """

    layer: ClassVar[Type[Refinement]]
    n_rounds: int = 1

    def build(self, width: int) -> Refinement:
        """Make the layer.

        width (int): The width of the vectors.
        RETURNS (Refinement): The layer.
        """
        return self.layer(width, self.n_rounds)


@register_block("spacy_fastcoref.AntecedentAverage.v1")
@dataclass(frozen=True)
class AntecedentAverageBlock(RefinementBlock):
    """Describe antecedent averaging; its setting is RefinementBlock's."""

    layer = AntecedentAverage


@register_block("spacy_fastcoref.EntityEqualization.v1")
@dataclass(frozen=True)
class EntityEqualizationBlock(RefinementBlock):
    """Describe entity equalization; its setting is RefinementBlock's."""

    layer = EntityEqualization


def split_mentions(n_mentions: int) -> Tuple[slice, ...]:
    """Split a document's mentions into stretches that are refined together.

    n_mentions (int): Their number.
    RETURNS (Tuple[slice, ...]): The stretches, in order.
    """
    return tuple(
        slice(begin, min(begin + MAX_MENTIONS, n_mentions))
        for begin in range(0, n_mentions, MAX_MENTIONS)
    )
