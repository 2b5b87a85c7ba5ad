"""What a model says of a document, whatever kind of model it is."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Dict, Optional, Tuple

import numpy as np


@dataclass
class Links:
    """Hold, for each mention, its best few earlier mentions and how strong they are.

    The null antecedent ("this mention continues nothing") scores 0 by definition,
    so a score is the log-odds of a link against none.

    mentions (numpy.ndarray): Shape (n_mentions, 2), int32, token offsets (start,
        end) with the end exclusive, in text order.
    mention_scores (numpy.ndarray): Shape (n_mentions,), float32.
    antecedents (numpy.ndarray): Shape (n_mentions, n_antecedents), int32, indexes
        of earlier mentions, best first; -1 where there are no more.
    scores (numpy.ndarray): Shape (n_mentions, n_antecedents), float32; -inf where
        there is no antecedent.
    log_norms (numpy.ndarray): Shape (n_mentions,), float32: the log of the summed
        exponentials over all earlier mentions and the null antecedent, so that
        exp(score - log_norm) is the probability of a link.
    """

    mentions: np.ndarray
    mention_scores: np.ndarray
    antecedents: np.ndarray
    scores: np.ndarray
    log_norms: np.ndarray

    def __len__(self) -> int:
        return len(self.mentions)

    @cached_property
    def rows(self) -> Dict[Tuple[int, int], int]:
        """The index of each mention, by its offsets."""
        return {
            (start, end): i for i, (start, end) in enumerate(self.mentions.tolist())
        }

    def find_score(
        self, later: Tuple[int, int], earlier: Tuple[int, int]
    ) -> Optional[float]:
        """Find the score of a link.

        later, earlier (Tuple[int, int]): Two mentions, as token offsets.
        RETURNS (Optional[float]): The score; None if it is not among the best.
        """
        row, antecedent = self.rows.get(later), self.rows.get(earlier)
        if row is None or antecedent is None:
            return None
        columns = np.flatnonzero(self.antecedents[row] == antecedent)
        return float(self.scores[row, columns[0]]) if len(columns) else None

    def drop_below(self, least: np.ndarray) -> "Links":
        """Drop links that score too little.

        least (numpy.ndarray): Shape (n_mentions,), what a link has to score.
        RETURNS (Links): The same mentions, with fewer links.
        """
        is_kept = self.scores >= least.astype(self.scores.dtype)[:, None]
        width = int(is_kept.sum(axis=1).max(initial=0))
        # The best come first, so that what is kept is on the left.
        return replace(
            self,
            antecedents=np.where(is_kept, self.antecedents, -1)[:, :width],
            scores=np.where(is_kept, self.scores, -np.inf)[:, :width],
        )

    def pass_on(self, stands_for: np.ndarray) -> "Links":
        """Let links with mentions that stand for others go to these.

        A mention keeps its link where the other one does not come before it.

        stands_for (numpy.ndarray): Shape (n_mentions,), the mention that each one
            stands for, such as the name that it is a part of; -1 for none.
        RETURNS (Links): The same mentions and scores. A mention may have two links with
            one antecedent then, of which the better one counts.
        """
        rows = np.arange(len(self))
        targets = np.where(stands_for < 0, rows, stands_for)[self.antecedents]
        is_moved = (self.antecedents >= 0) & (targets < rows[:, None])
        antecedents = np.where(is_moved, targets, self.antecedents)
        return replace(self, antecedents=antecedents.astype(self.antecedents.dtype))

    @classmethod
    def empty(cls) -> "Links":
        """Make the answer for a document without mentions.

        RETURNS (Links): No mentions, no antecedents.
        """
        return cls(
            np.zeros((0, 2), dtype=np.int32),
            np.zeros(0, dtype=np.float32),
            np.zeros((0, 0), dtype=np.int32),
            np.zeros((0, 0), dtype=np.float32),
            np.zeros(0, dtype=np.float32),
        )
