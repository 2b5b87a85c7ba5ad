"""Judge mentions that contain or cross one another, or have the same head."""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ..graph import pair_ranges
from ..types import Links
from .mention_features import MentionFeatures
from .word_index import Marks, Rows

# The roles between a noun and a mention of the same entity in a clause or apposition.
_CLAUSES = ("apposition", "clause", "complement", "relative clause")


def is_within(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of which one mention contains the other: "the owner of it".

    False for mentions with the same head ("the bassist Zach Kennedy", "Zach Kennedy"),
    and in relative clauses, which can mention their noun ("the man who lost his hat").
    """
    is_nested = find_nested(facts, later, earlier)
    is_nested &= facts.heads[later] != facts.heads[earlier]
    # The other checks are slow, and few pairs are nested.
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = ~facts.is_joined[outer] & ~is_in_clause(facts, outer, inner)
        # A possessive before its noun can refer to the outer mention ("a man with a
        # ring in his ear"), but not one at the end ("a friend of his").
        is_later = facts.starts[inner] > facts.starts[outer]
        is_later &= facts.ends[inner] < facts.ends[outer]
        found[pairs] &= ~(facts.is_possessive[inner] & is_later)
    return found


def find_nested(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of which one mention is inside the other, or has the same tokens."""
    starts, ends = facts.starts, facts.ends
    later_in = (starts[earlier] <= starts[later]) & (ends[later] <= ends[earlier])
    earlier_in = (starts[later] <= starts[earlier]) & (ends[earlier] <= ends[later])
    return later_in | earlier_in


def sort_nested(facts: MentionFeatures, left: Rows, right: Rows) -> Tuple[Rows, Rows]:
    """Sort pairs of mentions that contain each other by their length."""
    sizes = facts.ends - facts.starts
    is_outer = sizes[left] >= sizes[right]
    return np.where(is_outer, left, right), np.where(is_outer, right, left)


def is_in_clause(facts: MentionFeatures, outer: Rows, inner: Rows) -> Marks:
    """Check which mentions are in a clause or an apposition of those around them."""
    is_comma = np.append(facts.words.find(frozenset((",", "(", ":"))), False)
    is_apposed = (facts.ends[inner] < facts.ends[outer]) & is_comma[facts.ends[inner]]
    is_apposed &= facts.starts[inner] == facts.starts[outer]
    is_apposed &= ~facts.is_joined[outer]
    if facts.tokens.has_dep:
        marks = facts.tokens.has_role(*_CLAUSES)
        heads = facts.heads[inner], facts.heads[outer]
        return is_apposed | facts.tokens.passes(*heads, marks)
    relatives = np.append(0, np.cumsum(facts.words.find(facts.lexicon.relatives)))
    begins = relatives[facts.starts]
    return is_apposed | (begins[inner] > begins[outer])


def is_coordinated(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find two members of a coordination, or a member and the whole coordination."""
    is_nested = find_nested(facts, later, earlier)
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = facts.is_joined[outer] & ~facts.is_joined[inner]
        found[pairs] &= ~is_in_clause(facts, outer, inner)
    tokens = facts.tokens
    if tokens.has_dep:
        heads = facts.heads[later], facts.heads[earlier]
        first, is_nominal = tokens.first_conjunct, tokens.is_nominal
        are_joined = (first[heads[0]] == first[heads[1]]) & (heads[0] != heads[1])
        are_joined &= is_nominal[heads[0]] & is_nominal[heads[1]]
    else:
        is_coordinator = np.append(facts.words.find(facts.lexicon.coordinators), False)
        are_joined = facts.starts[later] == facts.ends[earlier] + 1
        are_joined &= is_coordinator[facts.ends[earlier]]
        # Before a pronoun, the coordinator joins clauses: "he saw Ann and she waved".
        are_joined &= ~facts.is_pronoun[later]
    (pairs,) = np.nonzero(are_joined & ~is_nested)
    # The same holds for the same words twice, as in "he saw Ann and Ann waved", but not
    # for bare nouns, as in "friend and friend".
    later, earlier = later[pairs], earlier[pairs]
    is_repeated = facts.are_alike(later, earlier)
    is_repeated &= facts.is_name[later] | (facts.starts < facts.heads)[later]
    found[pairs] |= ~is_repeated
    return found


_ENDS = frozenset(".?!")
# So many pairs of mentions are compared at once.
_MAX_PAIRS = 1 << 20


def find_running_on(facts: MentionFeatures) -> Marks:
    """Find mentions that extend into the next sentence: "Ann. Miss Lee".

    A full stop after an abbreviation ("Sgt. Lee") or a single letter ("J. Lee") doesn't
    end a sentence, nor does a sign before a word in lower case ("Panic! at the Disco").
    """
    words = facts.words
    is_short = words.find(facts.lexicon.abbreviations)
    is_short |= words.map(_is_letter) > 0
    is_end = words.find(_ENDS) & ~np.append(False, is_short[:-1])
    is_end &= ~np.append(words.doc.to_array(IS_LOWER)[1:] > 0, False)
    n_ends = np.append(0, np.cumsum(is_end))
    return n_ends[facts.ends - 1] > n_ends[facts.starts]


def _is_letter(form: str) -> bool:
    return len(form) == 1 and form.isalpha()


def find_clauses(facts: MentionFeatures) -> Marks:
    """Find mentions that are a whole clause by the parse: "the dog lost its bone".

    The mention of an event is only its verb.
    """
    tokens = facts.tokens
    if not tokens.has_dep:
        return np.zeros(len(facts), dtype=bool)
    subjects = tokens.subject[facts.heads]
    is_inside = (subjects >= facts.starts) & (subjects < facts.ends)
    # A verb that stands for its subject is no clause.
    is_inside &= ~tokens.is_zero_subject[facts.heads]
    return tokens.is_verb[facts.heads] & is_inside


def find_crossed(starts: Rows, ends: Rows, scores: np.ndarray) -> Marks:
    """Find mentions that cross a mention with a higher mention score.

    Two phrases are nested or disjoint: at most one of "Ann told Ben" and "Ben of Eve"
    in "Ann told Ben of Eve" is a mention. In the order of their scores, mentions are
    kept if they cross no mention that is kept; see Lee et al. (2017), section 5.
    """
    likely, other = _find_crossing(starts, ends, scores)
    is_crossed = np.zeros(len(starts), dtype=bool)
    # In a sequence of mentions of which each crosses the next, every iteration decides
    # at least one more mention. Such sequences are short.
    while True:
        is_open = np.zeros(len(starts), dtype=bool)
        is_open[other[~is_crossed[likely]]] = True
        found = np.zeros(len(starts), dtype=bool)
        found[other[~is_open[likely]]] = True
        if np.array_equal(found, is_crossed):
            return found
        is_crossed = found


def _find_crossing(starts: Rows, ends: Rows, scores: np.ndarray) -> Tuple[Rows, Rows]:
    """Pair mentions that cross, the one with the higher score first."""
    index = np.arange(len(starts))
    # The number of mentions that come later in the list and start before the mention
    # ends.
    counts = np.searchsorted(starts, ends) - index - 1
    # Many mentions may contain each other, and few cross: not all pairs at once.
    blocks = np.cumsum(counts) // _MAX_PAIRS
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for rows in np.split(index, np.flatnonzero(np.diff(blocks)) + 1):
        one, other = pair_ranges(rows, rows + 1, rows + 1 + counts[rows])
        crosses = (starts[one] < starts[other]) & (ends[one] < ends[other])
        crosses &= scores[one] != scores[other]
        pairs.append(np.stack([one[crosses], other[crosses]]))
    one, other = np.concatenate(pairs, axis=1)
    is_likelier = scores[one] > scores[other]
    return np.where(is_likelier, one, other), np.where(is_likelier, other, one)


def find_appositions(facts: MentionFeatures) -> Rows:
    """Find by the parse what each mention is in apposition to; -1 for none.

    Only mentions that are likely according to the model and that agree are returned.
    """
    found = np.full(len(facts), -1)
    tokens = facts.tokens
    if not tokens.has_dep:
        return found
    may_match = facts.is_likely & ~facts.is_part & ~facts.is_crossed & ~facts.is_joined
    is_apposed = tokens.has_role("apposition")[facts.heads] & may_match
    # For each head, the longest mention: it is assigned last. It has to end before the
    # apposition begins.
    (later,) = np.nonzero(is_apposed)
    by_head = np.full(len(facts.words.index), -1)
    (rows,) = np.nonzero(may_match)
    rows = rows[np.argsort((facts.ends - facts.starts)[rows], kind="stable")]
    by_head[facts.heads[rows]] = rows
    earlier = by_head[tokens.heads[facts.heads[later]]]
    is_before = (earlier >= 0) & (facts.ends[earlier] <= facts.starts[later])
    agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
    found[later[is_before & agree]] = earlier[is_before & agree]
    return found


def find_same_head(facts: MentionFeatures, links: Links) -> Rows:
    """Find the most likely mention with the same head as each mention; -1 for itself.

    Only mentions that the model links, or that the user's constraints name, are
    compared. A mention that contains another name is left out, since it can be a
    clause: "Ann told Ben".
    """
    is_candidate = links.find_linked() | np.isposinf(links.mention_scores)
    is_candidate &= ~facts.is_joined & ~facts.is_pronoun
    is_candidate &= ~facts.is_crossed & ~facts.is_part
    is_head = np.zeros(len(facts.words.index) + 1, dtype=np.int64)
    is_head[facts.heads[is_candidate & facts.is_name] + 1] = 1
    n_heads = np.cumsum(is_head)
    is_own = is_head[facts.heads + 1]
    (rows,) = np.nonzero(
        is_candidate & (n_heads[facts.ends] - n_heads[facts.starts] == is_own)
    )
    rows = rows[np.argsort(links.mention_scores[rows], kind="stable")]
    # Of several mentions with the same head, the last assignment remains.
    likeliest = np.full(len(is_head), -1)
    likeliest[facts.heads[rows]] = rows
    found = np.full(len(facts), -1)
    found[rows] = likeliest[facts.heads[rows]]
    found[found == np.arange(len(facts))] = -1
    return found
