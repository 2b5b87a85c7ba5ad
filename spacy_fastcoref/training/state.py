"""Save and restore the random generators and the optimizer of a training run."""

import random
from collections import defaultdict
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, Shim, get_current_ops, to_numpy
from torch import Tensor

from ..types import CorefModel

_MOMENTS = ("mom1", "mom2", "averages")
_COUNTS = ("nr_update", "last_seen")


def get_order_state() -> Dict[str, Any]:
    """Get the state of the random generators that spaCy uses to shuffle examples.

    RETURNS (Dict[str, Any]): The state, serializable as JSON.
    """
    numpy_state = np.random.get_state(legacy=False)
    key = numpy_state["state"]["key"].tolist()
    return {
        "python": random.getstate(),
        "numpy": {**numpy_state, "state": {**numpy_state["state"], "key": key}},
    }


def set_order_state(state: Dict[str, Any]) -> None:
    """Restore the random generators that spaCy uses to shuffle examples.

    state (Dict[str, Any]): The state returned by get_order_state.
    """
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(state["numpy"])


def get_random_state() -> Dict[str, Any]:
    """Get the state of all random generators.

    The state of CuPy's generator, which Thinc's dropout uses on a GPU, can't be read.
    Instead, the generator is seeded with a number that it has drawn, and a resumed run
    seeds it with the same number.

    RETURNS (Dict[str, Any]): The state, serializable as JSON.
    """
    return {
        **get_order_state(),
        "cupy": _reseed_cupy(),
        "torch": torch.get_rng_state().tolist(),
        "cuda": [state.tolist() for state in _get_cuda_states()],
    }


def set_random_state(state: Dict[str, Any]) -> None:
    """Restore the state of all random generators.

    state (Dict[str, Any]): The state returned by get_random_state.
    """
    set_order_state(state)
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    if torch.cuda.is_available():
        # A run can be resumed on a machine with fewer GPUs.
        states = state["cuda"][: torch.cuda.device_count()]
        states = [torch.tensor(s, dtype=torch.uint8) for s in states]
        torch.cuda.set_rng_state_all(states)
    xp = get_current_ops().xp
    if xp is not np and state.get("cupy") is not None:
        xp.random.seed(state["cupy"])


def _reseed_cupy() -> Optional[int]:
    xp = get_current_ops().xp
    if xp is np:
        return None
    seed = int(xp.random.randint(2**31 - 1))
    xp.random.seed(seed)
    return seed


def _get_cuda_states() -> List[Tensor]:
    return torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []


def get_training_state(nlp: Language, optimizer: Optimizer) -> Dict[str, Tensor]:
    """Get the optimizer's moments and averages of all weights.

    nlp (Language): The pipeline in training.
    optimizer (Optimizer): The config's optimizer.
    RETURNS (Dict[str, Tensor]): Tensors on the CPU, by names that do not contain
        Thinc's ids, since these are different in every process.
    """
    state = {
        f"own/{i}/{key}": torch.as_tensor(tensor)
        for i, (_, pipe) in enumerate(list_trainable(nlp))
        if isinstance(pipe.model, CorefModel)
        for key, tensor in pipe.model.get_training_state().items()
    }
    nodes = {
        (node.id, parameter): f"node{i}"
        for i, node in enumerate(_list_nodes(nlp))
        for parameter in node.param_names
    }
    shims = {shim.id: f"shim{i}" for i, shim in enumerate(_list_shims(nlp))}
    for kind in (*_MOMENTS, *_COUNTS):
        for key, value in (getattr(optimizer, kind) or {}).items():
            owner = nodes.get(key, shims.get(key[0]))
            # Without an owner, these are averages of a CorefModel, which saves them
            # itself.
            if owner is not None:
                value = value if kind in _COUNTS else to_numpy(value)
                state[f"{kind}/{owner}/{key[1]}"] = torch.tensor(value)
    return state


def set_training_state(
    nlp: Language, optimizer: Optimizer, state: Dict[str, Tensor]
) -> None:
    """Restore the optimizer's moments and averages of all weights.

    nlp (Language): The pipeline, with the weights of the snapshot.
    optimizer (Optimizer): The config's optimizer, before its first step.
    state (Dict[str, Tensor]): The state returned by get_training_state.
    """
    shims = _list_shims(nlp)
    own: Dict[int, Dict[str, Tensor]] = defaultdict(dict)
    ids = {f"node{i}": node.id for i, node in enumerate(_list_nodes(nlp))}
    ids.update((f"shim{i}", shim.id) for i, shim in enumerate(shims))
    asarray = get_current_ops().asarray
    for name, tensor in state.items():
        kind, owner, parameter = name.split("/", 2)
        if kind == "own":
            own[int(owner)][parameter] = tensor
            continue
        value = tensor.item() if kind in _COUNTS else asarray(tensor.numpy())
        getattr(optimizer, kind)[ids[owner], parameter] = value
    pipes = list_trainable(nlp)
    for i, tensors in own.items():
        _, pipe = pipes[i]
        pipe.model.set_training_state(tensors)


def list_trainable(nlp: Language) -> List[Tuple[str, Any]]:
    """List the components that have a model.

    nlp (Language): The pipeline.
    RETURNS (List[Tuple[str, Any]]): The components with their names.
    """
    return [
        (name, pipe)
        for name, pipe in nlp.pipeline
        if isinstance(getattr(pipe, "model", None), Model)
    ]


def _list_nodes(nlp: Language) -> List[Model]:
    return [node for _, pipe in list_trainable(nlp) for node in pipe.model.walk()]


def _list_shims(nlp: Language) -> List[Shim]:
    return [shim for node in _list_nodes(nlp) for shim in node.shims]
