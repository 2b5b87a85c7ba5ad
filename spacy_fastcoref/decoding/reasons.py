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
    later: np.ndarray,
    earlier: np.ndarray,
    scores: np.ndarray,
    verdicts: np.ndarray,
    by_rules: List[Dict[str, str]],
    threshold: float,
) -> List[Reasoning]:
    """Find the reasons of the decoder for pairs of mentions and candidates.

    decision (Decision): The decoder's decision.
    later, earlier (numpy.ndarray): Shape (n_pairs,), the indexes of mentions, and of a
        candidate antecedent of each.
    scores (numpy.ndarray): Shape (n_pairs,), the log-odds of each link.
    verdicts (numpy.ndarray): Shape (n_pairs,), the rules' verdict on each link.
    by_rules (List[Dict[str, str]]): For each pair, the reasons of rules on pairs, by
        the name of the rule.
    RETURNS (List[Reasoning]): The verdict and the reasons for each pair. A reason that
        concerns the user's constraints, duplicates, must-links or whole clusters comes
        before those of rules on pairs.
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
            # The link scores better than the chosen one, and no rule on pairs objects.
            name = "cluster"
        else:
            name = ""
        if name:
            reasons = {name: REASONS[name], **reasons}
        found.append(Reasoning(verdict, reasons, bool(is_chosen[i])))
    return found
