"""Read and validate the numeric settings of a model."""

from typing import Any, Dict, Tuple

import numpy as np
from torch import nn

from ...errors import Errors

# The longest mention, even where segments may have any length.
MAX_SPAN_LENGTH = 10_000

# For each setting: its type, its default, the least value, and what is expected.
_SIZES = {
    "top_lambda": ((int, float), None, np.nextafter(0, 1), "a number above 0"),
    "min_mentions": (int, 0, 0, "a whole number of 0 or more"),
    "max_span_length": (int, None, 1, "a whole number above 0"),
    "max_segment_len": (int, None, 3, "a whole number above 2"),
    "segment_overlap": (int, 0, 0, "a whole number of 0 or more"),
}


def read_sizes(config: Dict[str, Any], encoder: nn.Module, path: str) -> Dict[str, Any]:
    """Read the settings for the number and length of mentions, and for segments, whose
    `max_length` an encoder can limit.

    RAISES (ValueError): A setting is missing or not valid.
    """
    sizes = {}
    for key, (kind, default, least, expected) in _SIZES.items():
        sizes[key] = value = config.get(key, default)
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not is_number or not least <= value < np.inf:
            _refuse(path, key, value, expected)
    # Larger values would make the model run out of positions, or of memory.
    segment_len = sizes["max_segment_len"]
    limits = {
        "max_segment_len": getattr(encoder, "max_length", None) or segment_len,
        "max_span_length": min(segment_len, MAX_SPAN_LENGTH),
        "top_lambda": sizes["max_span_length"],
    }
    for key, most in limits.items():
        if sizes[key] > most:
            _refuse(path, key, sizes[key], f"{most} or less")
    return sizes


def read_calibrations(
    config: Dict[str, Any], path: str
) -> Dict[str, Tuple[float, float]]:
    """Read slope and bias of probabilities, by language or "default" for all others;
    see types.Links.compute_probs.

    RAISES (ValueError): They are not valid.
    """
    found = config.get("calibration", [1.0, 0.0])
    if not isinstance(found, dict):
        found = {"default": found}
    found = {"default": [1.0, 0.0], **found}
    for value in found.values():
        are_numbers = isinstance(value, (list, tuple)) and all(
            type(one) in (int, float) and abs(one) <= 100 for one in value
        )
        if not are_numbers or len(value) != 2 or value[0] < 0.01:
            expected = (
                "a slope from 0.01 to 100 and a bias, or such a pair for each language"
            )
            _refuse(path, "calibration", value, expected)
    return {name: (float(slope), float(bias)) for name, (slope, bias) in found.items()}


def _refuse(path: str, key: str, value: Any, expected: str) -> None:
    raise ValueError(
        Errors.FC015.format(path=path, key=key, value=value, expected=expected)
    )
