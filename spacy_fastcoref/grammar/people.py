"""Find out which names belong to one person, and which can't."""

from functools import lru_cache
from typing import Callable, Optional, Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ..graph import find_roots, number_components
from ..types import Links
from .features import FEMALE, MALE, NEUT_PERSON, ONE_PERSON
from .lexicon import Lexicon
from .mention_features import ANY_NAME, MentionFeatures
from .names import NameRuns, list_given_names
from .resources import COMMON, read_table, read_words
from .word_index import WordIndex

# Two arrays of the same shape, whose entries are pairs.
Pairs = Tuple[np.ndarray, np.ndarray]


def find_name_parts(
    starts: np.ndarray,
    ends: np.ndarray,
    scores: np.ndarray,
    is_proper: np.ndarray,
    is_given: np.ndarray,
    is_title: np.ndarray,
) -> np.ndarray:
    """Find the longer name that each part of a name belongs to: "Ann" in "Ann Lee".

    The longer name has to have a mention score at least as high, and a given name or
    title that is inside the part or precedes it. The parts of other names can be
    mentions: "Ohio State University", "Texas Governor Ann Lee". Conversely, if a name
    without its title has a higher score than with it, the name with the title counts as
    the part.

    RETURNS (numpy.ndarray): Shape (n_mentions,), the longer name with the highest score
        that is not a part itself; -1 for mentions that are not parts.
    """
    rows = np.arange(len(starts))
    wholes = rows.copy()
    n_proper, n_given, n_titles = (
        np.append(0, np.cumsum(words)) for words in (is_proper, is_given, is_title)
    )
    named = np.flatnonzero(n_proper[ends] - n_proper[starts] == ends - starts)
    # All mentions in one run of name words have the same number of other words before
    # them, which identifies the run.
    n_before = starts - n_proper[starts]
    named = named[np.argsort(n_before[named], kind="stable")]
    run = n_before[named]
    # Compare each mention with the next ones in its run that begin before it ends. If
    # one does not, no later one does, and few mentions overlap.
    firsts = np.arange(len(named))
    for step in range(1, len(named)):
        firsts = firsts[firsts + step < len(named)]
        one, other = named[firsts], named[firsts + step]
        is_near = (run[firsts] == run[firsts + step]) & (starts[other] < ends[one])
        firsts, one, other = firsts[is_near], one[is_near], other[is_near]
        if not len(firsts):
            break
        for inner, outer in ((one, other), (other, one)):
            is_inside = (starts[outer] <= starts[inner]) & (ends[inner] <= ends[outer])
            is_likelier = scores[inner] > scores[outer]
            has_given = n_given[ends[inner]] > n_given[starts[outer]]
            is_part = is_inside & has_given & ~is_likelier
            _update_wholes(wholes, scores, inner[is_part], outer[is_part])
            n_more = n_titles[starts[inner]] - n_titles[starts[outer]]
            is_titled = (n_more == starts[inner] - starts[outer]) & (n_more > 0)
            is_titled &= ends[inner] == ends[outer]
            is_part = is_inside & is_titled & is_likelier
            _update_wholes(wholes, scores, outer[is_part], inner[is_part])
    # There are no cycles: every whole has a higher score than its part, or the same
    # score and more words.
    wholes = find_roots(wholes)
    return np.where(wholes == rows, -1, wholes)


def _update_wholes(
    wholes: np.ndarray, scores: np.ndarray, parts: np.ndarray, others: np.ndarray
) -> None:
    """Replace the whole of each part if the other one has at least the same score."""
    known = np.where(wholes[parts] == parts, -np.inf, scores[wholes[parts]])
    is_better = scores[others] >= known
    wholes[parts[is_better]] = others[is_better]


# A word next to one of these is part of a longer name: "Kim Jong-un", "Lee & Co".
_JOINTS = frozenset("- / & )".split())


def _find_namesakes(facts: MentionFeatures, by_head: np.ndarray) -> Pairs:
    """Find the full name for each family name."""
    # Family names of several people are skipped: with several given names, or titles
    # of a man and of a woman.
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


