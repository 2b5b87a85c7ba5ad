"""Check the component's settings, and keep track of those that were changed."""

import json
import math
import re
import warnings
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Callable, Dict, Optional, Tuple

from thinc.api import Model

from ..errors import Errors, Warnings
from ..types import CorefModel

_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_RUNTIMES = ("auto", "torch", "onnx")
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


def _setting(
    default: Any, is_valid: Callable[[Any], bool], expected: str, runtime: bool = False
) -> Any:
    # A setting of the runtime is passed to the model; the component uses the others.
    check = {"check": (is_valid, expected), "runtime": runtime}
    return field(default=default, metadata=check)


_COUNT = (_is_count, "a whole number above 0")
_WEIGHT = (_is_weight, "a number of 0 or more")
_FLAG = (_is_flag, "true or false")


@dataclass
class Settings:
    """Hold the settings of a component, each with its default and its check.

    What each means, see FastCoref.
    """

    max_tokens_in_batch: int = _setting(10000, *_COUNT, runtime=True)
    threshold: float = _setting(
        0.0, _is_threshold, "a number from -1e6 to 1e6: the log-odds that a link needs"
    )
    singletons: bool = _setting(False, *_FLAG)
    device: str = _setting(
        "auto",
        _is_device,
        "'auto', 'cpu', 'cuda' or a numbered one such as 'cuda:1'",
        runtime=True,
    )
    precision: str = _setting(
        "auto",
        _PRECISIONS.__contains__,
        f"one of {', '.join(_PRECISIONS)}",
        runtime=True,
    )
    runtime: str = _setting(
        "auto",
        _RUNTIMES.__contains__,
        f"one of {', '.join(_RUNTIMES)}",
        runtime=True,
    )
    scheme: Optional[str] = _setting(
        None, _is_name, "the name of an annotation scheme, or null", runtime=True
    )
    segment_overlap: Optional[int] = _setting(
        None, _is_size_or_none, "a whole number of 0 or more, or null", runtime=True
    )
    antecedent_window: int = _setting(2048, *_COUNT, runtime=True)
    antecedent_cache: int = _setting(
        1024, _is_count_or_0, "a whole number of 0 or more", runtime=True
    )
    n_threads: Optional[int] = _setting(
        None, _is_count_or_none, "a whole number above 0, or null", runtime=True
    )
    antecedent_weight: float = _setting(1.0, *_WEIGHT)
    mention_weight: float = _setting(0.3, *_WEIGHT)
    partial_mention_weight: float = _setting(0.0, *_WEIGHT)
    partial_weight: float = _setting(1.0, *_WEIGHT)
    type_weight: float = _setting(0.3, *_WEIGHT)
    enable_progress_bar: bool = _setting(False, *_FLAG)


DEFAULTS: Dict[str, Any] = asdict(Settings())
RUNTIME = tuple(one.name for one in fields(Settings) if one.metadata["runtime"])
_CHECKS: Dict[str, Tuple[Callable[[Any], bool], str]] = {
    **{one.name: one.metadata["check"] for one in fields(Settings)},
    # NeuralCoref's.
    "greedyness": (_is_share, "a number from 0 to 1"),
    "max_dist": _COUNT,
    "max_dist_match": _COUNT,
    "blacklist": _FLAG,
    "conv_dict": (
        _are_conversions,
        'lists of words, such as {"Deepika": ["woman", "actress"]}',
    ),
}
_RULES = "rules"


class Setting:
    """Make a setting an attribute of the component, and check values that it is set to.

    Settings of the runtime are passed to the model.

    name (str): The setting's name.
    """

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
    **settings (Any): The settings by name; the component's, or NeuralCoref's.
    RAISES (ValueError): A setting is not valid; the error names it.
    """
    for name, value in settings.items():
        is_valid, expected = _CHECKS[name]
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
