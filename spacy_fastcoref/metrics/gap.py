"""Score GAP, a corpus of ambiguous pronouns that is balanced by gender."""

from typing import Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

from ..about import DEFAULT_LANG
from ..grammar.lexicon import get_lexicon
from ..grammar.pronouns import list_pronouns
from ..types import Offsets
from .clusters import Counts


class GapRow(NamedTuple):
    """Hold one row of GAP (Webster et al. 2018) or of a similar corpus: character
    offsets of a pronoun and of the names A and B, and whether it refers to each."""

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
    """Find the names that are in the cluster of a row's pronoun.

    lenient (bool): Whether to accept a mention that contains the name, such as "the
        actress Ann Lee", if it is at most 20 characters longer than twice the name.
    """
    own = (
        mentions for one in clusters if row.pronoun in (mentions := {*map(tuple, one)})
    )
    others = next(own, {row.pronoun}) - {row.pronoun}

    def is_named(start: int, end: int) -> bool:
        most = 2 * (end - start) + 20 if lenient else end - start
        return any(a <= start and end <= z and z - a <= most for a, z in others)

    first, second = (is_named(*name) for name in row.names)
    return first, second


def score_gap(
    rows: Sequence[GapRow], predictions: Iterable[Sequence[Sequence[Offsets]]]
) -> Dict[str, Optional[float]]:
    """Score the clusters of GAP's texts: `gap_f`, …; those of each gender; `gap_bias`,
    the F1 of feminine pronouns divided by that of masculine ones; and all of these for
    lenient predictions, `gap_lenient_f`, …"""
    prefixes = {"gap": False, "gap_lenient": True}
    sums = {(name, is_fem): Counts() for name in prefixes for is_fem in (True, False)}
    for row, clusters in zip(rows, predictions, strict=True):
        for name, lenient in prefixes.items():
            said = predict_row(row, clusters, lenient=lenient)
            n_right = sum(p and g for p, g in zip(said, row.labels, strict=True))
            counts = Counts(n_right, sum(row.labels), n_right, sum(said))
            sums[name, row.is_feminine] += counts
    scores: Dict[str, Optional[float]] = {}
    for prefix in prefixes:
        feminine, masculine = sums[prefix, True], sums[prefix, False]
        scores.update((feminine + masculine).get_scores(prefix))
        scores.update(feminine.get_scores(f"{prefix}_feminine"))
        scores.update(masculine.get_scores(f"{prefix}_masculine"))
        bias = feminine.f1 / masculine.f1 if masculine.f1 else None
        scores[f"{prefix}_bias"] = bias
    return scores
