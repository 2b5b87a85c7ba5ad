"""What rules say of a model's links."""

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..errors import Errors
from .links import Links

# Verdicts on a link.
FORBIDDEN, DOUBTFUL, FINE = 0, 1, 2
# Agreement of a mention of which nothing is known.
ANYTHING = np.uint64(2**64 - 1)


@dataclass
class Judgements:
    """Hold the verdicts of rules, and what decides whether mentions agree.

    verdicts (numpy.ndarray): Shape (n_mentions, n_antecedents), for every link 0 if it
        cannot be, 1 if it is doubtful, 2 if nothing speaks against it.
    agreement (Optional[numpy.ndarray]): Shape (n_mentions,) or (n_mentions, n_aspects),
        uint64: a bit for each way that a mention can be understood, such as "one
        woman". A cluster can be what all its mentions can be, and no cluster can be
        nothing, in any aspect. None if nothing is known.
    is_anaphor (Optional[numpy.ndarray]): Shape (n_mentions,), bool: which mentions
        hardly stand alone. None if that is not known.
    conflicts (Optional[numpy.ndarray]): Shape (n_conflicts, 2), the earlier mention
        first: pairs that cannot be in one cluster, by whatever links, such as
        the subject and the object of a verb. None for none.
    same_as (Optional[numpy.ndarray]): Shape (n_mentions,), another mention that each
        one is the same as, by whatever links, and that tells better what they
        continue, such as who speaks for "I" in a quotation; -1 for none. None for none
        at all.
    stands_for (Optional[numpy.ndarray]): Shape (n_mentions,), the mention that each one
        leaves its links to, such as the name that it is a part of, -1 for none; the
        verdicts are on what links are then, see Links.pass_on. None for none at all.
    """

    verdicts: np.ndarray
    agreement: Optional[np.ndarray] = None
    is_anaphor: Optional[np.ndarray] = None
    conflicts: Optional[np.ndarray] = None
    same_as: Optional[np.ndarray] = None
    stands_for: Optional[np.ndarray] = None

    @classmethod
    def from_rules(cls, answer: Any, links: Links) -> "Judgements":
        """Take what a rules function returned.

        answer (Any): Judgements, or an array of verdicts; None for no say.
        links (Links): What it was asked about.
        RETURNS (Judgements): The same, with nothing missing.
        RAISES (ValueError): The shapes do not fit.
        """
        if answer is None:
            answer = np.full(links.scores.shape, FINE)
        if not isinstance(answer, cls):
            answer = cls(np.asarray(answer))
        n_mentions, n_antecedents = links.scores.shape
        agreement, is_anaphor = answer.agreement, answer.is_anaphor
        conflicts, same_as = answer.conflicts, answer.same_as
        stands_for = answer.stands_for
        if agreement is None:
            agreement = np.full((n_mentions, 1), ANYTHING)
        if is_anaphor is None:
            is_anaphor = np.zeros(n_mentions, dtype=bool)
        if conflicts is None:
            conflicts = np.zeros((0, 2), dtype=np.int64)
        if same_as is None:
            same_as = np.full(n_mentions, -1)
        if stands_for is None:
            stands_for = np.full(n_mentions, -1)
        agreement = agreement.astype(np.uint64)
        if agreement.ndim == 1:
            agreement = agreement[:, None]
        answer = cls(
            answer.verdicts, agreement, is_anaphor, conflicts, same_as, stands_for
        )
        for name, expected in (
            ("verdicts", (n_mentions, n_antecedents)),
            ("agreement", (n_mentions, agreement.shape[-1])),
            ("is_anaphor", (n_mentions,)),
            ("conflicts", (len(conflicts), 2)),
            ("same_as", (n_mentions,)),
            ("stands_for", (n_mentions,)),
        ):
            shape = np.shape(getattr(answer, name))
            if shape != expected:
                raise ValueError(
                    Errors.FC040.format(name=name, shape=shape, expected=expected)
                )
        return answer
