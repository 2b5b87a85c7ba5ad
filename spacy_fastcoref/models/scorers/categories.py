"""The categories of pairs that LingMess has experts for."""

from functools import lru_cache
from typing import Callable, Dict, NamedTuple, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor

from ...grammar.lexicon import Lexicon, get_lexicon
from ...grammar.word_index import WordIndex
from ..encoders.padding import choose_size, pad_rows
from .spans import Spans, Vectors

# The categories of LingMess (Otmazgin et al. 2022b), section 3, in this order: two
# pronouns that can corefer, two pronouns that cannot, a pronoun and another mention,
# two mentions with the same content words, two of which one contains the other's
# content words, and all other pairs.
CATEGORIES = ("same_pronouns", "pronouns", "pronoun", "match", "contain", "other")


def read_categories(doc: Doc, lang: str) -> Dict[str, np.ndarray]:
    """Read the token features that decide the category of a pair.

    RETURNS (Dict[str, numpy.ndarray]): Three arrays of shape (n_tokens,), int64.
        "form" numbers the distinct words of the document from 0; words that differ
        only in case or in invisible characters share a number. "is_stop" is 1 for
        stop words. "group" is the group of a pronoun, such as all forms of "he",
        and 0 for other words.
    """
    lexicon = get_lexicon(lang)
    words = WordIndex(doc)
    return {
        "form": np.unique(words.index, return_inverse=True)[1],
        "is_stop": words.find(lexicon.stop_words).astype(np.int64),
        "group": words.map(_make_group_reader(lexicon)),
    }


@lru_cache(maxsize=None)
def _make_group_reader(lexicon: Lexicon) -> Callable[[str], int]:
    return lambda form: lexicon.groups.get(form, 0)


class Words(NamedTuple):
    """Hold the words of mentions that decide the category of a pair.

    groups (Tensor): Shape (n_mentions,), the group of a pronoun; 0 for mentions
        that are no pronoun.
    sizes (Tensor): Shape (n_mentions,), the number of distinct content words, that
        is, words that are not stop words.
    words (Tensor): Shape (n_mentions, max_words), the distinct content words as
        numbers from 1 on, padded with 0.
    """

    groups: Tensor
    sizes: Tensor
    words: Tensor


def find_words(spans: Spans) -> Words:
    """Find the words of mentions, by the codes that `read_categories` returns."""
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
    is_repeated = torch.zeros_like(words, dtype=torch.bool)
    is_repeated[:, 1:] = words[:, 1:] == words[:, :-1]
    words = words.masked_fill(is_repeated, 0)
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


def unpack(vectors: Vectors) -> Tuple[Words, Vectors]:
    """Split the vectors of mentions into the fields of Words and other tensors."""
    return Words(*vectors[:3]), vectors[3:]
