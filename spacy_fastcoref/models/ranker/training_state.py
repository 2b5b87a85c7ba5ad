"""Convert the state of a ranker's training to tensors of a snapshot, and back."""

import json
from typing import Any, Dict, Optional, Tuple

import numpy as np

_STATE, _BEST = "state", "best/"
Weights = Optional[Dict[str, np.ndarray]]


def pack_state(values: Dict[str, Any], best: Weights) -> Dict[str, Any]:
    """Convert a state to tensors.

    values (Dict[str, Any]): The state, serializable as JSON.
    best (Optional[Dict[str, numpy.ndarray]]): The best weights so far, if any.
    RETURNS (Dict[str, Tensor]): PyTorch tensors by name.
    """
    # Only training needs torch.
    import torch

    data = bytearray(json.dumps(values).encode("utf8"))
    tensors = {_STATE: torch.frombuffer(data, dtype=torch.uint8)}
    for name, weight in (best or {}).items():
        tensors[_BEST + name] = torch.from_numpy(weight)
    return tensors


def unpack_state(tensors: Dict[str, Any]) -> Tuple[Dict[str, Any], Weights]:
    """Convert tensors to the state that they were made of.

    tensors (Dict[str, Tensor]): What pack_state returned.
    RETURNS (Tuple[Dict[str, Any], Optional[Dict[str, numpy.ndarray]]]): The state, and
        the best weights so far.
    """
    values = json.loads(tensors[_STATE].numpy().tobytes())
    best = {
        name[len(_BEST) :]: tensor.numpy()
        for name, tensor in tensors.items()
        if name.startswith(_BEST)
    }
    return values, best or None
