"""The coreference component: predict, annotate, train and serialize."""

import itertools
import math
import warnings
from dataclasses import asdict
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
import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..clusters.soft_labels import write_links
from ..clusters.store import set_clusters
from ..errors import Warnings, name_bytes_in_errors
from ..extensions import keep_resolved_text, set_extensions
from ..grammar.foreign import LanguageCheck
from ..streams import each_alone, show_progress
from ..types import Cluster, Links, RuleOutput
from .decide import decode_doc, decode_docs
from .explain import Explanation, explain
from .gold import align_gold, restrict
from .settings import (
    DEFAULTS,
    RUNTIME,
    Changes,
    Setting,
    Settings,
    check_model,
    check_settings,
)

_N_SAMPLED = 100
RulesFunction = Callable[[Doc, Links], Union[RuleOutput, np.ndarray]]


class FastCoref(TrainablePipe):
    """Resolve coreference in Docs.

    Every setting is an attribute that can be changed at any time. Changed settings are
    saved with the component. If the config overrides a setting when the pipeline is
    loaded, the config takes precedence; see settings.Changes.

    vocab (Vocab): The shared vocabulary.
    model (CorefModel): The model.
    name (str): The component's name.
    rules (Optional[RulesFunction]): A registered function of a Doc and its Links that
        checks the links against the grammar and returns a RuleOutput or an array of
        verdicts; None for no rules. If it has an attribute `costs`, the decoder uses
        these costs.
    max_tokens_in_batch (int): The maximum number of word pieces in a batch.
    threshold (float): The minimum log-odds of a link.
    singletons (bool): Whether mentions without a link become clusters of one mention,
        for models that predict entity types.
    device (str): "auto" for CUDA if it is available, "cpu", "cuda" or a numbered
        device such as "cuda:1".
    precision (str): The encoder's precision: "auto", "float32", "bfloat16" or
        "float16".
    runtime (str): What runs the encoder's layers: "torch", "onnx" for ONNX Runtime, of
        the extra `onnx`, or "auto" for the faster one that is installed.
    scheme (Optional[str]): The annotation scheme to follow, for models that were
        trained on several; `doc._.coref_scheme` takes precedence.
    segment_overlap (Optional[int]): The number of word pieces of context on each side
        of a segment of a long document; None for the model's default.
    antecedent_window (int): The number of preceding mentions among which antecedents
        are searched.
    antecedent_cache (int): The number of mentions from before the window that remain
        candidates.
    n_threads (Optional[int]): The number of threads that PyTorch uses on a CPU; None
        for PyTorch's default, or for one thread in a worker process.
    antecedent_weight (float): The weight of the antecedent loss in training; 0 to
        train the mention scorer alone.
    mention_weight (float): The weight of the mention loss in training.
    partial_mention_weight (float): The weight of the mention loss of partly labelled
        documents.
    partial_weight (float): The weight of each mention of a partly labelled document.
    type_weight (float): The weight of the loss of entity types in training.
    scorer (Optional[Callable]): The scoring function.
    enable_progress_bar (bool): Whether `pipe` shows a progress bar.
    RAISES (ValueError): A setting is not valid.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "fastcoref",
        *,
        rules: Optional[RulesFunction] = None,
        scorer: Optional[Callable] = None,
        **settings: Any,
    ) -> None:
        self.settings: Dict[str, Any] = asdict(Settings(**settings))
        check_settings(name, **self.settings)
        check_model(name, model)
        set_extensions(replaces=True)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.rules = rules
        # The number of gold mentions in updates that start or end inside a token.
        self.n_misaligned = 0
        # Whether to store the model's scores in Docs as soft labels, for distillation.
        self.keeps_links = False
        self._language = LanguageCheck()
        self.scorer = scorer
        self._changes = Changes(self)
        model.set_runtime(**{key: self.settings[key] for key in RUNTIME})

    def __call__(self, doc: Doc, *, resolve_text: bool = False) -> Doc:
        """Find the clusters of one Doc.

        doc (Doc): The document.
        resolve_text (bool): fastcoref's setting: whether to resolve the text now rather
            than each time that `doc._.resolved_text` is read.
        RETURNS (Doc): The same document.
        """
        return next(self._annotate([doc], resolve_text))

    def pipe(
        self,
        stream: Iterable[Doc],
        *,
        batch_size: int = 128,
        resolve_text: bool = False,
    ) -> Iterator[Doc]:
        """Find the clusters of a stream of Docs.

        If a document fails, the error handler gets this document alone. If the handler
        returns, the document is yielded without clusters, in its original position.

        stream (Iterable[Doc]): The documents.
        batch_size (int): The number of documents to buffer.
        resolve_text (bool): As in `__call__`.
        YIELDS (Doc): The same documents, in order.
        """
        stream = show_progress(stream, enabled=self.enable_progress_bar, desc=self.name)
        for docs in util.minibatch(stream, size=batch_size):
            yield from self._annotate(docs, resolve_text)

    def _annotate(self, docs: List[Doc], resolve_text: bool) -> Iterator[Doc]:
        for doc in docs:
            if self._language.notice(doc):
                warnings.warn(Warnings.FCW36.format(lang=doc.lang_), stacklevel=2)

        def resolve(docs: Sequence[Doc]) -> Sequence[Doc]:
            self.set_annotations(docs, self.predict(docs))
            if resolve_text:
                for doc in docs:
                    keep_resolved_text(doc)
            return docs

        for doc, answer in zip(docs, each_alone(docs, resolve), strict=True):
            if isinstance(answer, Exception):
                set_clusters(doc, [])
                self.get_error_handler()(self.name, self, [doc], answer)
            yield doc

    def predict(self, docs: Iterable[Doc]) -> List[Links]:
        """Apply the model to Docs without changing them.

        docs (Iterable[Doc]): The documents.
        RETURNS (List[Links]): The mentions of each Doc and their candidate antecedents.
        """
        return self.model.predict(list(docs))

    def set_annotations(self, docs: Iterable[Doc], links: Iterable[Links]) -> None:
        """Decode the model's predictions and store the clusters.

        docs (Iterable[Doc]): The documents.
        links (Iterable[Links]): The links returned by `predict`, one object a Doc.
        """
        docs, links = list(docs), list(links)
        found = decode_docs(
            docs, links, self.rules, self.threshold, singletons=self.singletons
        )
        for doc, doc_links, clusters in zip(docs, links, found, strict=True):
            set_clusters(doc, clusters)
            if self.keeps_links:
                write_links(doc, doc_links)

    def decode(self, doc: Doc, links: Links) -> List[Cluster]:
        """Convert the links of a Doc to clusters.

        doc (Doc): The document. All mentions of one group doc.spans["coref_seeds_1"], …
            are put into one cluster (must-links); no two mentions of one group
            doc.spans["coref_apart_1"], … are (cannot-links).
        links (Links): The model's predictions.
        RETURNS (List[Cluster]): The clusters, in the order of first mentions.
        """
        return decode_doc(
            doc, links, self.rules, self.threshold, singletons=self.singletons
        )

    def explain(
        self,
        doc: Doc,
        mention: Union[Span, Tuple[int, int]],
        candidate: Optional[Union[Span, Tuple[int, int]]] = None,
    ) -> Explanation:
        """Explain why a mention is linked to another mention, or is not.

        For many mentions of a Doc, `explain_all` is faster.

        doc (Doc): The document.
        mention (Union[Span, Tuple[int, int]]): The mention, a span or token offsets.
        candidate (Optional[Union[Span, Tuple[int, int]]]): Another mention, to explain
            this pair alone.
        RETURNS (Explanation): The candidate antecedents of the mention, best first,
            with scores, verdicts and reasons; print it for a table.
        RAISES (ValueError): An argument is not a span of the document, or both are the
            same span.
        """
        return explain(self, doc, [mention], candidate)[0]

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
        return explain(self, doc, mentions)

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
            SpanGroups of the reference Doc. If it has spans["coref_annotated"], the
            document is partly labelled, and only these spans contribute to the loss;
            spans with the label "none" are not mentions. The labels of
            spans["coref_pronouns"] are the gold labels of a pronoun head.
        drop (float): The dropout rate of the layers whose blocks have `dropout = null`.
            Layers with a rate of their own keep it.
        sgd (Optional[Optimizer]): The optimizer; None to accumulate gradients.
        losses (Optional[Dict[str, float]]): The losses by component, updated in place.
        RETURNS (Dict[str, float]): The losses. A batch whose loss is not finite is
            skipped, with a warning.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "FastCoref.update")
        golds = [align_gold(eg) for eg in examples]
        n_misaligned = sum(gold.n_misaligned for gold in golds)
        if n_misaligned and not self.n_misaligned:
            message = Warnings.FCW03.format(n_mentions=n_misaligned, name=self.name)
            warnings.warn(message, stacklevel=2)
        self.n_misaligned += n_misaligned
        docs = [restrict(eg, gold) for eg, gold in zip(examples, golds, strict=True)]
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update(docs)
        loss, gradients = self.model.get_loss(golds, scores, **self._weights)
        if math.isfinite(loss):
            backprop(gradients)
            losses[self.name] += loss
        else:
            # It would make the weights of other components NaN, and a meta.json can't
            # have such a loss.
            message = Warnings.FCW24.format(what="its loss", value=loss)
            warnings.warn(message, stacklevel=2)
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        examples (Iterable[Example]): The batch.
        scores (Any): The scores returned by model.begin_update.
        RETURNS (Tuple[float, Any]): The loss, averaged over mentions, and the gradients
            for the callback that begin_update returned.
        """
        golds = [align_gold(eg) for eg in examples]
        return self.model.get_loss(golds, scores, **self._weights)

    @property
    def _weights(self) -> Dict[str, float]:
        return {k: v for k, v in self.settings.items() if k.endswith("_weight")}

    def score(self, examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
        """Score a batch of examples, and tell the model the score.

        examples (Iterable[Example]): The examples, with predictions.
        **kwargs (Any): Passed to the scorer.
        RETURNS (Dict[str, Any]): The scores.
        """
        scores = super().score(examples, **kwargs)
        # A model may change the loss when the score stops rising.
        if scores.get("coref_f") is not None:
            self.model.observe_score(scores["coref_f"])
        return scores

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
    ) -> None:
        """Initialize the model; keep pretrained weights unless training changed them.

        get_examples (Callable[[], Iterable[Example]]): Function that returns examples.
            The model may infer dimensions from a sample of them.
        nlp (Optional[Language]): Not used.
        RAISES (ValueError): There are no weights, or they can't be read.
        """
        sample = [eg.x for eg in itertools.islice(get_examples(), _N_SAMPLED)]
        self.model.initialize(X=sample)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component to a bytestring.

        exclude (Iterable[str]): Fields to leave out.
        RETURNS (bytes): Vocabulary, model and changed settings.
        """
        write = partial(self._changes.to_json, self)
        return util.to_bytes(self._list_fields("to_bytes", write, exclude), exclude)

    def _list_fields(
        self, way: str, use_cfg: Callable, exclude: Iterable[str]
    ) -> Dict[str, Callable]:
        return {
            "vocab": partial(getattr(self.vocab, way), exclude=exclude),
            "model": getattr(self.model, way),
            "cfg": use_cfg,
        }

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "FastCoref":
        """Load the component from a bytestring.

        bytes_data (bytes): The bytes returned by to_bytes.
        exclude (Iterable[str]): Fields to leave out.
        RETURNS (FastCoref): This component.
        RAISES (ValueError): The bytes are broken.
        """
        read = partial(self._changes.from_json, self)
        deserialize = self._list_fields("from_bytes", read, exclude)
        with name_bytes_in_errors():
            fields = srsly.msgpack_loads(bytes_data)
            # A field whose name was changed would be passed over without a word.
            unknown = sorted(fields.keys() - deserialize.keys())
            if unknown:
                raise ValueError(f"there are unknown fields: {unknown}")
            util.from_dict(fields, deserialize, exclude)
        return self

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the component; models of this package write safetensors and JSON.

        path (Union[str, Path]): The component's folder.
        exclude (Iterable[str]): Fields to leave out.
        """

        def write(path: Path) -> None:
            path.write_text(self._changes.to_json(self), "utf8")

        util.to_disk(path, self._list_fields("to_disk", write, exclude), exclude)

    def from_disk(
        self, path: Union[str, Path], *, exclude: Iterable[str] = ()
    ) -> "FastCoref":
        """Load the component without running code from its folder.

        path (Union[str, Path]): The component's folder.
        exclude (Iterable[str]): Fields to leave out.
        RETURNS (FastCoref): This component.
        RAISES (ValueError): The model's folder can't be read; the component is then
            unchanged.
        """

        def read(path: Path) -> None:
            self._changes.from_json(self, path.read_text("utf8"))

        util.from_disk(path, self._list_fields("from_disk", read, exclude), exclude)
        return self


for _name in DEFAULTS:
    setattr(FastCoref, _name, Setting(_name))
