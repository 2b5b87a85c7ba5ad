"""Find out which names belong to one person, and which can't."""

from functools import lru_cache
from typing import Callable

import numpy as np
from spacy.attrs import IS_LOWER

from ..graph import find_roots, number_components, pair_ranges
from .features import FEMALE, MALE
from .mention_features import ANY_NAME, MentionFeatures
from .names import list_given_names
from .resources import COMMON, read_table, read_words
from .word_index import Marks, Rows


def find_name_parts(facts: MentionFeatures, scores: np.ndarray) -> Rows:
    """Find the longer name that each part of a name belongs to; -1 for none.

    This is the name with the best mention score, at least that of the part, and a given
    name or title that is inside the part or precedes it. The parts of other names can
    be mentions: "Ohio State University". If a name without its title has a higher score
    than with it, the name with the title counts as the part.
    """
    starts, ends, is_title = facts.starts, facts.ends, facts.runs.title > 0
    marks = facts.tokens.is_name, facts.runs.is_given | is_title, is_title
    n_proper, n_given, n_titles = (np.append(0, np.cumsum(one)) for one in marks)
    named = np.flatnonzero(n_proper[ends] - n_proper[starts] == ends - starts)
    # Few mentions overlap.
    rows = np.arange(len(named))
    n_before = np.searchsorted(starts[named], ends[named])
    pairs = np.stack(pair_ranges(rows, rows + 1, n_before))
    inner, outer = named[np.concatenate([pairs, pairs[::-1]], axis=1)]
    is_inside = (starts[outer] <= starts[inner]) & (ends[inner] <= ends[outer])
    is_likelier = scores[inner] > scores[outer]
    is_part = is_inside & ~is_likelier & (n_given[ends[inner]] > n_given[starts[outer]])
    n_more = n_titles[starts[inner]] - n_titles[starts[outer]]
    is_titled = (n_more == starts[inner] - starts[outer]) & (n_more > 0)
    is_titled &= is_inside & is_likelier & (ends[inner] == ends[outer])
    parts = np.concatenate([inner[is_part], outer[is_titled]])
    others = np.concatenate([outer[is_part], inner[is_titled]])
    # Of several with the best score, that which is farthest away in the list remains.
    steps = np.tile(pairs[1] - pairs[0], 2)
    steps = np.concatenate([steps[is_part], steps[is_titled]])
    order = np.lexsort([steps, scores[others]])
    wholes = np.arange(len(starts))
    wholes[parts[order]] = others[order]
    # There are no cycles: every whole has a higher score than its part, or the same
    # score and more words.
    wholes = find_roots(wholes)
    return np.where(wholes == np.arange(len(starts)), -1, wholes)


# A word next to one of these is part of a longer name: "Kim Jong-un", "Lee & Co".
_JOINTS = frozenset("- / & )".split())


def _find_full_names(facts: MentionFeatures) -> Rows:
    """Find the full name for each family name that the model doesn't link."""
    links = facts.links
    is_none = facts.is_part | facts.is_crossed
    keys = links.mention_scores, links.find_linked()
    may_match = facts.is_name & ~is_none & ~facts.is_joined
    # Of several mentions with the same head, the likeliest.
    by_head = facts.find_best(facts.heads, may_match, *keys)[:-2]
    words, lexicon, runs = facts.words, facts.lexicon, facts.runs
    names, tokens = words.index, np.arange(len(runs.firsts))
    is_last = runs.is_part & ~np.append(runs.is_part[1:], False)
    is_last &= ~np.append(words.find(_JOINTS)[1:], False)
    # The first word of each name is a given name, if there is one.
    by_run = runs.firsts.copy()
    (given,) = np.nonzero(runs.is_part & runs.is_given & ~is_last)
    begins, places = np.unique(runs.firsts[given], return_index=True)
    by_run[begins] = given[places]
    firsts = by_run[runs.firsts]
    is_long = is_last & (firsts < tokens)
    title = np.append(0, runs.title)[runs.firsts]
    has_gender = is_last & ((title == MALE) | (title == FEMALE))
    # Family names of several people are skipped: with several given names, or titles
    # of a man and of a woman.
    by_given = _find_shared(names[is_long], names[firsts[is_long]])
    by_gender = _find_shared(names[has_gender], title[has_gender])
    starts = np.where(by_head >= 0, facts.starts[by_head], -1)
    # A word that is in lower case elsewhere in the document is not a family name.
    is_lower = words.doc.to_array(IS_LOWER) > 0
    is_noun = np.isin(words.index, words.index[is_lower])
    is_full = is_long & runs.is_given[firsts] & ~is_noun
    is_full &= (starts >= 0) & (starts <= firsts)
    is_full &= ~np.isin(names, np.append(by_given, by_gender))
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
    # "Mrs. Welland" before "May Welland" can be another person.
    (sure,) = np.nonzero(is_full | (is_titled & (title != FEMALE)))
    known, places = np.unique(names[sure], return_index=True)
    found = sure[places[np.searchsorted(known, names[members])]]
    later, earlier = by_head[members], by_head[found]
    is_linked = (links.scores > 0) & ~is_none[links.antecedents]
    is_new = ~is_linked[later].any(1) & (earlier < later)
    is_new &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    full_names = np.full(len(facts), -1)
    full_names[later[is_new]] = earlier[is_new]
    return full_names


