"""English: names that a text gives: "Hall was born Shirley Grossman"."""

import numpy as np

from ...rules.facts import Facts
from ...types import Links
from ..lexicon import get_lexicon
from ..word_index import GIVEN_NAMES, read_words
from .names import NameRuns
from .namesakes import PERSON_NOUNS, Pairs

_LANG = "en"
# The words before such a name; other words, such as "called", do not always name.
_BORN, _AS = frozenset(("born",)), frozenset(("as",))
_ALIAS = frozenset(("aka", "a.k.a.", "alias"))
_SIGNS = frozenset("(,")
_KNOWN = frozenset(("known", "billed", "credited"))


def find_aliases(facts: Facts, runs: NameRuns, by_head: np.ndarray) -> Pairs:
    """Find other names of somebody, right after the one that the text has.

    What somebody is born is a name if it is more than one word and begins with a given
    name: not "September", nor "Wakefield".

    facts (Facts): What is known of the mentions.
    runs (NameRuns): The names of the document.
    by_head (numpy.ndarray): Shape (n_tokens,), see find_likeliest.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): mentions by
        the other name, and those by the name before.
    """
    words, tokens = facts.words, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_given = words.find(read_words("common", *GIVEN_NAMES))
    before = np.append(-1, np.maximum.accumulate(np.where(is_last, tokens, -1)))
    is_born, is_as = words.find(_BORN), words.find(_AS)
    is_as &= np.append(False, words.find(_KNOWN)[:-1])
    is_as |= words.find(_ALIAS)
    lexicon = get_lexicon(_LANG)
    is_between = words.find(lexicon.renames | lexicon.copulas | _SIGNS)
    n_between = np.append(0, np.cumsum(is_between))
    (lasts,) = np.nonzero(is_last)
    firsts = runs.firsts[lasts]
    # Of the first token the one before is any other.
    marks, names = firsts - 1, before[firsts]
    n_found = n_between[firsts] - n_between[names + 1]
    is_full = (firsts < lasts) & is_given[firsts]
    is_other = is_as[marks] | (is_born[marks] & is_full)
    is_other &= (names >= 0) & (n_found == marks - names)
    # "A part of London known as Soho"
    is_within = np.append(words.find(lexicon.cutters - lexicon.copulas), False)
    is_other &= ~is_within[runs.firsts[names] - 1]
    later, earlier = by_head[lasts[is_other]], by_head[names[is_other]]
    is_known = (later >= 0) & (earlier >= 0)
    return later[is_known], earlier[is_known]


def find_apposed(facts: Facts, links: Links) -> Pairs:
    """Find names right after who they are of: "my sister Amy".

    facts (Facts): What is known of the mentions.
    links (Links): The model's answer; only what it links is asked about.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_pairs,): names, and
        the nouns before them.
    """
    words, lexicon = facts.words, get_lexicon(_LANG)
    begins = words.find(lexicon.possessives | lexicon.determiners)
    is_person = words.find(read_words(_LANG, *PERSON_NOUNS))
    is_person &= words.cased.map(str.islower) > 0
    is_given = words.find(read_words("common", *GIVEN_NAMES))
    is_linked = links.find_linked()
    is_noun = is_linked & is_person[facts.heads] & begins[facts.starts]
    (nouns,) = np.nonzero(is_noun & (facts.heads == facts.ends - 1))
    by_end = np.full(len(words.index) + 1, -1)
    by_end[facts.ends[nouns]] = nouns
    (names,) = np.nonzero(is_linked & facts.is_name & is_given[facts.starts])
    names = names[by_end[facts.starts[names]] >= 0]
    return names, by_end[facts.starts[names]]
