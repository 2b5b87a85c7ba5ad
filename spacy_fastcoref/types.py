"""Define the interfaces between models, rules and the decoder.

A model predicts Links, the rules of a language judge them in a RuleOutput, and the
decoder makes Clusters of both. None of them depends on how the others work.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Optional,
    Protocol,
    Sequence,
    Set,
    Tuple,
    runtime_checkable,
)

import numpy as np
from spacy.tokens import Doc

from .errors import Errors, check_setting

# Token offsets of a span, the end exclusive.
Offsets = Tuple[int, int]


@dataclass
class Cluster:
    """Hold one cluster in lists that have one entry for each mention.

    A list is empty if what it holds is not known. In a Doc, a cluster is a SpanGroup
    whose attrs are these lists, by the names of the fields.

    mentions (List[Tuple[int, int]]): Token offsets in text order. What is given to
        set_clusters may have Spans, and any order.
    antecedents (List[int]): The index of each mention's antecedent in the cluster; -1
        for none.
    scores (List[float]): The log-odds of each mention's link; 0 for the first mention,
        and for a link that is not among the model's links.
    probs (List[float]): The probability of each mention's link; for the first mention,
        that of having no antecedent; 1 for must-links.
    candidates (List[List[Tuple[int, int, float]]]): All antecedents that the model
        scored for each mention: (start, end, log-odds), best first.
    types (List[str]): The entity type of each mention; "" for unknown.
    ent_types, kb_ids (List[str]): The label and the id in a knowledge base that each
        mention gets from its cluster; "" for unknown. The pipe entity_coref sets them.
    heads (List[List[int]]): The head tokens of each mention. For those without any,
        set_clusters finds them.
    number (Optional[int]): The number in the key of the cluster's SpanGroup.
    main (int): The index of the main mention, known of what is read from a Doc.
    """

    mentions: List[Offsets]
    antecedents: List[int] = field(default_factory=list)
    scores: List[float] = field(default_factory=list)
    probs: List[float] = field(default_factory=list)
    candidates: List[List[Tuple[int, int, float]]] = field(default_factory=list)
    types: List[str] = field(default_factory=list)
    ent_types: List[str] = field(default_factory=list)
    kb_ids: List[str] = field(default_factory=list)
    heads: List[List[int]] = field(default_factory=list)
    number: Optional[int] = None
    main: int = field(default=0, compare=False)

    def select(self, indexes: Sequence[int]) -> "Cluster":
        """Keep some of the mentions, in another order; other antecedents become -1."""
        lists: Dict[str, Any] = {}
        for name in ("mentions", *CLUSTER_ATTRS):
            values = getattr(self, name)
            lists[name] = [values[i] for i in indexes] if values else []
        rank = {old: new for new, old in enumerate(indexes)}
        lists["antecedents"] = [rank.get(i, -1) for i in lists["antecedents"]]
        return Cluster(**lists, number=self.number)

    def move(self, place: Callable[[int], int]) -> "Cluster":
        """Move a cluster to the tokens of another Doc, by the new index of a token."""

        def move_span(start: int, end: int) -> Offsets:
            return place(start), place(end - 1) + 1

        return replace(
            self,
            mentions=[move_span(*mention) for mention in self.mentions],
            candidates=[
                [(*move_span(start, end), score) for start, end, score in scored]
                for scored in self.candidates
            ],
            heads=[[place(i) for i in tokens] for tokens in self.heads],
        )

    def extend(self, other: "Cluster") -> None:
        """Add the mentions of another cluster, whose antecedents are indexes in this
        one, with all that is known of them."""
        for name, unknown in _UNKNOWN.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine or theirs:
                mine = mine or [unknown] * len(self.mentions)
                mine += theirs or [unknown] * len(other.mentions)
                setattr(self, name, mine)
        self.mentions += other.mentions


# The fields of a Cluster that are stored as attrs of its SpanGroup, and what says of a
# mention that nothing is known.
_UNKNOWN: Dict[str, Any] = {
    "antecedents": -1,
    "scores": 0.0,
    "probs": 1.0,
    "candidates": [],
    "types": "",
    "ent_types": "",
    "kb_ids": "",
    "heads": [],
}
CLUSTER_ATTRS = tuple(_UNKNOWN)


@dataclass
class Links:
    """Hold the best few candidate antecedents of each mention with their scores.

    The score of the null antecedent (no antecedent) is 0 by definition, so a score is
    the log-odds of a link against no link.

    mentions (numpy.ndarray): Shape (n_mentions, 2), int32, token offsets (start,
        end) with the end exclusive, in text order.
    mention_scores (numpy.ndarray): Shape (n_mentions,), float32.
    antecedents (numpy.ndarray): Shape (n_mentions, n_antecedents), int32, indexes
        of earlier mentions, best first, padded with -1.
    scores (numpy.ndarray): Shape (n_mentions, n_antecedents), float32; -inf where
        there is no antecedent.
    log_norms (numpy.ndarray): Shape (n_mentions,), float32: the log of the summed
        exponentials over all earlier mentions and the null antecedent, so that
        exp(score - log_norm) is the model's probability of a link.
    types (Optional[numpy.ndarray]): Shape (n_mentions,), str: the entity type of each
        mention, such as "person"; "" for a span that is taken for no mention. None from
        a model that predicts no types.
    calibration (Tuple[float, float]): What calibrates probabilities; see compute_probs.
    """

    mentions: np.ndarray
    mention_scores: np.ndarray
    antecedents: np.ndarray
    scores: np.ndarray
    log_norms: np.ndarray
    types: Optional[np.ndarray] = None
    calibration: Tuple[float, float] = (1.0, 0.0)

    def __len__(self) -> int:
        return len(self.mentions)

    @cached_property
    def rows(self) -> Dict[Tuple[int, int], int]:
        """The index of each mention, by its offsets."""
        return {tuple(mention): i for i, mention in enumerate(self.mentions.tolist())}

    def find_score(self, later: Offsets, earlier: Offsets) -> Optional[float]:
        """Find the score of a link, None if there is no such link."""
        row, antecedent = self.rows.get(later), self.rows.get(earlier)
        if row is None or antecedent is None:
            return None
        columns = np.flatnonzero(self.antecedents[row] == antecedent)
        return float(self.scores[row, columns[0]]) if len(columns) else None

    def find_scores(self, antecedents: np.ndarray) -> np.ndarray:
        """Find the score of each mention's link to one antecedent; 0 for no link."""
        is_equal = self.antecedents == antecedents[:, None]
        found = np.where(is_equal, self.scores, -np.inf).max(axis=1, initial=-np.inf)
        return np.where(np.isfinite(found), found, 0.0)

    def compute_probs(self, scores: np.ndarray) -> np.ndarray:
        """Compute the probability of one link of each mention from its score.

        The log-odds of the link against all else are multiplied by the calibration's
        slope, and its bias is added (Platt 1999, section 2).
        """
        log_probs = scores - self.log_norms
        if self.calibration == (1.0, 0.0):
            return np.exp(log_probs)
        # A rounded norm can be below the score.
        log_probs = np.minimum(log_probs, 0.0)
        with np.errstate(divide="ignore"):
            log_odds = log_probs - np.log(-np.expm1(log_probs))
        slope, bias = self.calibration
        return np.exp(-np.logaddexp(0.0, -slope * log_odds - bias))

    def drop_below(self, least: np.ndarray) -> "Links":
        """Drop links that score below the least that is given for each mention."""
        is_kept = self.scores >= least.astype(self.scores.dtype)[:, None]
        width = int(is_kept.sum(axis=1).max(initial=0))
        # Links are sorted by score, so those that are kept are in the first columns.
        return replace(
            self,
            antecedents=np.where(is_kept, self.antecedents, -1)[:, :width],
            scores=np.where(is_kept, self.scores, -np.inf)[:, :width],
        )

    def find_linked(self) -> np.ndarray:
        """Find the mentions that have a positive best link, or are its antecedent."""
        best = self.scores.max(axis=1, initial=-np.inf)
        is_best = (self.scores == best[:, None]) & (best > 0)[:, None]
        is_linked = is_best.any(axis=1)
        is_linked[self.antecedents[is_best]] = True
        return is_linked

    def merge_duplicates(self, duplicate_of: np.ndarray) -> "Links":
        """Move all links of duplicates to the mentions that they are duplicates of.

        Of several links between two mentions, the best is kept, and each mention keeps
        its best n_antecedents links. See RuleOutput for `duplicate_of`.
        """
        mentions = np.arange(len(self))
        targets = np.where(duplicate_of < 0, mentions, duplicate_of)
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
        new_columns = np.arange(len(later)) - np.searchsorted(later, later)
        is_kept = new_columns < self.scores.shape[1]
        cells = later[is_kept], new_columns[is_kept]
        antecedents = np.full_like(self.antecedents, -1)
        antecedents[cells] = earlier[is_kept]
        new_scores = np.full_like(self.scores, -np.inf)
        new_scores[cells] = scores[is_kept]
        # With the largest norm, the probability of a link does not increase.
        log_norms = self.log_norms.copy()
        np.maximum.at(log_norms, targets, self.log_norms)
        return replace(
            self, antecedents=antecedents, scores=new_scores, log_norms=log_norms
        )

    @classmethod
    def from_pairs(
        cls,
        mentions: np.ndarray,
        pairs: Tuple[np.ndarray, np.ndarray],
        scores: np.ndarray,
        most: int,
        log_norms: Optional[np.ndarray] = None,
    ) -> "Links":
        """Make links of scored pairs of mentions.

        pairs (Tuple[numpy.ndarray, numpy.ndarray]): The later and the earlier ones.
        most (int): The number of antecedents that are kept of each mention.
        log_norms (Optional[numpy.ndarray]): None for those of what is kept.
        """
        later, earlier = pairs
        n_mentions = len(mentions)
        order = np.lexsort((-scores, later))
        counts = np.bincount(later, minlength=n_mentions)
        columns = np.arange(len(later)) - np.repeat(np.cumsum(counts) - counts, counts)
        order, columns = order[columns < most], columns[columns < most]
        shape = n_mentions, int(columns.max(initial=-1)) + 1
        antecedents = np.full(shape, -1, dtype=np.int32)
        best = np.full(shape, -np.inf, dtype=np.float32)
        antecedents[later[order], columns] = earlier[order]
        best[later[order], columns] = scores[order]
        if log_norms is None:
            nulls = np.zeros((n_mentions, 1), dtype=np.float32)
            log_norms = np.logaddexp.reduce(np.concatenate([nulls, best], 1), axis=1)
        ones = np.ones(n_mentions, dtype=np.float32)
        return cls(mentions.astype(np.int32), ones, antecedents, best, log_norms)

    @classmethod
    def empty(cls) -> "Links":
        """Make the links of a document without mentions."""
        none = np.zeros(0, dtype=np.int32)
        return cls.from_pairs(none.reshape(0, 2), (none, none), none.astype("f4"), 0)


