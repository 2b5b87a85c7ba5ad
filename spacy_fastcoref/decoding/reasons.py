"""Reasons: why the decoder links a mention to a candidate, or does not."""

from typing import Dict, List, NamedTuple

import numpy as np

from ..errors import REASONS
from ..types import ALLOWED, FORBIDDEN
from .decode import Decision


class Reasoning(NamedTuple):
    """Hold what speaks for or against one candidate.

    verdict (int): FORBIDDEN, DOUBTFUL or ALLOWED.
    reasons (Dict[str, str]): The reasons in words, by the names of rules.
    is_chosen (bool): Whether it is the mention's antecedent.
    """

    verdict: int
    reasons: Dict[str, str]
    is_chosen: bool


def find_reasons(
    decision: Decision,
    later: np.ndarray,
    earlier: np.ndarray,
    scores: np.ndarray,
    verdicts: np.ndarray,
    by_rules: List[Dict[str, str]],
    threshold: float,
) -> List[Reasoning]:
    """Tell what the decoder made of pairs of mentions and candidates.

    decision (Decision): What the decoder decided.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions, and of a
        candidate for each.
    scores (numpy.ndarray): Shape (n_pairs,), the log-odds of each link.
    verdicts (numpy.ndarray): Shape (n_pairs,), what rules say of each.
    by_rules (List[Dict[str, str]]): The reasons of rules, by their names.
    threshold (float): The log-odds that a link needs at least.
    RETURNS (List[Reasoning]): For each pair the verdict and the reasons: those of
        the user, of duplicates, of must-links and of whole clusters come before those
        of rules on pairs.
    """
    constraints = decision.constraints
    is_apart = constraints.find_apart(later, earlier)
    is_together = constraints.find_together(later, earlier)
    duplicate_of = decision.rules.duplicate_of
    is_duplicate = (duplicate_of[earlier] >= 0) | (duplicate_of[later] >= 0)
    is_chosen = (earlier == decision.parents[later]) & (earlier != later)
    is_tied = decision.is_tied[later]
    is_decided = is_chosen | (constraints.forced[later] >= 0) | is_tied
    is_better = scores > np.maximum(0.0, decision.gains[later]) + threshold
    found = []
    for i, reasons in enumerate(by_rules):
        verdict = int(verdicts[i])
        if is_together[i]:
            verdict, name = ALLOWED, "seeds"
        elif is_apart[i]:
            verdict, name = FORBIDDEN, "apart"
        elif is_duplicate[i] and not reasons:
            verdict, name = FORBIDDEN, "same_head"
        elif is_chosen[i] and is_tied[i]:
            verdict, name = ALLOWED, "must_link"
        elif verdict == ALLOWED and is_better[i] and not is_decided[i]:
            # Better than what was chosen, and against no rule on pairs.
            name = "cluster"
        else:
            name = ""
        if name:
            reasons = {name: REASONS[name], **reasons}
        found.append(Reasoning(verdict, reasons, bool(is_chosen[i])))
    return found
