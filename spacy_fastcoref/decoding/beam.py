"""Search for antecedents by a beam, so that the mentions of each cluster agree."""

from dataclasses import dataclass, field, replace
from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np

from ..types import RuleOutput

# The number of hypotheses that are kept after each mention.
BEAM_SIZE = 4
# After this many mentions, the best hypothesis becomes final, so that the running time
# is linear in the number of mentions.
HORIZON = 64
# The bits of all aspects of agreement are joined into one integer, with this number of
# bits for each aspect.
_N_BITS = 64
_ALL = 2**_N_BITS - 1


@dataclass
class Hypothesis:
    """Hold antecedents for the mentions since the last final decision.

    score (float): The sum of the gains of its links.
    roots (Dict[int, int]): The first mention of the cluster of each mention.
    parents (Dict[int, int]): The antecedent of each mention.
    agreement, apart (Dict[int, int]): The agreement bits and the cannot-link bits of
        each cluster, by its first mention.
    """

    score: float = 0.0
    roots: Dict[int, int] = field(default_factory=dict)
    parents: Dict[int, int] = field(default_factory=dict)
    agreement: Dict[int, int] = field(default_factory=dict)
    apart: Dict[int, int] = field(default_factory=dict)


# An extension of a hypothesis by the antecedent of the next mention, cheaper to make
# than a Hypothesis: its score, the hypothesis, and the antecedent with the first
# mention, the agreement bits and the cannot-link bits of its cluster; None for none.
Step = Tuple[float, Hypothesis, Optional[Tuple[int, int, int, int]]]


class BeamSearch:
    """Search for the antecedents with the highest gain whose clusters are consistent.

    The antecedents of mentions are chosen from left to right. A mention can join a
    cluster only if it agrees with all mentions of the cluster together, and if no
    cannot-link or conflict keeps it apart from any of them.

    rule_output (RuleOutput): The output of the rules, without missing fields.
    apart (numpy.ndarray): Cannot-link bits, see Constraints.
    """

    def __init__(
        self, rule_output: RuleOutput, apart: np.ndarray, beam_size: int = BEAM_SIZE
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
        self.conflicts: Dict[int, List[int]] = {}
        for earlier, later in rule_output.conflicts.tolist():
            self.conflicts.setdefault(later, []).append(earlier)

    def search(
        self,
        rows: np.ndarray,
        gains: np.ndarray,
        nulls: np.ndarray,
        antecedents: np.ndarray,
        forced: np.ndarray,
    ) -> List[int]:
        """Find the antecedents of mentions.

        rows (numpy.ndarray): Shape (n_rows,), the mentions in text order, including all
            mentions to which one of them could be linked.
        gains, nulls (numpy.ndarray): Those of links, and of having no antecedent. A
            link with a smaller gain is never chosen.
        RETURNS (List[int]): The antecedent of each mention, or the mention itself if it
            has none.
        """
        beam = [Hypothesis()]
        is_open = (gains[rows] >= nulls[rows, None]).any(1) | (forced[rows] >= 0)
        for n_decided, row in enumerate(rows[is_open].tolist(), 1):
            if forced[row] >= 0:
                options = [(0.0, int(forced[row]))]
            else:
                columns = np.flatnonzero(gains[row] >= nulls[row])
                columns = columns[np.argsort(-gains[row, columns], kind="stable")]
                pairs = gains[row, columns].tolist(), antecedents[row, columns].tolist()
                options = [*zip(*pairs, strict=True)]
            null = None if forced[row] >= 0 else float(nulls[row])
            steps = [
                step
                for hypothesis in beam
                for step in self._find_steps(hypothesis, row, options, null)
            ]
            steps.sort(key=lambda step: -step[0])
            beam = [self._take(*step, row) for step in steps[: self.beam_size]]
            if n_decided % HORIZON == 0:
                self._commit(beam[0])
                beam = [Hypothesis()]
        self._commit(beam[0])
        # Only those of these rows: this is called for many small regions of a document.
        return [self.parents[row] for row in rows.tolist()]

    def _find_steps(
        self,
        before: Hypothesis,
        row: int,
        options: List[Tuple[float, int]],
        null: Optional[float],
    ) -> Iterator[Step]:
        conflicting = {
            before.roots.get(mention, self.roots[mention])
            for mention in self.conflicts.get(row, ())
        }
        seen = set()
        for gain, antecedent in options:
            root = before.roots.get(antecedent, self.roots[antecedent])
            # Options are sorted by gain, so the first antecedent in a cluster is the
            # best one.
            if root in seen:
                continue
            seen.add(root)
            agreement = before.agreement.get(root, self.agreement[root])
            apart = before.apart.get(root, self.apart[root])
            # A must-link is made even if the mentions do not agree.
            if null is not None:
                agreement &= self.agreement[row]
                if apart & self.apart[row] or root in conflicting:
                    continue
                if not all(agreement & aspect for aspect in self.aspects):
                    continue
            apart |= self.apart[row]
            score = before.score + gain
            yield score, before, (antecedent, root, agreement, apart)
        if null is not None:
            yield before.score + null, before, None

    def _take(
        self,
        score: float,
        before: Hypothesis,
        link: Optional[Tuple[int, int, int, int]],
        row: int,
    ) -> Hypothesis:
        if link is None:
            return replace(before, score=score)
        antecedent, root, agreement, apart = link
        return Hypothesis(
            score,
            {**before.roots, row: root},
            {**before.parents, row: antecedent},
            {**before.agreement, root: agreement},
            {**before.apart, root: apart},
        )

    def _commit(self, best: Hypothesis) -> None:
        # From now on, the entries of a root are those of its whole cluster.
        for known, new in (
            (self.roots, best.roots),
            (self.parents, best.parents),
            (self.agreement, best.agreement),
            (self.apart, best.apart),
        ):
            for row, value in new.items():
                known[row] = value
