"""The interfaces that the package's parts meet by.

A model answers with Links, a language's rules judge them as RuleOutput, and the decoder
makes clusters of both. Neither knows how the others work.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    List,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    runtime_checkable,
)

import numpy as np
from spacy.tokens import Doc
from thinc.api import Optimizer

from .errors import Errors

# Token offsets of a span, the end exclusive.
Offsets = Tuple[int, int]


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


# Verdicts on a link.
FORBIDDEN, DOUBTFUL, ALLOWED = 0, 1, 2
# Agreement of a mention of which nothing is known.
ANYTHING = np.uint64(2**64 - 1)


@dataclass
class RuleOutput:
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
    must_links (Optional[numpy.ndarray]): Shape (n_mentions,), another mention that each
        one is the same as, by whatever links, and that tells better what they
        continue, such as who speaks for "I" in a quotation; -1 for none. None for none
        at all.
    duplicate_of (Optional[numpy.ndarray]): Shape (n_mentions,), the mention that each
        one leaves its links to, such as the name that it is a part of, -1 for none; the
        verdicts are on the links after that, see decoding.duplicates. None for none.
    """

    verdicts: np.ndarray
    agreement: Optional[np.ndarray] = None
    is_anaphor: Optional[np.ndarray] = None
    conflicts: Optional[np.ndarray] = None
    must_links: Optional[np.ndarray] = None
    duplicate_of: Optional[np.ndarray] = None


@runtime_checkable
class CorefModel(Protocol):
    """Define what the component, `explain`, the predictor and training ask of a model.

    A coreference model is a thinc.api.Model, so that a config can describe it. Subclass
    both, `class MyModel(thinc.api.Model, CorefModel)`: Thinc implements `predict`,
    `begin_update`, `finish_update`, `use_params` and saving, `score_pairs` and
    `get_loss` are yours, and everything else has a default.
    """

    @abstractmethod
    def predict(self, docs: List[Doc]) -> List[Links]:
        """Find the mentions of Docs and their best antecedents.

        docs (List[Doc]): The documents.
        RETURNS (List[Links]): The links of each document, in order.
        """
        ...

    @abstractmethod
    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        """Score any pairs of spans of one Doc.

        doc (Doc): The document.
        pairs (Sequence[Tuple[Offsets, Offsets]]): The later span of each pair first, as
            token offsets.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, the log-odds of a link; NaN
            for pairs that the model cannot score.
        """
        ...

    @abstractmethod
    def begin_update(self, docs: List[Doc]) -> Tuple[Any, Callable]:
        """Score Docs for training.

        docs (List[Doc]): The documents.
        RETURNS (Tuple[Any, Callable]): The scores, which only `get_loss` reads, and a
            callback for the gradients that `get_loss` returns.
        """
        ...

    @abstractmethod
    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        golds (Sequence[AlignedGold]): The gold annotation of each document.
        scores (Any): What `begin_update` returned for the documents.
        **weights (float): The component's weights of the parts of the loss, such as
            `mention_weight`. Ignore those that the model has no such part for.
        RETURNS (Tuple[float, Any]): The loss, averaged over mentions, and the argument
            for the callback of `begin_update`.
        """
        ...

    @abstractmethod
    def finish_update(self, optimizer: Optimizer) -> None:
        """Update the weights by their gradients.

        optimizer (Optimizer): The config's optimizer.
        """
        ...

    @abstractmethod
    def use_params(self, params: Dict[Any, Any]) -> ContextManager:
        """Predict and save with other weights, such as an optimizer's averages.

        params (Dict[Any, Any]): The weights by Thinc's keys.
        RETURNS (ContextManager): The weights are in use within the context.
        """
        ...

    def set_runtime(self, **settings: Any) -> None:
        """Change where and how the model computes; by default nothing happens.

        **settings (Any): The component's runtime settings by name, such as `device`.
            Ignore those that the model has no use for.
        """

    def choose_weights(self, lang: str, path: Optional[str] = None) -> None:
        """Choose the weights that are loaded at first use.

        By default a model has weights of its own, and takes no path.

        lang (str): The pipeline's language.
        path (Optional[str]): The component's setting `model_path`.
        RAISES (ValueError): The model takes no path, or no weights ship for the
            language.
        """
        if path is not None:
            raise ValueError(Errors.FC003.format(path=path))

    def get_checkpoint(self) -> Any:
        """Get configuration and weights, to export or average them.

        RETURNS (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model has none, which is the default.
        """
        raise NotImplementedError(Errors.FC121.format(model=type(self).__name__))

    def set_checkpoint(self, checkpoint: Any) -> None:
        """Replace configuration and weights.

        checkpoint (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model has none, which is the default.
        """
        raise NotImplementedError(Errors.FC121.format(model=type(self).__name__))

    def get_training_state(self) -> Dict[str, Any]:
        """Get what training needs to resume, beside weights and Thinc's optimizer.

        RETURNS (Dict[str, Tensor]): PyTorch tensors by name; none by default.
        """
        return {}

    def set_training_state(self, state: Dict[str, Any]) -> None:
        """Resume training.

        state (Dict[str, Tensor]): What `get_training_state` returned.
        """
