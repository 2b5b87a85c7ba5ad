"""Cut a stream of rows into blocks, at the same places in each run."""

import itertools
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from .manifest import Entry


class Block(NamedTuple):
    """Hold the rows of one file.

    start, stop (int): The first row in the dataset, and the one after the last.
    entry (Optional[Entry]): What an earlier run has noted about these rows.
    """

    start: int
    stop: int
    entry: Optional[Entry] = None


def plan_blocks(entries: Iterable[Entry], size: int) -> Iterator[Block]:
    """Plan the blocks of a dataset whose end is not known.

    entries (Iterable[Entry]): What earlier runs have noted, without overlaps. The rows
        of each entry make a block.
    size (int): The number of rows in a new block. It ends at a multiple of this size,
        or where an entry starts.
    YIELDS (Block): The blocks in order, without end and without gaps.
    """
    position = 0
    for entry in sorted(entries, key=lambda entry: entry.start):
        while position < entry.start:
            stop = min(position + size - position % size, entry.start)
            yield Block(position, stop)
            position = stop
        yield Block(entry.start, entry.stop, entry)
        position = entry.stop
    while True:
        stop = position + size - position % size
        yield Block(position, stop)
        position = stop


def cut_rows(
    batches: Iterable[Any], blocks: Iterable[Block]
) -> Iterator[Tuple[Block, List[Any]]]:
    """Cut batches of rows into blocks.

    batches (Iterable[Any]): The rows in order, as sequences or Arrow tables.
    blocks (Iterable[Block]): The blocks in order, without gaps.
    YIELDS (Tuple[Block, List[Any]]): Each block and slices of the batches, which have
        its rows. The last block stops after the last row.
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


def join_lists(parts: List[List[Any]]) -> List[Any]:
    """Join slices of lists.

    parts (List[List[Any]]): The slices.
    RETURNS (List[Any]): One list.
    """
    return list(itertools.chain.from_iterable(parts))
