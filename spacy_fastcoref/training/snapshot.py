"""Write and read snapshots of a training run, to resume it."""

import json
import random
from collections import defaultdict
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from spacy import util
from spacy.language import Language
from thinc.api import Model, Optimizer, Shim, get_current_ops, to_numpy
from torch import Tensor

from ..errors import Errors
from ..files import replace_file
from ..types import CorefModel

_STATE = "state"
_PIPE = "pipe/"
_EPOCHS = "epochs"
_MOMENTS = ("mom1", "mom2", "averages")
_COUNTS = ("nr_update", "last_seen")


@dataclass
class Progress:
    """Hold the progress of a run.

    step (int): The number of finished steps.
    results (List[Tuple[float, int]]): The score and the step of every evaluation.
    losses (Dict[str, float]): The losses since the last evaluation, by component.
    words (int): The number of words of the examples so far.
    seconds (int): The duration of the training so far, in seconds.
    epochs (List[Dict[str, Any]]): The state of the random generators at the start of
        each epoch; see get_order_state.
    """

    step: int = 0
    results: List[Tuple[float, int]] = field(default_factory=list)
    losses: Dict[str, float] = field(default_factory=dict)
    words: int = 0
    seconds: int = 0
    epochs: List[Dict[str, Any]] = field(default_factory=list)

    @property
    def is_best(self) -> bool:
        """Whether no earlier evaluation has a better score than the last one."""
        return self.results[-1][0] == max(self.results)[0]

    @property
    def best_step(self) -> int:
        """The step of the best evaluation; the first step if several are equal."""
        return -max((score, -step) for score, step in self.results)[1]


class Snapshot:
    """Hold everything that the next steps of a run depend on, except the corpora.

    Loading a snapshot runs no code from the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with safe_open(path, framework="pt") as file:
                self.state: Dict[str, Any] = json.loads(file.metadata()[_STATE])
            self.tensors = safetensors.torch.load_file(path)
            progress = self.state["progress"]
            progress["results"] = [tuple(result) for result in progress["results"]]
            epochs = json.loads(self.tensors.pop(_EPOCHS).numpy().tobytes())
            self.progress = Progress(**{**progress, _EPOCHS: epochs})
        except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(Errors.FC055.format(path=path, reason=error)) from error

    @staticmethod
    def write(
        path: Path, nlp: Language, optimizer: Optimizer, progress: Progress
    ) -> None:
        """Write a snapshot, which replaces an earlier one as soon as it is complete."""
        state = {
            "config": _flatten_config(nlp),
            "progress": asdict(replace(progress, epochs=[])),
            "random": get_random_state(),
        }
        tensors = _get_training_state(nlp, optimizer)
        for name, pipe in _list_trainable(nlp):
            tensors[_PIPE + name] = _to_tensor(pipe.to_bytes(exclude=["vocab"]))
        # safetensors limits the size of the metadata.
        tensors[_EPOCHS] = _to_tensor(json.dumps(progress.epochs).encode("utf8"))
        with replace_file(path) as new:
            metadata = {_STATE: json.dumps(state, default=float)}
            # safetensors would make the file readable only by its owner.
            new.touch()
            mode = new.stat().st_mode
            safetensors.torch.save_file(tensors, new, metadata=metadata)
            new.chmod(mode)

    def check_config(self, nlp: Language) -> None:
        """Check that a config is the one with which the run was started."""
        then, now = self.state["config"], _flatten_config(nlp)
        changed = [key for key in {**then, **now} if then.get(key) != now.get(key)]
        if changed:
            names = ", ".join(sorted(changed))
            raise ValueError(Errors.FC056.format(path=self.path, names=names))

    def restore(self, nlp: Language, optimizer: Optimizer) -> None:
        """Restore the weights and the optimizer."""
        for name, pipe in _list_trainable(nlp):
            data = self.tensors.pop(_PIPE + name).numpy().tobytes()
            pipe.from_bytes(data, exclude=["vocab"])
        _set_training_state(nlp, optimizer, self.tensors)
        for _ in range(self.progress.step):
            optimizer.step_schedules()

    def restore_random(self) -> None:
        """Restore the random generators."""
        set_random_state(self.state["random"])


def _to_tensor(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def _flatten_config(nlp: Language) -> Dict[str, Any]:
    flat = util.dict_to_dot(nlp.config.interpolate())
    # The config of a snapshot was saved as JSON, which converts tuples to lists.
    return json.loads(json.dumps(flat, default=str))


def get_order_state() -> Dict[str, Any]:
    """Get the state of the random generators that spaCy uses to shuffle examples."""
    numpy_state = np.random.get_state(legacy=False)
    key = numpy_state["state"]["key"].tolist()
    return {
        "python": random.getstate(),
        "numpy": {**numpy_state, "state": {**numpy_state["state"], "key": key}},
    }


def set_order_state(state: Dict[str, Any]) -> None:
    """Restore the random generators that spaCy uses to shuffle examples."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(state["numpy"])


def get_random_state() -> Dict[str, Any]:
    """Get the state of all random generators.

    The state of CuPy's generator, which Thinc's dropout uses on a GPU, can't be read.
    Instead, the generator is seeded with a number that it has drawn, and a resumed run
    seeds it with the same number.
    """
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {
        **get_order_state(),
        "cupy": _reseed_cupy(),
        "torch": torch.get_rng_state().tolist(),
        "cuda": [state.tolist() for state in cuda],
    }


def set_random_state(state: Dict[str, Any]) -> None:
    """Restore the state of all random generators."""
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


def _get_training_state(nlp: Language, optimizer: Optimizer) -> Dict[str, Tensor]:
    """Get the optimizer's moments and averages of all weights.

    Their names do not contain Thinc's ids, since these are different in every process.
    """
    state = {
        f"own/{i}/{key}": torch.as_tensor(tensor)
        for i, (_, pipe) in enumerate(_list_trainable(nlp))
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


def _set_training_state(
    nlp: Language, optimizer: Optimizer, state: Dict[str, Tensor]
) -> None:
    """Restore the optimizer's moments and averages, before its first step."""
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
    pipes = _list_trainable(nlp)
    for i, tensors in own.items():
        _, pipe = pipes[i]
        pipe.model.set_training_state(tensors)


def _list_trainable(nlp: Language) -> List[Tuple[str, Any]]:
    """List the components that have a model, with their names."""
    return [
        (name, pipe)
        for name, pipe in nlp.pipeline
        if isinstance(getattr(pipe, "model", None), Model)
    ]


def _list_nodes(nlp: Language) -> List[Model]:
    return [node for _, pipe in _list_trainable(nlp) for node in pipe.model.walk()]


def _list_shims(nlp: Language) -> List[Shim]:
    return [shim for node in _list_nodes(nlp) for shim in node.shims]
