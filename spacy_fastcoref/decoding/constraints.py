"""Read a user's must-links and cannot-links from a Doc."""

from dataclasses import replace
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..errors import Errors
from ..grammar.heads import find_all_heads
from ..grammar.lexicon import get_lexicon
from ..grammar.word_index import WordIndex
from ..graph import find_roots, number_components, split_components
from ..span_groups import find_groups, read_group
from ..span_keys import APART, SEEDS
from ..types import Links, Offsets, RuleOutput

_MAX_GROUPS = 64


class Constraints(NamedTuple):
    """Hold a user's must-links and cannot-links for each mention.

    forced (numpy.ndarray): Shape (n_mentions,), the antecedent of each mention with a
        must-link; -1 for none.
    apart (numpy.ndarray): Shape (n_mentions,), uint64, cannot-link bits: two mentions
        with a common bit cannot be in one cluster. The bits of all mentions that
        must-links join are those of the first of them; the others have none.
    scores (numpy.ndarray): Shape (n_mentions,), the model's score of each must-link; 0
        if it is not among the model's links.
    """

    forced: np.ndarray
    apart: np.ndarray
    scores: np.ndarray

    @classmethod
    def none(cls, links: Links) -> "Constraints":
        """Make empty constraints."""
        n = len(links)
        return cls(np.full(n, -1), np.zeros(n, dtype=np.uint64), np.zeros(n))


def has_constraints(doc: Doc) -> bool:
    """Check whether a Doc has SpanGroups with must-links or cannot-links."""
    return bool(find_groups(doc, SEEDS) or find_groups(doc, APART))


def read_constraints(doc: Doc, links: Links) -> Tuple[Links, Constraints]:
    """Read a user's constraints from a Doc's SpanGroups, and add their mentions to the
    links, with infinite scores.

    Must-links also join groups that share a mention, and cannot-links also keep apart
    mentions with the same heads.

    RAISES (ValueError): They contradict each other, or there are too many groups.
    """
    seeds, apart = (
        [
            sorted({(s.start, s.end) for s in read_group(doc, key) if len(s)})
            for key in find_groups(doc, name)
        ]
        for name in (SEEDS, APART)
    )
    if not seeds and not apart:
        return links, Constraints.none(links)
    if len(apart) > _MAX_GROUPS:
        raise ValueError(
            Errors.FC042.format(name=APART, n_groups=len(apart), most=_MAX_GROUPS)
        )
    spans = [span for group in (*seeds, *apart) for span in group]
    links = add_mentions(links, spans)
    scores = links.mention_scores.copy()
    scores[[links.rows[span] for span in spans]] = np.inf
    links = replace(links, mention_scores=scores)
    constraints = Constraints.none(links)
    for bit, group in enumerate(apart):
        for span in group:
            constraints.apart[links.rows[span]] |= np.uint64(1 << bit)
    if apart:
        _extend_to_same_heads(doc, links, constraints)
    for members in _join([[links.rows[span] for span in group] for group in seeds]):
        constraints.forced[members[1:]] = members[:-1]
        bits = constraints.apart[members]
        is_wrong = np.bitwise_or.accumulate(bits)[:-1] & bits[1:] != 0
        if is_wrong.any():
            start, end = links.mentions[members[1:][is_wrong][0]].tolist()
            raise ValueError(Errors.FC041.format(mention=doc[start:end].text))
        # The decoder chooses the antecedent of the first mention before it reaches the
        # others, so the first needs the cannot-links of all.
        constraints.apart[members] = 0
        constraints.apart[members[0]] = np.bitwise_or.reduce(bits)
    return links, constraints._replace(scores=links.find_scores(constraints.forced))


def _extend_to_same_heads(doc: Doc, links: Links, constraints: Constraints) -> None:
    """Extend cannot-links to mentions with the same head: from "Beth" to "Beth in
    town"."""
    rows = np.flatnonzero(constraints.apart)
    bits = np.zeros(len(doc), dtype=np.uint64)
    heads = _find_heads(doc, links.mentions[rows])
    # A coordination does not have the head of one of its members.
    np.bitwise_or.at(bits, heads[heads >= 0], constraints.apart[rows[heads >= 0]])
    counts = np.append(0, np.cumsum(bits > 0))
    starts, ends = links.mentions.T
    is_asked = (counts[ends] > counts[starts]) & ~np.isposinf(links.mention_scores)
    rows = np.flatnonzero(is_asked)
    heads = _find_heads(doc, links.mentions[rows])
    constraints.apart[rows] = np.where(heads >= 0, bits[heads], 0)


