"""Namesakes: "Mr. Musk" and "Musk", who are the "Elon Musk" of the same text."""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ..languages.features import FEMALE, MALE
from ..languages.resources import COMMON, read_words
from ..types import Links
from .facts import Facts
from .name_runs import NameRuns

# Mentions, and which one each is.
Pairs = Tuple[np.ndarray, np.ndarray]
# What goes on with a name beside these is another one: "Kim Jong-un", "Lee & Co".
_JOINTS = frozenset("- / & )".split())


def find_namesakes(facts: Facts, by_head: np.ndarray) -> Pairs:
    """Find the full names that family names stand for.

    A text that has one person with a family name calls this one by the full name, by a
    title and the family name, or by that alone. Nobody is found where several people
    have the name: after several given names, or with titles of a man and of a woman.

    facts (Facts): What is known of the mentions.
    by_head (numpy.ndarray): Shape (n_tokens,), see find_likeliest.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions,
        and for each the first one by the full name, or by a title before it.
    """
    words, lexicon, runs = facts.words, facts.lexicon, facts.runs
    names, tokens = words.index, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_last &= ~np.append(words.find(_JOINTS)[1:], False)
    firsts = _find_firsts(runs, runs.is_given & ~is_last)
    is_long = is_last & (firsts < tokens)
    title = np.append(0, runs.title)[runs.firsts]
    is_told = is_last & ((title == MALE) | (title == FEMALE))
    shared = [
        _find_shared(names[is_long], names[firsts[is_long]]),
        _find_shared(names[is_told], title[is_told]),
    ]
    starts = np.where(by_head >= 0, facts.starts[by_head], -1)
    # What the document writes small elsewhere is no family name.
    is_small = words.doc.to_array(IS_LOWER) > 0
    is_noun = np.isin(words.index, words.index[is_small])
    is_full = is_long & runs.is_given[firsts] & ~is_noun
    is_full &= (starts >= 0) & (starts <= firsts)
    is_full &= ~np.isin(names, np.concatenate(shared))
    is_short = is_last & (firsts == tokens) & np.isin(names, names[is_full])
    # Not the "Hilbery" of "Mrs. Hilbery" alone, nor "the old Mrs. Hilbery".
    is_titled = is_short & (title > 0) & (starts == tokens - 1)
    is_bare = is_short & (title == 0) & (starts == tokens)
    # "Lucy" is hardly John Lucy.
    is_bare &= ~words.find(read_words(COMMON, "female_names"))
    # "the Grant administration", "in Lincoln"
    places = lexicon.determiners | lexicon.place_prepositions | _JOINTS
    is_bare &= ~np.append(False, words.find(places)[:-1])
    (members,) = np.nonzero(is_full | is_titled | is_bare)
    # May Welland is not Mrs. Welland, but Angela Merkel may be Mrs. Merkel later.
    is_wife = np.append(0, runs.title)[runs.firsts] == FEMALE
    (sure,) = np.nonzero(is_full | (is_titled & ~is_wife))
    known, places = np.unique(names[sure], return_index=True)
    found = sure[places[np.searchsorted(known, names[members])]]
    return by_head[members], by_head[found]


def tie_names(facts: Facts, links: Links, pairs: Pairs) -> np.ndarray:
    """Tie names to their full names where the model links them with nothing.

    facts (Facts): What is known of the mentions.
    links (Links): The model's answer.
    pairs (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions, and
        which one each is.
    RETURNS (numpy.ndarray): Shape (n_mentions,), which one each is, -1 for none.
    """
    later, earlier = pairs
    is_none = facts.is_part | facts.is_crossed
    is_linked = (links.scores > 0) & ~is_none[links.antecedents]
    is_new = ~is_linked[later].any(1) & (earlier < later)
    is_new &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    found = np.full(len(facts), -1)
    found[later[is_new]] = earlier[is_new]
    return found


def find_likeliest(facts: Facts, links: Links) -> np.ndarray:
    """Find which of the mentions that a name heads is meant.

    facts (Facts): What is known of the mentions.
    links (Links): The model's answer.
    RETURNS (numpy.ndarray): Shape (n_tokens,), the likeliest mention that each token
        heads, of those that the model links if there are any, -1 for none.
    """
    is_linked = links.find_linked()
    is_none = facts.is_part | facts.is_crossed | facts.is_joined
    (rows,) = np.nonzero(facts.is_name & ~is_none)
    rows = rows[np.lexsort((links.mention_scores[rows], is_linked[rows]))]
    # The last one stays.
    found = np.full(len(facts.words.index), -1)
    found[facts.heads[rows]] = rows
    return found


def _find_firsts(runs: NameRuns, is_given: np.ndarray) -> np.ndarray:
    """Find where each word's name begins: not with "Minister", but with a given name.

    Where there is none, it begins with its run.
    """
    firsts = runs.firsts.copy()
    (given,) = np.nonzero(runs.is_part & is_given)
    begins, places = np.unique(runs.firsts[given], return_index=True)
    firsts[begins] = given[places]
    return firsts[runs.firsts]


def _find_shared(names: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Find the names that stand with more than one of the others."""
    n_others = others.max(initial=0) + 1
    # Pairs as numbers, which are sorted faster than rows.
    forms = np.unique(names * n_others + others) // n_others
    return forms[1:][forms[1:] == forms[:-1]]
