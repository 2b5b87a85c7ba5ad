"""Write and read snapshots of a training run, to resume it."""

import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple, Union

import numpy as np
import srsly
import torch
from spacy import util
from spacy.language import Language
from thinc.api import Model, Optimizer, Shim, get_current_ops, to_numpy

from ..errors import Errors
from ..files import replace_file
from ..types import CorefModel

# What the optimizer keeps of each parameter.
_KEPT = ("mom1", "mom2", "averages", "nr_update", "last_seen")


@dataclass
class Progress:
    """Hold the progress of a run."""

    # The number of finished steps.
    step: int = 0
    # The score and the step of every evaluation.
    results: List[Tuple[float, int]] = field(default_factory=list)
    # The losses since the last evaluation.
    losses: Dict[str, float] = field(default_factory=dict)
    words: int = 0
    seconds: int = 0
    # The random state at the start of each epoch.
    epochs: List[Dict[str, Any]] = field(default_factory=list)


class Snapshot:
    """Hold everything that the next steps of a run depend on, except the corpora.

    Loading a snapshot runs no code from the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.state = srsly.read_msgpack(path)
            self.progress = Progress(**self.state["progress"])
            self.progress.results = [(f, step) for f, step in self.progress.results]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(Errors.FC081.format(path=path, reason=error)) from error

    @staticmethod
    def write(
        path: Path, nlp: Language, optimizer: Optimizer, progress: Progress
    ) -> None:
        """Write a snapshot, which replaces an earlier one as soon as it is complete."""
        pipes = _list_trainable(nlp)
        state = {
            "config": _flatten_config(nlp),
            "progress": asdict(progress),
            "random": get_random_state(),
            "pipes": {name: pipe.to_bytes(exclude=["vocab"]) for name, pipe in pipes},
            "own": {
                name: {
                    key: torch.as_tensor(tensor).numpy()
                    for key, tensor in pipe.model.get_training_state().items()
                }
                for name, pipe in pipes
                if isinstance(pipe.model, CorefModel)
            },
            "optimizer": _get_optimizer_state(nlp, optimizer),
        }
        with replace_file(path) as new:
            srsly.write_msgpack(new, state)

    def restore(self, nlp: Language, optimizer: Optimizer) -> None:
        """Restore the weights and the optimizer of a run with the same config."""
        then, now = self.state["config"], _flatten_config(nlp)
        changed = [key for key in {**then, **now} if then.get(key) != now.get(key)]
        if changed:
            reason = f"it has other settings: {', '.join(sorted(changed))}"
            raise ValueError(Errors.FC081.format(path=self.path, reason=reason))
        for name, pipe in _list_trainable(nlp):
            pipe.from_bytes(self.state["pipes"].pop(name), exclude=["vocab"])
            if name in self.state["own"]:
                own = self.state["own"][name].items()
                tensors = {key: torch.tensor(array) for key, array in own}
                pipe.model.set_training_state(tensors)
        _set_optimizer_state(nlp, optimizer, self.state["optimizer"])
        for _ in range(self.progress.step):
            optimizer.step_schedules()


def _flatten_config(nlp: Language) -> Dict[str, Any]:
    flat = util.dict_to_dot(nlp.config.interpolate())
    # As it is once it is read again, with lists for tuples.
    return json.loads(json.dumps(flat, default=str))


def get_random_state() -> Dict[str, Any]:
    """Get the state of all random generators."""
    # CuPy's state can't be read: its generator is seeded with a number that it drew.
    xp, seed = get_current_ops().xp, None
    if xp is not np:
        seed = int(xp.random.randint(2**31 - 1))
        xp.random.seed(seed)
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(legacy=False),
        "cupy": seed,
        "torch": torch.get_rng_state().numpy(),
        "cuda": [state.numpy() for state in cuda],
    }


def set_random_state(state: Dict[str, Any]) -> None:
    """Restore the state of all random generators."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(state["numpy"])
    torch.set_rng_state(torch.tensor(state["torch"]))
    if torch.cuda.is_available():
        # A run can be resumed on a machine with fewer GPUs.
        states = map(torch.tensor, state["cuda"][: torch.cuda.device_count()])
        torch.cuda.set_rng_state_all([*states])
    xp = get_current_ops().xp
    if xp is not np and state["cupy"] is not None:
        xp.random.seed(state["cupy"])


def _get_optimizer_state(nlp: Language, optimizer: Optimizer) -> Dict[str, List]:
    """List the optimizer's moments and averages of all weights."""
    owners = {owner.id: (i, owner) for i, owner in enumerate(_list_owners(nlp))}
    state: Dict[str, List] = {kind: [] for kind in _KEPT}
    for kind, rows in state.items():
        for (id, name), value in (getattr(optimizer, kind) or {}).items():
            number, owner = owners.get(id, (0, None))
            is_shim = isinstance(owner, Shim)
            # All others are averages of a CorefModel, which saves them itself.
            if owner is not None and (is_shim or name in owner.param_names):
                value = value if isinstance(value, int) else to_numpy(value)
                rows.append([number, name, value])
    return state


def _set_optimizer_state(
    nlp: Language, optimizer: Optimizer, state: Dict[str, List]
) -> None:
    owners, ops = _list_owners(nlp), get_current_ops()
    for kind, rows in state.items():
        for number, name, value in rows:
            # An array from a file can't be written to.
            value = value if isinstance(value, int) else ops.xp.array(value)
            getattr(optimizer, kind)[owners[number].id, name] = value


def _list_trainable(nlp: Language) -> List[Tuple[str, Any]]:
    return [
        (name, pipe)
        for name, pipe in nlp.pipeline
        if isinstance(getattr(pipe, "model", None), Model)
    ]


def _list_owners(nlp: Language) -> List[Union[Model, Shim]]:
    return [
        owner
        for _, pipe in _list_trainable(nlp)
        for node in pipe.model.walk()
        for owner in (node, *node.shims)
    ]
