"""The ranker as a Thinc model, which implements types.CorefModel without torch."""

import json
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
import srsly
from spacy.tokens import Doc
from thinc.api import Model, to_numpy
from thinc.types import Floats1d

from ... import pretrained
from ...errors import Errors, name_bytes_in_errors
from ...grammar.auto import find_rules
from ...grammar.rules import Rules
from ...types import ALLOWED, DOUBTFUL, CorefModel, Links, Offsets
from ..folders import (
    CONFIG,
    SUMS,
    WEIGHTS,
    find_changed,
    read_folder,
    refuse_broken,
    write_folder,
)
from .annotation_values import AnnotationValues
from .candidates import Candidates, Limits, find_candidates
from .features import N_MENTION
from .losses import Loss, Phases, Ranking, label_mentions
from .network import Batch, check_widths, make_network
from .storage import (
    FLOAT16,
    Description,
    Settings,
    Tensors,
    get_weights,
    round_to_half,
    set_weights,
)
from .words import ContextWords

# The number of antecedents of each mention in Links.
_N_BEST = 16
# Documents are scored together up to this number of tokens.
_TOKENS_AT_ONCE = 2000
# The parts of a state of training.
_STATE, _BEST = "state", "best/"
# NeuralCoref's settings.
_LIMITS = ("max_dist", "max_dist_match", "blacklist")
_CONVERSIONS = "conv_dict"


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
        super().__init__("ranker", _forward, init=_init)
        self.description = Description(settings, {})
        self.loss = loss
        self.weights_name = name
        # NeuralCoref's settings, which replace those of training.
        self.given: Dict[str, Any] = {}
        # The best weights of training in phases, and whether to return to them.
        self._best: Optional[Tensors] = None
        self._goes_back = False
        # Whether there was an update since the last score.
        self._is_updated = False

    @property
    def limits(self) -> Limits:
        """How far back antecedents are searched for."""
        settings = self.description.settings
        limits = Limits(
            settings.max_sentences, settings.max_dist, settings.max_dist_match
        )
        for name in _LIMITS:
            if self.given.get(name):
                setattr(limits, name, self.given[name])
        return limits

    def score_docs(
        self,
        docs: Sequence[Doc],
        is_train: bool,
        pairs: Sequence[Tuple[Offsets, Offsets]] = (),
    ) -> Tuple[List[Candidates], Tuple[Any, Any], Callable]:
        """Score the candidates of Docs.

        docs (Sequence[Doc]): The documents.
        is_train (bool): Whether the callback will be called.
        pairs (Sequence[Tuple[Offsets, Offsets]]): Pairs of spans that are candidates in
            each document, too.
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
        """Score any pairs of spans of one Doc.

        doc (Doc): The document.
        pairs (Sequence[Tuple[Offsets, Offsets]]): The later span of each pair first.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, the log-odds of a link.
        """
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        (found,), (links, alone), _ = self.score_docs([doc], False, pairs)
        rows = found.find_rows(pairs)
        return (links - alone[found.later])[rows].astype(np.float32)

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
        total, n_known, d_links, d_alone = 0.0, 0, [], []
        parts = _split(candidates, links, alone)
        for (found, *of_doc), gold in zip(parts, golds, strict=True):
            clusters, is_known = label_mentions(found, gold)
            of_later = clusters[found.later]
            is_true = (of_later == clusters[found.earlier]) & (of_later >= 0)
            ranking = Ranking(found.later, *of_doc, is_true, is_known)
            weight = 1.0 if gold.annotated is None else weights["partial_weight"]
            loss, of_links, of_alone = self.loss(ranking)
            total += weight * loss
            d_links.append(weight * of_links)
            d_alone.append(weight * of_alone)
            n_known += int(is_known.sum())
        scale = np.float32(1 / max(n_known, 1))
        gradients = np.concatenate(d_links) * scale, np.concatenate(d_alone) * scale
        return total * float(scale), gradients

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
        data = json.dumps({**self.loss.state, **flags}).encode("utf8")
        best = {_BEST + name: one for name, one in (self._best or {}).items()}
        return {_STATE: np.frombuffer(data, dtype=np.uint8).copy(), **best}

    def set_training_state(self, state: Dict[str, Any]) -> None:
        """Go on with the phase of an interrupted training.

        state (Dict[str, Any]): What get_training_state returned, as arrays or tensors.
        """
        if not isinstance(self.loss, Phases) or not state:
            return
        values = json.loads(np.asarray(state[_STATE]).tobytes())
        self._goes_back = values.pop("goes_back")
        self._is_updated = values.pop("is_updated")
        vars(self.loss).update(values)
        best = {
            name.removeprefix(_BEST): np.asarray(one)
            for name, one in state.items()
            if name.startswith(_BEST)
        }
        self._best = best or None

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        """Choose the weights that are loaded at first use.

        lang (str): Not used: the weights know their language.
        path (Optional[str]): A folder that `spacy coref pack` has written; None for
            those of the setting `name`, or for new ones.
        RETURNS (Optional[Path]): The folder of weights that ship with the package.
        """
        if path is not None:
            self.weights_name = path
        folder = pretrained.RANKERS / (self.weights_name or "")
        return folder if path is None and (folder / CONFIG).is_file() else None

    def check_available(self) -> None:
        """Check that there are weights of the name.

        RAISES (ValueError): There are none.
        """
        if self.weights_name is not None:
            self._find_folder(self.weights_name)

    def take_settings(self, settings: Dict[str, Any]) -> Set[str]:
        """Take NeuralCoref's settings, which replace those of training.

        settings (Dict[str, Any]): NeuralCoref's settings by name.
        RETURNS (Set[str]): The names of those that the ranker has.
        """
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

    def to_bytes(self) -> bytes:
        """Write the model as bytes, with checksums.

        RETURNS (bytes): The files of its folder in one msgpack.
        """
        return srsly.msgpack_dumps(self.make_files())

    def from_bytes(self, bytes_data: bytes) -> "RankerModel":
        """Read the model from bytes, running no code from them.

        bytes_data (bytes): What to_bytes wrote.
        RETURNS (RankerModel): This object.
        RAISES (ValueError): The bytes are broken; the model is then as it was.
        """
        with name_bytes_in_errors():
            files = srsly.msgpack_loads(bytes_data)
            names = CONFIG, WEIGHTS, SUMS
            if not isinstance(files, dict) or not all(
                isinstance(files.get(name), bytes) for name in names
            ):
                raise ValueError("a part is missing")
            changed = find_changed(files, files[SUMS])
            if changed is not None:
                raise ValueError(f"the checksum of {changed} is not the right one")
            parts = Description.from_files(files)
        self._set(*parts)
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save the model as a folder of safetensors and JSON.

        path (Union[str, Path]): The folder. An existing folder is replaced.
        """
        write_folder(path, self.make_files())

    def from_disk(self, path: Union[str, Path]) -> "RankerModel":
        """Load the model from a folder, without running code from it.

        path (Union[str, Path]): The folder.
        RETURNS (RankerModel): This object.
        RAISES (ValueError): The folder is broken; the model is then as it was.
        """
        files = read_folder(Path(path), (CONFIG, WEIGHTS))
        with refuse_broken(path):
            parts = Description.from_files(files)
        self._set(*parts)
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
        self.load()
        tensors = round_to_half(get_weights(self.layers[0]))
        return FLOAT16, self.description.to_files(tensors)

    def make_files(self) -> Dict[str, bytes]:
        """Make the contents of the model's folder.

        RETURNS (Dict[str, bytes]): The contents by file name, with checksums.
        """
        self.load()
        return self.description.to_files(get_weights(self.layers[0]))

    def _find_rules(self, doc: Doc) -> Rules:
        rules, words = find_rules(doc.lang_), self.given.get(_CONVERSIONS)
        return rules.convert_words(words) if words else rules

    def _set(self, description: Description, tensors: Tensors) -> None:
        network = _make_network(description.settings)
        set_weights(network, tensors)
        n_words = sum(block.width for block in description.settings.words.values())
        n_features = N_MENTION + AnnotationValues(description.values).width
        check_widths(network, n_words, n_features)
        self.description, self._layers = description, [network]
        # What was observed of other weights does not fit these.
        self._best, self._goes_back, self._is_updated = None, False, False

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "RankerModel":
        # Thinc's method would make a plain Model, without the methods of this class.
        seen = {} if seen is None else seen
        settings = self.description.settings
        copied = RankerModel(settings, self.loss, self.weights_name)
        copied.description, copied.given = self.description, self.given
        copied._layers = [
            seen.setdefault(id(layer), layer._copy(seen)) for layer in self.layers
        ]
        return copied


