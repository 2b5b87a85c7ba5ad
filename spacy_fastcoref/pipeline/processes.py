"""Apply a pipeline in worker processes, and replace processes that die or hang."""

import itertools
import os
import reprlib
from collections import deque
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Deque, Dict, Iterable, Iterator, List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, check_setting
from .worker_process import Job, Outcome, Worker, dump_pipeline, make_doc

# A worker computes one batch, and has the next one at hand.
_TASKS_PER_WORKER = 2
# The most batches per worker that are read and not yet yielded. Documents are yielded
# in order, so finished batches wait for a slow one.
_BATCHES_AHEAD = 4
# After this many failed starts in a row, raise an error. A start fails if the process
# ends before it has loaded the pipeline.
_MAX_FAILED_STARTS = 3
# After this many processes have ended while they had a document, the document fails:
# the first process has its whole batch, the second one the document alone.
_MAX_LOST = 2


def pipe(
    nlp: Language,
    texts: Iterable[Any],
    *,
    n_process: int = 1,
    batch_size: int = 64,
    timeout: Optional[float] = None,
    as_tuples: bool = False,
) -> Iterator[Any]:
    """Apply a pipeline to texts in worker processes, as `nlp.pipe` does.

    If a process is killed or takes too long, a new process gets the documents of its
    batch, one at a time. If a document ends a second process, the pipeline's error
    handler gets an error for it. Errors that components raise go to the error handlers
    of these components. If a handler returns, the document is yielded without the
    missing annotation.

    nlp (Language): The pipeline. Each process loads a copy of it.
    texts (Iterable[Union[str, Doc]]): The texts or Docs. They are read lazily.
    n_process (int): The number of processes; -1 for one per CPU.
    batch_size (int): The number of documents that a process gets at once.
    timeout (Optional[float]): The seconds that a process may take for a batch, and for
        a single document that is tried again; None for no limit.
    as_tuples (bool): Whether the texts are (text, context) tuples.
    YIELDS (Union[Doc, Tuple[Doc, Any]]): The Docs in order, or (doc, context) tuples.
        Given Docs are copied, not changed.
    RAISES (ValueError): A setting is not valid, or the pipeline can't be pickled.
    RAISES (RuntimeError): No process can be started.
    """
    check_n_process(n_process)
    check_setting("batch_size", batch_size, batch_size > 0, "1 or more")
    is_time = timeout is None or timeout > 0
    check_setting("timeout", timeout, is_time, "above 0, or None")
    if n_process == -1:
        n_process = os.cpu_count() or 1
    try:
        data = dump_pipeline(nlp)
    except Exception as error:
        raise ValueError(Errors.FC150.format(reason=error)) from error
    stream = _Stream(nlp, texts, data, n_process, batch_size, timeout, as_tuples)
    return stream.run()


def check_n_process(n_process: int) -> None:
    """Check a number of processes.

    n_process (int): The number; -1 for one per CPU.
    RAISES (ValueError): It is not valid.
    """
    is_valid = n_process > 0 or n_process == -1
    check_setting("n_process", n_process, is_valid, "1 or more, or -1 for one per CPU")


