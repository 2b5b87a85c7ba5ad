"""Let actors of Ray write blocks, and replace those that end."""

import contextlib
from typing import Any, Dict, Iterator, List, Tuple

from ..errors import Errors
from .blocks import Blocks
from .ray_source import describe
from .schedule import Outcome, Task
from .worker import Worker

# After this many actors in a row have ended before they had loaded the pipeline, raise
# an error.
_MAX_FAILED_STARTS = 5


class RayPool:
    """Give blocks to actors, one at a time, to know which of them ended an actor.

    data (bytes): The pipeline.
    settings (Dict[str, Any]): What each Worker has to know.
    resources (Dict[str, float]): What each actor gets, such as num_cpus.
    """

    def __init__(
        self,
        blocks: Blocks,
        data: bytes,
        settings: Dict[str, Any],
        n_actors: int,
        resources: Dict[str, float],
    ) -> None:
        import ray

        self.ray = ray
        self.blocks = blocks
        self.settings = settings
        # In the memory that the processes of a machine share, once for each machine.
        self.data = ray.put(data)
        options: Dict[str, Any] = {"scheduling_strategy": "SPREAD", **resources}
        self.make_actor = ray.remote(Worker).options(**options)
        self.n_actors = n_actors
        self.n_failed = 0
        self.starting: Dict[Any, Any] = {}
        self.free: List[Any] = []
        self.busy: Dict[Any, Tuple[Any, Task]] = {}

    @contextlib.contextmanager
    def open(self) -> Iterator["RayPool"]:
        """End the actors after a block."""
        try:
            yield self
        finally:
            busy = [actor for actor, _ in self.busy.values()]
            for actor in [*self.starting.values(), *self.free, *busy]:
                self.ray.kill(actor)

    def _start(self) -> None:
        actor = self.make_actor.remote(self.data, **self.settings)
        self.starting[actor.get_pid.remote()] = actor

    def has_room(self) -> bool:
        """Tell whether an actor is free."""
        # A run that has nothing to do never asks.
        while self.n_actors:
            self._start()
            self.n_actors -= 1
        return bool(self.free)

    def is_idle(self) -> bool:
        """Tell whether no actor has a task."""
        return not self.busy

    def submit(self, task: Task) -> None:
        """Give a task to a free actor."""
        actor = self.free.pop()
        name = self.blocks.name(task.start, task.stop)
        # Actors run in folders of their own.
        path = self.blocks.name_temporary(name).absolute()
        ref = actor.write.remote(task.rows, str(path), task.error)
        self.busy[ref] = actor, task

    def wait(self) -> List[Tuple[Task, Outcome]]:
        """Wait until an actor has started or ended a task."""
        ended: List[Tuple[Task, Outcome]] = []
        waiting = [*self.starting, *self.busy]
        ready, _ = self.ray.wait(waiting, num_returns=1, fetch_local=True)
        for ref in ready:
            if ref in self.starting:
                self._finish_start(ref, self.starting.pop(ref))
            else:
                actor, task = self.busy.pop(ref)
                ended.append((task, self._finish(ref, actor, task)))
        return ended

    def _finish_start(self, ref: Any, actor: Any) -> None:
        try:
            self.ray.get(ref)
            self.n_failed = 0
            self.free.append(actor)
        except self.ray.exceptions.RayError as error:
            self.ray.kill(actor)
            self.n_failed += 1
            is_certain = getattr(error, "actor_init_failed", False)
            if is_certain or self.n_failed >= _MAX_FAILED_STARTS:
                message = Errors.FC248.format(reason=describe(error))
                raise RuntimeError(message) from error
            self._start()

    def _finish(self, ref: Any, actor: Any, task: Task) -> Outcome:
        try:
            outcome = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            self.free.append(actor)
            message = Errors.FC245.format(
                start=task.start, stop=task.stop, reason=describe(error)
            )
            raise RuntimeError(message) from error
        except self.ray.exceptions.RayError as error:
            # The actor or its machine was killed, was out of memory, or can't be
            # reached and may still be writing: to a file that nobody will list.
            self.ray.kill(actor)
            self._start()
            return RuntimeError(describe(error))
        self.free.append(actor)
        return outcome
