"""Kill runs over many blocks at random moments, and count what is lost or doubled.

python benchmarks/scale_failures.py [--kills N] [--blocks N] [--rows N] [--workers N]
    [--deaths N] [--seed N] [--json FILE]

A run writes --blocks of --rows with the code of `scale.annotate`: its manifest,
schedule and files. Only Ray and the pipeline are left out: the workers are processes
that write the rows as they are. One in --deaths blocks kills its worker in the middle
of its file.

One run is not disturbed, and then finds all written: this tells how long a run takes,
and how much of the processor the driver needs for a block. Then, in a new folder each
time, a run gets SIGKILL at a random moment, while its workers live on and write what
they have; the same run is started again, and goes on to the end. Each row has to be in
the files once.
"""

import json
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from statistics import median
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import common
import pyarrow as pa

from spacy_fastcoref.journal import MANIFEST
from spacy_fastcoref.scale.blocks import Blocks
from spacy_fastcoref.scale.columns import ERROR
from spacy_fastcoref.scale.schedule import Lost, Outcome, Run, Task
from spacy_fastcoref.scale.tables import FORMATS, digest_texts, join_tables, write_table

# Processes that share what this one has loaded start at once.
FORK = multiprocessing.get_context("fork")
FORMAT = FORMATS["jsonl"]
SCHEMA = pa.schema([("n", pa.int64()), ("text", pa.string())])
# The rows of the dataset's own blocks, which are others than those of the output.
N_READ = 1000


class Sizes(NamedTuple):
    """Hold how much a run has to do."""

    n_blocks: int
    n_rows: int
    n_workers: int
    n_deaths: int


class Worker:
    """Hold a process that writes blocks, and the block that it has."""

    def __init__(
        self, manifest: Blocks, others: List[Connection], n_deaths: int
    ) -> None:
        self.task: Optional[Task] = None
        self.connection, end = FORK.Pipe()
        kept = [self.connection, *others]
        args = end, manifest, kept, n_deaths
        process = FORK.Process(target=write_blocks, args=args, daemon=True)
        process.start()
        end.close()


def write_blocks(
    connection: Connection, manifest: Blocks, kept: List[Connection], n_deaths: int
) -> None:
    """Write blocks until the parent has ended."""
    # Else the pipes to other workers would outlive the parent.
    for one in kept:
        one.close()
    random.seed()
    while True:
        try:
            rows, path = connection.recv()
            if random.randrange(n_deaths) == 0:
                Path(path).write_bytes(b'{"n": ')
                os.kill(os.getpid(), signal.SIGKILL)
            connection.send(write_table(rows, Path(path), FORMAT))
        # The parent was killed, and the next run may have removed the folder.
        except (EOFError, OSError):
            os._exit(0)


class ProcessPool:
    """Give blocks to processes, and replace those that end."""

    def __init__(self, manifest: Blocks, sizes: Sizes) -> None:
        self.manifest = manifest
        self.sizes = sizes
        self.workers: List[Worker] = []
        while len(self.workers) < sizes.n_workers:
            self._start()

    def _start(self) -> None:
        others = [worker.connection for worker in self.workers]
        self.workers.append(Worker(self.manifest, others, self.sizes.n_deaths))

    def has_room(self) -> bool:
        """Tell whether a worker is free."""
        return any(worker.task is None for worker in self.workers)

    def is_idle(self) -> bool:
        """Tell whether no worker has a task."""
        return all(worker.task is None for worker in self.workers)

    def submit(self, task: Task) -> None:
        """Give a task to a free worker."""
        worker = next(one for one in self.workers if one.task is None)
        worker.task = task
        path = self.manifest.name_temporary(self.manifest.name(task.start, task.stop))
        worker.connection.send((task.rows, str(path)))

    def wait(self) -> List[Tuple[Task, Outcome]]:
        """Wait until a worker has written its block, or has ended."""
        busy = {one.connection: one for one in self.workers if one.task is not None}
        ended: List[Tuple[Task, Outcome]] = []
        for connection in wait(list(busy)):
            worker = busy[connection]
            task, worker.task = worker.task, None
            try:
                ended.append((task, worker.connection.recv()))
            except (EOFError, ConnectionResetError):
                worker.connection.close()
                self.workers.remove(worker)
                self._start()
                ended.append((task, Lost("killed")))
        return ended


