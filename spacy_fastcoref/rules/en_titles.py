"""English: "Mr. Musk", whom the text has called "Elon Musk"."""

import numpy as np

from ..decoding.links import Links
from .agreement import FEMALE, MALE
from .en_names import NameRuns
from .facts import Facts
from .words import GIVEN_NAMES, read_words

_LANG = "en"
_NOUNS = ("person_words", "male_words", "female_words")


def find_namesakes(facts: Facts, runs: NameRuns, links: Links) -> np.ndarray:
    """Find whom a title and a family name stand for: who had the name in full before.

    Asked of what the model leaves without an antecedent. Nobody is found where several
    people have the name: after several other names, or with titles of a man and of a
    woman, as Mr. and Mrs. Hilbery have them, whose daughter is Katharine Hilbery.

    facts (Facts): What is known of the mentions.
    runs (NameRuns): The names of the document.
    links (Links): The model's answer; of several mentions with one head one is meant
        that it links, the likeliest.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the first mention by the full name,
        -1 for none.
    """
    names, tokens = facts.words.index, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_given = facts.words.find(read_words("common", *GIVEN_NAMES))
    firsts = _find_firsts(runs, is_given & ~is_last)
    # "Minister Sunak" has no other name than Rishi Sunak.
    is_noun = facts.words.find(read_words(_LANG, *_NOUNS)) & ~is_given
    is_long = is_last & (firsts < tokens)
    is_long &= ~np.append(False, is_noun[:-1])
    title = np.append(0, runs.title)[runs.firsts]
    is_told = is_last & ((title == MALE) | (title == FEMALE))
    shared = np.append(
        _find_shared(names[is_long], names[firsts[is_long]]),
        _find_shared(names[is_told], title[is_told]),
    )
    by_head = _find_likeliest(facts, links, len(names))
    is_full = is_long & is_given[firsts] & ~np.isin(names, shared)
    (fulls,) = np.nonzero(is_full & (by_head >= 0))
    fulls = fulls[facts.starts[by_head[fulls]] <= firsts[fulls]]
    known, places = np.unique(names[fulls], return_index=True)
    is_titled = is_last & (firsts == tokens) & (title > 0)
    is_titled &= np.isin(names, known)
    (asked,) = np.nonzero(is_titled & (by_head >= 0))
    later = by_head[asked]
    earlier = by_head[fulls[places[np.searchsorted(known, names[asked])]]]
    is_none = facts.is_part | facts.is_crossed
    is_linked = (links.scores > 0) & ~is_none[links.antecedents]
    is_new = ~is_linked[later].any(1) & (earlier < later)
    is_new &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    # Not the "Hilbery" of "Mrs. Hilbery" alone, nor "the old Mrs. Hilbery".
    is_new &= facts.starts[later] == asked - 1
    same_as = np.full(len(facts), -1)
    same_as[later[is_new]] = earlier[is_new]
    return same_as


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
    pairs = np.unique(np.stack([names, others], axis=1), axis=0)
    forms, counts = np.unique(pairs[:, 0], return_counts=True)
    return forms[counts > 1]


def _find_likeliest(facts: Facts, links: Links, n_tokens: int) -> np.ndarray:
    """Find the likeliest mention that each token heads, -1 for none."""
    best = links.scores.max(1, initial=-np.inf)
    is_best = (links.scores == best[:, None]) & (best > 0)[:, None]
    is_linked = is_best.any(1)
    is_linked[links.antecedents[is_best]] = True
    is_none = facts.is_part | facts.is_crossed | facts.is_joined
    (rows,) = np.nonzero(facts.is_name & ~is_none)
    rows = rows[np.lexsort((links.mention_scores[rows], is_linked[rows]))]
    # The last one stays.
    found = np.full(n_tokens, -1)
    found[facts.heads[rows]] = rows
    return found
