"""Let actors of Ray write blocks, and replace those that end."""

import contextlib
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from ..errors import Errors
from .blocks import Blocks
from .ray_source import describe
from .schedule import Lost, Outcome, Task
from .worker import Settings, Worker

# After an actor has ended this many times in a row before it had loaded the pipeline,
# raise an error.
_MAX_FAILED_STARTS = 5


class Resources(NamedTuple):
    """Hold what is asked for.

    n_actors (int): The number of actors.
    num_cpus, num_gpus (float): What each gets.
    """

    n_actors: int
    num_cpus: float
    num_gpus: float


@dataclass
class Slot:
    """Hold the place of one actor.

    actor (Any): The actor.
    n_failed (int): The number of actors that have ended here in a row.
    """

    actor: Any
    n_failed: int = 0


class RayPool:
    """Give blocks to actors, one at a time, to know which of them ended an actor."""

    def __init__(
        self, blocks: Blocks, data: bytes, settings: Settings, resources: Resources
    ) -> None:
        import ray

        self.ray = ray
        self.blocks = blocks
        self.settings = settings
        # In the memory that the processes of a machine share, once for each machine.
        self.data = ray.put(data)
        self.make_actor = ray.remote(Worker).options(
            num_cpus=resources.num_cpus,
            num_gpus=resources.num_gpus,
            scheduling_strategy="SPREAD",
        )
        self.n_actors = resources.n_actors
        self.starting: Dict[Any, Slot] = {}
        self.free: List[Slot] = []
        self.busy: Dict[Any, Tuple[Slot, Task]] = {}

    @contextlib.contextmanager
    def open(self) -> Iterator["RayPool"]:
        """End the actors after a block."""
        try:
            yield self
        finally:
            busy = [slot for slot, _ in self.busy.values()]
            for slot in [*self.starting.values(), *self.free, *busy]:
                self.ray.kill(slot.actor)

    def _start(self, slot: Slot) -> None:
        slot.actor = self.make_actor.remote(self.data, self.settings)
        self.starting[slot.actor.get_pid.remote()] = slot

    def has_room(self) -> bool:
        """Tell whether an actor is free."""
        # A run that has nothing to do never asks.
        while self.n_actors:
            self._start(Slot(None))
            self.n_actors -= 1
        return bool(self.free)

    def is_idle(self) -> bool:
        """Tell whether no actor has a task."""
        return not self.busy

    def submit(self, task: Task) -> None:
        """Give a task to a free actor."""
        slot = self.free.pop()
        # Actors run in folders of their own.
        path = self.blocks.name_temporary(
            self.blocks.name(task.start, task.stop)
        ).absolute()
        ref = slot.actor.write.remote(task.rows, str(path), task.error)
        self.busy[ref] = slot, task

    def wait(self) -> List[Tuple[Task, Outcome]]:
        """Wait until an actor has started or ended a task."""
        ended: List[Tuple[Task, Outcome]] = []
        waiting = [*self.starting, *self.busy]
        ready, _ = self.ray.wait(waiting, num_returns=1, fetch_local=True)
        for ref in ready:
            if ref in self.starting:
                self._finish_start(ref, self.starting.pop(ref))
            else:
                slot, task = self.busy.pop(ref)
                ended.append((task, self._finish(ref, slot, task)))
        return ended

    def _finish_start(self, ref: Any, slot: Slot) -> None:
        try:
            self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            slot.n_failed += 1
            is_certain = getattr(error, "actor_init_failed", False)
            if is_certain or slot.n_failed >= _MAX_FAILED_STARTS:
                self.free.append(slot)
                message = Errors.FC248.format(reason=describe(error))
                raise RuntimeError(message) from error
            self._restart(slot)
        else:
            self.free.append(slot)

    def _finish(self, ref: Any, slot: Slot, task: Task) -> Outcome:
        try:
            outcome = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            self.free.append(slot)
            message = Errors.FC245.format(
                start=task.start, stop=task.stop, reason=describe(error)
            )
            raise RuntimeError(message) from error
        except self.ray.exceptions.RayError as error:
            # The actor or its machine was killed, was out of memory, or can't be
            # reached and may still be writing: to a file that nobody will list.
            self._restart(slot)
            return Lost(describe(error))
        slot.n_failed = 0
        self.free.append(slot)
        return outcome

    def _restart(self, slot: Slot) -> None:
        self.ray.kill(slot.actor)
        self._start(slot)
