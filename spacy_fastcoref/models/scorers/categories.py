"""The six kinds of pairs that LingMess has experts for, by array operations."""

from typing import Dict, NamedTuple, Tuple

import numpy as np
import torch
from spacy.attrs import LOWER
from spacy.tokens import Doc
from torch import Tensor

from ...languages.lexicon import get_lexicon
from ...languages.word_index import drop_invisible
from ..encoders.padding import choose_size, pad_rows
from .spans import Spans, Vectors

# See LingMess (Otmazgin et al. 2022b), section 3: pronouns that can stand for the same
# and that cannot, a pronoun and another mention, the same words, words that contain
# the other's, and all the rest.
CATEGORIES = ("same_pronouns", "pronouns", "pronoun", "match", "contain", "other")


def read_categories(doc: Doc, lang: str) -> Dict[str, np.ndarray]:
    """Read from a document what the kinds of pairs depend on.

    doc (Doc): The document.
    lang (str): The language whose pronouns and stop words count.
    RETURNS (Dict[str, numpy.ndarray]): Shape (n_tokens,) each: "form" is a number from
        0 on, the same for words of the document that differ in their capitals only, or
        in invisible characters, "is_stop" 1 for stop words, "group" the pronoun's
        group, 0 for what is no pronoun.
    """
    lexicon = get_lexicon(lang)
    forms = doc.to_array([LOWER]).reshape(-1)
    # Looked up once a form, not once a token.
    known, index = np.unique(forms, return_inverse=True)
    texts = [drop_invisible(doc.vocab.strings[int(form)]) for form in known]
    numbers: Dict[str, int] = {}
    same = [numbers.setdefault(text, len(numbers)) for text in texts]
    is_stop = [int(text in lexicon.stop_words) for text in texts]
    groups = [lexicon.groups.get(text, 0) for text in texts]
    return {
        "form": np.array(same, dtype=np.int64)[index],
        "is_stop": np.array(is_stop, dtype=np.int64)[index],
        "group": np.array(groups, dtype=np.int64)[index],
    }


class Words(NamedTuple):
    """Hold what the kinds of pairs depend on, mention by mention.

    groups (Tensor): Shape (n_mentions,), the pronoun's group, 0 for no pronoun.
    sizes (Tensor): Shape (n_mentions,), the number of different words, without stop
        words.
    words (Tensor): Shape (n_mentions, max_words), these words as numbers from 1 on, 0
        where there are no more.
    """

    groups: Tensor
    sizes: Tensor
    words: Tensor


def find_words(spans: Spans) -> Words:
    """Find the words of mentions.

    spans (Spans): The mentions, with the codes of read_categories.
    RETURNS (Words): Their words.
    """
    n_words = int((spans.lasts - spans.firsts).max()) + 1 if len(spans.firsts) else 1
    index = spans.firsts[:, None] + torch.arange(n_words, device=spans.firsts.device)
    inside = index <= spans.lasts[:, None]
    index = index.minimum(spans.lasts[:, None])
    forms = spans.codes["form"][index] + 1
    # A pronoun is one word, however often it is said.
    is_one_word = (forms == forms[:, :1]).all(1)
    groups = spans.codes["group"][spans.firsts].masked_fill(~is_one_word, 0)
    counts = inside & (spans.codes["is_stop"][index] == 0)
    words = forms.masked_fill(~counts, 0).sort(1, descending=True).values
    is_again = torch.zeros_like(words, dtype=torch.bool)
    is_again[:, 1:] = words[:, 1:] == words[:, :-1]
    words = words.masked_fill(is_again, 0)
    return Words(groups, (words > 0).sum(1), words)


def categorize(anaphors: Words, antecedents: Words) -> Tensor:
    """Tell the kind of every pair.

    anaphors (Words): Of n_mentions.
    antecedents (Words): Of n_antecedents.
    RETURNS (Tensor): Shape (n_mentions, n_antecedents), int8, the index in CATEGORIES.
    """
    groups = anaphors.groups[:, None], antecedents.groups
    return _choose(*groups, *compare_words(anaphors, antecedents))


def compare_words(
    anaphors: Words, antecedents: Words, dtype: torch.dtype = torch.float32
) -> Tuple[Tensor, Tensor]:
    """Tell for every pair whether one has all words of the other.

    anaphors (Words): Of n_mentions.
    antecedents (Words): Of n_antecedents.
    dtype (torch.dtype): The precision of products; numbers of words are exact in any.
    RETURNS (Tuple[Tensor, Tensor]): Shape (n_mentions, n_antecedents), bool: whether
        the antecedent has all of the anaphor's, and the anaphor all of the
        antecedent's.
    """
    shared = count_shared(anaphors.words, antecedents.words, dtype)
    sizes = anaphors.sizes[:, None], antecedents.sizes
    return tuple(shared == size.to(shared.dtype) for size in sizes)


def categorize_pairs(anaphors: Words, antecedents: Words) -> Tensor:
    """Tell the kind of some pairs.

    anaphors, antecedents (Words): Of n_pairs.
    RETURNS (Tensor): Shape (n_pairs,), int8, the index in CATEGORIES.
    """
    ours, theirs = anaphors.words[:, :, None], antecedents.words[:, None, :]
    shared = ((ours == theirs) & (ours > 0)).sum((1, 2))
    sizes = anaphors.sizes, antecedents.sizes
    return _choose(
        anaphors.groups, antecedents.groups, *(shared == size for size in sizes)
    )


def _choose(
    group: Tensor, other_group: Tensor, is_all: Tensor, is_all_of_other: Tensor
) -> Tensor:
    # Of one byte each: a batch has many pairs. "other", "contain" if all words of one
    # are shared, "match" if all of both are.
    kinds = 5 - is_all.view(torch.int8) - is_all_of_other.view(torch.int8)
    one, other = ((g > 0).view(torch.int8) for g in (group, other_group))
    n_pronouns = one + other
    # "pronoun", or "pronouns" and, of one group, "same_pronouns".
    pronouns = 3 - n_pronouns - one * (group == other_group).view(torch.int8)
    return torch.where(n_pronouns > 0, pronouns, kinds)


def count_shared(words: Tensor, other_words: Tensor, dtype: torch.dtype) -> Tensor:
    """Count the words that two mentions have in common, for all pairs.

    words (Tensor): Shape (n_mentions, max_words), numbers from 1 on, 0 for none.
    other_words (Tensor): Shape (n_antecedents, max_words or others).
    dtype (torch.dtype): The precision of the products.
    RETURNS (Tensor): Shape (n_mentions, n_antecedents).
    """
    # Only words of the first side can be shared, and so the tables stay small.
    numbers = torch.cat([words.new_zeros(1), words.flatten()])
    known, index = numbers.unique(return_inverse=True)
    places = torch.searchsorted(known, other_words).clamp_(max=len(known) - 1)
    # Words that are not shared are all counted in the first column.
    places.masked_fill_(known[places] != other_words, 0)
    size = choose_size(len(known), words.new_empty(0, dtype=dtype))
    tables = []
    for columns in (index[1:].view_as(words), places):
        table = torch.zeros((len(columns), size), dtype=dtype, device=words.device)
        table.scatter_(1, columns, 1.0)
        table[:, 0] = 0.0
        tables.append(pad_rows(table))
    return (tables[0] @ tables[1].T)[: len(words), : len(other_words)]


def unpack(side: Vectors) -> Tuple[Words, Vectors]:
    """Take them off a Vectors.

    side (Vectors): The fields of Words, and more.
    RETURNS (Tuple[Words, Vectors]): The words, and the rest.
    """
    return Words(*side[:3]), side[3:]