class _Stream:
    """Read texts, let the workers annotate them, and yield the Docs in order."""

    def __init__(
        self,
        nlp: Language,
        texts: Iterable[Any],
        data: bytes,
        n_process: int,
        batch_size: int,
        timeout: Optional[float],
        as_tuples: bool,
    ) -> None:
        self.nlp = nlp
        self.texts = iter(texts)
        self.data = data
        self.n_process = n_process
        self.batch_size = batch_size
        self.timeout = timeout
        self.as_tuples = as_tuples
        self.workers: List[Worker] = []
        self.todo: Deque[List[Job]] = deque()
        self.jobs: Deque[Job] = deque()
        self.outcomes: Dict[int, Outcome] = {}
        self.n_read = 0
        self.error: Optional[Exception] = None
        self.is_read = False

    def run(self) -> Iterator[Any]:
        try:
            self._submit()
            while self.jobs:
                if self.jobs[0].index not in self.outcomes:
                    self._wait()
                self._collect()
                if self.jobs[0].index in self.outcomes:
                    job = self.jobs.popleft()
                    doc = self._finish(job, self.outcomes.pop(job.index))
                    yield (doc, job.context) if self.as_tuples else doc
                self._submit()
            if self.error is not None:
                # The iterator of texts failed. The documents before it are yielded.
                raise self.error
        finally:
            for worker in self.workers:
                worker.stop()

    def _submit(self) -> None:
        """Give each worker one batch, then a second one, while there are batches."""
        for n_tasks in range(_TASKS_PER_WORKER):
            for i in range(self.n_process):
                if i < len(self.workers) and len(self.workers[i].tasks) > n_tasks:
                    continue
                if not self.todo:
                    self._read()
                if not self.todo:
                    return
                if i == len(self.workers):
                    self.workers.append(Worker(self.data))
                self._give(self.workers[i])

    def _give(self, worker: Worker) -> None:
        try:
            worker.submit(self.todo[0])
            self.todo.popleft()
        except BrokenProcessPool:
            if not worker.tasks and not worker.loading.exception():
                # The process was killed while it was idle.
                worker.stop()
                worker.start()

    def _read(self) -> None:
        n_most = self.n_process * _BATCHES_AHEAD * self.batch_size
        if self.is_read or len(self.jobs) > n_most - self.batch_size:
            return
        batch: List[Job] = []
        try:
            for given in itertools.islice(self.texts, self.batch_size):
                item, context = given if self.as_tuples else (given, None)
                item = item.to_bytes() if isinstance(item, Doc) else item
                batch.append(Job(self.n_read, item, context))
                self.n_read += 1
            self.is_read = len(batch) < self.batch_size
        except Exception as error:
            self.error, self.is_read = error, True
        if batch:
            self.todo.append(batch)
            self.jobs.extend(batch)

    def _wait(self) -> None:
        futures = [
            worker.tasks[0][1] if worker.tasks else worker.loading
            for worker in self.workers
            if worker.tasks or not worker.loading.done()
        ]
        left = None
        if self.timeout is not None:
            seconds = max(worker.count_seconds() for worker in self.workers)
            left = max(self.timeout - seconds, 0.0)
        wait(futures, timeout=left, return_when=FIRST_COMPLETED)

    def _collect(self) -> None:
        for worker in self.workers:
            if worker.loading.done():
                error = worker.loading.exception()
                if error is not None:
                    self._restart(worker, error)
                    continue
                worker.n_failed_starts = 0
            while worker.tasks and worker.tasks[0][1].done():
                jobs, future, _ = worker.tasks[0]
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    self._recover(worker)
                    break
                worker.tasks.popleft()
                failed = [Outcome(None, [(None, error)])] * len(jobs)
                outcomes = failed if error is not None else future.result()
                for job, outcome in zip(jobs, outcomes, strict=True):
                    self.outcomes[job.index] = outcome
            if self.timeout is not None and worker.count_seconds() >= self.timeout:
                worker.is_late = True
                worker.kill()

    def _restart(self, worker: Worker, error: BaseException) -> None:
        """Replace a process that died before it had loaded the pipeline.

        RAISES (RuntimeError): The process can't load the pipeline, or the worker has
            had too many failed starts in a row.
        """
        worker.n_failed_starts += 1
        is_dead = isinstance(error, BrokenProcessPool)
        if not is_dead or worker.n_failed_starts >= _MAX_FAILED_STARTS:
            raise RuntimeError(Errors.FC151.format(reason=error)) from error
        self.todo.extendleft(jobs for jobs, *_ in reversed(worker.tasks))
        worker.stop()
        worker.start()

    def _recover(self, worker: Worker) -> None:
        """Replace a process that ended, and put its documents back into the queue."""
        (lost, *_), *others = worker.tasks
        self.todo.extendleft(jobs for jobs, *_ in reversed(others))
        reason = "it was killed, or crashed"
        if worker.is_late:
            reason = f"it took longer than {self.timeout} seconds"
        for job in reversed(lost):
            job.n_lost += 1
            if job.n_lost < _MAX_LOST:
                self.todo.appendleft([job])
                continue
            text = "a Doc" if isinstance(job.item, bytes) else reprlib.repr(job.item)
            message = Errors.FC152.format(index=job.index, text=text, reason=reason)
            self.outcomes[job.index] = Outcome(None, [(None, RuntimeError(message))])
        worker.stop()
        worker.start()

    def _finish(self, job: Job, outcome: Outcome) -> Doc:
        """Read a Doc, and call the error handlers of the components that failed."""
        doc = make_doc(self.nlp, job.item if outcome.doc is None else outcome.doc)
        doc._context = job.context
        for name, error in outcome.errors:
            component: Any = self.nlp if name is None else self.nlp.get_pipe(name)
            handle = self.nlp.default_error_handler
            if hasattr(component, "get_error_handler"):
                handle = component.get_error_handler()
            handle(name or "pipe", component, [doc], error)
        return doc
