"""Find the reasons why the decoder links a mention to a candidate, or does not."""

from typing import Dict, List, NamedTuple

import numpy as np

from ..errors import REASONS
from ..types import ALLOWED, FORBIDDEN
from .decode import Decision


class Reasoning(NamedTuple):
    """Hold the verdict on one candidate and the reasons for it.

    verdict (int): FORBIDDEN, DOUBTFUL or ALLOWED.
    reasons (Dict[str, str]): The reasons in words, by the name of the rule.
    is_chosen (bool): Whether the candidate is the antecedent.
    """

    verdict: int
    reasons: Dict[str, str]
    is_chosen: bool


def find_reasons(
    decision: Decision,
    row: int,
    candidates: np.ndarray,
    scores: np.ndarray,
    verdicts: np.ndarray,
    by_rules: List[Dict[str, str]],
    threshold: float,
) -> List[Reasoning]:
    """Find the reasons of the decoder for each candidate antecedent of a mention.

    decision (Decision): The decoder's decision.
    row (int): The index of the mention.
    candidates (numpy.ndarray): Shape (n_candidates,), the indexes of other mentions.
    scores (numpy.ndarray): Shape (n_candidates,), the log-odds of each link.
    verdicts (numpy.ndarray): Shape (n_candidates,), the rules' verdict on each link.
    by_rules (List[Dict[str, str]]): For each candidate, the reasons of rules on pairs,
        by the name of the rule.
    threshold (float): The minimum log-odds of a link.
    RETURNS (List[Reasoning]): The verdict and the reasons for each candidate. A reason
        that concerns the user's constraints, duplicates, must-links or whole clusters
        comes before those of rules on pairs.
    """
    constraints = decision.constraints
    is_apart = constraints.find_apart(row, candidates)
    is_together = constraints.find_together(row, candidates)
    duplicate_of = decision.rules.duplicate_of
    is_duplicate = (duplicate_of[candidates] >= 0) | (duplicate_of[row] >= 0)
    parent = int(decision.parents[row])
    is_chosen = (candidates == parent) & (parent != row)
    is_forced = constraints.forced[row] >= 0
    least = max(threshold, decision.gains[row] + threshold)
    found = []
    for i, reasons in enumerate(by_rules):
        verdict = int(verdicts[i])
        if is_together[i]:
            verdict, name = ALLOWED, "seeds"
        elif is_apart[i]:
            verdict, name = FORBIDDEN, "apart"
        elif is_duplicate[i] and not reasons:
            verdict, name = FORBIDDEN, "same_head"
        elif is_chosen[i] and decision.is_tied[row]:
            verdict, name = ALLOWED, "must_link"
        elif (
            verdict == ALLOWED
            and scores[i] > least
            and not (is_chosen[i] or is_forced or decision.is_tied[row])
        ):
            # The link scores better than the chosen one, and no rule on pairs objects.
            name = "cluster"
        else:
            name = ""
        if name:
            reasons = {name: REASONS[name], **reasons}
        found.append(Reasoning(verdict, reasons, bool(is_chosen[i])))
    return found