def _link_to_full_names(
    facts: MentionFeatures, links: Links, pairs: Pairs
) -> np.ndarray:
    """Find must-links to full names, for names that the model doesn't link."""
    later, earlier = pairs
    is_none = facts.is_part | facts.is_crossed
    is_linked = (links.scores > 0) & ~is_none[links.antecedents]
    is_new = ~is_linked[later].any(1) & (earlier < later)
    is_new &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    found = np.full(len(facts), -1)
    found[later[is_new]] = earlier[is_new]
    return found


def _find_likeliest(facts: MentionFeatures, links: Links) -> np.ndarray:
    """Find the most likely mention for each head that is a name."""
    is_linked = links.find_linked()
    is_none = facts.is_part | facts.is_crossed | facts.is_joined
    (rows,) = np.nonzero(facts.is_name & ~is_none)
    rows = rows[np.lexsort((links.mention_scores[rows], is_linked[rows]))]
    # Of several mentions with the same head, the last assignment remains.
    found = np.full(len(facts.words.index), -1)
    found[facts.heads[rows]] = rows
    return found


def _find_firsts(runs: NameRuns, is_given: np.ndarray) -> np.ndarray:
    """Find the first word of each name: a given name, if there is one."""
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


_BRACKETS = frozenset("([")
# The initials of given names. Letters that are variants of each other in spellings of
# one name are a single initial, such as in "Carl" and "Karl".
_INITIALS = ("a", "b", "ckq", "d", "e", "f", "g", "h", "iy", "j", "l", "m", "n", "ou")
_INITIALS += ("p", "r", "sxz", "t", "vw")
_N_NAMES = 63

# A single person, also one whose noun is neuter.
_PERSON = ONE_PERSON | NEUT_PERSON


def find_given_names(
    facts: MentionFeatures, is_noun: Optional[np.ndarray] = None
) -> np.ndarray:
    """Find the possible initials of given names.

    An alias can have any initial everywhere in the document: "Elton John (Reg Dwight)".

    is_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool, nouns for people, which
        can be used like names ("Mother"); None if they are not known.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, a bit for each possible
        initial; ANY_NAME if nothing is known. The values for mentions that are not
        names are not used.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    firsts = np.maximum(runs.firsts[heads], starts)
    is_alias = _find_alias_words(words, lexicon, runs)
    is_alias = np.isin(words.index, words.index[is_alias])
    is_informative = ~words.find(lexicon.determiners)[starts]
    is_informative &= ~is_alias[firsts] & ~is_alias[heads]
    # A family name is not a given name: "Brooke" in "Miss Brooke", or after "Ann
    # Brooke".
    is_informative &= (firsts < heads) | (
        (starts == firsts) & ~_find_later(words, runs)[heads]
    )
    if is_noun is not None:
        is_informative &= ~is_noun[firsts]
    return np.where(
        is_informative, words.map(_make_initial_reader(lexicon.lang))[firsts], ANY_NAME
    )


def find_people(
    facts: MentionFeatures, links: Pairs, is_noun: Optional[np.ndarray] = None
) -> np.ndarray:
    """Find the people that can have each name, by all words of names.

    Words that occur in the same name anywhere in the document can belong to one person,
    and so can all words that such names, aliases or the model's links connect: "Emma",
    "Woodhouse" and "Henry" after "Emma Woodhouse" and "Henry Woodhouse". A given name
    alone can belong to anybody with a family name ("Winnie", "Mrs. Verloc"), and so can
    a noun that is used like a name ("Mother").

    links (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_links,), indexes of
        the mentions of names that the model links.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, a bit for each person; ANY_NAME
        if nothing is known. The values for mentions that are not names are not used.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    one, other = (
        np.concatenate(parts)
        for parts in zip(
            _find_neighbours(words, lexicon, runs),
            _find_aliases(words, lexicon, runs),
            (heads[links[0]], heads[links[1]]),
            strict=True,
        )
    )
    forms, index = np.unique(words.index, return_inverse=True)
    people = number_components(len(forms), (index[one], index[other]))[index]
    # They are numbered in the order of the documents.
    firsts = np.full(words.documents.max(initial=0) + 1, len(forms))
    np.minimum.at(firsts, words.documents, people)
    people = (people - firsts[words.documents])[heads]
    is_open = words.find(list_given_names(lexicon.lang))
    if is_noun is not None:
        is_open = is_open | is_noun
    is_open = is_open & ~_find_later(words, runs)
    is_alone = np.maximum(runs.firsts[heads], starts) == heads
    is_informative = runs.is_part[heads] & ~words.find(lexicon.determiners)[starts]
    is_informative &= ~(is_alone & is_open[heads])
    # Two people share a bit only if a document has more than 63. They are then not kept
    # apart.
    return np.where(is_informative, np.int64(1) << people % _N_NAMES, ANY_NAME)


