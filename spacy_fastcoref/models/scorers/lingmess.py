"""The antecedent scorer of LingMess: an expert for each category of pairs."""

from dataclasses import dataclass
from itertools import product
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor
from torch.nn.functional import pad

from ...about import DEFAULT_LANG
from ...errors import check_known
from ...grammar.lexicon import get_lexicon
from ...grammar.resources import list_languages
from ..blocks import register_block
from ..encoders.padding import choose_size
from ..runtime import Runtime
from .antecedent_scorer import S2EAntecedentScorer
from .categories import (
    CATEGORIES,
    Words,
    categorize,
    compare_words,
    find_words,
    read_categories,
    unpack,
)
from .layers import MlpBlock
from .spans import Spans, Vectors

N_EXPERTS = len(CATEGORIES) + 1
_GENERAL = len(CATEGORIES)
_SAME, _PRONOUNS, _MIXED, _MATCH, _CONTAIN, _OTHER = range(len(CATEGORIES))
# The experts that can score a pair with a pronoun in it, and a pair with another
# mention in it. In both, the first two score pairs of a pronoun and another mention,
# and all but the first score pairs of two pronouns, or of two other mentions.
_PRONOUN_EXPERTS = _MIXED, _GENERAL, _SAME, _PRONOUNS
_OTHER_EXPERTS = _MIXED, _GENERAL, _MATCH, _CONTAIN, _OTHER


@register_block("spacy_fastcoref.LingMess.v1")
@dataclass(frozen=True)
class LingMessBlock(MlpBlock):
    """Configure the antecedent scorer of LingMess.

    lang (Optional[str]): The language whose pronouns and stop words decide the
        categories; None for the language of each document. See MlpBlock for the other
        settings.
    """

    lang: Optional[str] = DEFAULT_LANG

    def read(self, doc: Doc, runtime: Runtime) -> Dict[str, np.ndarray]:
        return read_categories(doc, self.lang or doc.lang_)

    def build(self, width: int) -> "LingMessScorer":
        if self.lang is not None and not get_lexicon(self.lang).groups:
            known = [lang for lang in list_languages() if get_lexicon(lang).groups]
            check_known("list of kinds of pronouns of the language", self.lang, known)
        return LingMessScorer(width, self)


class LingMessScorer(S2EAntecedentScorer):
    """Score a pair by the expert for its category and by a general expert.

    f(c, q) = f_a(c, q) + f_t(c, q), where t is the category of the pair; see
    LingMess (Otmazgin et al. 2022b), section 3. Each expert scores as s2e does, see
    S2EAntecedentScorer.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        # As in LingMess, all experts share one linear layer and one layer norm.
        super().__init__(width, settings, N_EXPERTS)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        words = find_words(spans)
        anaphors, antecedents = self.multiply_ends(spans)
        return (*words, anaphors), (*words, antecedents)

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        # Pronouns and other mentions are scored separately, so that only the experts
        # that a pair can need are computed for it.
        row_groups, column_groups = _split_pronouns(anaphors, antecedents)
        rows, columns = (
            torch.cat([group.index for group in groups])
            for groups in (row_groups, column_groups)
        )
        shape = len(rows), len(columns)
        scores = torch.zeros(shape, dtype=torch.float32, device=rows.device)
        for row_group, column_group in product(row_groups, column_groups):
            if len(row_group.index) and len(column_group.index):
                block = scores[row_group.place, column_group.place]
                _add_scores(block, row_group, column_group)
        # Back from pronouns first to the order of the arguments.
        order = rows.argsort(), columns.argsort()
        return scores.index_select(1, order[1]).index_select(0, order[0])

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs, and then by each expert, with -inf for other categories.

        The loss of each expert is a term; see Otmazgin et al. (2022b), section 3.
        """
        words, (left,) = unpack(anaphors)
        other_words, (right,) = unpack(antecedents)
        categories = categorize(words, other_words)
        experts = torch.arange(N_EXPERTS, device=categories.device)[:, None, None]
        is_scored = (categories == experts) | (experts == _GENERAL)
        products = torch.bmm(
            _put_experts_first(left), _put_experts_first(right).transpose(1, 2)
        )
        by_expert = products[:, : len(left), : len(right)]
        scores = by_expert.masked_fill(~is_scored, 0.0).sum(0, keepdim=True)
        return torch.cat([scores, by_expert.masked_fill(~is_scored, -torch.inf)])


