"""Why a mention was linked, or was not: scores, verdicts and reasons."""

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc, Span
from wasabi import table

from ..decoding.constraints import add_mentions, read_constraints
from ..decoding.duplicates import merge_duplicates
from ..errors import REASONS, Errors
from ..rules.auto import choose_rules
from ..rules.base import Rules
from ..types import ALLOWED, DOUBTFUL, FORBIDDEN, Links, RuleOutput

Offsets = Tuple[int, int]
_NAMES = {FORBIDDEN: "forbidden", DOUBTFUL: "doubtful", ALLOWED: "fine"}


@dataclass
class Candidate:
    """Hold one mention that another might continue.

    mention (Span): The candidate.
    score (float): The log-odds of the link against none; nan if the model cannot
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
    links, constraints = read_constraints(doc, add_mentions(links, asked))
    later, earlier = max(asked), min(asked)
    row = links.rows[later]
    rules = choose_rules(component.rules, doc)
    answer = None if rules is None else rules(doc, links)
    rule_output = RuleOutput.from_rules(answer, links)
    duplicate_of, must_links = rule_output.duplicate_of, rule_output.must_links
    if duplicate_of[row] < 0:
        links = merge_duplicates(links, duplicate_of)
    antecedent = _find_antecedent(component, doc, links, later)
    if candidate is None:
        # What the user, or a tie, puts before it need not be among the model's links.
        known = np.append(links.antecedents[row], constraints.forced[row])
        known = np.append(known, links.rows.get(antecedent, -1))
        chosen = np.array(list(dict.fromkeys(known[known >= 0].tolist())), dtype=int)
    else:
        chosen = np.array([links.rows[earlier]])
    pairs = [(later, tuple(links.mentions[i].tolist())) for i in chosen]
    scores = _score_pairs(component, doc, links, pairs)
    verdicts, reasons = _judge(rules, doc, links, rule_output, row, chosen)
    for i in np.flatnonzero(constraints.find_apart(row, chosen)):
        verdicts[i], reasons[i] = FORBIDDEN, {"apart": REASONS["apart"], **reasons[i]}
    for i in np.flatnonzero(constraints.find_together(row, chosen)):
        verdicts[i], reasons[i] = ALLOWED, {"seeds": REASONS["seeds"], **reasons[i]}
    for i, other in enumerate(chosen):
        if max(duplicate_of[[row, other]]) >= 0 and not reasons[i]:
            verdicts[i], reasons[i] = FORBIDDEN, {"version": REASONS["version"]}
    if constraints.forced[row] < 0:
        least = component.threshold
        if antecedent is not None:
            (score,) = _score_pairs(component, doc, links, [(later, antecedent)])
            least = max(least, score)
        is_tied = bool(must_links[row] >= 0 or (must_links == row).any())
        for i, (_, offsets) in enumerate(pairs):
            is_better = verdicts[i] == ALLOWED and scores[i] > least and not is_tied
            if offsets != antecedent and is_better:
                reasons[i] = {"cluster": REASONS["cluster"]}
            elif offsets == antecedent and is_tied:
                verdicts[i], reasons[i] = (
                    ALLOWED,
                    {"tied": REASONS["tied"], **reasons[i]},
                )
    found = [
        Candidate(
            doc[slice(*offsets)],
            score,
            _NAMES[verdict],
            list(why.values()),
            list(why),
            offsets == antecedent,
        )
        for (_, offsets), score, verdict, why in zip(
            pairs, scores, verdicts, reasons, strict=True
        )
    ]
    found.sort(key=lambda one: np.nan_to_num(-one.score, nan=np.inf))
    return Explanation(doc[slice(*later)], found, component.threshold)


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


def _score_pairs(
    component: Any, doc: Doc, links: Links, pairs: Sequence[Tuple[Offsets, Offsets]]
) -> List[float]:
    """Get the scores of pairs; the model scores those that the links do not have."""
    found = [links.find_score(*pair) for pair in pairs]
    missing = [i for i, score in enumerate(found) if score is None]
    if missing:
        given = component.model.score_pairs(doc, [pairs[i] for i in missing])
        for i, score in zip(missing, given.tolist(), strict=True):
            found[i] = score
    return found


def _judge(
    rules: Any,
    doc: Doc,
    links: Links,
    rule_output: RuleOutput,
    row: int,
    antecedents: np.ndarray,
):
    """Get the verdicts on a mention's pairs, and the reasons where rules have any."""
    later = np.full(len(antecedents), row)
    if isinstance(rules, Rules):
        facts = rules.describe(doc, links)
        verdicts = rules.judge(facts, later, antecedents)
        return verdicts.tolist(), rules.find_reasons(facts, later, antecedents)
    judged = zip(links.antecedents[row], rule_output.verdicts[row], strict=True)
    where = {int(i): int(v) for i, v in judged}
    return [where.get(int(i), ALLOWED) for i in antecedents], [{} for _ in antecedents]


def _find_antecedent(
    component: Any, doc: Doc, links: Links, mention: Offsets
) -> Optional[Offsets]:
    for cluster in component.decode(doc, links):
        mentions = [tuple(offsets) for offsets in cluster.mentions]
        if mention in mentions:
            antecedent = cluster.antecedents[mentions.index(mention)]
            return None if antecedent < 0 else mentions[antecedent]
    return None
