"""Check the component's settings, and keep track of those that were changed."""

import json
import math
import re
import warnings
from typing import Any, Callable, Dict, Optional, Tuple

from thinc.api import Model

from ..errors import Errors, Warnings
from ..types import CorefModel

_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_PRECISIONS = ("auto", "float32", "bfloat16", "float16")
MAX_THRESHOLD = 1e6
# The architectures of the fastcoref package, and the hub names of its weights; None for
# the weights that ship with this package.
ARCHITECTURES = {"FCoref": None, "LingMessCoref": "biu-nlp/lingmess-coref"}


def _is_device(value: Any) -> bool:
    return isinstance(value, str) and _DEVICE.fullmatch(value) is not None


def _is_name(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_count_or_0(value: Any) -> bool:
    return _is_count(value) or (value == 0 and isinstance(value, int))


def _is_size_or_none(value: Any) -> bool:
    return value is None or _is_count_or_0(value)


def _is_count_or_none(value: Any) -> bool:
    return value is None or _is_count(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and abs(value) < math.inf


def _is_threshold(value: Any) -> bool:
    # Scores are float32: added to a larger number, different scores become equal.
    return _is_number(value) and abs(value) <= MAX_THRESHOLD


def _is_weight(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _are_conversions(value: Any) -> bool:
    # A word has neither spaces nor nothing at all.
    return isinstance(value, dict) and all(
        isinstance(word, str)
        and isinstance(kinds, (list, tuple))
        and bool(kinds)
        and all(isinstance(kind, str) and len(kind.split()) == 1 for kind in kinds)
        for word, kinds in value.items()
    )


CHECKS: Dict[str, Tuple[Callable[[Any], bool], str]] = {
    "max_tokens_in_batch": (_is_count, "a whole number above 0"),
    "scheme": (_is_name, "the name of an annotation scheme, or null"),
    "segment_overlap": (_is_size_or_none, "a whole number of 0 or more, or null"),
    "antecedent_window": (_is_count, "a whole number above 0"),
    "antecedent_cache": (_is_count_or_0, "a whole number of 0 or more"),
    "n_threads": (_is_count_or_none, "a whole number above 0, or null"),
    "threshold": (
        _is_threshold,
        "a number from -1e6 to 1e6: the log-odds that a link needs",
    ),
    "antecedent_weight": (_is_weight, "a number of 0 or more"),
    "mention_weight": (_is_weight, "a number of 0 or more"),
    "partial_mention_weight": (_is_weight, "a number of 0 or more"),
    "partial_weight": (_is_weight, "a number of 0 or more"),
    "type_weight": (_is_weight, "a number of 0 or more"),
    "singletons": (_is_flag, "true or false"),
    "device": (_is_device, "'auto', 'cpu', 'cuda' or a numbered one such as 'cuda:1'"),
    "enable_progress_bar": (_is_flag, "true or false"),
    "greedyness": (_is_share, "a number from 0 to 1"),
    "max_dist": (_is_count, "a whole number above 0"),
    "max_dist_match": (_is_count, "a whole number above 0"),
    "blacklist": (_is_flag, "true or false"),
    "conv_dict": (
        _are_conversions,
        'lists of words, such as {"Deepika": ["woman", "actress"]}',
    ),
    "precision": (_PRECISIONS.__contains__, f"one of {', '.join(_PRECISIONS)}"),
}
# The settings that are passed to the model; the component uses the others itself.
RUNTIME = (
    "max_tokens_in_batch",
    "device",
    "precision",
    "scheme",
    "segment_overlap",
    "antecedent_window",
    "antecedent_cache",
    "n_threads",
)
_RULES = "rules"


class Setting:
    """Make a setting an attribute of the component, and check values that it is set to.

    Settings listed in RUNTIME are passed to the model.
    """

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, component: Any, owner: Any = None) -> Any:
        return self if component is None else component.settings[self.name]

    def __set__(self, component: Any, value: Any) -> None:
        check_settings(component.name, **{self.name: value})
        component.settings[self.name] = value
        if self.name in RUNTIME:
            component.model.set_runtime(**{self.name: value})


class Changes:
    """Keep track of the settings that were changed after a component was made.

    The pipeline's config has the settings that a component was created with, and can be
    overridden when the pipeline is loaded. So the component saves only the settings
    that were changed afterwards, each with its value in the config. If the config of
    the loaded pipeline has another value, the user has overridden it, and the config
    takes precedence.

    component (FastCoref): The component, just created.
    """

    def __init__(self, component: Any) -> None:
        self.settings = dict(component.settings)
        self.rules = component.rules

    def find(self, component: Any) -> Dict[str, Dict[str, Any]]:
        """Find the settings that were changed.

        component (FastCoref): The component.
        RETURNS (Dict[str, Dict[str, Any]]): By name, and serializable as JSON: "config"
            is the value that the component was created with, "value" its present one.
        """
        found = {
            name: {"config": old, "value": component.settings[name]}
            for name, old in self.settings.items()
            if component.settings[name] != old
        }
        if component.rules is None and self.rules is not None:
            found[_RULES] = {"config": _name_type(self.rules), "value": None}
        elif component.rules is not self.rules:
            message = Warnings.FCW30.format(
                rules=_name_type(component.rules), component=component.name
            )
            warnings.warn(message, stacklevel=2)
        return found

    def to_json(self, component: Any) -> str:
        """Serialize the settings that were changed; see `find`.

        component (FastCoref): The component.
        RETURNS (str): JSON.
        """
        # Not srsly, which does not preserve every float exactly.
        return json.dumps(self.find(component))

    def from_json(self, component: Any, text: str) -> None:
        """Apply saved changes to a component's settings.

        component (FastCoref): The component, created from the config of the loaded
            pipeline.
        text (str): The JSON that `to_json` returned.
        RAISES (ValueError): A setting is not valid.
        """
        for name, change in json.loads(text).items():
            if name == _RULES:
                if _name_type(self.rules) == change["config"]:
                    component.rules = None
            elif self.settings.get(name) == change["config"]:
                setattr(component, name, change["value"])


def _name_type(rules: Any) -> str:
    """Get the qualified name of the rules' class, or of the function."""
    named = rules if hasattr(rules, "__qualname__") else type(rules)
    return f"{named.__module__}.{named.__qualname__}"


def check_model(component: str, model: Any) -> None:
    """Check that a model has all methods that the component calls.

    component (str): The component's name, for messages.
    model (Any): The model.
    RAISES (ValueError): The model lacks methods of types.CorefModel.
    """
    methods = [name for name in vars(CorefModel) if not name.startswith("_")]
    missing = [name for name in methods if getattr(model, name, None) is None]
    if not isinstance(model, Model):
        missing.append("the methods of thinc.api.Model")
    if missing:
        missing = ", ".join(missing)
        raise ValueError(Errors.FC120.format(component=component, missing=missing))


def check_settings(component: str, **settings: Any) -> None:
    """Check the settings of a component.

    component (str): The component's name, for messages.
    **settings (Any): The settings by name; each has an entry in CHECKS.
    RAISES (ValueError): A setting is not valid; the error names it.
    """
    for name, value in settings.items():
        is_valid, expected = CHECKS[name]
        if not is_valid(value):
            raise ValueError(
                Errors.FC001.format(
                    name=name, component=component, value=value, expected=expected
                )
            )


def find_weights(architecture: Optional[str]) -> Optional[str]:
    """Find the weights for fastcoref's setting model_architecture.

    architecture (Optional[str]): The architecture; None for that of the weights.
    RETURNS (Optional[str]): A hub name; None for the weights that ship with the
        package.
    RAISES (ValueError): There is no such architecture.
    """
    if architecture is None:
        return None
    if architecture not in ARCHITECTURES:
        available = ", ".join(map(repr, ARCHITECTURES))
        raise ValueError(Errors.FC004.format(value=architecture, available=available))
    return ARCHITECTURES[architecture]