def make_aspect(agreement: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Make an aspect of agreement of names, in which the mentions of a cluster agree.

    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: a bit for a single person of
        each name, and one for everything that is not a single person.
    """
    people = np.where(agreement & _PERSON, names, 0).astype(np.uint64)
    others = np.where(agreement & ~_PERSON, np.uint64(ANY_NAME + 1), np.uint64(0))
    return people | others


def _find_later(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Find later words of a name anywhere, and listed family names."""
    is_later = np.isin(words.index, words.index[runs.is_later])
    return is_later | words.find(read_words(COMMON, "family_names"))


@lru_cache(maxsize=None)
def _make_initial_reader(lang: str) -> Callable[[str], int]:
    """Make a function that finds the initials of a given name and of its long forms."""
    nicknames = read_table(lang, "nicknames")

    def read(word: str) -> int:
        if word not in list_given_names(lang):
            return ANY_NAME
        (names,) = nicknames.get(word, ("",))
        mask = 0
        for name in filter(None, (word, *names.split(","))):
            mask |= find_initial(name)
        return mask

    return read


def find_initial(name: str) -> int:
    """Find the initial of a given name."""
    bits = (1 << i for i, letters in enumerate(_INITIALS) if name[:1] in letters)
    return next(bits, ANY_NAME) if name else ANY_NAME


def _find_alias_words(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> np.ndarray:
    """Find the words of aliases: names after a word such as "née", or in brackets."""
    is_mark = words.find(lexicon.alias_words)
    is_mark |= words.find(_BRACKETS) & np.append(False, runs.is_part[:-1])
    return runs.is_part & np.append(False, is_mark[:-1])[runs.firsts]


def _find_neighbours(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find adjacent words of one name, as pairs of tokens."""
    # A name can contain particles: "Catherine de Bourgh".
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_particle = words.find(lexicon.name_particles)
    is_run[1:-1] |= is_particle[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    return inner, inner + 1


def _find_aliases(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find aliases and the last words of the names before them, as pairs of tokens."""
    tokens = np.arange(len(words.index))
    is_first = _find_alias_words(words, lexicon, runs) & (runs.firsts == tokens)
    last = np.maximum.accumulate(np.where(runs.is_part, tokens, -1))
    (later,) = np.nonzero(is_first)
    earlier = np.append(-1, last)[later]
    is_known = earlier >= words.edges[0][later]
    return earlier[is_known], later[is_known]


def find_parts(facts: MentionFeatures, scores: np.ndarray) -> np.ndarray:
    """Find the longer name that each mention is a part of; see find_name_parts."""
    is_title = facts.runs.title > 0
    is_given = facts.words.find(list_given_names(facts.lexicon.lang)) | is_title
    is_name = facts.tokens.is_name
    return find_name_parts(
        facts.starts, facts.ends, scores, is_name, is_given, is_title
    )


def describe_names(
    facts: MentionFeatures, is_noun: Optional[np.ndarray] = None
) -> None:
    """Find names that can or can't belong to one person.

    is_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool, nouns for people; None
        if they are not known.
    """
    links = facts.links
    # Names that the model links.
    later, column = np.nonzero(links.scores > 0)
    earlier = links.antecedents[later, column]
    is_named = facts.is_name[later] & facts.is_name[earlier]
    linked = later[is_named], earlier[is_named]
    given = find_given_names(facts, is_noun)
    people = find_people(facts, linked, is_noun)
    facts.given_names = np.where(facts.is_name, given, ANY_NAME)
    facts.people = np.where(facts.is_name, people, ANY_NAME)
    by_head = _find_likeliest(facts, links)
    facts.named_as = _link_to_full_names(facts, links, _find_namesakes(facts, by_head))
