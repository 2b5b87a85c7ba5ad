"""GAP: whom does an ambiguous pronoun refer to, and is that as good for women?"""

from dataclasses import dataclass, field
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .clusters import Counts

Offsets = Tuple[int, int]
FEMININE = frozenset(("she", "her", "hers"))


class GapRow(NamedTuple):
    """Hold one row of GAP (Webster et al. 2018).

    text (str): The text.
    pronoun (Tuple[int, int]): The pronoun's characters.
    names (Tuple[Tuple[int, int], Tuple[int, int]]): Those of names A and B.
    labels (Tuple[bool, bool]): Whether the pronoun refers to A, and to B.
    key (str): The row's ID.
    """

    text: str
    pronoun: Offsets
    names: Tuple[Offsets, Offsets]
    labels: Tuple[bool, bool]
    key: str = ""

    @property
    def is_feminine(self) -> bool:
        """Tell whether the pronoun is feminine."""
        start, end = self.pronoun
        return self.text[start:end].lower() in FEMININE


def predict_row(
    row: GapRow, clusters: Iterable[Sequence[Offsets]]
) -> Tuple[bool, bool]:
    """Read from clusters what they say of a row's pronoun.

    A name counts as found if a mention in the pronoun's cluster is the name, or has
    the name in it and is not much longer, as in "the actress Ann Lee".

    row (GapRow): The row.
    clusters (Iterable[Sequence[Tuple[int, int]]]): Clusters of character offsets.
    RETURNS (Tuple[bool, bool]): Whether the pronoun refers to A, and to B.
    """
    mentions: Sequence[Offsets] = next(
        (cluster for cluster in clusters if row.pronoun in map(tuple, cluster)), ()
    )
    others = [mention for mention in mentions if tuple(mention) != row.pronoun]
    first, second = (
        any(_is_about(mention, name) for mention in others) for name in row.names
    )
    return first, second


def _is_about(mention: Offsets, name: Offsets) -> bool:
    length = name[1] - name[0]
    contains = mention[0] <= name[0] and name[1] <= mention[1]
    return contains and mention[1] - mention[0] <= 2 * length + 20


@dataclass
class GapAccumulator:
    """Sum GAP's counts by the pronoun's gender.

    counts (Dict[bool, Counts]): For feminine pronouns (True) and masculine ones.
    """

    counts: Dict[bool, Counts] = field(
        default_factory=lambda: {True: Counts(), False: Counts()}
    )

    def add(self, row: GapRow, predicted: Tuple[bool, bool]) -> None:
        """Score one row.

        row (GapRow): The row.
        predicted (Tuple[bool, bool]): Whether the pronoun is said to refer to A and B.
        """
        n_right = sum(p and g for p, g in zip(predicted, row.labels, strict=True))
        self.counts[row.is_feminine] += Counts(
            n_right, sum(row.labels), n_right, sum(predicted)
        )

    def get_scores(self) -> Dict[str, Optional[float]]:
        """Get the scores, between 0 and 1.

        RETURNS (Dict[str, Optional[float]]): `gap_f`, `gap_p` and `gap_r`, those of
            each gender, and `gap_bias`, feminine F1 by masculine F1.
        """
        feminine, masculine = self.counts[True], self.counts[False]
        scores: Dict[str, Optional[float]] = {}
        groups = {
            "gap": feminine + masculine,
            "gap_feminine": feminine,
            "gap_masculine": masculine,
        }
        for name, counts in groups.items():
            scores[f"{name}_f"] = counts.f1
            scores[f"{name}_p"] = counts.precision
            scores[f"{name}_r"] = counts.recall
        bias = feminine.f1 / masculine.f1 if masculine.f1 else None
        scores["gap_bias"] = bias
        return scores


def score_gap(
    rows: Sequence[GapRow], predictions: Iterable[List[Sequence[Offsets]]]
) -> Dict[str, Optional[float]]:
    """Score clusters of GAP's texts.

    rows (Sequence[GapRow]): The rows.
    predictions (Iterable[List[Sequence[Tuple[int, int]]]]): For each row's text its
        clusters, as doc._.coref_clusters has them.
    RETURNS (Dict[str, Optional[float]]): See GapAccumulator.get_scores.
    """
    total = GapAccumulator()
    for row, clusters in zip(rows, predictions, strict=True):
        total.add(row, predict_row(row, clusters))
    return total.get_scores()
