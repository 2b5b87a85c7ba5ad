"""What rules cost a link, in log-odds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Hold what rules cost, in log-odds.

    doubtful (float): What a doubtful link costs.
    alone (float): What an anaphor pays for having no antecedent, as a share of the
        model's log-odds that it has one. Nothing is best on the training sets: what
        rules have left to it is more often wrong than right.
    """

    doubtful: float = 2.0
    alone: float = 0.0
