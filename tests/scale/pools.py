"""Workers that do what a test tells them, in this process."""

import json
from collections import deque

from spacy_fastcoref.journal import describe_file
from spacy_fastcoref.scale.schedule import Run

ENDING = ".jsonl"


def digest(rows):
    return json.dumps(rows)


def join(parts):
    return [row for part in parts for row in part]


class Pool:
    """Write each row as a line, but of tasks of which `events` says what happens."""

    def __init__(self, events=lambda task: None, n_tasks=3):
        self.events, self.n_tasks = events, n_tasks
        self.tasks = deque()
        self.n_submitted = 0

    def has_room(self):
        return len(self.tasks) < self.n_tasks

    def is_idle(self):
        return not self.tasks

    def submit(self, task):
        self.n_submitted += 1
        self.tasks.append(task)

    def wait(self):
        # The last one is the first to end.
        task = self.tasks.pop()
        return [(task, self.events(task) or write_lines(task))]


def write_lines(task):
    lines = [{"row": row, "error": task.error} for row in task.rows]
    try:
        task.path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    except OSError as error:
        return error
    return {**describe_file(task.path), "n_errors": len(lines) if task.error else 0}


def write_all(manifest, rows, *, size=10, batch=7, events=lambda task: None):
    """Write rows with a manifest that is open, and return the run and the pool."""
    pool = Pool(events)
    run = Run(manifest, pool, join, digest)
    batches = [rows[i : i + batch] for i in range(0, len(rows), batch)]
    run.write(batches, size)
    return run, pool


def read_rows(folder):
    """Read the lines of all files of a folder, in the order of their names."""
    files = sorted(folder.glob(f"[!._]*{ENDING}"))
    return [json.loads(line) for file in files for line in file.open()]
