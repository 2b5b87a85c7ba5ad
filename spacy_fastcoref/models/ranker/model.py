"""The ranker as a Thinc model, which implements types.CorefModel without torch."""

from copy import copy
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import to_numpy
from thinc.types import Floats1d

from ... import pretrained
from ...errors import Errors
from ...grammar.auto import find_rules
from ...grammar.rules import Rules
from ...types import ALLOWED, DOUBTFUL, Links, Offsets
from ..folders import CONFIG, WEIGHTS, SavedModel
from .annotation_values import AnnotationValues
from .candidates import Candidates, Limits, find_candidates
from .losses import Loss, Phases, compute_loss
from .network import Batch
from .storage import (
    FLOAT16,
    Description,
    Settings,
    get_weights,
    round_to_half,
    set_weights,
)
from .words import ContextWords

# The number of antecedents of each mention in Links.
_N_BEST = 16
# Documents are scored together, about as many as have this number of tokens.
_TOKENS_AT_ONCE = 2000
# NeuralCoref's settings.
_LIMITS = ("max_dist", "max_dist_match", "blacklist")
_CONVERSIONS = "conv_dict"


class RankerModel(SavedModel):
    """Rank the antecedents of mentions that grammar finds; see CorefModel.

    name (Optional[str]): The name or the folder of the weights that are loaded at first
        use; None for weights of its own.
    """

    def __init__(
        self, settings: Settings, loss: Loss, name: Optional[str] = None
    ) -> None:
        super().__init__("ranker", _forward, init=_init)
        self.description = Description(settings, {})
        # Any other loss is that of all phases.
        self.loss = loss if isinstance(loss, Phases) else Phases([loss], 1)
        self.weights_name = name
        # NeuralCoref's settings, which replace those of training.
        self.given: Dict[str, Any] = {}

    @property
    def limits(self) -> Limits:
        """How far back antecedents are searched for."""
        settings = self.description.settings
        names = ("max_sentences", "max_dist", "max_dist_match")
        limits = {name: getattr(settings, name) for name in names}
        given = {name: self.given[name] for name in _LIMITS if self.given.get(name)}
        return Limits(**{**limits, **given})

    def score_docs(
        self,
        docs: Sequence[Doc],
        is_train: bool,
        pairs: Sequence[Tuple[Offsets, Offsets]] = (),
    ) -> Tuple[List[Candidates], Tuple[Any, Any], Callable]:
        """Score the candidates of Docs, and given pairs of spans.

        RETURNS (Tuple[List[Candidates], Tuple[Floats1d, Floats1d], Callable]): The
            candidates of each document, the scores of all pairs and of no link of all
            mentions, and the callback for their gradients.
        RAISES (ValueError): There are no weights, or a document is in another language
            or has other annotation than those of training.
        """
        self.load()
        values = AnnotationValues(self.description.values)
        found = []
        for doc in docs:
            self.description.check(doc)
            values.check_annotation(doc)
            found.append(
                find_candidates(self._find_rules(doc), doc, self.limits, pairs)
            )
            if not pairs:
                values.check_labels(doc, found[-1].facts.heads)
        words = self.given.get(_CONVERSIONS, {})
        batch = Batch.read(found, values, {w.lower(): words[w] for w in words})
        scores, backprop = self.layers[0](batch, is_train)
        return found, scores, backprop

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        (found,), (links, alone), _ = self.score_docs([doc], False, pairs)
        rows = found.find_rows(pairs)
        return (links - alone[found.later])[rows].astype(np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        candidates, (links, alone) = scores
        total, n_known, d_links, d_alone = 0.0, 0, [], []
        parts = _split(candidates, links, alone)
        for of_doc, gold in zip(parts, golds, strict=True):
            weight = 1.0 if gold.annotated is None else weights["partial_weight"]
            loss, of_links, of_alone, n = compute_loss(self.loss, *of_doc, gold)
            total += weight * loss
            d_links.append(weight * of_links)
            d_alone.append(weight * of_alone)
            n_known += n
        scale = np.float32(1 / max(n_known, 1))
        gradients = np.concatenate(d_links) * scale, np.concatenate(d_alone) * scale
        return total * float(scale), gradients

    def observe_score(self, score: float) -> None:
        """Go on to the next phase of training when the score stops rising."""
        self.loss.observe_score(score, lambda: get_weights(self.layers[0]))

    def get_training_state(self) -> Dict[str, Any]:
        return self.loss.get_state()

    def set_training_state(self, state: Dict[str, Any]) -> None:
        if state:
            self.loss.set_state(state)

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        # The weights know their language.
        if path is not None:
            self.weights_name = path
        folder = pretrained.RANKERS / (self.weights_name or "")
        return folder if path is None and (folder / CONFIG).is_file() else None

    def check_available(self) -> None:
        if self.weights_name is not None:
            self._find_folder(self.weights_name)

    def take_settings(self, settings: Dict[str, Any]) -> Set[str]:
        taken = {*_LIMITS, _CONVERSIONS} & settings.keys()
        self.given = {name: settings[name] for name in taken}
        return taken

    def load(self) -> None:
        """Load the weights that ship with the package, if there are no others.

        RAISES (ValueError): There are no weights.
        """
        if self.layers:
            return
        if self.weights_name is None:
            raise ValueError(Errors.FC191)
        self.from_disk(self._find_folder(self.weights_name))

    def _find_folder(self, name: str) -> Path:
        folder = Path(name)
        return folder if (folder / CONFIG).is_file() else pretrained.find_ranker(name)

    def get_file_names(self) -> Tuple[str, ...]:
        return CONFIG, WEIGHTS

    def pack(
        self, storage: Optional[str] = None, docs: Any = None
    ) -> Tuple[str, Dict[str, bytes]]:
        if storage not in (None, FLOAT16):
            raise ValueError(Errors.FC198.format(name=storage, available=FLOAT16))
        self.load()
        tensors = round_to_half(get_weights(self.layers[0]))
        return FLOAT16, self.description.to_files(tensors)

    def make_files(self) -> Dict[str, bytes]:
        self.load()
        return self.description.to_files(get_weights(self.layers[0]))

    def _find_rules(self, doc: Doc) -> Rules:
        rules, words = find_rules(doc.lang_), self.given.get(_CONVERSIONS)
        return rules.convert_words(words) if words else rules

    def set_files(self, files: Dict[str, bytes], origin: str) -> None:
        description, tensors = Description.from_files(files)
        network = description.make_network()
        set_weights(network, tensors)
        self.description, self._layers = description, [network]
        # What was observed of other weights does not fit these.
        self.loss.weights, self.loss.goes_back, self.loss.is_updated = {}, False, False

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "RankerModel":
        # Thinc's method would make a plain Model, without the methods of this class.
        seen = {} if seen is None else seen
        settings = self.description.settings
        copied = RankerModel(settings, copy(self.loss), self.weights_name)
        copied.description, copied.given = self.description, self.given
        copied._layers = [
            seen.setdefault(id(layer), layer._copy(seen)) for layer in self.layers
        ]
        return copied


def _init(model: RankerModel, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    if model.layers:
        return
    if model.weights_name is not None:
        model.load()
        return
    found = [
        find_candidates(find_rules(doc.lang_), doc, model.limits)
        for doc in X or ()
        if len(doc)
    ]
    found = [one for one in found if len(one.later)]
    if not found:
        raise ValueError(Errors.FC192)
    settings = model.description.settings
    values = AnnotationValues.count(found, settings.annotation)
    langs, context = {one.doc.lang_ for one in found}, None
    if any(isinstance(block, ContextWords) for block in settings.words.values()):
        tensors = np.concatenate([to_numpy(one.doc.tensor) for one in found])
        context = [round(float(value), 4) for value in tensors.mean(axis=0)]
    lang = langs.pop() if len(langs) == 1 else None
    model.description = Description(settings, values.values, lang, context)
    network = model.description.make_network()
    network.initialize(X=Batch.read(found[:8], values, {}))
    model._layers = [network]


def _forward(
    model: RankerModel, docs: List[Doc], is_train: bool
) -> Tuple[Any, Callable]:
    """Find the links of Docs; in training, the candidates and their scores."""
    if is_train:
        model.loss.start_update(lambda best: set_weights(model.layers[0], best))
        found, scores, backprop = model.score_docs(docs, is_train=True)
        return (found, scores), backprop
    links: List[Links] = []
    places = np.cumsum([len(doc) for doc in docs]) // _TOKENS_AT_ONCE
    for _, group in groupby(zip(places, docs, strict=True), key=itemgetter(0)):
        members = [doc for _, doc in group]
        found, scores, _ = model.score_docs(members, is_train=False)
        is_ordered = model.description.settings.is_ordered
        links += (_make_links(*one, is_ordered) for one in _split(found, *scores))
    return links, lambda d_links: []


def _split(
    found: Sequence[Candidates], links: Floats1d, alone: Floats1d
) -> List[Tuple[Candidates, Floats1d, Floats1d]]:
    pairs = np.cumsum([len(one.later) for one in found])[:-1]
    mentions = np.cumsum([len(one.facts) for one in found])[:-1]
    parts = np.split(links, pairs), np.split(alone, mentions)
    return list(zip(found, *parts, strict=True))


def _make_links(
    candidates: Candidates, links: Floats1d, alone: Floats1d, is_ordered: bool
) -> Links:
    later, n_mentions = candidates.later, len(candidates.facts)
    scores = (links - alone[later]).astype(np.float32)
    if is_ordered:
        # Lower the scores of doubtful candidates below those of all others.
        lowest = np.full(n_mentions, np.inf, dtype=np.float32)
        highest = np.full(n_mentions, -np.inf, dtype=np.float32)
        is_doubtful = candidates.verdicts == DOUBTFUL
        is_allowed = candidates.verdicts == ALLOWED
        np.minimum.at(lowest, later[is_allowed], scores[is_allowed])
        np.maximum.at(highest, later[is_doubtful], scores[is_doubtful])
        excess = np.maximum(highest - lowest, 0)
        excess = np.where(np.isfinite(excess), excess, 0)
        scores = np.where(is_doubtful, scores - excess[later], scores)
    norms = np.zeros(n_mentions)
    np.logaddexp.at(norms, later, scores)
    return Links.from_pairs(
        candidates.mentions,
        (later, candidates.earlier),
        scores,
        _N_BEST,
        norms.astype(np.float32),
    )
