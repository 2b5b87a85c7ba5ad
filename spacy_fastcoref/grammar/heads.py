"""Find the heads of many mentions at once, by the parse or by position."""

from typing import List, Set, Tuple

import numpy as np
from spacy.tokens import Doc

from .annotation import Annotation
from .tokens import find_acronyms
from .word_index import Marks, Rows, Text, is_sign

# The number of tokens of a mention among which its head is searched. Longer mentions
# have their head near the start.
_WIDTH = 40
_HYPHENS = frozenset("-–.")
# The tags of words that can't come between a determiner and its noun.
_CUTTING = ("ADP", "VERB", "AUX", "SCONJ")


def find_mention_heads(
    mentions: np.ndarray, annotation: Annotation
) -> Tuple[Rows, Marks]:
    """Find the head of each mention by the parse, or by position without one, and which
    are coordinations, whose head is that of the first member."""
    find = _find_roots if annotation.has_dep else _find_by_position
    heads, joined = find(mentions, annotation)
    return heads, joined.any(1)


def find_heads(doc: Doc, start: int, end: int) -> List[int]:
    """Find all heads of one span, several for a coordination; see find_all_heads."""
    if end - start == 1:
        return [start]
    span = doc[start:end]
    (heads,) = find_all_heads(span, np.array([[0, end - start]]))
    return [start + head for head in heads]


def find_all_heads(doc: Text, mentions: np.ndarray) -> List[List[int]]:
    """Find all heads of each mention in text order, several for a coordination: with a
    parse, its root and the conjuncts inside; otherwise, head nouns by position."""
    mentions = np.asarray(mentions, dtype=np.int64).reshape(-1, 2)
    if not len(mentions):
        return []
    annotation = Annotation(doc)
    find = _find_roots if annotation.has_dep else _find_by_position
    heads, joined = find(mentions, annotation)
    rows, members = np.nonzero(joined)[0], _make_window(mentions)[0][joined]
    if len(rows) and not annotation.has_dep:
        # They are coordinators: the head of each member is that of a phrase of its own.
        wholes = np.unique(rows)
        rows = np.append(rows, wholes)
        starts = np.append(members + 1, mentions[wholes, 0])
        ends = np.append(members, mentions[wholes, 1])
        starts, ends = (one[np.lexsort((one, rows))] for one in (starts, ends))
        parts = np.stack([starts, ends], 1)[starts < ends]
        rows = np.sort(rows)[starts < ends]
        members, _ = _find_by_position(parts, annotation)
    found: List[Set[int]] = [{head} for head in heads.tolist()]
    for row, member in zip(rows.tolist(), members.tolist(), strict=True):
        found[row].add(member)
    return [sorted(one) for one in found]


def _make_window(mentions: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """List the tokens of mentions in rows of a common width, and which are inside."""
    starts, ends = mentions[:, :1], mentions[:, 1:]
    width = min(_WIDTH, int((ends - starts).max(initial=1)))
    tokens = starts + np.arange(width)
    return np.minimum(tokens, ends - 1), tokens < ends


def _find_roots(
    mentions: np.ndarray, annotation: Annotation
) -> Tuple[Rows, np.ndarray]:
    """Find the root of each mention, and its conjuncts as an array like the window."""
    (tokens, inside), starts = _make_window(mentions), mentions[:, 0]
    above = annotation.heads[tokens]
    is_root = (above < mentions[:, :1]) | (above >= mentions[:, 1:]) | (above == tokens)
    # Of several roots, the root of the sentence is preferred, and then the first one.
    rank = inside * (is_root + 1 * (annotation.outer_heads[tokens] == tokens))
    heads = np.take_along_axis(tokens, rank.argmax(1)[:, None], 1)[:, 0]
    first, is_conjunct = annotation.first_conjunct, annotation.has_role("conjunct")
    joined = inside & (tokens != heads[:, None]) & is_conjunct[tokens]
    # In "Ann, [Bob and Eve]", both heads of the mention can be conjuncts of "Ann".
    outer = annotation.outer_heads
    has_same_first = first[tokens] == first[heads][:, None]
    has_outer_head = is_conjunct[heads] & (outer[heads] < starts)
    has_same_first |= has_outer_head[:, None] & (outer[tokens] == outer[heads][:, None])
    return heads, joined & has_same_first


def _find_by_position(
    mentions: np.ndarray, annotation: Annotation
) -> Tuple[Rows, np.ndarray]:
    """Find the head noun by position, and the coordinators of its phrase."""
    words, lexicon = annotation.words, annotation.lexicon
    tokens, inside = _make_window(mentions)
    is_clitic = words.find(lexicon.clitics)[tokens]
    is_coordinator = words.find(lexicon.coordinators)[tokens]
    is_mark = (words.map(is_sign) > 0) & ~words.find(_HYPHENS)
    is_mark = is_mark[tokens] & ~is_clitic & ~is_coordinator
    is_before = words.find(lexicon.determiners) | words.find(lexicon.possessives)
    leading = np.cumprod(inside & (is_before[tokens] | is_mark), 1).astype(bool)
    # If a mention has no other words, one of these is the head.
    leading[inside.sum(1) == leading.sum(1)] = False
    cuts = words.find(lexicon.cutters) & ~find_acronyms(annotation)
    cuts = (cuts | annotation.is_pos(*_CUTTING))[tokens] & ~leading
    is_first_part = inside & (np.cumsum(cuts, 1) == 0)
    coordinators = is_coordinator & is_first_part & ~leading
    coordinators[:, 0] = False
    ends_part = (cuts | is_coordinator | (is_mark & ~leading)) & inside
    in_part = inside & (np.cumsum(ends_part, 1) == 0) & ~leading & ~is_clitic
    is_noun = in_part & annotation.is_nominal[tokens]
    in_part = np.where(is_noun.any(1)[:, None], is_noun, in_part)
    columns = np.arange(tokens.shape[1])
    last = np.where(in_part, columns, -1).max(1, initial=-1)
    first = np.where(in_part, columns, tokens.shape[1]).min(1)
    heads = np.where(last < 0, 0, first if lexicon.head == "first" else last)
    return np.take_along_axis(tokens, heads[:, None], 1)[:, 0], coordinators
