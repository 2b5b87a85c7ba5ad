"""Convert NeuralCoref's settings to the component's settings."""

import math
from typing import Any, Dict

from ..errors import Errors
from .settings import DEFAULTS, MAX_THRESHOLD

# For each setting without a counterpart: the reason, and what to use instead.
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


def convert_settings(settings: Dict[str, Any], given: Dict[str, Any]) -> Dict[str, Any]:
    """Convert NeuralCoref's settings to the component's settings.

    `greedyness` g becomes the threshold ln((1 - g) / g), so that a link needs a
    probability of at least 1 - g against no link. `max_dist` becomes
    `antecedent_window`.

    settings (Dict[str, Any]): The component's settings.
    given (Dict[str, Any]): NeuralCoref's settings that neither the model nor the rules
        take.
    RETURNS (Dict[str, Any]): The component's settings that NeuralCoref's replace.
    """
    converted = {}
    if "greedyness" in given:
        threshold = _find_threshold(given["greedyness"])
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


def _find_threshold(greedyness: float) -> float:
    if greedyness == 0.5:
        return 0.0
    if greedyness in (0, 1):
        return MAX_THRESHOLD if greedyness == 0 else -MAX_THRESHOLD
    return math.log((1 - greedyness) / greedyness)