# The verdicts on a link.
FORBIDDEN, DOUBTFUL, ALLOWED = 0, 1, 2
# The agreement bits of a mention that can be anything.
ANYTHING = np.uint64(2**64 - 1)


@dataclass
class RuleOutput:
    """Hold the output of rules for the mentions and links of a document.

    verdicts (numpy.ndarray): Shape (n_mentions, n_antecedents), the verdict on each
        link: 0 if it is forbidden, 1 if it is doubtful, 2 if no rule objects.
    agreement (Optional[numpy.ndarray]): Shape (n_mentions,) or (n_mentions, n_aspects),
        uint64, a bit for each possible reading of a mention, such as "one woman". The
        mentions of a cluster must have a common bit in each aspect. None if nothing is
        known.
    is_anaphor (Optional[numpy.ndarray]): Shape (n_mentions,), bool, whether a mention
        needs an antecedent. None if nothing is known.
    conflicts (Optional[numpy.ndarray]): Shape (n_conflicts, 2), cannot-links: pairs
        that must not be in one cluster, not even by links to other mentions, such as
        the subject and the object of a verb. The earlier mention is first. None for no
        conflicts.
    must_links (Optional[numpy.ndarray]): Shape (n_mentions,), another mention that has
        to be in the same cluster, and whose candidate antecedents are used instead,
        such as the speaker for "I" in a quotation; -1 for none. None for no must-links.
    duplicate_of (Optional[numpy.ndarray]): Shape (n_mentions,), the mention that a
        mention is a duplicate of and to which its links are moved, such as the name
        that it is a part of; -1 for none. None for no duplicates.
    links (Optional[Links]): The moved links, on which the verdicts are; None to move
        the model's, see Links.merge_duplicates.
    """

    verdicts: np.ndarray
    agreement: Optional[np.ndarray] = None
    is_anaphor: Optional[np.ndarray] = None
    conflicts: Optional[np.ndarray] = None
    must_links: Optional[np.ndarray] = None
    duplicate_of: Optional[np.ndarray] = None
    links: Optional[Links] = None


