"""English: "Mr. Musk" and "Musk", who is "Elon Musk" in the same text."""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ...rules.agreement import FEMALE, MALE
from ...rules.facts import Facts
from ...types import Links
from ..word_index import GIVEN_NAMES, WordIndex, read_words
from .names import CLASSES, NameRuns, find_classes, read_titles_of

# Mentions, and which one each may be.
Pairs = Tuple[np.ndarray, np.ndarray]
_LANG = "en"
PERSON_NOUNS = ("person_words", "male_words", "female_words")
# What stands before a name that is a part of something: "the Grant administration",
# "Ann (Lee) Cox", "in Lincoln", "Kim Jong-un", "he founded Dell", "a Ford".
_BEFORE = frozenset(
    "the a an ) ] - / & in at near across around founded established launched started "
    "owns owned".split()
)
_BEFORE_PLACE = frozenset(
    "for from into of outside through to toward towards with".split()
)
_AFTER = frozenset("- / &".split())


def find_namesakes(facts: Facts, runs: NameRuns, by_head: np.ndarray) -> Pairs:
    """Find whom names of people stand for: who had the name before.

    A text that has one person with a family name calls this one by the full name, by a
    title and the family name, or by that alone. Nobody is found where several people
    have the name: after several other names, given or middle ones, or with titles of a
    man and of a woman, as Mr. and Mrs. Hilbery have them, whose daughter is Katharine
    Hilbery.

    facts (Facts): What is known of the mentions.
    runs (NameRuns): The names of the document.
    by_head (numpy.ndarray): Shape (n_tokens,), see find_likeliest.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions,
        and for each the first one by the full name, or by a title before it.
    """
    words = facts.words
    names, tokens = words.index, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_last &= ~np.append(words.find(_AFTER)[1:], False)
    is_given = words.find(read_words("common", *GIVEN_NAMES))
    firsts = _find_firsts(runs, is_given & ~is_last)
    # "Minister Sunak" has no other name than Rishi Sunak.
    is_noun = words.find(read_words(_LANG, *PERSON_NOUNS)) & ~is_given
    is_long = is_last & (firsts < tokens)
    is_long &= ~np.append(False, is_noun[:-1])
    title = np.append(0, runs.title)[runs.firsts]
    is_told = is_last & ((title == MALE) | (title == FEMALE))
    is_longer = is_last & (firsts + 1 < tokens)
    letters = words.map(_read_letter)
    shared = [
        _find_shared(names[is_long], names[firsts[is_long]]),
        # George H. W. Bush and George W. Bush
        _find_shared(names[is_longer], letters[firsts[is_longer] + 1]),
        _find_shared(names[is_told], title[is_told]),
    ]
    starts = np.where(by_head >= 0, facts.starts[by_head], -1)
    is_person = is_given & ~words.find(read_words(_LANG, "place_openers"))
    is_full = is_long & is_person[firsts] & ~_find_places(words)
    is_full &= (starts >= 0) & (starts <= firsts)
    is_full &= ~np.isin(names, np.concatenate(shared))
    is_short = is_last & (firsts == tokens) & np.isin(names, names[is_full])
    # Not the "Hilbery" of "Mrs. Hilbery" alone, nor "the old Mrs. Hilbery".
    is_titled = is_short & (title > 0) & (starts == tokens - 1)
    is_bare = is_short & (title == 0) & (starts == tokens)
    # "Lucy" is hardly John Lucy.
    is_bare &= ~words.find(read_words("common", "female_names"))
    is_bare &= ~np.append(False, words.find(_BEFORE)[:-1])
    # "Denzel Washington flew to Washington": nobody.
    is_bare &= ~(
        words.find(read_words(_LANG, "place_or_firm_names"))
        & np.append(False, words.find(_BEFORE_PLACE)[:-1])
    )
    (members,) = np.nonzero(is_full | is_titled | is_bare)
    # May Welland is not Mrs. Welland, but Angela Merkel may be Mrs. Merkel later.
    is_wife = np.append(False, words.find(read_titles_of("wife"))[:-1])
    (sure,) = np.nonzero(is_full | (is_titled & ~is_wife))
    known, places = np.unique(names[sure], return_index=True)
    firsts = sure[places[np.searchsorted(known, names[members])]]
    return by_head[members], by_head[firsts]


def tie_names(facts: Facts, links: Links, pairs: Pairs) -> np.ndarray:
    """Tie names to who had them before, where the model links them with nothing.

    facts (Facts): What is known of the mentions.
    links (Links): The model's answer.
    pairs (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions, and
        which one each may be.
    RETURNS (numpy.ndarray): Shape (n_mentions,), which one each is, -1 for none.
    """
    later, earlier = pairs
    is_none = facts.is_part | facts.is_crossed
    is_linked = (links.scores > 0) & ~is_none[links.antecedents]
    is_new = ~is_linked[later].any(1) & (earlier < later)
    is_new &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    must_links = np.full(len(facts), -1)
    must_links[later[is_new]] = earlier[is_new]
    return must_links


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


def _read_letter(word: str) -> int:
    return ord(word[0])


def _find_places(words: WordIndex) -> np.ndarray:
    """Find last words of names of places and firms: "Rana Plaza", "India Gate"."""
    # What the document writes small elsewhere is no family name.
    is_small = words.doc.to_array(IS_LOWER) > 0
    is_noun = np.isin(words.index, words.index[is_small])
    return is_noun | ((words.map(find_classes) & ~CLASSES["person"]) > 0)
