"""NeuralCoref's settings, in terms of the component's."""

import math
from typing import Any, Dict

from ..errors import Errors
from .settings import MAX_THRESHOLD, check_settings

# Settings without a counterpart: why, and what to use in their place.
_WITHOUT_COUNTERPART = {
    "max_dist_match": (
        "mentions with the same words are found again at any distance, if they are "
        "remembered",
        "antecedent_cache, the number of mentions to remember",
    ),
    "blacklist": (
        "pronouns of the first and second person are linked like all others",
        "blacklist=false, and spacy_fastcoref.set_clusters to leave mentions out",
    ),
    "conv_dict": (
        "the encoder splits rare words into pieces that it knows",
        "null",
    ),
}


def convert_settings(
    component: str, settings: Dict[str, Any], defaults: Dict[str, Any], **given: Any
) -> Dict[str, Any]:
    """Convert NeuralCoref's settings.

    `greedyness` g becomes the threshold ln((1 - g) / g): a link needs a probability of
    at least 1 - g, against that of no link. `max_dist` is `antecedent_window`.
    `store_scores` changes nothing, since scores are always stored.

    component (str): The component's name, for messages.
    settings (Dict[str, Any]): The component's settings.
    defaults (Dict[str, Any]): Their defaults.
    **given (Any): NeuralCoref's settings by name, None where they are not given.
    RETURNS (Dict[str, Any]): The settings that replace the component's.
    RAISES (ValueError): One is not valid, has no counterpart here, or its counterpart
        is given, too.
    """
    converted = {}
    if given["greedyness"] is not None:
        check_settings(component, greedyness=given["greedyness"])
        threshold = _find_threshold(given["greedyness"])
        converted["threshold"] = ("greedyness", threshold)
    if given["max_dist"] is not None:
        check_settings(component, max_dist=given["max_dist"])
        converted["antecedent_window"] = ("max_dist", given["max_dist"])
    for name, (reason, advice) in _WITHOUT_COUNTERPART.items():
        # An empty conv_dict and blacklist=False ask for what is done here.
        if given[name]:
            raise ValueError(
                Errors.FC123.format(
                    name=name, value=given[name], reason=reason, advice=advice
                )
            )
    for setting, (name, _) in converted.items():
        if settings[setting] != defaults[setting]:
            raise ValueError(
                Errors.FC124.format(
                    name=name,
                    value=given[name],
                    setting=setting,
                    other=settings[setting],
                )
            )
    return {setting: value for setting, (_, value) in converted.items()}


def _find_threshold(greedyness: float) -> float:
    if greedyness == 0.5:
        return 0.0
    if greedyness in (0, 1):
        return MAX_THRESHOLD if greedyness == 0 else -MAX_THRESHOLD
    return math.log((1 - greedyness) / greedyness)
