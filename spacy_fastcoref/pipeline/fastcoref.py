"""The component: nlp.add_pipe("fastcoref")."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Union

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Config, Model

from .. import pretrained
from ..decoding.greedy import decode_greedily
from ..decoding.links import Links
from ..errors import Errors
from ..progress import show_progress
from ..registry import registry  # noqa: F401 (configs need the registries)
from ..tokens.clusters import ClusterData, set_clusters
from .settings import check_architecture, check_settings

Rules = Callable[[Doc, Links], np.ndarray]

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_fastcoref.Pretrained.v1"
name_or_path = null
lang = null
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]


@Language.factory(
    "fastcoref",
    assigns=[
        "doc.spans",
        "doc._.coref_clusters",
        "doc._.coref_chains",
        "doc._.resolved_text",
        "span._.coref_cluster",
        "token._.coref_chains",
    ],
    default_config={
        "model": DEFAULT_MODEL,
        "rules": None,
        "max_tokens_in_batch": 10000,
        "threshold": 0.0,
        "device": "auto",
        "precision": "auto",
        "scorer": None,
        "model_architecture": None,
        "model_path": None,
        "enable_progress_bar": False,
    },
)
def make_fastcoref(
    nlp: Language,
    name: str,
    model: Model,
    rules: Optional[Rules],
    max_tokens_in_batch: int,
    threshold: float,
    device: Optional[str],
    precision: str,
    scorer: Optional[Callable],
    model_architecture: Optional[str],
    model_path: Optional[Union[str, Path]],
    enable_progress_bar: bool,
) -> "FastCoref":
    """Construct a coreference component.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model (Model): A model whose output is Links.
    rules (Optional[Rules]): A registered function of a Doc and its Links that
        returns a verdict on each link; 0 forbids it. None for no rules.
    max_tokens_in_batch (int): The most word pieces in a batch.
    threshold (float): The log-odds that a link needs at least.
    device (Optional[str]): "auto" or None for CUDA where there is one, "cpu",
        "cuda", "cuda:1".
    precision (str): "auto", "float32", "bfloat16" or "float16".
    scorer (Optional[Callable]): The scoring function.
    model_architecture (Optional[str]): Taken from fastcoref; "FCoref".
    model_path (Optional[Union[str, Path]]): A folder or hub name of a trained model,
        instead of the weights that ship.
    enable_progress_bar (bool): Whether `pipe` shows its progress.
    RAISES (ValueError): A setting is not valid, or no weights ship for the language.
    """
    device = "auto" if device is None else device
    check_architecture(model_architecture)
    choose_weights(model, name, nlp.lang, model_path)
    return FastCoref(
        nlp.vocab,
        model,
        name,
        rules=rules,
        max_tokens_in_batch=max_tokens_in_batch,
        threshold=threshold,
        device=device,
        precision=precision,
        scorer=scorer,
        enable_progress_bar=enable_progress_bar,
    )


def choose_weights(
    model: Model, name: str, lang: str, path: Optional[Union[str, Path]]
) -> None:
    """Tell a model that is loaded later which weights to load.

    model (Model): The model; only spacy_fastcoref.Pretrained.v1 has a choice.
    name (str): The component's name, for messages.
    lang (str): The pipeline's language.
    path (Optional[Union[str, Path]]): The setting model_path. Whether it is there is
        seen at first use: a saved pipeline does not need it again.
    RAISES (ValueError): No weights ship for the language, or the model has its own.
    """
    source = getattr(model.shims[0], "source", None) if model.shims else None
    if not hasattr(source, "name_or_path"):
        if path is not None:
            raise ValueError(Errors.FC003.format(component=name, path=str(path)))
        return
    if path is not None:
        source = replace(source, name_or_path=str(path))
    if source.name_or_path is None:
        # Weights of another language only answer if the config asks for them.
        source = replace(source, lang=source.lang or lang)
        languages = pretrained.list_languages()
        if source.lang not in languages:
            available = ", ".join(languages)
            raise ValueError(Errors.FC002.format(lang=source.lang, available=available))
    model.shims[0].source = source


class FastCoref(TrainablePipe):
    """Find who is who in a Doc.

    vocab (Vocab): The shared vocabulary.
    model (Model): A model whose output is Links.
    name (str): The component's name.
    rules (Optional[Rules]): The verdict on each link; None for no rules.
    max_tokens_in_batch (int): The most word pieces in a batch.
    threshold (float): The log-odds that a link needs at least.
    device (str): "auto", "cpu", "cuda", "cuda:1".
    precision (str): "auto", "float32", "bfloat16" or "float16".
    scorer (Optional[Callable]): The scoring function.
    enable_progress_bar (bool): Whether `pipe` shows its progress.
    RAISES (ValueError): A setting is not valid.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "fastcoref",
        *,
        rules: Optional[Rules] = None,
        max_tokens_in_batch: int = 10000,
        threshold: float = 0.0,
        device: str = "auto",
        precision: str = "auto",
        scorer: Optional[Callable] = None,
        enable_progress_bar: bool = False,
    ) -> None:
        runtime = {
            "max_tokens_in_batch": max_tokens_in_batch,
            "device": device,
            "precision": precision,
        }
        check_settings(name, threshold=threshold, **runtime)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.rules = rules
        self.threshold = threshold
        self.scorer = scorer
        self.enable_progress_bar = enable_progress_bar
        # The settings are in the pipeline's config, which can be overridden when it
        # is loaded; a copy of them saved here would win over that.
        self.cfg: Dict[str, Any] = {}
        for shim in model.shims:
            if hasattr(shim, "set_runtime"):
                shim.set_runtime(**runtime)

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

    def decode(self, doc: Doc, links: Links) -> List[ClusterData]:
        """Turn a model's answer into clusters.

        doc (Doc): The document.
        links (Links): The model's answer.
        RETURNS (List[ClusterData]): The clusters, in the order of first mentions.
        """
        verdicts = None if self.rules is None else self.rules(doc, links)
        return [
            ClusterData(
                cluster.mentions.tolist(),
                cluster.antecedents,
                cluster.scores,
                cluster.probs,
            )
            for cluster in decode_greedily(links, verdicts, self.threshold)
        ]

    def update(self, examples: Iterable[Example], **kwargs) -> Dict[str, float]:
        """Say that this version cannot be trained.

        RAISES (NotImplementedError): Always.
        """
        raise NotImplementedError(Errors.FC006.format(name=self.name))

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
    ) -> None:
        """Load the weights; those that are there stay.

        get_examples (Callable[[], Iterable[Example]]): Not used.
        nlp (Optional[Language]): Not used.
        RAISES (ValueError): There are no weights, or they are broken.
        """
        self.model.initialize()

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the component: the model as a folder of safetensors and JSON.

        path (Union[str, Path]): The component's folder.
        exclude (Iterable[str]): Fields to leave out.
        """
        serialize = {
            "vocab": partial(self.vocab.to_disk, exclude=exclude),
            "model": self.model.shims[0].to_disk,
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
            "model": self.model.shims[0].from_disk,
        }
        util.from_disk(path, deserialize, exclude)
        return self