@dataclass(frozen=True)
class Costs:
    """Hold the costs of the rules' verdicts, in log-odds.

    doubtful (float): The cost of a doubtful link.
    alone (float): The cost of an anaphor without an antecedent, as a share of the
        model's log-odds that it has one. 0 is best on the training sets: if the rules
        forbid the antecedents that the model prefers, the remaining ones are more often
        wrong than right.
    """

    doubtful: float = 2.0
    alone: float = 0.0


@runtime_checkable
class CorefModel(Protocol):
    """Define the methods of a model that the component, the predictor and training use.

    A coreference model is a thinc.api.Model, so that a config can describe it. Subclass
    both: `class MyModel(thinc.api.Model, CorefModel)`. Thinc implements `predict`,
    `begin_update`, `finish_update`, `use_params` and serialization. Implement
    `score_pairs` and `get_loss`; all other methods have defaults.
    """

    @abstractmethod
    def predict(self, docs: List[Doc]) -> List[Links]:
        """Find the mentions of Docs and their best antecedents.

        docs (List[Doc]): The documents.
        RETURNS (List[Links]): The links of each document, in order.
        """

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

    @abstractmethod
    def begin_update(self, docs: List[Doc]) -> Tuple[Any, Callable]:
        """Score Docs for training.

        docs (List[Doc]): The documents.
        RETURNS (Tuple[Any, Callable]): The scores, which only `get_loss` reads, and a
            callback for the gradients that `get_loss` returns.
        """

    @abstractmethod
    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        golds (Sequence[AlignedGold]): The gold annotation of each document.
        scores (Any): The scores returned by `begin_update`.
        **weights (float): The component's weights of the terms of the loss, such as
            `mention_weight`. Ignore weights of terms that the model doesn't have.
        RETURNS (Tuple[float, Any]): The loss, averaged over mentions, and the gradients
            for the callback that `begin_update` returned.
        """

    def set_runtime(self, **settings: Any) -> None:
        """Change runtime settings; by default, this does nothing.

        **settings (Any): The component's runtime settings by name, such as `device`.
            Ignore settings that the model doesn't have.
        """

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        """Choose the weights that are loaded at first use.

        By default, a model has weights of its own and can't load others.

        lang (str): The pipeline's language.
        path (Optional[str]): The component's setting `model_path`.
        RETURNS (Optional[Path]): The folder of the weights if they ship with the
            package.
        RAISES (ValueError): The model can't load weights from a path, or no weights for
            the language ship with the package.
        """
        expected = "null, or [model] spacy_fastcoref.Pretrained.v1"
        check_setting("model_path", path, path is None, expected)
        return None

    def check_available(self) -> None:
        """Check what can be known of weights and device without reading or fetching.

        By default, this does nothing.

        RAISES (ValueError): There are no such weights, or there is no such device.
        """

    def take_settings(self, settings: Dict[str, Any]) -> Set[str]:
        """Take those of NeuralCoref's settings that the model has, too.

        settings (Dict[str, Any]): The settings that are given: `greedyness`,
            `max_dist`, `max_dist_match`, `blacklist`, `store_scores`, `conv_dict`.
        RETURNS (Set[str]): The names of those that the model takes; by default none.
        """
        return set()

    def get_checkpoint(self) -> Any:
        """Get the configuration and the weights, to export or average them.

        RETURNS (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model has no checkpoint, which is the default.
        """
        raise NotImplementedError(Errors.FC121.format(model=type(self).__name__))

    def set_checkpoint(self, checkpoint: Any) -> None:
        """Replace the configuration and the weights.

        checkpoint (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model has no checkpoint, which is the default.
        """
        raise NotImplementedError(Errors.FC121.format(model=type(self).__name__))

    def pack(
        self, storage: Optional[str] = None, docs: Optional[Iterable[Doc]] = None
    ) -> Tuple[str, Dict[str, bytes]]:
        """Make the files of the model's folder, with weights in fewer bits.

        storage (Optional[str]): The registered format of the weights; None for the
            model's default.
        docs (Optional[Iterable[Doc]]): Documents for which rounding keeps the outputs
            of layers close.
        RETURNS (Tuple[str, Dict[str, bytes]]): The name of the format, and the contents
            of the files by name.
        RAISES (NotImplementedError): The model can't be packed, which is the default.
        """
        raise NotImplementedError(Errors.FC121.format(model=type(self).__name__))

    def observe_score(self, score: float) -> None:
        """Observe the score of an evaluation; by default, this does nothing.

        score (float): The CoNLL F1 of the weights in use.
        """

    def get_training_state(self) -> Dict[str, Any]:
        """Get the state that training needs to resume, apart from the weights and
        Thinc's optimizer.

        RETURNS (Dict[str, Any]): PyTorch tensors or arrays by name; by default, an
            empty dictionary.
        """
        return {}

    def set_training_state(self, state: Dict[str, Any]) -> None:
        """Restore the state of training.

        state (Dict[str, Tensor]): The state that `get_training_state` returned, as
            PyTorch tensors.
        """
