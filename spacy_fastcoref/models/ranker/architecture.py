"""The ranker as a Thinc model without torch, and its registered architecture."""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np
from spacy import registry
from spacy.tokens import Doc
from thinc.types import Floats1d

from ... import pretrained
from ...errors import Errors, check_known
from ...grammar.auto import find_rules
from ...types import Links, Offsets
from ..folders import CONFIG, WEIGHTS, SavedModel
from .candidates import Candidates, find_candidates
from .features import count_values
from .losses import Loss, Phases, compute_loss, make_three_phases
from .network import make_network, read_batch
from .storage import FLOAT16, Settings, get_weights, set_weights
from .words import ContextWords, HashWords, read_tensors

# Candidates, and the scores of their pairs and of no link for each mention.
Scored = Tuple[Candidates, Floats1d, Floats1d]
# The number of antecedents of each mention in Links.
_N_BEST = 16
# Documents are scored together, about as many as have this number of tokens.
_TOKENS_AT_ONCE = 2000
# NeuralCoref's settings.
_TAKEN = {"max_dist", "max_dist_match", "blacklist", "conv_dict"}


class RankerModel(SavedModel):
    """Rank the antecedents of mentions that grammar finds; see CorefModel."""

    def __init__(self, settings: Settings, loss: Loss, name: Optional[str]) -> None:
        super().__init__("ranker", _forward, init=_init)
        self.settings = settings
        # Any other loss is that of all phases.
        self.loss = loss if isinstance(loss, Phases) else Phases([loss], 1)
        # The name or the folder of weights to load at first use; None for none.
        self.weights_name = name
        # NeuralCoref's settings, which replace those of training.
        self.given: Dict[str, Any] = {}

    def score_docs(
        self,
        docs: Sequence[Doc],
        is_train: bool,
        pairs: Sequence[Tuple[Offsets, Offsets]] = (),
    ) -> Tuple[List[Scored], Callable]:
        """Find the candidates of each document, and score those of all together."""
        self.load()
        settings, found = replace(self.settings, **self.given), []
        for doc in docs:
            rules = find_rules(doc.lang_).convert_words(settings.conv_dict)
            found.append(find_candidates(rules, doc, settings, pairs))
            settings.check(found[-1])
        batch = read_batch(found, settings)
        (links, alone), backprop = self.layers[0](batch, is_train)
        n_pairs = np.cumsum([len(one.later) for one in found])[:-1]
        n_mentions = np.cumsum([len(one.facts) for one in found])[:-1]
        parts = np.split(links, n_pairs), np.split(alone, n_mentions)
        return list(zip(found, *parts, strict=True)), backprop

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        ((found, links, alone),), _ = self.score_docs([doc], False, pairs)
        spans = [tuple(span) for span in found.mentions.tolist()]
        ends = zip(found.later, found.earlier, strict=True)
        rows = {(spans[i], spans[j]): row for row, (i, j) in enumerate(ends)}
        asked = [rows[max(pair), min(pair)] for pair in pairs]
        return (links - alone[found.later])[asked].astype(np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        found = []
        for of_doc, gold in zip(scores, golds, strict=True):
            weight = 1.0 if gold.annotated is None else weights["partial_weight"]
            *losses, n_known = compute_loss(self.loss, *of_doc, gold)
            found.append([*(weight * one for one in losses), n_known])
        losses, d_links, d_alone, counts = zip(*found, strict=True)
        scale = np.float32(1 / max(sum(counts), 1))
        gradients = np.concatenate(d_links) * scale, np.concatenate(d_alone) * scale
        return sum(losses) * float(scale), gradients

    def observe_score(self, score: float) -> None:
        """Go on to the next phase of training when the score stops rising."""
        self.loss.observe_score(score, lambda: get_weights(self.layers[0]))

    def get_training_state(self) -> Dict[str, Any]:
        return self.loss.get_state()

    def set_training_state(self, state: Dict[str, Any]) -> None:
        self.loss.set_state(state)

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        # The weights know their language.
        if path is not None:
            self.weights_name = path
        folder = pretrained.RANKERS / (self.weights_name or "")
        return folder if path is None and (folder / CONFIG).is_file() else None

    def check_available(self) -> None:
        if self.weights_name is not None:
            self._find_folder()

    def take_settings(self, settings: Dict[str, Any]) -> Set[str]:
        self.given = {name: settings[name] for name in _TAKEN & settings.keys()}
        return {*self.given}

    def load(self) -> None:
        """Load the weights that ship with the package, if there are no others."""
        if not self.layers:
            self.from_disk(self._find_folder())

    def _find_folder(self) -> Path:
        name = self.weights_name
        if name is None:
            raise ValueError(Errors.FC017)
        folder = Path(name)
        return folder if (folder / CONFIG).is_file() else pretrained.find_ranker(name)

    def get_file_names(self) -> Tuple[str, ...]:
        return CONFIG, WEIGHTS

    def pack(
        self, storage: Optional[str] = None, docs: Any = None
    ) -> Tuple[str, Dict[str, bytes]]:
        check_known("format of a ranker's weights,", storage or FLOAT16, (FLOAT16,))
        self.load()
        return FLOAT16, self.settings.to_files(self.layers[0], is_packed=True)

    def make_files(self) -> Dict[str, bytes]:
        self.load()
        return self.settings.to_files(self.layers[0])

    def set_files(self, files: Dict[str, bytes], origin: str) -> None:
        settings, tensors = Settings.from_files(files)
        network = make_network(settings)
        set_weights(network, tensors)
        self.settings, self._layers = settings, [network]
        # What was observed of other weights does not fit these.
        self.loss.weights, self.loss.goes_back, self.loss.is_updated = {}, False, False


def _init(model: RankerModel, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    if model.layers or model.weights_name is not None:
        model.load()
        return
    settings, context = replace(model.settings, **model.given), None
    rules = ((find_rules(doc.lang_), doc) for doc in X or ())
    found = [find_candidates(*one, settings) for one in rules]
    found = [one for one in found if len(one.later)]
    if not found:
        raise ValueError(Errors.FC192)
    values = count_values(found, settings.annotation)
    langs = {one.doc.lang_ for one in found}
    if any(isinstance(block, ContextWords) for block in settings.words.values()):
        average = read_tensors([one.doc for one in found]).mean(axis=0)
        context = [round(float(value), 4) for value in average]
    lang = langs.pop() if len(langs) == 1 else None
    origin = {"values": values, "lang": lang, "context": context}
    model.settings = replace(model.settings, **origin)
    network = make_network(model.settings)
    network.initialize(X=read_batch(found[:8], model.settings))
    model._layers = [network]


def _forward(
    model: RankerModel, docs: List[Doc], is_train: bool
) -> Tuple[Any, Callable]:
    """Find the links of Docs; in training, the candidates and their scores."""
    if is_train:
        model.loss.start_update(lambda best: set_weights(model.layers[0], best))
        return model.score_docs(docs, is_train=True)
    links: List[Links] = []
    places = np.cumsum([len(doc) for doc in docs]) // _TOKENS_AT_ONCE
    for _, group in groupby(zip(places, docs, strict=True), key=itemgetter(0)):
        scored, _ = model.score_docs([doc for _, doc in group], is_train=False)
        links += (_make_links(*one, model.settings.is_ordered) for one in scored)
    return links, lambda d_links: []


def _make_links(
    candidates: Candidates, links: Floats1d, alone: Floats1d, is_ordered: bool
) -> Links:
    later, n_mentions = candidates.later, len(candidates.facts)
    scores = (links - alone[later]).astype(np.float32)
    if is_ordered:
        # Lower the scores of doubtful candidates below those of all others.
        lowest = np.full(n_mentions, np.inf, dtype=np.float32)
        highest = -lowest
        is_doubtful = candidates.is_doubtful
        np.minimum.at(lowest, later[~is_doubtful], scores[~is_doubtful])
        np.maximum.at(highest, later[is_doubtful], scores[is_doubtful])
        scores -= np.where(is_doubtful, np.maximum(highest - lowest, 0)[later], 0)
    norms = np.zeros(n_mentions)
    np.logaddexp.at(norms, later, scores)
    return Links.from_pairs(
        candidates.mentions,
        (later, candidates.earlier),
        scores,
        _N_BEST,
        norms.astype(np.float32),
    )


@registry.architectures("spacy_fastcoref.Ranker.v1")
def Ranker(
    name: Optional[str] = None,
    words: Optional[Dict[str, Any]] = None,
    hidden: Sequence[int] = Settings.hidden,
    dropout: float = Settings.dropout,
    ensemble: int = Settings.ensemble,
    max_sentences: int = Settings.max_sentences,
    max_dist: int = Settings.max_dist,
    max_dist_match: int = Settings.max_dist_match,
    ordered: bool = Settings.is_ordered,
    annotation: Sequence[str] = Settings.annotation,
    loss: Optional[Loss] = None,
) -> RankerModel:
    """Make a model that ranks the antecedents of mentions that grammar finds.

    It has the two networks of NeuralCoref, with the features of NeuralCoref and
    Coreferee. It reads the tags and the parse of the pipeline, and does not import
    PyTorch.

    name (Optional[str]): The name of weights that ship with the package, such as "en".
        They have settings of their own, which replace the ones below. The component's
        setting `model_path` is the folder of other weights. None for new weights.
    words (Optional[Dict[str, Any]]): Blocks of the layers that compute vectors of
        words, by any name; None for hash embeddings alone.
    hidden (Sequence[int]): The widths of the hidden layers.
    dropout (float): The dropout rate of the hidden layers. `nlp.update(drop=...)`
        replaces it.
    ensemble (int): The number of networks whose scores are averaged, as in Coreferee.
    max_sentences (int): How many sentences back pronouns have candidates.
    max_dist (int): How many mentions back other mentions have candidates.
    max_dist_match (int): How many mentions back they have candidates that share a word
        with them.
    ordered (bool): Whether doubtful candidates come after all of those that the rules
        allow, as in Coreferee.
    annotation (Sequence[str]): What is read of words: "tag", "pos", "dep", "entity" and
        "morph", or some of them. Tags and dependency labels differ between the
        pipelines of a language. Syntactic roles, which do not, are always read.
    loss (Optional[Callable]): The loss of training; None for three phases.
    RETURNS (RankerModel): The model.
    RAISES (ValueError): A setting is not valid.
    """
    settings = Settings(
        {"hash": HashWords()} if words is None else words,
        list(hidden),
        dropout,
        ensemble,
        max_sentences,
        max_dist,
        max_dist_match,
        ordered,
        list(annotation),
    )
    return RankerModel(settings, make_three_phases() if loss is None else loss, name)
