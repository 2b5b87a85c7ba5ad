"""Check the component's settings, and keep track of those that were changed."""

import json
import math
import re
import warnings
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import Any, Callable, Dict, Optional, Tuple

from ..errors import Errors, Warnings, check_known, check_setting
from ..types import CorefModel

_DEVICES = re.compile(r"auto|cpu|cuda(:\d+)?")
MAX_THRESHOLD = 1e6
# The architectures of the fastcoref package, and the hub names of its weights; None for
# the weights that ship with this package.
ARCHITECTURES = {"FCoref": None, "LingMessCoref": "biu-nlp/lingmess-coref"}


def _is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    is_number = isinstance(value, (int, float)) and abs(value) < math.inf
    return is_number and least <= value <= most


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_conversions(value: Any) -> bool:
    # A word has neither spaces nor nothing at all.
    return isinstance(value, dict) and all(
        isinstance(word, str)
        and isinstance(kinds, (list, tuple))
        and bool(kinds)
        and all(isinstance(kind, str) and len(kind.split()) == 1 for kind in kinds)
        for word, kinds in value.items()
    )


Check = Tuple[Callable[[Any], bool], str]
_COUNT: Check = (partial(_is_whole, least=1), "a whole number above 0")
_COUNT_OR_0: Check = (partial(_is_whole, least=0), "a whole number of 0 or more")
_WEIGHT: Check = (partial(_is_number, least=0), "a number of 0 or more")
_FLAG: Check = (lambda value: isinstance(value, bool), "true or false")
_SHARE: Check = (partial(_is_number, least=0, most=1), "a number from 0 to 1")
_CONVERSIONS: Check = (
    _are_conversions,
    'lists of words, such as {"Deepika": ["woman", "actress"]}',
)
_NAME: Check = (lambda value: isinstance(value, str), "a name")
# Scores are float32: added to a larger number, different scores become equal.
_THRESHOLD: Check = (
    partial(_is_number, least=-MAX_THRESHOLD, most=MAX_THRESHOLD),
    "a number from -1e6 to 1e6: the log-odds that a link needs",
)
_DEVICE: Check = (
    lambda value: isinstance(value, str) and _DEVICES.fullmatch(value) is not None,
    "'auto', 'cpu', 'cuda' or a numbered one such as 'cuda:1'",
)


def _one_of(*names: str) -> Check:
    return names.__contains__, f"one of {', '.join(names)}"


def _setting(default: Any, check: Check, *, runtime: bool = False) -> Any:
    # A setting of the runtime is passed to the model; the component uses the others.
    is_valid, expected = check
    if default is None:
        check = (lambda value: value is None or is_valid(value), f"{expected}, or null")
    return field(default=default, metadata={"check": check, "runtime": runtime})


_runtime = partial(_setting, runtime=True)


@dataclass
class Settings:
    """Hold the settings of a component, each with its default and its check.

    What each means, see FastCoref.
    """

    max_tokens_in_batch: int = _runtime(10000, _COUNT)
    threshold: float = _setting(0.0, _THRESHOLD)
    singletons: bool = _setting(False, _FLAG)
    device: str = _runtime("auto", _DEVICE)
    precision: str = _runtime("auto", _one_of("auto", "float32", "bfloat16", "float16"))
    runtime: str = _runtime("auto", _one_of("auto", "torch", "onnx"))
    scheme: Optional[str] = _runtime(None, _NAME)
    segment_overlap: Optional[int] = _runtime(None, _COUNT_OR_0)
    antecedent_window: int = _runtime(2048, _COUNT)
    antecedent_cache: int = _runtime(1024, _COUNT_OR_0)
    n_threads: Optional[int] = _runtime(None, _COUNT)
    antecedent_weight: float = _setting(1.0, _WEIGHT)
    mention_weight: float = _setting(0.3, _WEIGHT)
    partial_mention_weight: float = _setting(0.0, _WEIGHT)
    partial_weight: float = _setting(1.0, _WEIGHT)
    type_weight: float = _setting(0.3, _WEIGHT)
    enable_progress_bar: bool = _setting(False, _FLAG)


@dataclass
class NeuralCorefSettings:
    """Hold NeuralCoref's settings, each None unless it is given."""

    greedyness: Optional[float] = _setting(None, _SHARE)
    max_dist: Optional[int] = _setting(None, _COUNT)
    max_dist_match: Optional[int] = _setting(None, _COUNT)
    blacklist: Optional[bool] = _setting(None, _FLAG)
    store_scores: Optional[bool] = _setting(None, _FLAG)
    conv_dict: Optional[Dict[str, Any]] = _setting(None, _CONVERSIONS)


DEFAULTS: Dict[str, Any] = asdict(Settings())
RUNTIME = tuple(one.name for one in fields(Settings) if one.metadata["runtime"])
_CHECKS: Dict[str, Check] = {
    one.name: one.metadata["check"]
    for one in (*fields(Settings), *fields(NeuralCorefSettings))
}


class Setting:
    """Make a setting an attribute of the component, and check what it is set to."""

    def __init__(self, name: str) -> None:
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

    Only these are saved with it, each with its value in the config. If the config of
    the loaded pipeline has another value, the user has overridden the setting there.
    """

    def __init__(self, component: Any) -> None:
        self.settings = dict(component.settings)
        self.rules = component.rules

    def to_json(self, component: Any) -> str:
        """Write each changed setting with its value in the config and its new one."""
        found = {
            name: {"config": old, "value": component.settings[name]}
            for name, old in self.settings.items()
            if component.settings[name] != old
        }
        if component.rules is None and self.rules is not None:
            found["rules"] = {"config": _name_type(self.rules), "value": None}
        elif component.rules is not self.rules:
            name = _name_type(component.rules)
            message = Warnings.FCW30.format(rules=name, component=component.name)
            warnings.warn(message, stacklevel=2)
        # Not srsly, which does not preserve every float exactly.
        return json.dumps(found)

    def from_json(self, component: Any, text: str) -> None:
        """Apply the settings that `to_json` has written to a loaded component."""
        for name, change in json.loads(text).items():
            if name == "rules":
                if _name_type(self.rules) == change["config"]:
                    component.rules = None
            elif self.settings.get(name) == change["config"]:
                setattr(component, name, change["value"])


def _name_type(rules: Any) -> str:
    named = rules if hasattr(rules, "__qualname__") else type(rules)
    return f"{named.__module__}.{named.__qualname__}"


def check_model(component: str, model: Any) -> None:
    """Check that a model has all methods of types.CorefModel."""
    methods = [name for name in vars(CorefModel) if not name.startswith("_")]
    missing = [name for name in methods if getattr(model, name, None) is None]
    if missing:
        missing = ", ".join(missing)
        raise ValueError(Errors.FC120.format(component=component, missing=missing))


def check_settings(component: str, **settings: Any) -> None:
    """Check settings of a component, its own or NeuralCoref's, by their names."""
    for name, value in settings.items():
        is_valid, expected = _CHECKS[name]
        check_setting(f"{component}.{name}", value, is_valid(value), expected)


def find_weights(architecture: Optional[str]) -> Optional[str]:
    """Find the hub name for fastcoref's setting model_architecture; None for the
    weights that ship."""
    if architecture is None:
        return None
    check_known("model_architecture", architecture, ARCHITECTURES)
    return ARCHITECTURES[architecture]
