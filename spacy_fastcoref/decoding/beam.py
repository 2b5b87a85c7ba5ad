"""Search for antecedents by a beam, so that the mentions of each cluster agree."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

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


class Hypothesis(NamedTuple):
    """Hold antecedents for the mentions since the last final decision.

    score (float): The sum of the gains of its links.
    links (Dict[int, Tuple[int, int]]): The antecedent of each mention, and the first
        mention of its cluster.
    bits (Dict[int, Tuple[int, int]]): The agreement bits and the cannot-link bits of
        each cluster, by its first mention.
    """

    score: float
    links: Dict[int, Tuple[int, int]]
    bits: Dict[int, Tuple[int, int]]


# An extension of a hypothesis by the antecedent of the next mention, cheaper to make
# than a Hypothesis: its score, the hypothesis, and the link with the bits of its
# cluster; None for none.
Step = Tuple[float, Hypothesis, Optional[Tuple[Tuple[int, int], Tuple[int, int]]]]


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
        agreement = (
            sum(bits << (_N_BITS * i) for i, bits in enumerate(row))
            for row in rule_output.agreement.tolist()
        )
        # Those of what is final, of which the entry of a root is that of its cluster.
        self.bits = dict(enumerate(zip(agreement, apart.tolist(), strict=True)))
        self.links = {row: (row, row) for row in self.bits}
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
        beam = [Hypothesis(0.0, {}, {})]
        is_open = (gains[rows] >= nulls[rows, None]).any(1) | (forced[rows] >= 0)
        for n_decided, row in enumerate(rows[is_open].tolist(), 1):
            if forced[row] >= 0:
                options, null = [(0.0, int(forced[row]))], None
            else:
                columns = np.flatnonzero(gains[row] >= nulls[row])
                columns = columns[np.argsort(-gains[row, columns], kind="stable")]
                pairs = gains[row, columns].tolist(), antecedents[row, columns].tolist()
                options, null = [*zip(*pairs, strict=True)], float(nulls[row])
            steps = [
                step
                for hypothesis in beam
                for step in self._find_steps(hypothesis, row, options, null)
            ]
            steps.sort(key=lambda step: -step[0])
            beam = [_take(*step, row) for step in steps[: self.beam_size]]
            if n_decided % HORIZON == 0:
                self._commit(beam[0])
                beam = [Hypothesis(0.0, {}, {})]
        self._commit(beam[0])
        # Only those of these rows: this is called for many small regions of a document.
        return [self.links[row][0] for row in rows.tolist()]

    def _commit(self, best: Hypothesis) -> None:
        self.links.update(best.links)
        self.bits.update(best.bits)

    def _find_steps(
        self,
        before: Hypothesis,
        row: int,
        options: List[Tuple[float, int]],
        null: Optional[float],
    ) -> Iterator[Step]:
        own, own_apart = self.bits[row]
        conflicting = {
            before.links.get(mention, self.links[mention])[1]
            for mention in self.conflicts.get(row, ())
        }
        seen = set()
        for gain, antecedent in options:
            _, root = before.links.get(antecedent, self.links[antecedent])
            # Options are sorted by gain, so the first antecedent in a cluster is the
            # best one.
            if root in seen:
                continue
            seen.add(root)
            agreement, apart = before.bits.get(root, self.bits[root])
            # A must-link is made even if the mentions do not agree.
            if null is not None:
                agreement &= own
                if apart & own_apart or root in conflicting:
                    continue
                if not all(agreement & aspect for aspect in self.aspects):
                    continue
            bits = agreement, apart | own_apart
            yield before.score + gain, before, ((antecedent, root), bits)
        if null is not None:
            yield before.score + null, before, None


def _take(score: float, before: Hypothesis, chosen: Any, row: int) -> Hypothesis:
    if chosen is None:
        return before._replace(score=score)
    link, bits = chosen
    links, all_bits = {**before.links, row: link}, {**before.bits, link[1]: bits}
    return Hypothesis(score, links, all_bits)
