"""Collect the documents of requests that wait, and resolve them in one batch."""

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Callable, Deque, List, Optional, Sequence

from spacy.tokens import Doc

from ..errors import Errors, is_ours
from ..streams import each_alone
from .pipelines import Pipeline, count_characters
from .problems import ProblemError
from .schemas import Document, RuleChoice

logger = logging.getLogger(__name__)
# A batch is not larger than this, unless a single request is.
MAX_DOCUMENTS = 64
MAX_CHARACTERS = 100_000
# Clients that have just got an answer are about to ask again. How long to wait until as
# many do as in the last batch: a share of the time that it took, and at most so many
# seconds.
_PATIENCE, _MAX_PATIENCE = 0.05, 0.05


@dataclass
class Job:
    """Hold the documents of one request.

    finish (Callable[[Sequence[Doc]], Any]): Makes the answer of the resolved Docs. It
        runs in the worker, since no Doc may be read by two threads at once.
    answer (Future): What `finish` returns, or the error.
    """

    pipeline: Pipeline
    rules: RuleChoice
    documents: Sequence[Document]
    finish: Callable[[Sequence[Doc]], Any]
    answer: Future = field(default_factory=Future)


class Batcher:
    """Answer jobs in one thread, several at once where several wait.

    spaCy and the model run in this thread alone: a vocabulary may not be changed by
    two threads, and one batch of many documents is faster than many batches.
    """

    def __init__(self, on_batch: Callable[[int], None] = lambda n_docs: None) -> None:
        self._on_batch = on_batch
        self._waiting: Deque[Job] = deque()
        self._changed = threading.Condition()
        self._is_closed = True
        self._n_last, self._patience = 0, 0.0
        self._thread: Optional[threading.Thread] = None

    def open(self) -> None:
        """Take jobs, from now on or again."""
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="coref", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> Future:
        """Let a job wait for the next batch."""
        with self._changed:
            if self._is_closed:
                raise ProblemError(503, Errors.FC206)
            self._waiting.append(job)
            self._changed.notify()
        return job.answer

    def close(self, timeout: float = 10.0) -> None:
        """Answer the jobs that wait, and stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(timeout)

    def _work(self) -> None:
        while True:
            jobs = self._take()
            if jobs:
                begin = time.monotonic()
                self._on_batch(sum(len(job.documents) for job in jobs))
                _run_jobs(jobs)
                self._n_last = len(jobs)
                self._patience = _PATIENCE * (time.monotonic() - begin)
            elif self._is_closed:
                return

    def _take(self) -> List[Job]:
        """Take the first job, and those after it that can be in the same batch."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            end = time.monotonic() + min(self._patience, _MAX_PATIENCE)
            while len(self._waiting) < self._n_last and not self._is_closed:
                if not self._changed.wait(max(0.0, end - time.monotonic())):
                    break
            jobs: List[Job] = []
            others: Deque[Job] = deque()
            n_docs = n_characters = 0
            for job in self._waiting:
                size = n_docs + len(job.documents)
                length = n_characters + sum(map(count_characters, job.documents))
                key = job.pipeline, job.rules
                is_full = size > MAX_DOCUMENTS or length > MAX_CHARACTERS
                if jobs and (is_full or key != (jobs[0].pipeline, jobs[0].rules)):
                    others.append(job)
                elif job.answer.set_running_or_notify_cancel():
                    jobs.append(job)
                    n_docs, n_characters = size, length
            self._waiting = others
            return jobs


def _run_jobs(jobs: Sequence[Job]) -> None:
    """Answer jobs of one pipeline with the same rules."""
    pipeline = jobs[0].pipeline
    documents = [one for job in jobs for one in job.documents]
    try:
        # What the vocabulary learns of the texts is forgotten with them.
        with pipeline.nlp.memory_zone(), pipeline.use_rules(jobs[0].rules):
            found = each_alone(documents, pipeline.resolve)
            answers = [
                _finish(job, [*islice(found, len(job.documents))]) for job in jobs
            ]
    except Exception as error:
        answers = [_describe(error)] * len(jobs)
    for job, answer in zip(jobs, answers, strict=True):
        if isinstance(answer, Exception):
            job.answer.set_exception(answer)
        else:
            job.answer.set_result(answer)


def _finish(job: Job, found: Sequence[Any]) -> Any:
    """Make the answer of the resolved Docs, or describe what is wrong."""
    place = ""
    try:
        for i, doc in enumerate(found):
            if isinstance(doc, Exception):
                place = f"documents.{i}" if len(found) > 1 else ""
                raise doc
        return job.finish(found)
    except Exception as error:
        return _describe(error, place)


def _describe(error: Exception, place: str = "") -> ProblemError:
    """Describe for a client what is wrong in its request, or that there is an error."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, ValueError) and is_ours(error):
        message = str(error)
        return ProblemError(422, message, [(place, message)] if place else ())
    logger.error("Could not resolve a document", exc_info=error)
    return ProblemError(500, Errors.FC213)
