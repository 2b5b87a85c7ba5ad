"""Cut a stream of rows into blocks, at the same places in each run, and list them."""

from pathlib import Path
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from ..errors import Errors
from ..journal import Manifest, Row


class Written(NamedTuple):
    """Hold what a worker says about a temporary file that it has written.

    n_errors (int): The number of rows that have an error.
    """

    path: str
    size: int
    sha256: str
    n_errors: int


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
        return sum(row["stop"] - row["start"] for row in self.files.values())

    @property
    def n_errors(self) -> int:
        """The number of rows that have an error."""
        return sum(row["n_errors"] for row in self.files.values())

    def name(self, start: int, stop: int) -> str:
        """Name the file of a block."""
        return f"rows-{start:012}-{stop:012}{self.ending}"

    def describe(self, error: OSError) -> str:
        """Describe why the folder can't be written to."""
        if isinstance(error, FileNotFoundError):
            return Errors.FC247.format(path=self.folder, reason=error)
        return super().describe(error)

    def commit(self, start: int, stop: int, written: Written, inputs: str) -> None:
        """Put the file of a block in its place, and list it."""
        noted = {**written._asdict(), "start": start, "stop": stop, "inputs": inputs}
        self.put(Path(noted.pop("path")), self.name(start, stop), **noted)


class Block(NamedTuple):
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
    for entry in entries:
        while position < entry["start"]:
            stop = min(position + size - position % size, entry["start"])
            yield Block(position, stop)
            position = stop
        yield Block(entry["start"], entry["stop"], entry)
        position = entry["stop"]
    while True:
        stop = position + size - position % size
        yield Block(position, stop)
        position = stop


def cut_rows(
    batches: Iterable[Any], blocks: Iterable[Block]
) -> Iterator[Tuple[Block, List[Any]]]:
    """Cut batches of rows into blocks, each with slices of batches that have its rows.

    The last block stops after the last row.
    """
    batches = (batch for batch in batches if len(batch))
    batch, offset = next(batches, None), 0
    for block in blocks:
        parts: List[Any] = []
        n_left = block.stop - block.start
        while n_left and batch is not None:
            parts.append(batch[offset : offset + n_left])
            offset += len(parts[-1])
            n_left -= len(parts[-1])
            if offset == len(batch):
                batch, offset = next(batches, None), 0
        if parts:
            yield block._replace(stop=block.stop - n_left), parts
        if batch is None:
            return
