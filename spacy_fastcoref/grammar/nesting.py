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

    False for mentions with the same head, and in relative clauses, which can mention
    their noun ("the man who lost his hat").
    """
    found = np.zeros(len(later), dtype=bool)
    pairs, outer, inner = _sort_nested(facts, later, earlier)
    # A possessive before its noun can refer to the outer mention ("a man with a ring in
    # his ear"), but not one at the end ("a friend of his").
    is_later = facts.starts[inner] > facts.starts[outer]
    is_later &= facts.ends[inner] < facts.ends[outer]
    is_other = facts.heads[inner] != facts.heads[outer]
    is_other &= ~facts.is_joined[outer] & ~(facts.is_possessive[inner] & is_later)
    found[pairs] = is_other & ~_is_in_clause(facts, outer, inner)
    return found


def find_nested(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of which one mention is inside the other, or has the same tokens."""
    starts, ends = facts.starts, facts.ends
    later_in = (starts[earlier] <= starts[later]) & (ends[later] <= ends[earlier])
    earlier_in = (starts[later] <= starts[earlier]) & (ends[earlier] <= ends[later])
    return later_in | earlier_in


def _sort_nested(
    facts: MentionFeatures, later: Rows, earlier: Rows
) -> Tuple[Rows, Rows, Rows]:
    """Find the indexes of nested pairs, with the outer mentions and the inner ones."""
    (pairs,) = np.nonzero(find_nested(facts, later, earlier))
    left, right = later[pairs], earlier[pairs]
    sizes = facts.ends - facts.starts
    is_outer = sizes[left] >= sizes[right]
    return pairs, np.where(is_outer, left, right), np.where(is_outer, right, left)


def _is_in_clause(facts: MentionFeatures, outer: Rows, inner: Rows) -> Marks:
    """Check which mentions are in a clause or an apposition of those around them."""
    is_comma = np.append(facts.words.find(frozenset((",", "(", ":"))), False)
    is_apposed = (facts.ends[inner] < facts.ends[outer]) & is_comma[facts.ends[inner]]
    is_apposed &= facts.starts[inner] == facts.starts[outer]
    is_apposed &= ~facts.is_joined[outer]
    if facts.tokens.has_dep:
        marks = facts.tokens.has_role(*_CLAUSES)
        heads, tops = facts.heads[inner], facts.heads[outer]
        passes = facts.tokens.passes(heads, lambda token: token != tops, marks)
        return is_apposed | passes
    relatives = np.append(0, np.cumsum(facts.words.find(facts.lexicon.relatives)))
    begins = relatives[facts.starts]
    return is_apposed | (begins[inner] > begins[outer])


def is_coordinated(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find two members of a coordination, or a member and the whole coordination."""
    found = np.zeros(len(later), dtype=bool)
    nested, outer, inner = _sort_nested(facts, later, earlier)
    found[nested] = facts.is_joined[outer] & ~facts.is_joined[inner]
    found[nested] &= ~_is_in_clause(facts, outer, inner)
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
    are_joined[nested] = False
    (pairs,) = np.nonzero(are_joined)
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
    """Find mentions that extend into the next sentence, as "Ann. Miss Lee", but not
    "Sgt. Lee", "J. Lee" and "Panic! at the Disco"."""
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
    """Find mentions that are a whole clause by the parse: "the dog lost its bone"."""
    tokens = facts.tokens
    if not tokens.has_dep:
        return np.zeros(len(facts), dtype=bool)
    subjects = tokens.subject[facts.heads]
    is_inside = (subjects >= facts.starts) & (subjects < facts.ends)
    # A verb that stands for its subject is no clause.
    is_verb = tokens.is_verb & ~tokens.is_zero_subject
    return is_verb[facts.heads] & is_inside


def find_crossed(starts: Rows, ends: Rows, scores: np.ndarray) -> Marks:
    """Find mentions that cross a mention with a higher mention score.

    In the order of their scores, mentions are kept if they cross no mention that is
    kept; see Lee et al. (2017), section 5.
    """
    likely, other = _find_crossing(starts, ends, scores)
    is_crossed = np.zeros(len(starts), dtype=bool)
    # Each iteration decides one more of mentions of which each crosses the next.
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
    # Those after these start where the mention has ended.
    lasts = np.searchsorted(starts, ends)
    # Many mentions may contain each other, and few cross: not all pairs at once.
    blocks = np.cumsum(lasts - index) // _MAX_PAIRS
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for rows in np.split(index, np.flatnonzero(np.diff(blocks)) + 1):
        one, other = pair_ranges(rows, rows + 1, lasts[rows])
        crosses = (starts[one] < starts[other]) & (ends[one] < ends[other])
        crosses &= scores[one] != scores[other]
        pairs.append(np.stack([one[crosses], other[crosses]]))
    one, other = np.concatenate(pairs, axis=1)
    is_likelier = scores[one] > scores[other]
    return np.where(is_likelier, one, other), np.where(is_likelier, other, one)


def find_appositions(facts: MentionFeatures) -> Rows:
    """Find by the parse what each likely mention is in apposition to; -1 for none."""
    tokens, found = facts.tokens, np.full(len(facts), -1)
    may_match = facts.is_likely & ~facts.is_part & ~facts.is_crossed & ~facts.is_joined
    (later,) = np.nonzero(tokens.has_role("apposition")[facts.heads] & may_match)
    # The longest mention of the head above, which has to end before the apposition.
    by_head = facts.find_best(facts.heads, may_match, facts.ends - facts.starts)
    earlier = by_head[tokens.heads[facts.heads[later]]]
    is_before = (earlier >= 0) & (facts.ends[earlier] <= facts.starts[later])
    is_before &= (facts.agreement[later] & facts.agreement[earlier]) != 0
    found[later[is_before]] = earlier[is_before]
    return found


def find_same_head(facts: MentionFeatures, links: Links) -> Rows:
    """Find the likeliest mention with the same head as each mention; -1 for itself."""
    # Those that the model links, or the user's constraints name, without another name
    # inside: "Ann told Ben" can be a clause.
    is_candidate = links.find_linked() | np.isposinf(links.mention_scores)
    is_candidate &= ~facts.is_joined & ~facts.is_pronoun
    is_candidate &= ~facts.is_crossed & ~facts.is_part
    n_heads = np.zeros(len(facts.words.index) + 1, dtype=np.int64)
    n_heads[facts.heads[is_candidate & facts.is_name] + 1] = 1
    is_own, n_heads = n_heads[facts.heads + 1], np.cumsum(n_heads)
    is_candidate &= n_heads[facts.ends] - n_heads[facts.starts] == is_own
    likeliest = facts.find_best(facts.heads, is_candidate, links.mention_scores)
    found = np.where(is_candidate, likeliest[facts.heads], -1)
    return np.where(found == np.arange(len(found)), -1, found)
