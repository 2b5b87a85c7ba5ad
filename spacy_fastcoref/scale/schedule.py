"""Give blocks to workers, and write each exactly once, whatever happens to workers."""

from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional, Union

from ..errors import Errors
from .blocks import Blocks, Written, cut_rows, plan_blocks

# After this many workers have ended while they had one row alone, the row fails. It is
# more than one, because a worker may end for other reasons.
_MAX_LOST = 2


@dataclass
class Task:
    """Hold a block that a worker is to annotate.

    rows (Any): The rows, as a sequence or an Arrow table.
    n_lost (int): The number of workers that ended while they had these rows.
    error (Optional[str]): The error of its row; None to annotate the rows.
    """

    start: int
    stop: int
    rows: Any
    n_lost: int = 0
    error: Optional[str] = None


# What was written; an OSError if it could not be; or why the worker ended.
Outcome = Union[Written, Exception]


class Run:
    """Write the blocks of a dataset that no earlier run has written.

    progress (Callable[[int], None]): Function that is called with the number of rows
        of each block that is written, also of those of earlier runs.
    """

    def __init__(
        self,
        blocks: Blocks,
        pool: Any,
        *,
        join: Callable[[List[Any]], Any],
        digest: Callable[[Any], str],
        progress: Callable[[int], None] = lambda n_rows: None,
    ) -> None:
        self.blocks = blocks
        self.pool = pool
        self.join = join
        self.digest = digest
        self.progress = progress
        self.waiting: Deque[Task] = deque()
        self.n_rows = 0
        self.n_old = 0

    def write(self, batches: Iterable[Any], block_size: int) -> None:
        """Write the blocks."""
        tasks = self._read(batches, block_size)
        task = self._next(tasks)
        while task is not None or not self.pool.is_idle():
            if task is not None and self.pool.has_room():
                self.pool.submit(task)
                task = self._next(tasks)
                continue
            for ended, outcome in self.pool.wait():
                self._settle(ended, outcome)
            task = task or self._next(tasks)
        listed = max((entry["stop"] for entry in self.blocks.entries), default=0)
        if listed > self.n_rows:
            self._refuse(self.n_rows, listed)
        self.blocks.check()
        assert self.blocks.n_done == self.n_rows

    def _read(self, batches: Iterable[Any], block_size: int) -> Iterator[Task]:
        blocks = plan_blocks(self.blocks.entries, block_size)
        for block, parts in cut_rows(batches, blocks):
            rows = self.join(parts)
            self.n_rows = block.stop
            if block.entry is None:
                yield Task(block.start, block.stop, rows)
                continue
            if self.digest(rows) != block.entry["inputs"]:
                self._refuse(block.start, block.entry["stop"])
            self.n_old += len(rows)
            self.progress(len(rows))

    def _next(self, tasks: Iterator[Task]) -> Optional[Task]:
        return self.waiting.popleft() if self.waiting else next(tasks, None)

    def _refuse(self, start: int, stop: int) -> None:
        path = self.blocks.folder
        raise ValueError(Errors.FC244.format(path=path, start=start, stop=stop))

    def _settle(self, task: Task, outcome: Outcome) -> None:
        if isinstance(outcome, OSError):
            # Another run would have removed the folder that workers write to.
            self.blocks.journal.check_alone()
            with self.blocks.name_folder():
                raise outcome
        if isinstance(outcome, Exception):
            self._retry(task, outcome)
            return
        with self.blocks.name_folder():
            self.blocks.commit(task.start, task.stop, outcome, self.digest(task.rows))
        self.progress(task.stop - task.start)

    def _retry(self, task: Task, reason: Exception) -> None:
        """Halve a block, so that in the end a row that ends its worker is alone."""
        middle = (task.start + task.stop) // 2
        size = middle - task.start
        if size:
            self.waiting.append(Task(task.start, middle, task.rows[:size]))
            self.waiting.append(Task(middle, task.stop, task.rows[size:]))
            return
        task.n_lost += 1
        if task.n_lost >= _MAX_LOST:
            task.error = Errors.FC250.format(row=task.start, reason=reason)
        self.waiting.append(task)
