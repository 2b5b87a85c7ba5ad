"""What the component's settings may be."""

import math
import re
from typing import Any, Callable, Dict, Optional, Tuple

from ..errors import Errors

_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_PRECISIONS = ("auto", "float32", "bfloat16", "float16")
ARCHITECTURES = ("FCoref",)


def _is_device(value: Any) -> bool:
    return isinstance(value, str) and _DEVICE.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)


def _is_weight(value: Any) -> bool:
    return _is_number(value) and value >= 0


CHECKS: Dict[str, Tuple[Callable[[Any], bool], str]] = {
    "max_tokens_in_batch": (_is_count, "a whole number above 0"),
    "threshold": (_is_number, "a number: the log-odds that a link needs"),
    "mention_weight": (_is_weight, "a number of 0 or more"),
    "partial_mention_weight": (_is_weight, "a number of 0 or more"),
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


def check_architecture(value: Optional[str]) -> None:
    """Check fastcoref's setting model_architecture.

    value (Optional[str]): The architecture; None for whatever the weights are.
    RAISES (ValueError): There is no such architecture.
    """
    if value is not None and value not in ARCHITECTURES:
        available = ", ".join(map(repr, ARCHITECTURES))
        raise ValueError(Errors.FC004.format(value=value, available=available))
