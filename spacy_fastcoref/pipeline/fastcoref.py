"""The component's factory: nlp.add_pipe("fastcoref")."""

import math
import traceback
import warnings
from dataclasses import asdict
from inspect import Parameter, Signature, signature
from typing import Any, Callable, Dict, List, Optional, get_type_hints

from spacy.language import Language
from thinc.api import Model

from .. import pretrained
from ..errors import Errors, Warnings
from ..factories import FACTORY, SHORT_FACTORY
from ..registry import registry
from .component import FastCoref, RulesFunction
from .settings import (
    DEFAULTS,
    MAX_THRESHOLD,
    NeuralCorefSettings,
    Settings,
    check_model,
    check_settings,
    find_weights,
)

_FACTORY: Dict[str, Any] = {
    "assigns": [
        "doc.spans",
        "doc._.coref_clusters",
        "doc._.coref_chains",
        "doc._.resolved_text",
        "span._.coref_cluster",
        "token._.coref_chains",
    ],
    "default_score_weights": {"coref_f": 1.0, "coref_p": None, "coref_r": None},
}
_DEFAULTS = {
    "rules": {"@coref_rules": "spacy_fastcoref.auto.v1"},
    **DEFAULTS,
    "scorer": {"@scorers": "spacy_fastcoref.coref_scorer.v1"},
    "model_architecture": None,
    "model_path": None,
    **asdict(NeuralCorefSettings()),
}

# NeuralCoref's settings without a counterpart: the reason, and what to use instead.
_WITHOUT_COUNTERPART = {
    "max_dist_match": (
        "mentions with the same words are linked at any distance, as long as they are "
        "in the cache of earlier mentions",
        "antecedent_cache, the number of mentions in the cache",
    ),
    "blacklist": (
        "pronouns of the first and second person are linked like all others",
        "blacklist=false, and spacy_fastcoref.set_clusters to leave mentions out",
    ),
    "conv_dict": (
        "the encoder splits rare words into word pieces, and there are no rules that "
        "could use the gender of other words",
        "rules with it, or spacy_fastcoref.Ranker.v1",
    ),
}


def make_fastcoref(
    nlp: Language,
    name: str,
    model: Model,
    rules: Optional[RulesFunction],
    scorer: Optional[Callable],
    model_architecture: Optional[str],
    model_path: Optional[str],
    **settings: Any,
) -> FastCoref:
    """Construct a coreference component.

    For all settings that are not listed here, see FastCoref.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model_architecture (Optional[str]): fastcoref's setting: "FCoref" or
        "LingMessCoref". The weights of LingMessCoref come from the hub if there is no
        `model_path`.
    model_path (Optional[str]): fastcoref's setting: a folder or hub name of a trained
        model, or a pipeline's folder; None for the weights that ship with the package.
    greedyness (Optional[float]): NeuralCoref's setting, used instead of `threshold`;
        a link needs a probability of 1 - greedyness against no link.
    max_dist (Optional[int]): NeuralCoref's setting, of the ranker; for other models
        another name for `antecedent_window`.
    max_dist_match (Optional[int]): NeuralCoref's setting, of the ranker. For other
        models, use `antecedent_cache`.
    blacklist (Optional[bool]): NeuralCoref's setting, of the ranker: whether pronouns
        of the first and second person are left out. For other models, only false is
        available.
    store_scores (Optional[bool]): NeuralCoref's setting, which is ignored, since scores
        are always stored.
    conv_dict (Optional[Dict[str, List[str]]]): NeuralCoref's setting: for rare words,
        words of their kind, {"Deepika": ["woman", "actress"]}. The rules read the
        gender and number of these words, and the ranker also their vectors.
    **settings (Any): The fields of Settings; `device` may be None for "auto", as in
        fastcoref.
    RETURNS (FastCoref): The component.
    RAISES (ValueError): A setting is not valid, no weights ship for the language, or
        `model_path`, `device` or the model's name are of nothing that there is.
    """
    if settings["device"] is None:
        settings["device"] = DEFAULTS["device"]
    check_model(name, model)
    asked = {key: settings.pop(key) for key in asdict(NeuralCorefSettings())}
    given = {key: value for key, value in asked.items() if value is not None}
    check_settings(name, **given)
    taken = model.take_settings(given)
    if given.get("conv_dict") and hasattr(rules, "convert_words"):
        rules = rules.convert_words(given["conv_dict"])
        taken = {*taken, "conv_dict"}
    left = {setting: given[setting] for setting in given.keys() - taken}
    converted = _convert_settings(settings, left)
    weights = find_weights(model_architecture)
    folder = model.choose_weights(
        nlp.lang, weights if model_path is None else model_path
    )
    if folder is not None:
        _add_meta(nlp.meta, pretrained.describe_weights(folder))
    component = FastCoref(
        nlp.vocab, model, name, rules=rules, scorer=scorer, **{**settings, **converted}
    )
    if not _is_loading():
        model.check_available()
    return component