def _make_network(settings: Settings) -> Model:
    words = [block.build() for block in settings.words.values()]
    return make_network(words, settings.hidden, settings.dropout, settings.ensemble)


def _init(model: RankerModel, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    """Make the networks, and list the values of annotation of a sample of Docs."""
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
    network = _make_network(settings)
    network.initialize(X=Batch.read(found[:8], values, {}))
    langs, context = {one.doc.lang_ for one in found}, None
    if any(isinstance(block, ContextWords) for block in settings.words.values()):
        tensors = np.concatenate([to_numpy(one.doc.tensor) for one in found])
        context = [round(float(value), 4) for value in tensors.mean(axis=0)]
    lang = langs.pop() if len(langs) == 1 else None
    model.description = Description(settings, values.values, lang, context)
    model._layers = [network]


def _forward(
    model: RankerModel, docs: List[Doc], is_train: bool
) -> Tuple[Any, Callable]:
    """Find the links of Docs; in training, the candidates and their scores."""
    if is_train:
        model.start_update()
        found, scores, backprop = model.score_docs(docs, is_train=True)
        return (found, scores), backprop
    links: List[Links] = []
    for group in _group(docs):
        found, scores, _ = model.score_docs(group, is_train=False)
        is_ordered = model.description.settings.is_ordered
        links += (_make_links(*one, is_ordered) for one in _split(found, *scores))
    return links, lambda d_links: []


def _group(docs: Sequence[Doc]) -> List[List[Doc]]:
    """Group documents that are scored together, in order."""
    groups: List[List[Doc]] = []
    size = 0
    for doc in docs:
        if not groups or size + len(doc) > _TOKENS_AT_ONCE:
            groups.append([])
            size = 0
        groups[-1].append(doc)
        size += len(doc)
    return groups


def _split(
    found: Sequence[Candidates], links: Floats1d, alone: Floats1d
) -> List[Tuple[Candidates, Floats1d, Floats1d]]:
    """Split scores by document."""
    pairs = np.cumsum([len(one.later) for one in found])[:-1]
    mentions = np.cumsum([len(one.facts) for one in found])[:-1]
    parts = np.split(links, pairs), np.split(alone, mentions)
    return list(zip(found, *parts, strict=True))


def _make_links(
    candidates: Candidates, links: Floats1d, alone: Floats1d, is_ordered: bool
) -> Links:
    """Make the links of a document."""
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
