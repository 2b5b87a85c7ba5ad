"""The component: nlp.add_pipe("fastcoref")."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import (
    Any,
    Callable,
    Optional,
    Union,
)

from spacy.language import Language
from spacy.util import get_lang_class
from thinc.api import Config, Model

from .. import pretrained
from ..errors import Errors, Warnings
from ..factories import FACTORY, SHORT_FACTORY
from ..registry import registry
from .component import FastCoref, RulesFunction
from .settings import find_weights

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_fastcoref.Pretrained.v1"
name_or_path = null
lang = null
encoder = null
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]
_FACTORY = {
    "assigns": [
        "doc.spans",
        "doc._.coref_clusters",
        "doc._.coref_chains",
        "doc._.resolved_text",
        "span._.coref_cluster",
        "token._.coref_chains",
    ],
    "default_config": {
        "model": DEFAULT_MODEL,
        "rules": {"@coref_rules": "spacy_fastcoref.auto.v1"},
        "max_tokens_in_batch": 10000,
        "threshold": 0.0,
        "device": "auto",
        "precision": "auto",
        "scheme": None,
        "segment_overlap": None,
        "antecedent_window": 2048,
        "antecedent_cache": 1024,
        "n_threads": None,
        "antecedent_weight": 1.0,
        "mention_weight": 0.3,
        "partial_mention_weight": 0.0,
        "partial_weight": 1.0,
        "scorer": {"@scorers": "spacy_fastcoref.coref_scorer.v1"},
        "model_architecture": None,
        "model_path": None,
        "enable_progress_bar": False,
    },
    "default_score_weights": {"coref_f": 1.0, "coref_p": None, "coref_r": None},
}


def make_fastcoref(
    nlp: Language,
    name: str,
    model: Model,
    rules: Optional[RulesFunction],
    max_tokens_in_batch: int,
    threshold: float,
    device: Optional[str],
    precision: str,
    scheme: Optional[str],
    segment_overlap: Optional[int],
    antecedent_window: int,
    antecedent_cache: int,
    n_threads: Optional[int],
    antecedent_weight: float,
    mention_weight: float,
    partial_mention_weight: float,
    partial_weight: float,
    scorer: Optional[Callable],
    model_architecture: Optional[str],
    model_path: Optional[str],
    enable_progress_bar: bool,
) -> FastCoref:
    """Construct a coreference component.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model (Model): A model whose output is Links.
    rules (Optional[RulesFunction]): What grammar says of the links: a registered
        function of a Doc and its Links, by default that of the document's language.
        None for no rules.
    max_tokens_in_batch (int): The most word pieces in a batch.
    threshold (float): The log-odds that a link needs at least.
    device (Optional[str]): "auto" or None for CUDA where there is one, "cpu",
        "cuda", "cuda:1".
    precision (str): "auto", "float32", "bfloat16" or "float16".
    scheme (Optional[str]): The annotation scheme to follow, for models that know
        several; a document's own `doc._.coref_scheme` comes first.
    segment_overlap (Optional[int]): The word pieces of context that a segment of a
        long document has on each side; None for what the model was made for.
    antecedent_window (int): How many mentions back a mention may continue any.
    antecedent_cache (int): How many mentions from before that it may continue.
    n_threads (Optional[int]): How many threads torch uses on a CPU; None for its own
        choice, and for one in a worker process.
    antecedent_weight (float): In training, the weight of the loss of links; 0 to train
        the mention scorer alone.
    mention_weight (float): In training, the weight of the mention loss.
    partial_mention_weight (float): The same for documents that are labelled in part.
    partial_weight (float): What each of their mentions counts for the loss.
    scorer (Optional[Callable]): The scoring function.
    model_architecture (Optional[str]): Taken from fastcoref: "FCoref" or
        "LingMessCoref", whose weights are taken from the hub if there is no
        `model_path`. What a model is made of is in its weights.
    model_path (Optional[str]): A folder or hub name of a trained model,
        or a pipeline's folder, instead of the weights that ship.
    enable_progress_bar (bool): Whether `pipe` shows its progress.
    RAISES (ValueError): A setting is not valid, or no weights ship for the language.
    """
    device = "auto" if device is None else device
    weights = find_weights(model_architecture)
    choose_weights(model, name, nlp.lang, weights if model_path is None else model_path)
    return FastCoref(
        nlp.vocab,
        model,
        name,
        rules=rules,
        max_tokens_in_batch=max_tokens_in_batch,
        threshold=threshold,
        device=device,
        precision=precision,
        scheme=scheme,
        segment_overlap=segment_overlap,
        antecedent_window=antecedent_window,
        antecedent_cache=antecedent_cache,
        n_threads=n_threads,
        antecedent_weight=antecedent_weight,
        mention_weight=mention_weight,
        partial_mention_weight=partial_mention_weight,
        partial_weight=partial_weight,
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
    shim = model.shims[0] if model.shims else None
    source = getattr(shim, "source", None)
    if hasattr(source, "name_or_path"):
        if path is not None:
            shim.source = replace(source, name_or_path=str(path))
        choose_language(shim, lang)
    elif path is not None:
        raise ValueError(Errors.FC003.format(component=name, path=str(path)))
    for member in getattr(shim, "members", {}).values():
        choose_language(member, lang)


def choose_language(shim: Any, lang: str) -> None:
    """Tell what loads the weights that ship of which language.

    shim (Any): What holds a model's weights; those of another kind stay as they are.
    lang (str): The pipeline's language.
    RAISES (ValueError): No weights ship for the language.
    """
    if getattr(shim.source, "name_or_path", "") is None:
        # Weights of another language only answer if the config asks for them.
        shim.source = replace(shim.source, lang=shim.source.lang or lang)
        pretrained.find_folder(shim.source.lang)


def register() -> None:
    """Register the component by both of its names, the first of which is nobody else's.

    fastcoref, which many have beside this package, has a factory of the second name. To
    raise would stop every spaCy program in such an environment.
    """
    _register(FACTORY)
    known = registry.factories.get_all().get(SHORT_FACTORY, make_fastcoref)
    if known.__module__ != __name__:
        warnings.warn(Warnings.FCW06.format(module=known.__module__), stacklevel=2)
        return
    _register(SHORT_FACTORY)


def _register(name: str) -> None:
    Language.factory(name, func=make_fastcoref, **_FACTORY)
    # A config says whose weights there are, so that a component that is copied to a
    # pipeline of another language can be saved and loaded there.
    for lang in pretrained.list_languages():
        defaults = _FACTORY["default_config"]
        defaults = {**defaults, "model": {**DEFAULT_MODEL, "lang": lang}}
        factory = {**_FACTORY, "default_config": defaults}
        get_lang_class(lang).factory(name, func=make_fastcoref, **factory)


register()