def _find_heads(doc: Doc, mentions: np.ndarray) -> np.ndarray:
    """Find the heads of mentions, -1 for coordinations."""
    heads = find_all_heads(doc, mentions)
    coordinators = get_lexicon(doc.lang_).coordinators
    counts = np.append(0, np.cumsum(WordIndex(doc).find(coordinators)))
    is_joined = counts[mentions[:, 1]] > counts[mentions[:, 0]]
    found = [found[0] if len(found) == 1 else -1 for found in heads]
    return np.where(is_joined, -1, np.array(found, dtype=np.int64))


def _join(groups: List[List[int]]) -> List[np.ndarray]:
    """Join groups that have members in common, and sort the members in text order."""
    pairs = [pair for group in groups for pair in zip(group, group[1:], strict=False)]
    if not pairs:
        return []
    members, ends = np.unique(np.array(pairs), return_inverse=True)
    labels = number_components(len(members), tuple(ends.reshape(-1, 2).T))
    return [members[nodes] for nodes in split_components(labels)]


def add_mentions(links: Links, spans: Sequence[Offsets]) -> Links:
    """Add mentions without links, where they are not there already."""
    order = sorted({*links.rows, *spans})
    if len(order) == len(links):
        return links
    # The old row of each mention, and the new row of each old one, -1 for none.
    old_rows = np.array([links.rows.get(span, -1) for span in order])
    new_rows = np.append(np.flatnonzero(old_rows >= 0), -1).astype(np.int32)

    def insert_rows(values: np.ndarray, fill: Any) -> np.ndarray:
        blank = np.full((1, *values.shape[1:]), fill, dtype=values.dtype)
        return np.concatenate([values, blank])[old_rows]

    return replace(
        links,
        mentions=np.array(order, dtype=np.int32).reshape(-1, 2),
        mention_scores=insert_rows(links.mention_scores, 0.0),
        antecedents=new_rows[insert_rows(links.antecedents, -1)],
        scores=insert_rows(links.scores, -np.inf),
        log_norms=insert_rows(links.log_norms, 0.0),
        types=None if links.types is None else insert_rows(links.types, ""),
    )


def apply_must_links(
    rule_output: RuleOutput, constraints: Constraints
) -> Tuple[RuleOutput, Constraints]:
    """Join mentions that agree by the rules' must-links, if the user does not object.

    The must-links of a mention lead to a deciding mention, such as the speaker for "I"
    in a quotation. The joined mentions are linked in text order, and the first of them
    gets the candidate antecedents of the deciding mention.
    """
    links = rule_output.links
    rows = np.arange(len(links))
    is_free = (constraints.forced < 0) & (constraints.apart == 0)
    is_free[constraints.forced[constraints.forced >= 0]] = False
    must_links = rule_output.must_links
    is_tied = (must_links >= 0) & is_free & is_free[must_links]
    if not is_tied.any():
        return rule_output, constraints
    deciders = find_roots(np.where(is_tied, must_links, rows))
    is_tied |= np.isin(rows, deciders[is_tied])
    members = np.flatnonzero(is_tied)
    members = members[np.argsort(deciders[members], kind="stable")]
    starts = np.flatnonzero(np.diff(deciders[members], prepend=-1))
    sizes = np.diff(np.append(starts, len(members)))
    agreement = np.bitwise_and.reduceat(rule_output.agreement[members], starts)
    agrees = (agreement > 0).all(1)
    members = members[np.repeat(agrees, sizes)]
    sizes, agreement = sizes[agrees], agreement[agrees]
    starts = np.cumsum(sizes) - sizes
    firsts, deciders = members[starts], deciders[members[starts]]
    forced = constraints.forced.copy()
    forced[members[1:]] = members[:-1]
    forced[firsts] = -1
    # The antecedent of the deciding mention has to precede all joined mentions.
    is_before = links.antecedents[deciders] < firsts[:, None]
    antecedents = np.where(is_before, links.antecedents[deciders], -1)
    scores = np.where(is_before, links.scores[deciders], -np.inf)

    def set_rows(values: np.ndarray, new: Optional[np.ndarray] = None) -> np.ndarray:
        """Copy values, in which the first mentions get new ones, or the deciders'."""
        copied = values.copy()
        copied[firsts] = values[deciders] if new is None else new
        return copied

    representatives = rows.copy()
    representatives[members] = np.repeat(firsts, sizes)
    conflicts = np.sort(representatives[rule_output.conflicts], axis=1)
    judged = replace(
        rule_output,
        links=replace(
            links,
            antecedents=set_rows(links.antecedents, antecedents),
            scores=set_rows(links.scores, scores),
            log_norms=set_rows(links.log_norms),
        ),
        verdicts=set_rows(rule_output.verdicts),
        agreement=set_rows(rule_output.agreement, agreement),
        is_anaphor=set_rows(rule_output.is_anaphor),
        conflicts=conflicts[conflicts[:, 0] < conflicts[:, 1]],
    )
    scores = np.where(
        constraints.forced < 0, links.find_scores(forced), constraints.scores
    )
    return judged, constraints._replace(forced=forced, scores=scores)
