"""The antecedent scorer of LingMess: an expert for each category of pairs."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor
from torch.nn.functional import pad

from ...about import DEFAULT_LANG
from ...errors import check_known
from ...grammar.lexicon import Lexicon, get_lexicon
from ...grammar.resources import list_languages
from ...grammar.word_index import WordIndex
from ..blocks import register_block
from ..encoders.padding import choose_size, pad_rows
from ..runtime import Runtime
from .layers import MlpBlock
from .s2e import S2EAntecedentScorer
from .spans import Spans, Vectors

# The categories of LingMess (Otmazgin et al. 2022b), section 3, in this order: two
# pronouns that can corefer, two pronouns that cannot, a pronoun and another mention,
# two mentions with the same content words, two of which one contains the other's
# content words, and all other pairs.
CATEGORIES = ("same_pronouns", "pronouns", "pronoun", "match", "contain", "other")
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
        """Read the token features that decide the category of a pair.

        RETURNS (Dict[str, numpy.ndarray]): Three arrays of shape (n_tokens,), int64.
            "form" numbers the distinct words of the document from 0; words that differ
            only in case or in invisible characters share a number. "is_stop" is 1 for
            stop words. "group" is the group of a pronoun, such as all forms of "he",
            and 0 for other words.
        """
        lexicon = get_lexicon(self.lang or doc.lang_)
        words = WordIndex(doc)
        return {
            "form": np.unique(words.index, return_inverse=True)[1],
            "is_stop": words.find(lexicon.stop_words).astype(np.int64),
            "group": words.map(_make_group_reader(lexicon)),
        }

    def build(self, width: int) -> "LingMessScorer":
        if self.lang is not None and not get_lexicon(self.lang).groups:
            known = [lang for lang in list_languages() if get_lexicon(lang).groups]
            check_known("list of kinds of pronouns of the language", self.lang, known)
        return LingMessScorer(width, self)


@lru_cache(maxsize=None)
def _make_group_reader(lexicon: Lexicon) -> Callable[[str], int]:
    return lambda form: lexicon.groups.get(form, 0)


class Words(NamedTuple):
    """Hold the words of mentions, which decide the category of a pair, and vectors.

    groups (Tensor): Shape (n_mentions,), the group of a pronoun; 0 for mentions
        that are no pronoun.
    sizes (Tensor): Shape (n_mentions,), the number of distinct content words, that
        is, words that are not stop words.
    words (Tensor): Shape (n_mentions, max_words), the distinct content words as
        numbers from 1 on, padded with 0.
    vectors (Optional[Tensor]): Shape (n_mentions, n_experts, 2 * hidden_size).
    """

    groups: Tensor
    sizes: Tensor
    words: Tensor
    vectors: Optional[Tensor] = None


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
        return words._replace(vectors=anaphors), words._replace(vectors=antecedents)

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
        left, right = Words(*anaphors), Words(*antecedents)
        categories = categorize(left, right)
        experts = torch.arange(N_EXPERTS, device=categories.device)[:, None, None]
        is_scored = (categories == experts) | (experts == _GENERAL)
        # Experts first; torch.bmm is slow without the copy.
        rows, columns = (
            pad_rows(side.vectors).transpose(0, 1).contiguous()
            for side in (left, right)
        )
        products = torch.bmm(rows, columns.transpose(1, 2))
        by_expert = products[:, : categories.shape[0], : categories.shape[1]]
        scores = by_expert.masked_fill(~is_scored, 0.0).sum(0, keepdim=True)
        return torch.cat([scores, by_expert.masked_fill(~is_scored, -torch.inf)])


class _Group(NamedTuple):
    """Hold the pronouns, or the other mentions, among the anaphors or antecedents.

    index (Tensor): Shape (n_group,), their indexes among all mentions.
    place (slice): Their place if the pronouns are sorted before other mentions.
    words (Words): Their words, and their vectors for _PRONOUN_EXPERTS or
        _OTHER_EXPERTS, shape (n_group_experts, n_group or more, 2 * hidden_size).
    """

    index: Tensor
    place: slice
    is_pronouns: bool
    words: Words


def _split_pronouns(*roles: Vectors) -> Iterator[List[_Group]]:
    both = [Words(*vectors) for vectors in roles]
    is_pronoun = [words.groups > 0 for words in both]
    # One transfer for both roles, because the CPU has to wait for the GPU.
    counts = torch.stack([found.sum() for found in is_pronoun]).tolist()
    for words, found, n_pronouns in zip(both, is_pronoun, counts, strict=True):
        # A stable sort, pronouns first. On a GPU, torch 2.5 cannot sort bool.
        order = (~found).byte().sort(stable=True).indices
        n_experts, width = words.vectors.shape[1:]
        groups = []
        for is_pronouns, place, experts in (
            (True, slice(n_pronouns), _PRONOUN_EXPERTS),
            (False, slice(n_pronouns, len(order)), _OTHER_EXPERTS),
        ):
            index = order[place]
            size = choose_size(len(index), words.vectors)
            # Contiguous with the experts first, which torch.bmm needs to be fast. The
            # padding repeats the first mention.
            rows = pad(index * n_experts, (0, size - len(index)))
            rows = torch.tensor(experts, device=rows.device)[:, None] + rows
            selected = words.vectors.reshape(-1, width).index_select(0, rows.view(-1))
            selected = selected.view(len(experts), size, width)
            own = (field.index_select(0, index) for field in words[:3])
            groups.append(_Group(index, place, is_pronouns, Words(*own, selected)))
        yield groups


def _add_scores(scores: Tensor, anaphors: _Group, antecedents: _Group) -> None:
    """Add the experts' scores of two groups in place, to allocate only the products."""
    is_mixed = anaphors.is_pronouns != antecedents.is_pronouns
    experts = slice(2) if is_mixed else slice(1, None)
    left, right = (side.words.vectors[experts] for side in (anaphors, antecedents))
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


