"""Write and read snapshots of a training run, to resume it."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Tuple

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from spacy import util
from spacy.language import Language
from thinc.api import Optimizer
from torch import Tensor

from ..errors import Errors
from ..files import replace_file
from .state import (
    get_random_state,
    get_training_state,
    list_trainable,
    set_random_state,
    set_training_state,
)

_STATE = "state"
_PIPE = "pipe/"
_EPOCHS = "epochs"


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

    path (pathlib.Path): The file to read.
    RAISES (ValueError): The file can't be read as a snapshot.
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
        """Write a snapshot, which replaces an earlier one as soon as it is complete.

        path (pathlib.Path): The file.
        nlp (Language): The pipeline in training.
        optimizer (Optimizer): The config's optimizer.
        progress (Progress): The run's progress.
        """
        state = {
            "config": _flatten_config(nlp),
            "progress": asdict(replace(progress, epochs=[])),
            "random": get_random_state(),
        }
        tensors = get_training_state(nlp, optimizer)
        for name, pipe in list_trainable(nlp):
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
        """Check that a config is the one with which the run was started.

        nlp (Language): The pipeline to be trained.
        RAISES (ValueError): The config of the pipeline is another one.
        """
        then, now = self.state["config"], _flatten_config(nlp)
        changed = [key for key in {**then, **now} if then.get(key) != now.get(key)]
        if changed:
            names = ", ".join(sorted(changed))
            raise ValueError(Errors.FC056.format(path=self.path, names=names))

    def restore(self, nlp: Language, optimizer: Optimizer) -> None:
        """Restore the weights and the optimizer.

        nlp (Language): The pipeline, initialized as at the start of the run.
        optimizer (Optimizer): The config's optimizer, before its first step.
        """
        for name, pipe in list_trainable(nlp):
            data = self.tensors.pop(_PIPE + name).numpy().tobytes()
            pipe.from_bytes(data, exclude=["vocab"])
        set_training_state(nlp, optimizer, self.tensors)
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
