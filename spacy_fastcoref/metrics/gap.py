"""GAP: resolve ambiguous pronouns, feminine ones as well as masculine ones."""

from dataclasses import dataclass, field
from typing import Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

from ..languages.en import LANG
from ..languages.features import list_pronouns
from ..languages.lexicon import get_lexicon
from .clusters import Counts

Offsets = Tuple[int, int]


class GapRow(NamedTuple):
    """Hold one row of GAP (Webster et al. 2018), or of a corpus like it.

    text (str): The text.
    pronoun (Tuple[int, int]): The pronoun's character offsets.
    names (Tuple[Tuple[int, int], Tuple[int, int]]): Those of the names A and B.
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
        """Whether the pronoun is feminine."""
        start, end = self.pronoun
        pronouns = list_pronouns(get_lexicon(LANG))
        return pronouns.get(self.text[start:end].lower(), ("",))[0] == "f"


def predict_row(
    row: GapRow, clusters: Iterable[Sequence[Offsets]], *, lenient: bool = False
) -> Tuple[bool, bool]:
    """Read from clusters which names a row's pronoun refers to.

    GAP gives the spans of the names, and a system says of each whether the pronoun
    refers to it: it does if the name itself is a mention of the pronoun's cluster.

    row (GapRow): The row.
    clusters (Iterable[Sequence[Tuple[int, int]]]): Clusters of character offsets.
    lenient (bool): Whether a mention that contains the name will do, too, if it is at
        most 20 characters longer than twice the name: "the actress Ann Lee".
    RETURNS (Tuple[bool, bool]): Whether the pronoun refers to A, and to B.
    """
    mentions: Sequence[Offsets] = next(
        (cluster for cluster in clusters if row.pronoun in map(tuple, cluster)), ()
    )
    matches = _contains if lenient else _equals
    others = [tuple(mention) for mention in mentions if tuple(mention) != row.pronoun]
    first, second = (
        any(matches(mention, name) for mention in others) for name in row.names
    )
    return first, second


def _equals(mention: Offsets, name: Offsets) -> bool:
    return mention == name


def _contains(mention: Offsets, name: Offsets) -> bool:
    length = name[1] - name[0]
    is_inside = mention[0] <= name[0] and name[1] <= mention[1]
    return is_inside and mention[1] - mention[0] <= 2 * length + 20


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
        predicted (Tuple[bool, bool]): Whether the pronoun is predicted to refer to A,
            and to B.
        """
        n_right = sum(p and g for p, g in zip(predicted, row.labels, strict=True))
        self.counts[row.is_feminine] += Counts(
            n_right, sum(row.labels), n_right, sum(predicted)
        )

    def get_scores(self, prefix: str = "gap") -> Dict[str, Optional[float]]:
        """Get the scores, between 0 and 1.

        prefix (str): What the names start with.
        RETURNS (Dict[str, Optional[float]]): `{prefix}_f`, `_p` and `_r`, the same for
            each gender (`{prefix}_feminine_f`), and `{prefix}_bias`: feminine F1 by
            masculine F1.
        """
        feminine, masculine = self.counts[True], self.counts[False]
        scores: Dict[str, Optional[float]] = {}
        groups = {
            prefix: feminine + masculine,
            f"{prefix}_feminine": feminine,
            f"{prefix}_masculine": masculine,
        }
        for name, counts in groups.items():
            scores[f"{name}_f"] = counts.f1
            scores[f"{name}_p"] = counts.precision
            scores[f"{name}_r"] = counts.recall
        bias = feminine.f1 / masculine.f1 if masculine.f1 else None
        scores[f"{prefix}_bias"] = bias
        return scores


def score_gap(
    rows: Sequence[GapRow], predictions: Iterable[Sequence[Sequence[Offsets]]]
) -> Dict[str, Optional[float]]:
    """Score the clusters of GAP's texts.

    rows (Sequence[GapRow]): The rows.
    predictions (Iterable[Sequence[Sequence[Tuple[int, int]]]]): For each row's text its
        clusters, as doc._.coref_clusters has them.
    RETURNS (Dict[str, Optional[float]]): See GapAccumulator.get_scores: `gap_f` and so
        on for mentions that are the name, `gap_lenient_f` and so on for those that
        contain it, see predict_row.
    """
    strict, lenient = GapAccumulator(), GapAccumulator()
    for row, clusters in zip(rows, predictions, strict=True):
        strict.add(row, predict_row(row, clusters))
        lenient.add(row, predict_row(row, clusters, lenient=True))
    return {**strict.get_scores(), **lenient.get_scores("gap_lenient")}