def find_words(spans: Spans) -> Words:
    """Find the words of mentions, by the codes that LingMessBlock reads."""
    n_words = int((spans.lasts - spans.firsts).max()) + 1 if len(spans.firsts) else 1
    index = spans.firsts[:, None] + torch.arange(n_words, device=spans.firsts.device)
    inside = index <= spans.lasts[:, None]
    index = index.minimum(spans.lasts[:, None])
    forms = spans.codes["form"][index] + 1
    # A repeated pronoun, such as "he he", counts as a pronoun.
    has_one_form = (forms == forms[:, :1]).all(1)
    groups = spans.codes["group"][spans.firsts].masked_fill(~has_one_form, 0)
    is_content = inside & (spans.codes["is_stop"][index] == 0)
    words = forms.masked_fill(~is_content, 0).sort(1, descending=True).values
    # The first of equal words stays.
    words[:, 1:] *= words[:, 1:] != words[:, :-1]
    return Words(groups, (words > 0).sum(1), words)


def categorize(anaphors: Words, antecedents: Words) -> Tensor:
    """Find the category of each anaphor with each antecedent.

    RETURNS (Tensor): Shape (n_anaphors, n_antecedents), int8, indexes into CATEGORIES.
    """
    # All arithmetic stays in int8, because a batch has millions of pairs.
    has_all, other_has_all = (
        side.view(torch.int8) for side in compare_words(anaphors, antecedents)
    )
    # "other" is 5, "contain" (one mention's words are shared) 4, "match" (both) 3.
    by_words = 5 - has_all - other_has_all
    groups = anaphors.groups[:, None], antecedents.groups
    is_pronoun, other_is_pronoun = ((g > 0).view(torch.int8) for g in groups)
    n_pronouns = is_pronoun + other_is_pronoun
    # "pronoun" is 2, "pronouns" 1, and "same_pronouns" (both of one group) 0.
    is_same_group = (groups[0] == groups[1]).view(torch.int8)
    by_pronouns = 3 - n_pronouns - is_pronoun * is_same_group
    return torch.where(n_pronouns > 0, by_pronouns, by_words)


def compare_words(
    anaphors: Words, antecedents: Words, dtype: torch.dtype = torch.float32
) -> Tuple[Tensor, Tensor]:
    """Tell for all pairs whether one mention has all content words of the other.

    dtype (torch.dtype): The type to count shared words in. Half precision is exact
        for counts this small.
    RETURNS (Tuple[Tensor, Tensor]): Two tensors of shape (n_anaphors,
        n_antecedents), bool: whether the antecedent has all words of the anaphor,
        and whether the anaphor has all words of the antecedent.
    """
    words, other_words = anaphors.words, antecedents.words
    # Both tables have one column for each word that occurs in `words`: other words
    # cannot be shared.
    numbers = torch.cat([words.new_zeros(1), words.flatten()])
    vocabulary, index = numbers.unique(return_inverse=True)
    other_index = torch.searchsorted(vocabulary, other_words)
    other_index.clamp_(max=len(vocabulary) - 1)
    # The first column takes padding and unknown words; it is set to 0 below.
    other_index.masked_fill_(vocabulary[other_index] != other_words, 0)
    size = choose_size(len(vocabulary), words.new_empty(0, dtype=dtype))
    tables = []
    for columns in (index[1:].view_as(words), other_index):
        table = torch.zeros((len(columns), size), dtype=dtype, device=words.device)
        table.scatter_(1, columns, 1.0)
        table[:, 0] = 0.0
        tables.append(pad_rows(table))
    shared = (tables[0] @ tables[1].T)[: len(words), : len(other_words)]
    sizes = anaphors.sizes[:, None], antecedents.sizes
    return tuple(shared == size.to(shared.dtype) for size in sizes)