def _find_shared(names: Rows, others: Rows) -> Rows:
    """Find the names that occur with more than one of the other values."""
    n_others = others.max(initial=0) + 1
    # Pairs are encoded as single numbers, which can be sorted faster than rows.
    forms = np.unique(names * n_others + others) // n_others
    return forms[1:][forms[1:] == forms[:-1]]


_BRACKETS = frozenset("([")
# The initials of given names; variants in spellings of one name, such as in "Carl" and
# "Karl", are one.
_INITIALS = {
    letter: 1 << i
    for i, letters in enumerate("a b ckq d e f g h iy j l m n ou p r sxz t vw".split())
    for letter in letters
}
_N_NAMES = 63


def find_given_names(facts: MentionFeatures, is_noun: Marks) -> Rows:
    """Find the possible initials of given names, a bit for each."""
    words, starts, heads = facts.words, facts.starts, facts.heads
    firsts = facts.first_names
    # Of an alias, these are all in the whole document: "Elton John (Reg Dwight)".
    is_alias = np.isin(words.index, words.index[_find_alias_words(facts)])
    is_informative = facts.is_name & ~words.find(facts.lexicon.determiners)[starts]
    is_informative &= ~is_alias[firsts] & ~is_alias[heads] & ~is_noun[firsts]
    # A family name is not a given name: "Brooke" in "Miss Brooke", or after "Ann
    # Brooke".
    is_own = (starts == firsts) & ~facts.runs.is_family[heads]
    is_informative &= (firsts < heads) | is_own
    initials = words.map(_make_initial_reader(facts.lexicon.lang))[firsts]
    return np.where(is_informative, initials, ANY_NAME)


def find_people(facts: MentionFeatures, is_noun: Marks) -> Rows:
    """Find the people that can have each name, by all words of names; a bit for each.

    Words that the names of the document, aliases or the model's links connect can
    belong to one person: "Emma" and "Henry" after "Emma Woodhouse" and "Henry
    Woodhouse". A given name alone can belong to anybody with a family name ("Winnie",
    "Mrs. Verloc"), and so can a noun that is used like a name ("Mother").
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    heads = facts.heads
    # Adjacent words of one name, which can contain particles: "Catherine de Bourgh".
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_particle = words.find(lexicon.name_particles)
    is_run[1:-1] |= is_particle[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    # Aliases, and the last words of the names before them.
    tokens = np.arange(len(is_part))
    last = np.maximum.accumulate(np.where(is_part, tokens, -1))
    (later,) = np.nonzero(_find_alias_words(facts) & (runs.firsts == tokens))
    earlier = np.append(-1, last)[later]
    is_known = earlier >= words.edges[0][later]
    # Names that the model links.
    rows, columns = np.nonzero(facts.links.scores > 0)
    others = facts.links.antecedents[rows, columns]
    is_named = facts.is_name[rows] & facts.is_name[others]
    ends = heads[rows[is_named]], heads[others[is_named]]
    one = np.concatenate([inner, earlier[is_known], ends[0]])
    other = np.concatenate([inner + 1, later[is_known], ends[1]])
    forms, index = np.unique(words.index, return_inverse=True)
    people = number_components(len(forms), (index[one], index[other]))[index]
    # They are numbered in the order of the documents.
    firsts = np.full(words.documents.max(initial=0) + 1, len(forms))
    np.minimum.at(firsts, words.documents, people)
    people = (people - firsts[words.documents])[heads]
    is_open = words.find(list_given_names(lexicon.lang)) | is_noun
    is_open &= ~runs.is_family
    is_informative = facts.is_name & is_part[heads]
    is_informative &= ~words.find(lexicon.determiners)[facts.starts]
    is_informative &= ~((facts.first_names == heads) & is_open[heads])
    # Two people share a bit only if a document has more than 63. They are then not kept
    # apart.
    return np.where(is_informative, np.int64(1) << people % _N_NAMES, ANY_NAME)


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
            mask |= _INITIALS.get(name[0], ANY_NAME)
        return mask

    return read


def _find_alias_words(facts: MentionFeatures) -> Marks:
    """Find the words of aliases: names after a word such as "née", or in brackets."""
    words, runs = facts.words, facts.runs
    is_mark = words.find(facts.lexicon.alias_words)
    is_mark |= words.find(_BRACKETS) & np.append(False, runs.is_part[:-1])
    return runs.is_part & np.append(False, is_mark[:-1])[runs.firsts]


def describe_names(facts: MentionFeatures) -> None:
    """Find names that can or can't belong to one person."""
    is_noun = facts.grammar.find_person_nouns(facts.tokens)
    is_noun = np.zeros_like(facts.runs.is_part) if is_noun is None else is_noun
    facts.given_names = find_given_names(facts, is_noun)
    facts.people = find_people(facts, is_noun)
    facts.named_as = _find_full_names(facts)
