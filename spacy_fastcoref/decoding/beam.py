"""Links -> clusters where mentions of one cluster have to agree."""

from dataclasses import dataclass, field, replace
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from ..types import RuleOutput

# How many alternatives are kept from mention to mention, and after how many mentions
# the best one becomes final, so that time stays linear in a novel.
BEAM_SIZE = 4
HORIZON = 64
# What a mention can be is one number, with so many bits for each aspect.
_N_BITS = 64
_ALL = 2**_N_BITS - 1


@dataclass
class Hypothesis:
    """Hold one way to decide on the last few mentions.

    score (float): The sum of what its links gain.
    roots (Dict[int, int]): The first mention of the cluster of each mention.
    parents (Dict[int, int]): The antecedent of each mention.
    agreement (Dict[int, int]): What each cluster can be, by its first mention.
    apart (Dict[int, int]): What each cluster must not meet, likewise.
    """

    score: float = 0.0
    roots: Dict[int, int] = field(default_factory=dict)
    parents: Dict[int, int] = field(default_factory=dict)
    agreement: Dict[int, int] = field(default_factory=dict)
    apart: Dict[int, int] = field(default_factory=dict)


class Step(NamedTuple):
    """Hold one way to decide on the next mention.

    score (float): That of the hypothesis that it makes.
    before (Hypothesis): The one that it extends.
    antecedent (Optional[int]): The mention's antecedent; None for none.
    root, agreement, apart (int): The cluster that it joins, and what that becomes.
    """

    score: float
    before: Hypothesis
    antecedent: Optional[int] = None
    root: int = -1
    agreement: int = 0
    apart: int = 0


class BeamSearch:
    """Search for the clusters that gain most and do not contradict themselves.

    Mentions are decided from left to right. A link joins a cluster as a whole, so it
    is judged by what all mentions in it can be, and by who else is in it.

    rule_output (RuleOutput): What rules say, with nothing missing.
    apart (numpy.ndarray): Shape (n_mentions,), uint64, see Constraints.
    beam_size (int): How many alternatives are kept.
    """

    def __init__(
        self,
        rule_output: RuleOutput,
        apart: np.ndarray,
        beam_size: int = BEAM_SIZE,
    ) -> None:
        self.beam_size = beam_size
        n_aspects = rule_output.agreement.shape[1]
        self.aspects = [_ALL << (_N_BITS * i) for i in range(n_aspects)]
        self.agreement = [
            sum(bits << (_N_BITS * i) for i, bits in enumerate(row))
            for row in rule_output.agreement.tolist()
        ]
        self.apart = apart.tolist()
        n_mentions = len(self.agreement)
        self.parents = list(range(n_mentions))
        self.roots = list(range(n_mentions))
        self.rivals: Dict[int, List[int]] = {}
        for earlier, later in rule_output.conflicts.tolist():
            self.rivals.setdefault(later, []).append(earlier)

    def search(
        self,
        rows: np.ndarray,
        gains: np.ndarray,
        nulls: np.ndarray,
        antecedents: np.ndarray,
        forced: np.ndarray,
    ) -> List[int]:
        """Find the antecedent of some mentions.

        rows (numpy.ndarray): Shape (n_rows,), the mentions in order, with all that
            they could be linked to.
        gains (numpy.ndarray): Shape (n_mentions, n_antecedents), what each link gains.
        nulls (numpy.ndarray): Shape (n_mentions,), what having none gains; a link that
            gains less is never made.
        antecedents (numpy.ndarray): Shape (n_mentions, n_antecedents).
        forced (numpy.ndarray): Shape (n_mentions,), see Constraints.
        RETURNS (List[int]): The antecedent of each, or the mention itself if it has
            none.
        """
        beam = [Hypothesis()]
        is_open = (gains[rows] >= nulls[rows, None]).any(1) | (forced[rows] >= 0)
        for n_decided, row in enumerate(rows[is_open].tolist(), 1):
            if forced[row] >= 0:
                options = [(0.0, int(forced[row]))]
            else:
                columns = np.flatnonzero(gains[row] >= nulls[row])
                columns = columns[np.argsort(-gains[row, columns], kind="stable")]
                options = list(
                    zip(
                        gains[row, columns].tolist(),
                        antecedents[row, columns].tolist(),
                        strict=True,
                    )
                )
            null = None if forced[row] >= 0 else float(nulls[row])
            steps = [
                step
                for one in beam
                for step in self._find_steps(one, row, options, null)
            ]
            steps.sort(key=lambda step: -step.score)
            # Only what is kept is worth writing down.
            beam = [self._take(step, row) for step in steps[: self.beam_size]]
            if n_decided % HORIZON == 0:
                self._commit(beam[0])
                beam = [Hypothesis()]
        self._commit(beam[0])
        # Of these alone: a novel has many regions, and many more mentions.
        return [self.parents[row] for row in rows.tolist()]

    def _find_steps(
        self,
        one: Hypothesis,
        row: int,
        options: List[Tuple[float, int]],
        null: Optional[float],
    ) -> Iterator[Step]:
        rivals = {
            one.roots.get(rival, self.roots[rival])
            for rival in self.rivals.get(row, ())
        }
        seen = set()
        for gain, antecedent in options:
            root = one.roots.get(antecedent, self.roots[antecedent])
            # Of several antecedents in one cluster the first gains most.
            if root in seen:
                continue
            seen.add(root)
            agreement = one.agreement.get(root, self.agreement[root])
            apart = one.apart.get(root, self.apart[root])
            # What is forced has no other way to be decided.
            if null is not None:
                agreement &= self.agreement[row]
                if apart & self.apart[row] or root in rivals:
                    continue
                if not all(agreement & aspect for aspect in self.aspects):
                    continue
            apart |= self.apart[row]
            yield Step(one.score + gain, one, antecedent, root, agreement, apart)
        if null is not None:
            yield Step(one.score + null, one)

    def _take(self, step: Step, row: int) -> Hypothesis:
        one = step.before
        if step.antecedent is None:
            return replace(one, score=step.score)
        return Hypothesis(
            step.score,
            {**one.roots, row: step.root},
            {**one.parents, row: step.antecedent},
            {**one.agreement, step.root: step.agreement},
            {**one.apart, step.root: step.apart},
        )

    def _commit(self, best: Hypothesis) -> None:
        for row, root in best.roots.items():
            self.roots[row] = root
        for row, parent in best.parents.items():
            self.parents[row] = parent
        # A root's own entry stands for its cluster from now on.
        for root, agreement in best.agreement.items():
            self.agreement[root] = agreement
        for root, apart in best.apart.items():
            self.apart[root] = apart
