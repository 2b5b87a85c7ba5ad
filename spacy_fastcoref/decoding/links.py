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

    def find_scores(self, antecedents: np.ndarray) -> np.ndarray:
        """Find the scores of one link of each mention.

        antecedents (numpy.ndarray): Shape (n_mentions,), a mention for each one.
        RETURNS (numpy.ndarray): Shape (n_mentions,), the scores; 0 where the link is
            not among the best.
        """
        is_asked = self.antecedents == antecedents[:, None]
        found = np.where(is_asked, self.scores, -np.inf).max(axis=1, initial=-np.inf)
        return np.where(np.isfinite(found), found, 0.0)

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

    def find_linked(self) -> np.ndarray:
        """Find the mentions that have a best link, or are one.

        RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
        """
        best = self.scores.max(axis=1, initial=-np.inf)
        is_best = (self.scores == best[:, None]) & (best > 0)[:, None]
        is_linked = is_best.any(axis=1)
        is_linked[self.antecedents[is_best]] = True
        return is_linked

    def pass_on(self, stands_for: np.ndarray) -> "Links":
        """Let mentions that stand for others leave all their links to these.

        stands_for (numpy.ndarray): Shape (n_mentions,), the mention that each one
            stands for, such as the name that it is a part of; -1 for none.
        RETURNS (Links): The same mentions; those that stand for others have no links.
            Of several links of two mentions the best stays, and of a mention as many as
            it may have.
        """
        mentions = np.arange(len(self))
        targets = np.where(stands_for < 0, mentions, stands_for)
        if np.array_equal(targets, mentions):
            return self
        rows, columns = np.nonzero(self.antecedents >= 0)
        scores = self.scores[rows, columns]
        later, earlier = targets[rows], targets[self.antecedents[rows, columns]]
        order = np.lexsort((-scores, later))
        order = order[earlier[order] < later[order]]
        pairs = later[order] * len(self) + earlier[order]
        order = order[np.sort(np.unique(pairs, return_index=True)[1])]
        later, earlier, scores = later[order], earlier[order], scores[order]
        nth = np.arange(len(later)) - np.searchsorted(later, later)
        is_kept = nth < self.scores.shape[1]
        places = later[is_kept], nth[is_kept]
        antecedents = np.full_like(self.antecedents, -1)
        antecedents[places] = earlier[is_kept]
        new_scores = np.full_like(self.scores, -np.inf)
        new_scores[places] = scores[is_kept]
        # No link is more likely than it was.
        log_norms = self.log_norms.copy()
        np.maximum.at(log_norms, targets, self.log_norms)
        return replace(
            self, antecedents=antecedents, scores=new_scores, log_norms=log_norms
        )

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