def _put_experts_first(rows: Tensor) -> Tensor:
    """Copy vectors to put experts first; torch.bmm is slow without the copy."""
    n_rows, n_experts, width = rows.shape
    stacked = rows.new_empty((n_experts, choose_size(n_rows, rows), width))
    stacked[:, :n_rows] = rows.transpose(0, 1)
    stacked[:, n_rows:] = 0
    return stacked


class _Group(NamedTuple):
    """Hold the pronouns, or the other mentions, among the anaphors or antecedents.

    index (Tensor): Shape (n_group,), their indexes among all mentions.
    place (slice): Their place if the pronouns are sorted before other mentions.
    vectors (Tensor): Shape (n_group_experts, n_group or more, 2 * hidden_size),
        the vectors for _PRONOUN_EXPERTS or _OTHER_EXPERTS.
    """

    index: Tensor
    place: slice
    is_pronouns: bool
    words: Words
    vectors: Tensor


def _split_pronouns(*roles: Vectors) -> Iterator[List[_Group]]:
    unpacked = [unpack(vectors) for vectors in roles]
    is_pronoun = [words.groups > 0 for words, _ in unpacked]
    # One transfer for both roles, because the CPU has to wait for the GPU.
    counts = torch.stack([found.sum() for found in is_pronoun]).tolist()
    for (words, (vectors,)), found, n_pronouns in zip(
        unpacked, is_pronoun, counts, strict=True
    ):
        # A stable sort, pronouns first. On a GPU, torch 2.5 cannot sort bool.
        order = (~found).byte().sort(stable=True).indices
        n_experts, width = vectors.shape[1:]
        groups = []
        for is_pronouns, place, experts in (
            (True, slice(n_pronouns), _PRONOUN_EXPERTS),
            (False, slice(n_pronouns, len(order)), _OTHER_EXPERTS),
        ):
            index = order[place]
            size = choose_size(len(index), vectors)
            # Contiguous with the experts first, see _put_experts_first. The padding
            # repeats the first mention.
            rows = pad(index * n_experts, (0, size - len(index)))
            rows = torch.tensor(experts, device=rows.device)[:, None] + rows
            selected = vectors.reshape(-1, width).index_select(0, rows.view(-1))
            selected = selected.view(len(experts), size, width)
            own = Words(*(field.index_select(0, index) for field in words))
            groups.append(_Group(index, place, is_pronouns, own, selected))
        yield groups


def _add_scores(scores: Tensor, anaphors: _Group, antecedents: _Group) -> None:
    """Add the experts' scores of two groups in place, to allocate only the products."""
    is_mixed = anaphors.is_pronouns != antecedents.is_pronouns
    experts = slice(2) if is_mixed else slice(1, None)
    left, right = anaphors.vectors[experts], antecedents.vectors[experts]
    products = torch.bmm(left, right.transpose(1, 2))
    products = products[:, : len(anaphors.index), : len(antecedents.index)]
    if is_mixed:
        scores += products[0]
        scores += products[1]
        return
    general, *by_category = products
    scores += general
    if anaphors.is_pronouns:
        is_same = anaphors.words.groups[:, None] == antecedents.words.groups
        scores += torch.where(is_same, *by_category)
        return
    match, contain, other = by_category
    antecedent_has_all, anaphor_has_all = compare_words(
        anaphors.words, antecedents.words, match.dtype
    )
    match_or_contain = torch.where(anaphor_has_all, match, contain)
    contain_or_other = torch.where(anaphor_has_all, contain, other)
    scores += torch.where(antecedent_has_all, match_or_contain, contain_or_other)
