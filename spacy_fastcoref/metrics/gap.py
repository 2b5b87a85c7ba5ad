"""Score GAP, a corpus of ambiguous pronouns that is balanced by gender."""

from dataclasses import dataclass, field
from typing import Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

from ..about import DEFAULT_LANG
from ..grammar.lexicon import get_lexicon
from ..grammar.pronouns import list_pronouns
from ..types import Offsets
from .clusters import Counts


class GapRow(NamedTuple):
    """Hold one row of GAP (Webster et al. 2018) or of a similar corpus.

    text (str): The text.
    pronoun (Tuple[int, int]): The character offsets of the pronoun.
    names (Tuple[Tuple[int, int], Tuple[int, int]]): The character offsets of the names
        A and B.
    labels (Tuple[bool, bool]): Whether the pronoun refers to A, and whether to B.
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
        pronouns = list_pronouns(get_lexicon(DEFAULT_LANG))
        return pronouns.get(self.text[start:end].lower(), ("",))[0] == "f"


def predict_row(
    row: GapRow, clusters: Iterable[Sequence[Offsets]], *, lenient: bool = False
) -> Tuple[bool, bool]:
    """Find the names that a row's pronoun refers to according to clusters.

    The pronoun refers to a name if the name is a mention of the pronoun's cluster.

    clusters (Iterable[Sequence[Tuple[int, int]]]): Clusters of character offsets.
    lenient (bool): Whether to accept a mention that contains the name, such as "the
        actress Ann Lee", if it is at most 20 characters longer than twice the name.
    RETURNS (Tuple[bool, bool]): Whether the pronoun refers to A, and whether to B.
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

    counts (Dict[bool, Counts]): The counts of feminine pronouns (True) and of masculine
        pronouns (False).
    """

    counts: Dict[bool, Counts] = field(
        default_factory=lambda: {True: Counts(), False: Counts()}
    )

    def add(self, row: GapRow, predicted: Tuple[bool, bool]) -> None:
        """Score one row.

        predicted (Tuple[bool, bool]): Whether the pronoun is predicted to refer to A,
            and whether to B.
        """
        n_right = sum(p and g for p, g in zip(predicted, row.labels, strict=True))
        self.counts[row.is_feminine] += Counts(
            n_right, sum(row.labels), n_right, sum(predicted)
        )

    def get_scores(self, prefix: str = "gap") -> Dict[str, Optional[float]]:
        """Get the scores, between 0 and 1.

        RETURNS (Dict[str, Optional[float]]): `{prefix}_f`, `{prefix}_p` and
            `{prefix}_r`; the same for each gender (`{prefix}_feminine_f`, …); and
            `{prefix}_bias`, the F1 of feminine pronouns divided by that of masculine
            ones.
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
    predictions (Iterable[Sequence[Sequence[Tuple[int, int]]]]): The clusters of each
        row's text, as in doc._.coref_clusters.
    RETURNS (Dict[str, Optional[float]]): The scores of GapAccumulator.get_scores, with
        the prefix `gap`; and the scores of lenient predictions, see predict_row, with
        the prefix `gap_lenient`.
    """
    strict, lenient = GapAccumulator(), GapAccumulator()
    for row, clusters in zip(rows, predictions, strict=True):
        strict.add(row, predict_row(row, clusters))
        lenient.add(row, predict_row(row, clusters, lenient=True))
    return {**strict.get_scores(), **lenient.get_scores("gap_lenient")}
