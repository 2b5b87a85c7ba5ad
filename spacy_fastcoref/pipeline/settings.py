"""What the component's settings may be."""

import math
import re
from typing import Any, Callable, Dict, Optional, Tuple

from ..errors import Errors

_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_PRECISIONS = ("auto", "float32", "bfloat16", "float16")
MAX_THRESHOLD = 1e6
# fastcoref's architectures, and where its weights for them are; None for those that
# ship here.
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
    # Scores are float32: beside a larger number they are all the same.
    return _is_number(value) and abs(value) <= MAX_THRESHOLD


def _is_weight(value: Any) -> bool:
    return _is_number(value) and value >= 0


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
    "device": (_is_device, "'auto', 'cpu', 'cuda' or the like of 'cuda:1'"),
    "precision": (_PRECISIONS.__contains__, f"one of {', '.join(_PRECISIONS)}"),
}


def check_settings(component: str, **settings: Any) -> None:
    """Check the settings of a component.

    component (str): Its name, for messages.
    **settings (Any): Settings by name, of those in CHECKS.
    RAISES (ValueError): One is not valid; the error names it.
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
    """Find the weights that fastcoref's setting model_architecture means.

    architecture (Optional[str]): The architecture; None for whatever the weights are.
    RETURNS (Optional[str]): A name on the hub; None for the weights that ship.
    RAISES (ValueError): There is no such architecture.
    """
    if architecture is None:
        return None
    if architecture not in ARCHITECTURES:
        available = ", ".join(map(repr, ARCHITECTURES))
        raise ValueError(Errors.FC004.format(value=architecture, available=available))
    return ARCHITECTURES[architecture]
