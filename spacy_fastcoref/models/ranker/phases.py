"""Train with one loss after another, as NeuralCoref does."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from thinc.types import Floats1d

from ...registry import registry
from .losses import Loss, Ranking, make_all_pairs, make_ranking, make_top_pairs


class Phases:
    """Apply one loss, and go on to the next one when the score stops rising.

    losses (Sequence[Callable]): The losses, in order.
    patience (int): The number of evaluations without a better score, after which the
        next loss is used.
    """

    def __init__(self, losses: Sequence[Loss], patience: int) -> None:
        self.losses: List[Loss] = list(losses)
        self.patience = patience
        # The index of the loss, the best score, and the number of evaluations since it.
        self.phase = 0
        self.best: Optional[float] = None
        self.n_worse = 0

    def __call__(self, ranking: Ranking) -> Tuple[float, Floats1d, Floats1d]:
        """Compute the loss of the current phase.

        ranking (Ranking): The scores and labels of a batch.
        RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
        """
        return self.losses[self.phase](ranking)

    def observe_score(self, score: float) -> Tuple[bool, bool]:
        """Note the score of an evaluation.

        score (float): The score.
        RETURNS (Tuple[bool, bool]): Whether the weights are the best ones so far, and
            whether the next phase begins, with the best weights.
        """
        if self.best is None or score > self.best:
            self.best, self.n_worse = score, 0
            return True, False
        self.n_worse += 1
        if self.n_worse < self.patience or self.phase + 1 == len(self.losses):
            return False, False
        self.phase, self.n_worse = self.phase + 1, 0
        return False, True

    def get_state(self) -> Dict[str, Any]:
        """Get what a run that goes on depends on.

        RETURNS (Dict[str, Any]): The phase and the scores, serializable as JSON.
        """
        return {"phase": self.phase, "best": self.best, "n_worse": self.n_worse}

    def set_state(self, state: Dict[str, Any]) -> None:
        """Go on from a state.

        state (Dict[str, Any]): What get_state returned.
        """
        self.phase, self.best = state["phase"], state["best"]
        self.n_worse = state["n_worse"]


@registry.coref_losses("spacy_fastcoref.three_phases.v1")
def make_three_phases(
    patience: int = 3,
    false_new: float = 0.8,
    false_link: float = 0.4,
    wrong_link: float = 1.0,
    averages: bool = False,
) -> Loss:
    """Make the loss of all pairs, then that of top pairs, and then ranking.

    patience (int): The number of evaluations without a better score, after which the
        next loss is used, starting from the best weights.
    false_new, false_link, wrong_link (float): The costs of ranking, see make_ranking.
    averages (bool): Whether ranking averages over all mistakes of a mention.
    RETURNS (Phases): The losses.
    """
    ranking = make_ranking(false_new, false_link, wrong_link, averages)
    return Phases([make_all_pairs(), make_top_pairs(), ranking], patience)
