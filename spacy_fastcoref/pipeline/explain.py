"""Explain links by the model's scores, the rules' verdicts and their reasons."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc, Span
from wasabi import table

from ..decoding.constraints import add_mentions, read_constraints
from ..decoding.decode import Decision
from ..errors import Errors
from ..grammar.auto import choose_rules
from ..grammar.rules import REASONS, Rules
from ..graph import find_roots
from ..types import ALLOWED, DOUBTFUL, FORBIDDEN, Links, Offsets
from .decide import decide_doc

_NAMES = {FORBIDDEN: "forbidden", DOUBTFUL: "doubtful", ALLOWED: "allowed"}
# The verdicts of all but rules on pairs, each with the reason for it.
_DECIDED = {
    "seeds": ALLOWED,
    "apart": FORBIDDEN,
    "same_head": FORBIDDEN,
    "must_link": ALLOWED,
    "cluster": ALLOWED,
}


@dataclass
class Candidate:
    """Hold one candidate antecedent of a mention.

    mention (Span): The candidate.
    score (float): The log-odds of the link against no antecedent; NaN if the model did
        not score it.
    verdict (str): "allowed", "doubtful" or "forbidden".
    reasons (List[str]): Why rules object to the link, or to the cluster that it would
        make, in words; or that a must-link of a rule or of the user joins both
        mentions.
    rules (List[str]): The names of these rules, by which they can be disabled.
    is_chosen (bool): Whether the candidate is the antecedent.
    """

    mention: Span
    score: float
    verdict: str
    reasons: List[str]
    rules: List[str]
    is_chosen: bool


@dataclass
class Explanation:
    """Hold the candidate antecedents of one mention; `str()` makes a table of them.

    mention (Span): The mention.
    candidates (List[Candidate]): The candidate antecedents, best first.
    threshold (float): The minimum log-odds of a link.
    """

    mention: Span
    candidates: List[Candidate]
    threshold: float

    def __str__(self) -> str:
        rows = [
            (
                ">" if one.is_chosen else "",
                f"{one.mention.text} ({one.mention.start})",
                f"{one.score:.2f}",
                one.verdict,
                "; ".join(one.reasons),
            )
            for one in self.candidates
        ]
        head = f"{self.mention.text} ({self.mention.start})"
        if not rows:
            return f"{head}: no candidates"
        names = ("", head, "score", "verdict", "reasons")
        return table(rows, header=names, divider=True, max_col=48)


def explain(
    component: Any,
    doc: Doc,
    mentions: Optional[Iterable[Union[Span, Offsets]]],
    candidate: Optional[Union[Span, Offsets]] = None,
) -> List[Explanation]:
    """Explain mentions, or one as what continues a candidate, all at once.

    See FastCoref.explain and FastCoref.explain_all.
    """
    asked = None if mentions is None else [_find_offsets(doc, one) for one in mentions]
    candidates: List[Offsets] = []
    if asked is not None and candidate is not None:
        earlier_one, later_one = sorted([*asked, _find_offsets(doc, candidate)])
        if earlier_one == later_one:
            raise ValueError(Errors.FC044.format(mention=candidate))
        asked, candidates = [later_one], [earlier_one]
    (links,) = component.predict([doc])
    links = add_mentions(links, [*(asked or ()), *candidates])
    decision = decide_doc(doc, links, component.rules, component.threshold)
    if decision is None:
        return []
    # The user's mentions are among those of the decision.
    links = read_constraints(doc, links)[0]
    rows = range(len(links)) if asked is None else [links.rows[m] for m in asked]
    chosen = [[links.rows[one]] for one in candidates]
    chosen = chosen or [_list_candidates(links, decision, row) for row in rows]
    later = np.repeat(np.array(rows, dtype=np.int64), [len(some) for some in chosen])
    earlier = np.array([i for some in chosen for i in some], dtype=np.int64)
    spans = [tuple(span) for span in links.mentions.tolist()]
    pairs = [(spans[i], spans[j]) for i, j in zip(later, earlier, strict=True)]
    scores = _score(component, doc, (decision.rules.links, links), pairs)
    rules = choose_rules(component.rules, doc)
    verdicts, by_rules = _judge(rules, doc, links, decision, (later, earlier))
    constraints, duplicate_of = decision.constraints, decision.rules.duplicate_of
    forced, index = constraints.forced, np.arange(len(links))
    roots = find_roots(np.where(forced >= 0, forced, index))
    is_together = roots[later] == roots[earlier]
    apart = constraints.apart[roots]
    is_apart = (apart[later] & apart[earlier]) != 0
    is_duplicate = (duplicate_of[earlier] >= 0) | (duplicate_of[later] >= 0)
    is_chosen = (earlier == decision.parents[later]) & (earlier != later)
    is_tied = decision.is_tied[later]
    is_decided = is_chosen | (forced[later] >= 0) | is_tied
    least = np.maximum(0.0, decision.gains[later]) + component.threshold
    # The link scores better than the chosen one, and no rule on pairs objects.
    is_better = (verdicts == ALLOWED) & (scores > least) & ~is_decided
    is_silent = np.array([not reasons for reasons in by_rules], dtype=bool)
    cases = [is_together, is_apart, is_duplicate & is_silent, is_chosen & is_tied]
    names = np.select([*cases, is_better], [*_DECIDED], "").tolist()
    found = []
    for i, (name, reasons) in enumerate(zip(names, by_rules, strict=True)):
        verdict = _DECIDED.get(name, int(verdicts[i]))
        if name:
            reasons = {name: REASONS[name], **reasons}
        found.append(
            Candidate(
                doc[slice(*pairs[i][1])],
                float(scores[i]),
                _NAMES[verdict],
                list(reasons.values()),
                list(reasons),
                bool(is_chosen[i]),
            )
        )
    explained = iter(found)
    return [
        Explanation(
            doc[slice(*spans[row])],
            # Those without a score come last.
            sorted(
                islice(explained, len(some)),
                key=lambda one: np.nan_to_num(-one.score, nan=np.inf),
            ),
            component.threshold,
        )
        for row, some in zip(rows, chosen, strict=True)
    ]


def _list_candidates(links: Links, decision: Decision, row: int) -> List[int]:
    """List the candidate antecedents of a mention, as indexes.

    The antecedent of a must-link is one of them even if the model has no such link.
    """
    merged = decision.rules.links if decision.rules.duplicate_of[row] < 0 else links
    others = decision.constraints.forced[row], decision.parents[row]
    known = [*merged.antecedents[row], *others]
    return list(dict.fromkeys(int(i) for i in known if 0 <= i < row))


def _find_offsets(doc: Doc, mention: Union[Span, Offsets]) -> Offsets:
    is_span = isinstance(mention, Span)
    message = Errors.FC044.format(mention=mention)
    try:
        start, end = map(int, (mention.start, mention.end) if is_span else mention)
    except (TypeError, ValueError) as error:
        raise ValueError(message) from error
    if not 0 <= start < end <= len(doc) or (is_span and mention.doc is not doc):
        raise ValueError(message)
    return start, end


def _score(
    component: Any,
    doc: Doc,
    known: Sequence[Links],
    pairs: Sequence[Tuple[Offsets, Offsets]],
) -> np.ndarray:
    """Get the scores of pairs; the model scores only those that no known link has."""
    scores = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        found = (links.find_score(*pair) for links in known)
        scores[i] = next((score for score in found if score is not None), np.nan)
    (unknown,) = np.nonzero(np.isnan(scores))
    if len(unknown):
        scores[unknown] = component.model.score_pairs(doc, [pairs[i] for i in unknown])
    return scores


def _judge(
    rules: Any, doc: Doc, links: Links, decision: Decision, pairs: Sequence[np.ndarray]
) -> Tuple[np.ndarray, List[Dict[str, str]]]:
    """Get the rules' verdicts on links, and the reasons for them."""
    later, earlier = pairs
    if isinstance(rules, Rules):
        facts = rules.describe(doc, links)
        verdicts = rules.judge(facts, later, earlier)
        return verdicts, rules.find_reasons(facts, later, earlier)
    is_link = decision.rules.links.antecedents[later] == earlier[:, None]
    judged = np.where(is_link, decision.rules.verdicts[later], ALLOWED)
    verdicts = judged.min(axis=1, initial=ALLOWED)
    return verdicts, [{} for _ in later]
