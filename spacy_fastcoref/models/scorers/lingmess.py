"""LingMess: an expert for each kind of pair, and one for all."""

from dataclasses import dataclass
from itertools import product
from typing import Dict, Iterator, List, NamedTuple, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor
from torch.nn.functional import pad

from ...errors import Errors
from ...languages.en import LANG
from ...languages.lexicon import get_lexicon
from ...languages.resources import list_languages
from ..blocks import register_block
from ..encoders.padding import choose_size
from ..inference.runtime import Runtime
from .antecedent_scorer import AntecedentScorer
from .categories import (
    CATEGORIES,
    Words,
    categorize,
    categorize_pairs,
    compare_words,
    find_words,
    read_categories,
    unpack,
)
from .layers import Bilinears, FullyConnected, MlpBlock, find_repeats
from .spans import Spans, Vectors

N_EXPERTS = len(CATEGORIES) + 1
_ALL = len(CATEGORIES)
_SAME, _PRONOUNS, _MIXED, _MATCH, _CONTAIN, _OTHER = range(len(CATEGORIES))
# The experts that pronouns need and those that other mentions do. The first two score
# a pronoun with another mention, all but the first pairs of one sort.
_OF_PRONOUNS = _MIXED, _ALL, _SAME, _PRONOUNS
_OF_OTHERS = _MIXED, _ALL, _MATCH, _CONTAIN, _OTHER