def main() -> None:
    """Kill runs, and print what was lost or doubled."""
    parser = common.Parser(__doc__)
    parser.add_argument("--kills", type=common.positive, default=200)
    parser.add_argument("--blocks", type=common.positive, default=2000)
    parser.add_argument("--rows", type=common.positive, default=5)
    parser.add_argument("--workers", type=common.positive, default=3)
    parser.add_argument("--deaths", type=common.positive, default=500)
    parser.add_argument("--seed", type=common.positive, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    sizes = Sizes(args.blocks, args.rows, args.workers, args.deaths)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        (seconds, first), (_, again) = measure(whole, sizes), measure(whole, sizes)
        trials = [check(whole, sizes)]
        while len(trials) <= args.kills:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                trial = kill(Path(place) / "out", sizes, random.uniform(0, seconds))
            # Runs that had ended before are no trials.
            trials += [trial] if trial else []
    done = [trial["rows at the kill"] for trial in trials[1:]]
    results: Dict[str, Any] = {
        "blocks": sizes.n_blocks,
        "rows": sizes.n_blocks * sizes.n_rows,
        "kills": len(done),
        "rows written at the kill, least": min(done),
        "rows written at the kill, median": median(done),
        "rows written at the kill, most": max(done),
        "rows lost": sum(trial["lost"] for trial in trials),
        "rows doubled": sum(trial["doubled"] for trial in trials),
        "driver, ms of the processor a block": 1000 * first / sizes.n_blocks,
        "the same if all is written": 1000 * again / sizes.n_blocks,
    }
    common.print_table(("", "value"), [(k, f"{v:,.6g}") for k, v in results.items()])
    common.write_json(args.json, {**results, "trials": trials})


def measure(folder: Path, sizes: Sizes) -> Tuple[float, float]:
    """Measure a run that is not disturbed."""
    begin = time.perf_counter()
    mine, end = FORK.Pipe()
    process = FORK.Process(target=write, args=(folder, sizes, end))
    process.start()
    end.close()
    process.join()
    if process.exitcode:
        raise ValueError(f"a run into {folder} has failed")
    return time.perf_counter() - begin, mine.recv()


def kill(folder: Path, sizes: Sizes, seconds: float) -> Optional[Dict[str, int]]:
    """Kill a run, and run it again to the end."""
    process = FORK.Process(target=write, args=(folder, sizes))
    process.start()
    process.join(seconds)
    if process.exitcode is not None:
        return None
    process.kill()
    process.join()
    done = sum(entry["stop"] - entry["start"] for entry in read_entries(folder))
    measure(folder, sizes)
    return {"rows at the kill": done, **check(folder, sizes)}


def write(folder: Path, sizes: Sizes, end: Optional[Connection] = None) -> None:
    """Write all blocks that are not written."""
    begin = time.process_time()
    with Blocks(folder, {"format": "jsonl"}, FORMAT.ending).open() as manifest:
        job = Run(
            manifest,
            ProcessPool(manifest, sizes),
            join=partial(join_tables, text_column="text", schema=SCHEMA),
            digest=partial(digest_texts, text_column="text"),
        )
        job.write(make_rows(sizes), sizes.n_rows)
    if end is not None:
        end.send(time.process_time() - begin)


def make_rows(sizes: Sizes) -> Iterator[pa.Table]:
    """Make the dataset."""
    n_rows = sizes.n_blocks * sizes.n_rows
    for start in range(0, n_rows, N_READ):
        numbers = range(start, min(start + N_READ, n_rows))
        texts = [f"Ann said that she has {n} sheep." for n in numbers]
        yield pa.table([pa.array(numbers), pa.array(texts)], schema=SCHEMA)


def read_entries(folder: Path) -> List[Dict[str, Any]]:
    """Read what the manifest lists."""
    path = folder / MANIFEST
    *lines, _ = path.read_text().split("\n") if path.exists() else [""]
    return [row for row in map(json.loads, lines) if "file" in row]


def check(folder: Path, sizes: Sizes) -> Dict[str, int]:
    """Count what is lost and doubled in a folder whose run has ended."""
    counts: Counter = Counter()
    for path in folder.glob("[!._]*"):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            is_right = f" {row['n']} " in row["text"] and row[ERROR] is None
            counts[row["n"]] += is_right
    n_rows = sizes.n_blocks * sizes.n_rows
    return {
        "lost": sum(not counts[i] for i in range(n_rows)),
        "doubled": sum(counts.values()) - sum(map(bool, counts.values())),
    }


if __name__ == "__main__":
    common.run(main)
