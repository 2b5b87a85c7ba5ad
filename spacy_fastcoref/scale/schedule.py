"""Give blocks to workers, and write each exactly once, whatever happens to workers."""

import sys
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple, Union

from ..errors import Errors
from ..journal import Manifest, Row

# After this many workers have ended while they had one row alone, the row fails. It is
# more than one, because a worker may end for other reasons.
_MAX_LOST = 2


class Blocks(Manifest):
    """Hold a folder with a file for each block, and the list of whole ones."""

    parts = "rows"

    def __init__(self, folder: Path, settings: Row, ending: str) -> None:
        super().__init__(folder, settings, "rows-")
        self.ending = ending

    @property
    def entries(self) -> List[Row]:
        """What is noted about the blocks, in the order of the rows."""
        return sorted(self.files.values(), key=lambda row: row["start"])

    def describe(self, error: OSError) -> str:
        """Describe why the folder can't be written to."""
        if isinstance(error, FileNotFoundError):
            return Errors.FC247.format(path=self.folder, reason=error)
        return super().describe(error)

    def check(self) -> None:
        """Check that each row is in one block."""
        super().check()
        position = 0
        for entry in self.entries:
            if entry["start"] < position:
                raise ValueError(f"row {entry['start']} is in two blocks")
            position = entry["stop"]
            entry["inputs"], entry["n_errors"]

    @property
    def n_done(self) -> int:
        """The number of rows that are written."""
        return self.count("stop") - self.count("start")


@dataclass
class Block:
    """Hold the rows of one file, and what an earlier run has noted about them."""

    start: int
    stop: int
    entry: Optional[Row] = None


def plan_blocks(entries: Iterable[Row], size: int) -> Iterator[Block]:
    """Plan the blocks of a dataset whose end is not known.

    The rows of each entry make a block. Another one ends at a multiple of the size, or
    where an entry starts.
    """
    position = 0
    for entry in [*entries, None]:
        end = sys.maxsize if entry is None else entry["start"]
        while position < end:
            stop = min(position + size - position % size, end)
            yield Block(position, stop)
            position = stop
        if entry is not None:
            position = entry["stop"]
            yield Block(end, position, entry)


def cut_rows(
    batches: Iterable[Any], blocks: Iterable[Block]
) -> Iterator[Tuple[Block, List[Any]]]:
    """Cut batches of rows into blocks, each with slices of batches that have its rows.

    The last block stops after the last row.
    """
    batches = iter(batches)
    batch = next(batches, None)
    for block in blocks:
        parts: List[Any] = []
        n_left = block.stop - block.start
        while n_left and batch is not None:
            parts.append(batch[:n_left])
            n_left -= len(parts[-1])
            batch = batch[len(parts[-1]) :]
            if not len(batch):
                batch = next(batches, None)
        if parts:
            yield replace(block, stop=block.stop - n_left), parts
        if batch is None:
            return


@dataclass
class Task:
    """Hold a block that a worker is to annotate.

    rows (Any): The rows, as a sequence or an Arrow table.
    n_lost (int): The number of workers that ended while they had these rows.
    error (Optional[str]): The error of its row; None to annotate the rows.
    """

    start: int
    rows: Any
    n_lost: int = 0
    error: Optional[str] = None
    path: Path = Path()


# What write_table says; an OSError if it could not be written; or why the worker ended.
Outcome = Union[Row, Exception]


@dataclass
class Run:
    """Write the blocks of a dataset that no earlier run has written.

    progress (Callable[[int], None]): Function that is called with the number of rows
        of each block that is written, also of those of earlier runs.
    """

    blocks: Blocks
    pool: Any
    join: Callable[[List[Any]], Any]
    digest: Callable[[Any], str]
    progress: Callable[[int], None] = lambda n_rows: None
    waiting: "deque[Task]" = field(default_factory=deque)
    n_rows: int = 0
    n_old: int = 0

    def write(self, batches: Iterable[Any], block_size: int) -> None:
        """Write the blocks."""
        tasks = self._read(batches, block_size)
        task: Optional[Task] = None
        while True:
            if task is None:
                task = self.waiting.popleft() if self.waiting else next(tasks, None)
            if task is None and self.pool.is_idle():
                break
            if task is not None and self.pool.has_room():
                task.path = self.blocks.name_temporary()
                self.pool.submit(task)
                task = None
                continue
            for ended, outcome in self.pool.wait():
                self._settle(ended, outcome)
        listed = max((entry["stop"] for entry in self.blocks.entries), default=0)
        if listed > self.n_rows:
            self._refuse(self.n_rows, listed)

    def _read(self, batches: Iterable[Any], block_size: int) -> Iterator[Task]:
        blocks = plan_blocks(self.blocks.entries, block_size)
        for block, parts in cut_rows(batches, blocks):
            rows = self.join(parts)
            self.n_rows = block.stop
            if block.entry is None:
                yield Task(block.start, rows)
                continue
            if self.digest(rows) != block.entry["inputs"]:
                self._refuse(block.start, block.entry["stop"])
            self.n_old += len(rows)
            self.progress(len(rows))

    def _refuse(self, start: int, stop: int) -> None:
        path = self.blocks.folder
        raise ValueError(Errors.FC244.format(path=path, start=start, stop=stop))

    def _settle(self, task: Task, outcome: Outcome) -> None:
        if isinstance(outcome, Exception) and not isinstance(outcome, OSError):
            self._retry(task, outcome)
            return
        with self.blocks.name_folder():
            if isinstance(outcome, OSError):
                raise outcome
            start, stop = task.start, task.start + len(task.rows)
            noted = {"start": start, "stop": stop, "inputs": self.digest(task.rows)}
            name = f"rows-{start:012}-{stop:012}{self.blocks.ending}"
            self.blocks.put(task.path, name, **outcome, **noted)
        self.progress(len(task.rows))

    def _retry(self, task: Task, reason: Exception) -> None:
        """Halve a block, so that in the end a row that ends its worker is alone."""
        size = len(task.rows) // 2
        if size:
            self.waiting.append(Task(task.start, task.rows[:size]))
            self.waiting.append(Task(task.start + size, task.rows[size:]))
            return
        task.n_lost += 1
        if task.n_lost >= _MAX_LOST:
            task.error = Errors.FC250.format(row=task.start, reason=reason)
        self.waiting.append(task)
