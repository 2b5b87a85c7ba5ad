"""Convert the state of a ranker's training to arrays for a snapshot, and back."""

import json
from typing import Any, Dict, Optional, Tuple

import numpy as np

_STATE, _BEST = "state", "best/"
Weights = Optional[Dict[str, np.ndarray]]


def pack_state(values: Dict[str, Any], best: Weights) -> Dict[str, Any]:
    """Convert a state to arrays.

    values (Dict[str, Any]): The state, serializable as JSON.
    best (Optional[Dict[str, numpy.ndarray]]): The best weights so far, if any.
    RETURNS (Dict[str, numpy.ndarray]): The arrays by name.
    """
    data = json.dumps(values).encode("utf8")
    arrays = {_STATE: np.frombuffer(data, dtype=np.uint8).copy()}
    return {**arrays, **{_BEST + name: one for name, one in (best or {}).items()}}


def unpack_state(arrays: Dict[str, Any]) -> Tuple[Dict[str, Any], Weights]:
    """Convert arrays to the state that they were made of.

    arrays (Dict[str, Any]): What pack_state returned, as arrays or as tensors.
    RETURNS (Tuple[Dict[str, Any], Optional[Dict[str, numpy.ndarray]]]): The state, and
        the best weights so far.
    """
    values = json.loads(np.asarray(arrays[_STATE]).tobytes())
    best = {
        name[len(_BEST) :]: np.asarray(one)
        for name, one in arrays.items()
        if name.startswith(_BEST)
    }
    return values, best or None
