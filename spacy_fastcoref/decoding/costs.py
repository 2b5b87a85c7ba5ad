"""Hold the costs of the rules' verdicts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Hold the costs of the rules' verdicts, in log-odds.

    doubtful (float): The cost of a doubtful link.
    alone (float): The cost of an anaphor without an antecedent, as a share of the
        model's log-odds that it has one. 0 is best on the training sets: if the rules
        forbid the antecedents that the model prefers, the remaining ones are more often
        wrong than right.
    """

    doubtful: float = 2.0
    alone: float = 0.0
