"""The component: predict, annotate, train and save."""

import itertools
import warnings
from functools import partial
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..errors import Warnings
from ..progress import show_progress
from ..tokens.clusters import ClusterData, set_clusters
from ..tokens.extensions import set_extensions
from ..tokens.soft_labels import write_links
from ..types import Links, RuleOutput
from .decide import decode_doc
from .explain import Explanation, explain, explain_all
from .gold import AlignedGold, align_gold, restrict
from .settings import RUNTIME, Changes, Setting, check_model, check_settings

_N_SAMPLED = 10
RulesFunction = Callable[[Doc, Links], Union[RuleOutput, np.ndarray]]


class FastCoref(TrainablePipe):
    """Resolve coreference in Docs.

    Settings are attributes that can be changed at any time. Changes are saved with the
    component, unless the config of the loaded pipeline says otherwise, see
    settings.Changes.

    vocab (Vocab): The shared vocabulary.
    model (CorefModel): The model.
    name (str): The component's name.
    rules (Optional[RulesFunction]): A registered function of a Doc and its Links that
        judges the links by grammar, as RuleOutput or an array of verdicts; None for no
        rules. If it has `costs`, the decoder uses these.
    max_tokens_in_batch (int): The maximum number of word pieces in a batch.
    threshold (float): The minimum log-odds of a link.
    device (str): "auto" for CUDA if it is available, "cpu", "cuda" or "cuda:1".
    precision (str): The encoder's precision: "auto", "float32", "bfloat16" or
        "float16".
    scheme (Optional[str]): The annotation scheme to follow, for models that know
        several; `doc._.coref_scheme` takes precedence.
    segment_overlap (Optional[int]): The number of word pieces of context on each side
        of a segment of a long document; None for the model's own.
    antecedent_window (int): How many mentions back antecedents are searched.
    antecedent_cache (int): How many mentions from before the window are remembered.
    n_threads (Optional[int]): The number of PyTorch's threads on a CPU; None for its
        own choice, and for one in a worker process.
    antecedent_weight (float): In training, the weight of the antecedent loss; 0 to
        train the mention scorer alone.
    mention_weight (float): In training, the weight of the mention loss.
    partial_mention_weight (float): The same for partially annotated documents.
    partial_weight (float): The weight of each of their mentions.
    scorer (Optional[Callable]): The scoring function.
    enable_progress_bar (bool): Whether `pipe` shows a progress bar.
    RAISES (ValueError): A setting is not valid.
    """

    max_tokens_in_batch = Setting()
    threshold = Setting()
    device = Setting()
    precision = Setting()
    scheme = Setting()
    segment_overlap = Setting()
    antecedent_window = Setting()
    antecedent_cache = Setting()
    n_threads = Setting()
    antecedent_weight = Setting()
    mention_weight = Setting()
    partial_mention_weight = Setting()
    partial_weight = Setting()
    enable_progress_bar = Setting()

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "fastcoref",
        *,
        rules: Optional[RulesFunction] = None,
        max_tokens_in_batch: int = 10000,
        threshold: float = 0.0,
        device: str = "auto",
        precision: str = "auto",
        scheme: Optional[str] = None,
        segment_overlap: Optional[int] = None,
        antecedent_window: int = 2048,
        antecedent_cache: int = 1024,
        n_threads: Optional[int] = None,
        antecedent_weight: float = 1.0,
        mention_weight: float = 0.3,
        partial_mention_weight: float = 0.0,
        partial_weight: float = 1.0,
        scorer: Optional[Callable] = None,
        enable_progress_bar: bool = False,
    ) -> None:
        self.settings: Dict[str, Any] = {
            "max_tokens_in_batch": max_tokens_in_batch,
            "threshold": threshold,
            "device": device,
            "precision": precision,
            "scheme": scheme,
            "segment_overlap": segment_overlap,
            "antecedent_window": antecedent_window,
            "antecedent_cache": antecedent_cache,
            "n_threads": n_threads,
            "antecedent_weight": antecedent_weight,
            "mention_weight": mention_weight,
            "partial_mention_weight": partial_mention_weight,
            "partial_weight": partial_weight,
            "enable_progress_bar": enable_progress_bar,
        }
        check_settings(name, **self.settings)
        check_model(name, model)
        set_extensions(replaces=True)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.rules = rules
        # The number of gold mentions that matched no tokens, over all updates.
        self.n_misaligned = 0
        # Whether Docs keep the model's scores as soft labels, for distillation.
        self.keeps_links = False
        self.scorer = scorer
        self._changes = Changes(self)
        model.set_runtime(**{key: self.settings[key] for key in RUNTIME})

    def __call__(self, doc: Doc, *, resolve_text: Optional[bool] = None) -> Doc:
        """Find the clusters of one Doc.

        doc (Doc): The document.
        resolve_text (Optional[bool]): Taken from fastcoref, and not needed: the
            resolved text is there whenever it is asked for.
        RETURNS (Doc): The same document.
        """
        return next(self._annotate([doc]))

    def pipe(
        self,
        stream: Iterable[Doc],
        *,
        batch_size: int = 128,
        resolve_text: Optional[bool] = None,
    ) -> Iterator[Doc]:
        """Find the clusters of a stream of Docs.

        A document that fails goes to the error handler alone. If the handler
        returns, it is yielded without clusters, in its place.

        stream (Iterable[Doc]): The documents.
        batch_size (int): The number of documents to buffer.
        resolve_text (Optional[bool]): Taken from fastcoref, and not needed.
        YIELDS (Doc): The same documents, in order.
        """
        stream = show_progress(stream, enabled=self.enable_progress_bar, desc=self.name)
        for docs in util.minibatch(stream, size=batch_size):
            yield from self._annotate(docs)

    def _annotate(self, docs: List[Doc]) -> Iterator[Doc]:
        try:
            self.set_annotations(docs, self.predict(docs))
        except Exception as error:
            if len(docs) > 1:
                for doc in docs:
                    yield from self._annotate([doc])
                return
            set_clusters(docs[0], [])
            self.get_error_handler()(self.name, self, docs, error)
        yield from docs

    def predict(self, docs: Iterable[Doc]) -> List[Links]:
        """Apply the model to Docs without changing them.

        docs (Iterable[Doc]): The documents.
        RETURNS (List[Links]): For each Doc its mentions and what they may continue.
        """
        return self.model.predict(list(docs))

    def set_annotations(self, docs: Iterable[Doc], links: Iterable[Links]) -> None:
        """Decode the model's answers and store the clusters.

        docs (Iterable[Doc]): The documents.
        links (Iterable[Links]): What `predict` returned for them.
        """
        for doc, doc_links in zip(docs, links, strict=True):
            set_clusters(doc, self.decode(doc, doc_links))
            if self.keeps_links:
                write_links(doc, doc_links)

    def decode(self, doc: Doc, links: Links) -> List[ClusterData]:
        """Turn a model's answer into clusters.

        doc (Doc): The document. Mentions of a group doc.spans["coref_seeds_1"], … are
            put together, those of a group doc.spans["coref_apart_1"], … kept apart.
        links (Links): The model's answer.
        RETURNS (List[ClusterData]): The clusters, in the order of first mentions.
        """
        return decode_doc(doc, links, self.rules, self.threshold)

    def explain(
        self,
        doc: Doc,
        mention: Union[Span, Tuple[int, int]],
        candidate: Optional[Union[Span, Tuple[int, int]]] = None,
    ) -> Explanation:
        """Tell why a mention is linked to another one, or is not; of many mentions
        `explain_all` tells faster.

        doc (Doc): The document.
        mention (Union[Span, Tuple[int, int]]): The mention, a span or token offsets.
        candidate (Optional[Union[Span, Tuple[int, int]]]): Another mention, to hear of
            this pair alone.
        RETURNS (Explanation): What the mention might continue, best first, with scores,
            verdicts and reasons; print it for a table.
        RAISES (ValueError): They are no mentions of the document.
        """
        return explain(self, doc, mention, candidate)

    def explain_all(
        self,
        doc: Doc,
        mentions: Optional[Iterable[Union[Span, Tuple[int, int]]]] = None,
    ) -> List[Explanation]:
        """Tell of many mentions why each is linked to another one, or is not.

        Model and rules run once, and not again for every mention.

        doc (Doc): The document.
        mentions (Optional[Iterable[Union[Span, Tuple[int, int]]]]): The mentions, spans
            or token offsets; None for all that the model finds, in clusters or not.
        RETURNS (List[Explanation]): What `explain` returns for each, in the same order.
        RAISES (ValueError): They are no mentions of the document.
        """
        return explain_all(self, doc, mentions)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from examples.

        examples (Iterable[Example]): A batch. Gold clusters are read from the
            reference's SpanGroups; if it has spans["coref_annotated"], only these
            mentions are labelled, and only they are learned from; those with the label
            "none" as spans that are no mentions. What it has in
            spans["coref_pronouns"] teaches a pronoun head which pronoun was there.
        drop (float): The dropout rate of the layers whose blocks have `dropout = null`.
            Layers with a rate of their own keep it.
        sgd (Optional[Optimizer]): The optimizer; without one, gradients add up.
        losses (Optional[Dict[str, float]]): The losses by component, changed in place.
        RETURNS (Dict[str, float]): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "FastCoref.update")
        golds = [align_gold(eg) for eg in examples]
        n_misaligned = sum(gold.n_misaligned for gold in golds)
        if n_misaligned and not self.n_misaligned:
            warnings.warn(
                Warnings.FCW03.format(n_mentions=n_misaligned, name=self.name),
                stacklevel=2,
            )
        self.n_misaligned += n_misaligned
        docs = [restrict(eg, gold) for eg, gold in zip(examples, golds, strict=True)]
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update(docs)
        loss, gradients = self._get_loss(golds, scores)
        backprop(gradients)
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        examples (Iterable[Example]): The batch.
        scores (Any): What model.begin_update returned for its Docs.
        RETURNS (Tuple[float, Any]): The loss, averaged over mentions, and the argument
            for the callback of begin_update.
        """
        return self._get_loss([align_gold(eg) for eg in examples], scores)

    def _get_loss(self, golds: Sequence[AlignedGold], scores: Any) -> Tuple[float, Any]:
        return self.model.get_loss(
            golds,
            scores,
            antecedent_weight=self.antecedent_weight,
            mention_weight=self.mention_weight,
            partial_mention_weight=self.partial_mention_weight,
            partial_weight=self.partial_weight,
        )

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
    ) -> None:
        """Initialize the model, which keeps weights unless training changed them.

        get_examples (Callable[[], Iterable[Example]]): Returns examples. A sample is
            passed to the model, which may infer dimensions from it.
        nlp (Optional[Language]): Not used.
        RAISES (ValueError): There are no weights, or they are broken.
        """
        sample = [eg.x for eg in itertools.islice(get_examples(), _N_SAMPLED)]
        self.model.initialize(X=sample)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component to a bytestring.

        exclude (Iterable[str]): Fields to leave out.
        RETURNS (bytes): Vocabulary, model and changed settings.
        """
        serialize = {
            "vocab": partial(self.vocab.to_bytes, exclude=exclude),
            "model": self.model.to_bytes,
            "cfg": lambda: self._changes.to_json(self),
        }
        return util.to_bytes(serialize, exclude)

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "FastCoref":
        """Load the component from a bytestring.

        bytes_data (bytes): What to_bytes returned.
        exclude (Iterable[str]): Fields to leave out.
        RETURNS (FastCoref): This object.
        """
        deserialize = {
            "vocab": partial(self.vocab.from_bytes, exclude=exclude),
            "model": self.model.from_bytes,
            "cfg": lambda text: self._changes.from_json(self, text),
        }
        util.from_bytes(bytes_data, deserialize, exclude)
        return self

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the component: safetensors and JSON, for the models of this package.

        path (Union[str, Path]): The component's folder.
        exclude (Iterable[str]): Fields to leave out.
        """
        serialize = {
            "vocab": partial(self.vocab.to_disk, exclude=exclude),
            "model": self.model.to_disk,
            "cfg": lambda p: p.write_text(self._changes.to_json(self), encoding="utf8"),
        }
        util.to_disk(path, serialize, exclude)

    def from_disk(
        self, path: Union[str, Path], *, exclude: Iterable[str] = ()
    ) -> "FastCoref":
        """Load the component, running no code from its folder.

        path (Union[str, Path]): The component's folder.
        exclude (Iterable[str]): Fields to leave out.
        RETURNS (FastCoref): This object.
        RAISES (ValueError): The model's folder is broken; the component is then as
            it was.
        """
        deserialize = {
            "vocab": partial(self.vocab.from_disk, exclude=exclude),
            "model": self.model.from_disk,
            "cfg": self._read_cfg,
        }
        util.from_disk(path, deserialize, exclude)
        return self

    def _read_cfg(self, path: Path) -> None:
        # Early versions saved none.
        if path.exists():
            self._changes.from_json(self, path.read_text(encoding="utf8"))
