"""Why a mention was linked, or was not: scores, verdicts and reasons."""

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
_NAMES = {FORBIDDEN: "forbidden", DOUBTFUL: "doubtful", ALLOWED: "fine"}


@dataclass
class Candidate:
    """Hold one mention that another might continue.

    mention (Span): The candidate.
    score (float): The log-odds of the link against none; nan if the model did not
        score it.
    verdict (str): "fine", "doubtful" or "forbidden".
    reasons (List[str]): What rules have against it, in words, or against the cluster
        that it would make; or that they, or the user, put both together.
    rules (List[str]): Their names, by which they can be disabled.
    is_chosen (bool): Whether it is the antecedent.
    """

    mention: Span
    score: float
    verdict: str
    reasons: List[str]
    rules: List[str]
    is_chosen: bool


@dataclass
class Explanation:
    """Hold what was weighed for one mention.

    mention (Span): The mention.
    candidates (List[Candidate]): What it might continue, best first.
    threshold (float): The score that a link needs.

    Its str() is a table.
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
    """Explain what a component makes of a mention; see FastCoref.explain.

    component (FastCoref): The component.
    doc (Doc): The document.
    mention (Union[Span, Tuple[int, int]]): The mention.
    candidate (Optional[Union[Span, Tuple[int, int]]]): Another mention, to explain this
        pair alone.
    RETURNS (Explanation): The candidates, best first.
    RAISES (ValueError): They are no mentions of the document.
    """
    asked = [_find_offsets(doc, mention)]
    if candidate is not None:
        asked.append(_find_offsets(doc, candidate))
    if len(set(asked)) < len(asked):
        raise ValueError(Errors.FC044.format(mention=candidate))
    (links,) = component.predict([doc])
    links = add_mentions(links, asked)
    decision = decide_doc(doc, links, component.rules, component.threshold)
    # The user's mentions are among those of the decision.
    links = read_constraints(doc, links)[0]
    later, earlier = max(asked), min(asked)
    row = links.rows[later]
    if candidate is None:
        chosen = _list_candidates(links, decision, row)
    else:
        chosen = np.array([links.rows[earlier]])
    pairs = [(later, tuple(links.mentions[i].tolist())) for i in chosen]
    scores = _score(component, doc, (decision.links, links), pairs)
    rules = choose_rules(component.rules, doc)
    verdicts, by_rules = _judge(rules, doc, links, decision, row, chosen)
    found = [
        Candidate(
            doc[slice(*offsets)],
            float(score),
            _NAMES[one.verdict],
            list(one.reasons.values()),
            list(one.reasons),
            one.is_chosen,
        )
        for (_, offsets), score, one in zip(
            pairs,
            scores,
            find_reasons(
                decision, row, chosen, scores, verdicts, by_rules, component.threshold
            ),
            strict=True,
        )
    ]
    found.sort(key=lambda one: np.nan_to_num(-one.score, nan=np.inf))
    return Explanation(doc[slice(*later)], found, component.threshold)


def _list_candidates(links: Links, decision: Decision, row: int) -> np.ndarray:
    """List the mentions that one might continue, as indexes.

    What the user or a rule puts before it need not be among the model's links.
    """
    merged = decision.links if decision.rules.duplicate_of[row] < 0 else links
    antecedents = merged.antecedents if len(merged) == len(links) else links.antecedents
    known = [*antecedents[row]]
    known += [decision.constraints.forced[row], decision.parents[row]]
    kept = [int(i) for i in known if 0 <= i < row]
    return np.array(list(dict.fromkeys(kept)), dtype=np.int64)


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
    """Get the scores of pairs; those that are among known links cost nothing."""
    scores = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        found = (links.find_score(*pair) for links in known)
        scores[i] = next((score for score in found if score is not None), np.nan)
    (asked,) = np.nonzero(np.isnan(scores))
    if len(asked):
        scores[asked] = component.model.score_pairs(doc, [pairs[i] for i in asked])
    return scores


def _judge(
    rules: Any,
    doc: Doc,
    links: Links,
    decision: Decision,
    row: int,
    candidates: np.ndarray,
) -> Tuple[np.ndarray, List[Dict[str, str]]]:
    """Get the verdicts on a mention's pairs, and the reasons where rules have any."""
    later = np.full(len(candidates), row)
    if isinstance(rules, Rules):
        facts = rules.describe(doc, links)
        verdicts = rules.judge(facts, later, candidates)
        return verdicts, rules.find_reasons(facts, later, candidates)
    judged = decision.links.antecedents[row].tolist(), decision.rules.verdicts[row]
    where = dict(zip(judged[0], judged[1].tolist(), strict=True))
    verdicts = np.array([where.get(int(i), ALLOWED) for i in candidates])
    return verdicts, [{} for _ in candidates]