def _convert_settings(
    settings: Dict[str, Any], given: Dict[str, Any]
) -> Dict[str, Any]:
    """Convert NeuralCoref's settings that neither the model nor the rules take."""
    converted = {}
    if "greedyness" in given:
        share = given["greedyness"]
        threshold = -MAX_THRESHOLD if share == 1 else MAX_THRESHOLD
        if 0 < share < 1:
            threshold = math.log((1 - share) / share)
        converted["threshold"] = ("greedyness", threshold)
    if "max_dist" in given:
        converted["antecedent_window"] = ("max_dist", given["max_dist"])
    # An empty conv_dict and blacklist=False ask for the component's own behaviour.
    refused = {
        name: why for name, why in _WITHOUT_COUNTERPART.items() if given.get(name)
    }
    for setting, (name, _) in converted.items():
        if settings[setting] != DEFAULTS[setting]:
            other = settings[setting]
            reason = f"it sets '{setting}', which is also given ({other!r})"
            refused[name] = reason, "one of the two"
    for name, (reason, advice) in refused.items():
        raise ValueError(
            Errors.FC123.format(
                name=name, value=given[name], reason=reason, advice=advice
            )
        )
    return {setting: value for setting, (_, value) in converted.items()}


def _add_meta(meta: Dict[str, Any], found: Dict[str, Any]) -> None:
    """Say in a pipeline's meta.json what weights that ship are, for `spacy package`."""
    for name in ("description", "license"):
        meta[name] = meta.get(name) or found[name]
    sources = meta.get("sources") or []
    new = [one for one in found["sources"] if one not in sources]
    meta["sources"] = [*sources, *new]
    meta["performance"] = {**found["performance"], **meta.get("performance", {})}


def _is_loading() -> bool:
    """Check whether spaCy makes a pipeline from a config.

    The weights of a saved pipeline come after it, whatever has become of the path that
    they once had, and `initialize` checks that of a new one.
    """
    code = Language.from_config.__func__.__code__  # type: ignore[attr-defined]
    return any(frame.f_code is code for frame, _ in traceback.walk_stack(None))


def _list_parameters() -> List[Parameter]:
    """List what the factory's config may have, for spaCy, which checks the types."""
    known = signature(make_fastcoref).parameters.values()
    hints = {**get_type_hints(Settings), **get_type_hints(NeuralCorefSettings)}
    hints["device"] = Optional[str]
    return [one for one in known if one.name != "settings"] + [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=hint)
        for name, hint in hints.items()
    ]


make_fastcoref.__signature__ = Signature(_list_parameters())  # type: ignore[attr-defined]


def register() -> None:
    """Register the factory under both of its names.

    The package fastcoref registers a factory with the shorter name, too. If both
    packages are installed, this is a warning, since spaCy loads all factories whenever
    a pipeline is created, and an error would stop every spaCy program.
    """
    names = [FACTORY, SHORT_FACTORY]
    known = registry.factories.get_all().get(SHORT_FACTORY, make_fastcoref)
    if known.__module__ != __name__:
        warnings.warn(Warnings.FCW06.format(module=known.__module__), stacklevel=2)
        names = [FACTORY]
    # Importing the classes of all languages would slow every spaCy program down.
    langs = pretrained.list_languages()
    own = [type(lang, (Language,), {"lang": lang}) for lang in langs]
    for language in (Language, *own):
        # The config includes the language of the weights, so that a component can be
        # sourced into a pipeline of another language, saved and loaded again.
        lang = language.lang
        model = {
            "@architectures": "spacy_fastcoref.Pretrained.v1",
            "name_or_path": None,
            "lang": lang and pretrained.get_folder(lang).name,
            "encoder": None,
        }
        config = {"model": model, **_DEFAULTS}
        for name in names:
            language.factory(
                name, default_config=config, func=make_fastcoref, **_FACTORY
            )


register()