@register_block("spacy_fastcoref.LingMess.v1")
@dataclass(frozen=True)
class LingMessBlock(MlpBlock):
    """Describe the antecedent scorer of LingMess; settings beyond MlpBlock's:

    lang (str): The language whose pronouns and stop words tell the kinds of pairs.
    """

    lang: str = LANG

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
        RAISES (ValueError): There are no pronouns of the language.
        """
        if not get_lexicon(self.lang).groups:
            known = (lang for lang in list_languages() if get_lexicon(lang).groups)
            raise ValueError(
                Errors.FC131.format(lang=self.lang, available=", ".join(known))
            )
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

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): What the kinds of pairs depend on, see Words,
            and one tensor each, shape (n_mentions, n_experts, 2 * hidden_size), in the
            precision of the layers: an expert's score is the product of its anaphor's
            and its antecedent's.
        """
        shape = -1, N_EXPERTS, self.hidden_size
        kept, index = find_repeats(spans.start_ids)
        start = self.start_mlp(spans.starts[kept]).view(shape)
        anaphors = _join(self.start_to_start, self.start_to_end, start)[index]
        start = start[index]
        kept, index = find_repeats(spans.end_ids)
        end = self.end_mlp(spans.ends[kept]).view(shape)
        anaphors += _join(self.end_to_start, self.end_to_end, end)[index]
        antecedents = torch.cat([start, end[index]], -1)
        words = find_words(spans)
        return (*words, anaphors), (*words, antecedents)

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every anaphor with every antecedent.

        Pronouns and other mentions are scored apart, so that a pair meets the experts
        that it may need, and not all.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        lefts, rights = _part(anaphors, antecedents)
        rows, columns = (
            torch.cat([part.index for part in parts]) for parts in (lefts, rights)
        )
        shape = len(rows), len(columns)
        scores = torch.zeros(shape, dtype=torch.float32, device=rows.device)
        for one, other in product(lefts, rights):
            if len(one.index) and len(other.index):
                _add_scores(scores[one.place, other.place], one, other)
        order = rows.argsort(), columns.argsort()
        return scores.index_select(1, order[1]).index_select(0, order[0])

    def _multiply(self, anaphors: Tensor, antecedents: Tensor) -> Tensor:
        """Score every pair by every expert, whether it is for its kind or not.

        anaphors (Tensor): Shape (n_mentions, n_experts, 2 * hidden_size).
        antecedents (Tensor): Shape (n_antecedents, n_experts, 2 * hidden_size).
        RETURNS (Tensor): Shape (n_experts, n_mentions, n_antecedents).
        """
        left, right = _stack(anaphors), _stack(antecedents)
        products = torch.bmm(left, right.transpose(1, 2))
        return products[:, : len(anaphors), : len(antecedents)]

    def score_parts(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every pair by each expert, for a loss that every expert learns from.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (1 + n_experts, n_mentions, n_antecedents): the scores
            themselves; then each expert's, -inf for pairs of another kind.
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        kinds = categorize(words, other_words)
        every = torch.arange(N_EXPERTS, device=kinds.device)[:, None, None]
        is_its = (kinds == every) | (every == _ALL)
        parts = self._multiply(left, right)
        scores = parts.masked_fill(~is_its, 0.0).sum(0, keepdim=True)
        return torch.cat([scores, parts.masked_fill(~is_its, -torch.inf)])

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score some pairs.

        anaphors (Vectors): Of n_pairs.
        antecedents (Vectors): Of n_pairs.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        products = (left.float() * right).sum(-1)
        kinds = categorize_pairs(words, other_words)
        own = products.gather(1, kinds[:, None].long()).squeeze(1)
        return own + products[:, _ALL]


def _join(to_start: Bilinears, to_end: Bilinears, vectors: Tensor) -> Tensor:
    """Multiply ends with both weights: (n, n_experts, width) to (n, …, 2 * width)."""
    vectors = vectors.transpose(0, 1)
    both = to_start(vectors), to_end(vectors)
    return torch.cat([part.transpose(0, 1) for part in both], -1)


def _stack(rows: Tensor) -> Tensor:
    """Put experts first, in one piece: else torch multiplies one after another."""
    n_rows, n_experts, width = rows.shape
    stacked = rows.new_empty((n_experts, choose_size(n_rows, rows), width))
    stacked[:, :n_rows] = rows.transpose(0, 1)
    stacked[:, n_rows:] = 0
    return stacked


class _Part(NamedTuple):
    """Hold the pronouns of a side, or its other mentions.

    index (Tensor): Shape (n_mentions,), which of the side's mentions they are.
    place (slice): Where they are, if pronouns stand first.
    is_pronouns (bool): Whether they are pronouns.
    words (Words): Their words.
    vectors (Tensor): Shape (n_experts, n_mentions or more, 2 * hidden_size), for the
        experts that they need.
    """

    index: Tensor
    place: slice
    is_pronouns: bool
    words: Words
    vectors: Tensor


def _part(*sides: Vectors) -> Iterator[List[_Part]]:
    """Part the pronouns of each side from its other mentions."""
    unpacked = [unpack(side) for side in sides]
    is_pronoun = [words.groups > 0 for words, _ in unpacked]
    # A GPU is waited for once, not for each side.
    counts = torch.stack([found.sum() for found in is_pronoun]).tolist()
    for (words, (vectors,)), found, n_pronouns in zip(
        unpacked, is_pronoun, counts, strict=True
    ):
        # Pronouns first, both in their order; not as bool, which torch 2.5 does not
        # sort on a GPU.
        order = (~found).byte().sort(stable=True).indices
        yield [
            _take(words, vectors, order, slice(n_pronouns), True),
            _take(words, vectors, order, slice(n_pronouns, len(order)), False),
        ]


def _take(
    words: Words, vectors: Tensor, order: Tensor, place: slice, is_pronouns: bool
) -> _Part:
    """Take a side's pronouns or its other mentions, for the experts that they need."""
    experts = _OF_PRONOUNS if is_pronouns else _OF_OTHERS
    index = order[place]
    n_experts, width = vectors.shape[1:]
    own = Words(*(field.index_select(0, index) for field in words))
    size = choose_size(len(index), vectors)
    # Experts first, in one piece: else torch multiplies one after another. Rows that
    # only fill up are the first's.
    rows = pad(index * n_experts, (0, size - len(index)))
    rows = torch.tensor(experts, device=rows.device)[:, None] + rows
    chosen = vectors.reshape(-1, width).index_select(0, rows.view(-1))
    chosen = chosen.view(len(experts), size, width)
    return _Part(index, place, is_pronouns, own, chosen)


def _add_scores(scores: Tensor, one: _Part, other: _Part) -> None:
    """Add the scores of a part's anaphors with a part's antecedents to others.

    In place, so that blocks of pairs leave nothing behind in memory but products.
    """
    is_mixed = one.is_pronouns != other.is_pronouns
    experts = slice(2) if is_mixed else slice(1, None)
    products = torch.bmm(one.vectors[experts], other.vectors[experts].transpose(1, 2))
    products = products[:, : len(one.index), : len(other.index)]
    if is_mixed:
        scores += products[0]
        scores += products[1]
        return
    of_all, *own = products
    scores += of_all
    if one.is_pronouns:
        is_same = one.words.groups[:, None] == other.words.groups
        scores += torch.where(is_same, *own)
        return
    match, contain, rest = own
    is_all, is_all_of_other = compare_words(one.words, other.words, match.dtype)
    inner = torch.where(is_all_of_other, match, contain)
    outer = torch.where(is_all_of_other, contain, rest)
    scores += torch.where(is_all, inner, outer)
