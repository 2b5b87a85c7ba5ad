"""Find the full names of people who are called by title or family name only.

An example is "Elon Musk" for "Mr. Musk" and "Musk" in the same text.
"""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ..types import Links
from .facts import Facts
from .features import FEMALE, MALE
from .name_runs import NameRuns
from .resources import COMMON, read_words

# Mentions, and for each the mention of the full name.
Pairs = Tuple[np.ndarray, np.ndarray]
# A word next to one of these is part of a longer name: "Kim Jong-un", "Lee & Co".
_JOINTS = frozenset("- / & )".split())


def find_namesakes(facts: Facts, by_head: np.ndarray) -> Pairs:
    """Find the full name for each family name.

    If only one person in a text has a family name, the text can call this person by the
    full name, by a title and the family name, or by the family name. Family names of
    several people are skipped: those with several given names, or with titles of a man
    and of a woman.

    facts (Facts): The features of the mentions.
    by_head (numpy.ndarray): Shape (n_tokens,), see find_likeliest.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions,
        and for each the first mention of the full name, or of the title and the name.
    """
    words, lexicon, runs = facts.words, facts.lexicon, facts.runs
    names, tokens = words.index, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_last &= ~np.append(words.find(_JOINTS)[1:], False)
    firsts = _find_firsts(runs, runs.is_given & ~is_last)
    is_long = is_last & (firsts < tokens)
    title = np.append(0, runs.title)[runs.firsts]
    has_gender = is_last & ((title == MALE) | (title == FEMALE))
    shared = [
        _find_shared(names[is_long], names[firsts[is_long]]),
        _find_shared(names[has_gender], title[has_gender]),
    ]
    starts = np.where(by_head >= 0, facts.starts[by_head], -1)
    # A word that is in lower case elsewhere in the document is not a family name.
    is_lower = words.doc.to_array(IS_LOWER) > 0
    is_noun = np.isin(words.index, words.index[is_lower])
    is_full = is_long & runs.is_given[firsts] & ~is_noun
    is_full &= (starts >= 0) & (starts <= firsts)
    is_full &= ~np.isin(names, np.concatenate(shared))
    is_short = is_last & (firsts == tokens) & np.isin(names, names[is_full])
    # The mention has to begin with the title: "Mrs. Hilbery", but neither its part
    # "Hilbery" nor "the old Mrs. Hilbery".
    is_titled = is_short & (title > 0) & (starts == tokens - 1)
    is_bare = is_short & (title == 0) & (starts == tokens)
    # A woman's given name is rarely a family name: "Lucy" is not John Lucy.
    is_bare &= ~words.find(read_words(COMMON, "female_names"))
    # Not a person after a determiner ("the Grant administration") or a preposition of
    # places ("in Lincoln").
    places = lexicon.determiners | lexicon.place_prepositions | _JOINTS
    is_bare &= ~np.append(False, words.find(places)[:-1])
    (members,) = np.nonzero(is_full | is_titled | is_bare)
    # "Mrs. Welland" before "May Welland" can be another person, but "Mrs. Merkel" after
    # "Angela Merkel" is the same.
    is_wife = np.append(0, runs.title)[runs.firsts] == FEMALE
    (sure,) = np.nonzero(is_full | (is_titled & ~is_wife))
    known, places = np.unique(names[sure], return_index=True)
    found = sure[places[np.searchsorted(known, names[members])]]
    return by_head[members], by_head[found]


def tie_names(facts: Facts, links: Links, pairs: Pairs) -> np.ndarray:
    """Find must-links from names to full names, for names that the model doesn't link.

    facts (Facts): The features of the mentions.
    links (Links): The model's predictions.
    pairs (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions, and
        for each the mention of the full name.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention of the full name; -1 for
        none.
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
    """Find the most likely mention for each head that is a name.

    facts (Facts): The features of the mentions.
    links (Links): The model's predictions.
    RETURNS (numpy.ndarray): Shape (n_tokens,), the mention with the highest mention
        score of which each token is the head; mentions with links are preferred. -1 for
        none.
    """
    is_linked = links.find_linked()
    is_none = facts.is_part | facts.is_crossed | facts.is_joined
    (rows,) = np.nonzero(facts.is_name & ~is_none)
    rows = rows[np.lexsort((links.mention_scores[rows], is_linked[rows]))]
    # Of several mentions with the same head, the last assignment remains.
    found = np.full(len(facts.words.index), -1)
    found[facts.heads[rows]] = rows
    return found


def _find_firsts(runs: NameRuns, is_given: np.ndarray) -> np.ndarray:
    """Find the first word of each word's name, which is a given name, if there is one.

    So "Minister" is not part of "Minister Ann Lee". Without a given name, it is the
    first word of the run.
    """
    firsts = runs.firsts.copy()
    (given,) = np.nonzero(runs.is_part & is_given)
    begins, places = np.unique(runs.firsts[given], return_index=True)
    firsts[begins] = given[places]
    return firsts[runs.firsts]


def _find_shared(names: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Find the names that occur with more than one of the other values."""
    n_others = others.max(initial=0) + 1
    # Pairs are encoded as single numbers, which can be sorted faster than rows.
    forms = np.unique(names * n_others + others) // n_others
    return forms[1:][forms[1:] == forms[:-1]]
