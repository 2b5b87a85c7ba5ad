"""The ranker as a Thinc model, which implements types.CorefModel without torch."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ... import pretrained
from ...errors import Errors
from ...grammar.auto import find_rules
from ...grammar.rules import Rules
from ...types import CorefModel, Links, Offsets
from ..folders import CONFIG
from .batches import group_docs, make_batch
from .candidates import Candidates, find_candidates, pair_spans
from .feature_table import (
    FeatureTable,
    check_annotation,
    check_labels,
    count_values,
)
from .labels import label_mentions, label_pairs
from .losses import Loss, Ranking
from .mention_features import N_FIXED
from .network import check_widths, make_network
from .origin import Origin
from .phases import Phases
from .ranking import make_links
from .settings import Overrides, Settings
from .store import FLOAT16, Store, round_to_half
from .training_state import pack_state, unpack_state
from .weights import get_weights, set_weights
from .words import ContextWords

# The number of antecedents of each mention in Links.
_N_BEST = 16
# Layers of words that may have settings, but no weights.
_FREE_LAYERS = 100


class RankerModel(Model[List[Doc], List[Links]], CorefModel):
    """Rank the antecedents of mentions that grammar finds.

    settings (Settings): The blocks and sizes.
    loss (Callable): The loss of training.
    name (Optional[str]): The name or the folder of the weights that are loaded at first
        use; None for weights of its own.
    """

    def __init__(
        self, settings: Settings, loss: Loss, name: Optional[str] = None
    ) -> None:
        super().__init__("ranker", forward, init=init)
        self.settings = settings
        self.loss = loss
        self.weights_name = name
        self.table = FeatureTable({})
        self.origin = Origin()
        self.overrides = Overrides()
        # The best weights of training in phases, and whether to return to them.
        self._best: Optional[Dict[str, np.ndarray]] = None
        self._goes_back = False
        # Whether there was an update since the last score.
        self._is_updated = False

    def score_docs(
        self, docs: Sequence[Doc], is_train: bool
    ) -> Tuple[List[Candidates], Tuple[Any, Any], Callable]:
        """Score the candidates of Docs.

        docs (Sequence[Doc]): The documents.
        is_train (bool): Whether the callback will be called.
        RETURNS (Tuple[List[Candidates], Tuple[Floats1d, Floats1d], Callable]): The
            candidates of each document, the scores of all pairs and of no link of all
            mentions, and the callback for their gradients.
        RAISES (ValueError): There are no weights, or a document is in another language
            or has other annotation than those of training.
        """
        self.load()
        limits = self.overrides.make_limits(self.settings)
        found = []
        for doc in docs:
            self._check(doc)
            found.append(find_candidates(self._find_rules(doc), doc, limits))
            check_labels(doc, found[-1].facts.heads, self.table)
        batch = make_batch(found, self.table, self.overrides.conv_dict)
        (links, alone), backprop = self.layers[0](batch, is_train)
        return found, (links, alone), backprop

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        """Score any pairs of spans of one Doc.

        doc (Doc): The document.
        pairs (Sequence[Tuple[Offsets, Offsets]]): The later span of each pair first.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, the log-odds of a link.
        """
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        self.load()
        self._check(doc)
        limits = self.overrides.make_limits(self.settings)
        found, places = pair_spans(self._find_rules(doc), doc, pairs, limits)
        batch = make_batch([found], self.table, self.overrides.conv_dict)
        links, alone = self.layers[0].predict(batch)
        return (links - alone[found.later])[places].astype(np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        golds (Sequence[AlignedGold]): The gold annotation of each document.
        scores (Tuple[List[Candidates], Tuple[Floats1d, Floats1d]]): The candidates and
            the scores that `begin_update` returned.
        **weights (float): `partial_weight`, the weight of the mentions of partly
            labelled documents; others are ignored.
        RETURNS (Tuple[float, Tuple[Floats1d, Floats1d]]): The loss, averaged over
            mentions, and the gradients for the callback that `begin_update` returned.
        """
        candidates, (links, alone) = scores
        sizes = [len(found.facts) for found in candidates]
        counts = [len(found.later) for found in candidates]
        total, d_links, d_alone = 0.0, np.zeros_like(links), np.zeros_like(alone)
        n_known = 0
        pair, mention = 0, 0
        for found, gold, size, count in zip(
            candidates, golds, sizes, counts, strict=True
        ):
            clusters, is_known = label_mentions(found, gold)
            is_true = label_pairs(found.later, found.earlier, clusters)
            rows = slice(pair, pair + count), slice(mention, mention + size)
            ranking = Ranking(
                found.later, links[rows[0]], alone[rows[1]], is_true, is_known
            )
            weight = 1.0 if gold.annotated is None else weights["partial_weight"]
            loss, of_links, of_alone = self.loss(ranking)
            total += weight * loss
            d_links[rows[0]] = weight * of_links
            d_alone[rows[1]] = weight * of_alone
            n_known += int(is_known.sum())
            pair, mention = pair + count, mention + size
        scale = np.float32(1 / max(n_known, 1))
        return total * float(scale), (d_links * scale, d_alone * scale)

    def observe_score(self, score: float) -> None:
        """Go on to the next phase of training when the score stops rising.

        Only the first score after an update counts. Others are not of training: they
        are those of a pipeline that is in use, or of a test corpus.

        score (float): The score of the weights in use, on the development corpus.
        """
        if not isinstance(self.loss, Phases) or not self._is_updated:
            return
        self._is_updated = False
        is_best, is_next = self.loss.observe_score(score)
        if is_best:
            self._best = get_weights(self.layers[0])
        # An evaluation may use the averages of weights, so wait for the next update.
        self._goes_back = self._goes_back or is_next

    def start_update(self) -> None:
        """Return to the best weights, if a new phase of training begins."""
        self._is_updated = True
        if self._goes_back and self._best is not None:
            set_weights(self.layers[0], self._best)
        self._goes_back = False

    def get_training_state(self) -> Dict[str, Any]:
        """Get the phase of training, and the best weights of training in phases.

        RETURNS (Dict[str, numpy.ndarray]): The arrays by name.
        """
        if not isinstance(self.loss, Phases):
            return {}
        flags = {"goes_back": self._goes_back, "is_updated": self._is_updated}
        return pack_state({**self.loss.get_state(), **flags}, self._best)

    def set_training_state(self, state: Dict[str, Any]) -> None:
        """Go on with the phase of an interrupted training.

        state (Dict[str, Any]): What get_training_state returned, as arrays or tensors.
        """
        if isinstance(self.loss, Phases) and state:
            values, self._best = unpack_state(state)
            self.loss.set_state(values)
            self._goes_back = values["goes_back"]
            self._is_updated = values["is_updated"]

    def choose_weights(self, lang: str, path: Optional[str] = None) -> None:
        """Choose the weights that are loaded at first use.

        lang (str): Not used: the weights know their language.
        path (Optional[str]): A folder that `spacy coref pack` has written; None for
            those of the setting `name`, or for new ones.
        """
        if path is not None:
            self.weights_name = path

    def take_settings(self, settings: Dict[str, Any]) -> Set[str]:
        """Take NeuralCoref's settings, which replace those of training.

        settings (Dict[str, Any]): NeuralCoref's settings by name.
        RETURNS (Set[str]): The names of those in Overrides.
        """
        taken = vars(Overrides()).keys() & settings.keys()
        self.overrides = Overrides(**{name: settings[name] for name in taken})
        return taken

    def load(self) -> None:
        """Load the weights that ship with the package, if there are no others.

        RAISES (ValueError): There are no weights.
        """
        if self.layers:
            return
        if self.weights_name is None:
            raise ValueError(Errors.FC191)
        folder = Path(self.weights_name)
        if not (folder / CONFIG).is_file():
            folder = pretrained.find_ranker(self.weights_name)
        self._set(Store.from_disk(folder))

    def build(self, table: FeatureTable) -> Model:
        """Make the networks for a feature table.

        table (FeatureTable): The table.
        RETURNS (Model): The networks, without weights.
        """
        settings = self.settings
        self.table = table
        network = make_network(
            [block.build() for block in settings.words.values()],
            settings.hidden,
            settings.dropout,
            settings.ensemble,
        )
        self._layers = [network]
        return network

    def to_bytes(self) -> bytes:
        """Write the model as bytes, with checksums.

        RETURNS (bytes): The bytes.
        """
        return self._get().to_bytes()

    def from_bytes(self, bytes_data: bytes) -> "RankerModel":
        """Read the model from bytes, running no code from them.

        bytes_data (bytes): What to_bytes wrote.
        RETURNS (RankerModel): This object.
        RAISES (ValueError): The bytes are broken; the model is then as it was.
        """
        self._set(Store.from_bytes(bytes_data))
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save the model as a folder of safetensors and JSON.

        path (Union[str, Path]): The folder. An existing folder is replaced.
        """
        self._get().to_disk(path)

    def from_disk(self, path: Union[str, Path]) -> "RankerModel":
        """Load the model from a folder, without running code from it.

        path (Union[str, Path]): The folder.
        RETURNS (RankerModel): This object.
        RAISES (ValueError): The folder is broken; the model is then as it was.
        """
        self._set(Store.from_disk(path))
        return self

    def pack(
        self, storage: Optional[str] = None, docs: Any = None
    ) -> Tuple[str, Dict[str, bytes]]:
        """Make the files of the model's folder, with weights in float16.

        storage (Optional[str]): None, or the name of this format.
        docs (Any): Not used.
        RETURNS (Tuple[str, Dict[str, bytes]]): The name of the format, and the contents
            of the files by name.
        RAISES (ValueError): It is another format.
        """
        if storage not in (None, FLOAT16):
            raise ValueError(Errors.FC198.format(name=storage, available=FLOAT16))
        store = self._get()
        return FLOAT16, replace(store, tensors=round_to_half(store.tensors)).to_files()

    def _find_rules(self, doc: Doc) -> Rules:
        rules, words = find_rules(doc.lang_), self.overrides.conv_dict
        return rules.convert_words(words) if words else rules

    def _check(self, doc: Doc) -> None:
        self.origin.check(doc)
        check_annotation(doc, self.table)

    def _get(self) -> Store:
        self.load()
        tensors = get_weights(self.layers[0])
        settings = self.settings.to_config()
        return Store(settings, self.table.values, tensors, self.origin)

    def _set(self, store: Store) -> None:
        settings = Settings.from_config(store.settings, "config.json")
        # Nothing is made of a size that the weights do not have.
        if settings.count_layers() > len(store.tensors) + _FREE_LAYERS:
            reason = "its config.json describes more weights than there are"
            raise ValueError(Errors.FC011.format(path="ranker", reason=reason))
        new = RankerModel(settings, self.loss)
        network = new.build(FeatureTable(store.values))
        set_weights(network, store.tensors)
        check_widths(network, settings.word_width, N_FIXED + new.table.width)
        self.origin = store.origin
        self.settings, self.table, self._layers = settings, new.table, [network]
        # What was noted of other weights does not fit these.
        self._best, self._goes_back, self._is_updated = None, False, False

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "RankerModel":
        # Thinc's method would make a plain Model, without the methods of this class.
        seen = {} if seen is None else seen
        copied = RankerModel(self.settings, self.loss, self.weights_name)
        copied.table, copied.origin = self.table, self.origin
        copied.overrides = self.overrides
        copied._layers = [
            seen.setdefault(id(layer), layer._copy(seen)) for layer in self.layers
        ]
        return copied


def init(model: RankerModel, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    """Make the feature table and the networks from a sample of Docs.

    model (RankerModel): The model. Weights that are there are kept.
    X (Optional[List[Doc]]): The sample, annotated like the documents of training.
    Y (Any): Not used.
    RAISES (ValueError): The sample has no pair of mentions.
    """
    if model.layers:
        return
    if model.weights_name is not None:
        model.load()
        return
    limits = model.overrides.make_limits(model.settings)
    found = [
        find_candidates(find_rules(doc.lang_), doc, limits)
        for doc in X or ()
        if len(doc)
    ]
    found = [one for one in found if len(one.later)]
    if not found:
        raise ValueError(Errors.FC192)
    heads = ((one.doc, one.facts.heads) for one in found)
    table = count_values(heads, model.settings.annotation)
    network = model.build(table)
    network.initialize(X=make_batch(found[:8], table))
    blocks = model.settings.words.values()
    reads_context = any(isinstance(block, ContextWords) for block in blocks)
    model.origin = Origin.collect([one.doc for one in found], reads_context)


def forward(
    model: RankerModel, docs: List[Doc], is_train: bool
) -> Tuple[Any, Callable]:
    """Score Docs.

    model (RankerModel): The model.
    docs (List[Doc]): The documents.
    is_train (bool): Whether to train.
    RETURNS (Tuple[Any, Callable]): The links of each document; in training, the
        candidates and their scores; and the callback for their gradients.
    """
    if is_train:
        model.start_update()
        found, scores, backprop = model.score_docs(docs, is_train=True)
        return (found, scores), backprop
    links: List[Links] = []
    for group in group_docs(docs):
        links.extend(_predict(model, group))
    return links, lambda d_links: []


def _predict(model: RankerModel, docs: Sequence[Doc]) -> List[Links]:
    found, (links, alone), _ = model.score_docs(docs, is_train=False)
    pairs = np.cumsum([len(one.later) for one in found])[:-1]
    mentions = np.cumsum([len(one.facts) for one in found])[:-1]
    return [
        make_links(one, of_pairs, of_mentions, _N_BEST, model.settings.is_ordered)
        for one, of_pairs, of_mentions in zip(
            found, np.split(links, pairs), np.split(alone, mentions), strict=True
        )
    ]
