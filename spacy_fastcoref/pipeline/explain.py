"""Explain links by the model's scores, the rules' verdicts and their reasons."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc, Span
from wasabi import table

from ..decoding.constraints import add_mentions, read_constraints
from ..decoding.decode import Decision
from ..decoding.reasons import find_reasons
from ..errors import Errors
from ..rules.auto import choose_rules
from ..rules.base import Rules
from ..types import ALLOWED, DOUBTFUL, FORBIDDEN, Links
from .decide import decide_doc

Offsets = Tuple[int, int]
_NAMES = {FORBIDDEN: "forbidden", DOUBTFUL: "doubtful", ALLOWED: "allowed"}


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
    mention: Union[Span, Offsets],
    candidate: Optional[Union[Span, Offsets]] = None,
) -> Explanation:
    """Explain the candidate antecedents of a mention; see FastCoref.explain.

    component (FastCoref): The component.
    doc (Doc): The document.
    mention (Union[Span, Tuple[int, int]]): The mention.
    candidate (Optional[Union[Span, Tuple[int, int]]]): Another mention, to explain this
        pair alone.
    RETURNS (Explanation): The candidates, best first.
    RAISES (ValueError): An argument is not a span of the document, or both are the same
        span.
    """
    spans = [_find_offsets(doc, mention)]
    if candidate is not None:
        spans.append(_find_offsets(doc, candidate))
    if len(set(spans)) < len(spans):
        raise ValueError(Errors.FC044.format(mention=candidate))
    (links,) = component.predict([doc])
    links = add_mentions(links, spans)
    decision = decide_doc(doc, links, component.rules, component.threshold)
    # The rows of the decision include the mentions that the user's constraints add.
    links = read_constraints(doc, links)[0]
    later, earlier = max(spans), min(spans)
    row = links.rows[later]
    if candidate is None:
        candidates = _list_candidates(links, decision, row)
    else:
        candidates = np.array([links.rows[earlier]])
    pairs = [(later, tuple(links.mentions[i].tolist())) for i in candidates]
    scores = _score(component, doc, (decision.links, links), pairs)
    rules = choose_rules(component.rules, doc)
    verdicts, rule_reasons = _judge(rules, doc, links, decision, row, candidates)
    reasonings = find_reasons(
        decision, row, candidates, scores, verdicts, rule_reasons, component.threshold
    )
    found = [
        Candidate(
            doc[slice(*offsets)],
            float(score),
            _NAMES[reasoning.verdict],
            list(reasoning.reasons.values()),
            list(reasoning.reasons),
            reasoning.is_chosen,
        )
        for (_, offsets), score, reasoning in zip(
            pairs, scores, reasonings, strict=True
        )
    ]
    found.sort(key=lambda candidate: np.nan_to_num(-candidate.score, nan=np.inf))
    return Explanation(doc[slice(*later)], found, component.threshold)


def _list_candidates(links: Links, decision: Decision, row: int) -> np.ndarray:
    """List the candidate antecedents of a mention, as indexes.

    The antecedent of a must-link is one of them even if the model has no such link.
    """
    merged = decision.links if decision.rules.duplicate_of[row] < 0 else links
    antecedents = merged.antecedents if len(merged) == len(links) else links.antecedents
    candidates = [*antecedents[row]]
    candidates += [decision.constraints.forced[row], decision.parents[row]]
    earlier = [int(i) for i in candidates if 0 <= i < row]
    return np.array(list(dict.fromkeys(earlier)), dtype=np.int64)


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
    rules: Any,
    doc: Doc,
    links: Links,
    decision: Decision,
    row: int,
    candidates: np.ndarray,
) -> Tuple[np.ndarray, List[Dict[str, str]]]:
    """Get the rules' verdicts on the links of a mention, and the reasons for them."""
    later = np.full(len(candidates), row)
    if isinstance(rules, Rules):
        facts = rules.describe(doc, links)
        verdicts = rules.judge(facts, later, candidates)
        return verdicts, rules.find_reasons(facts, later, candidates)
    judged = decision.links.antecedents[row].tolist(), decision.rules.verdicts[row]
    where = dict(zip(judged[0], judged[1].tolist(), strict=True))
    verdicts = np.array([where.get(int(i), ALLOWED) for i in candidates])
    return verdicts, [{} for _ in candidates]
