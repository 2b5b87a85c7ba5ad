"""Manage a worker process of `spacy_fastcoref.pipe`, and run a pipeline in it."""

import contextlib
import os
import pickle
import signal
import time
import traceback
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import (
    Any,
    Callable,
    Deque,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import raise_error

from ..streams import each_alone

# The pipeline of this process; None in the parent.
_nlp: Optional[Language] = None


@dataclass
class Job:
    """Hold one document to annotate.

    index (int): The document's index in the stream.
    item (Union[str, bytes]): A text, or a Doc as bytes.
    context (Any): The context that the user passed with it.
    n_lost (int): The number of processes that ended while they had the document.
    """

    index: int
    item: Union[str, bytes]
    context: Any
    n_lost: int = 0


class Outcome(NamedTuple):
    """Hold the annotated Doc of one document, and the errors of components.

    doc (Optional[bytes]): The Doc; None if making or serializing it failed.
    errors (Sequence[Tuple[Optional[str], Exception]]): The name of each component that
        failed and its error. The name is None if the error came from outside the
        components, such as from the tokenizer.
    """

    doc: Optional[bytes]
    errors: Sequence[Tuple[Optional[str], Exception]] = ()


class Worker:
    """Run one process in its own executor, so that its death does not end the others.

    data (bytes): The pipeline, see `dump_pipeline`.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        # How often in a row the process ended before it had loaded the pipeline.
        self.n_failed_starts = 0
        self.start()

    def start(self) -> None:
        """Start the process, and load the pipeline in it."""
        # Not forked: a forked process would wait for threads that only its parent has.
        self.executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        # The batches that the process has, with their futures and the times of submit.
        self.tasks: Deque[Tuple[List[Job], Future, float]] = deque()
        self.is_late = False
        self.latest = time.monotonic()
        self.loading = self.executor.submit(load_pipeline, self.data)
        self.loading.add_done_callback(self._note_time)

    def submit(self, jobs: List[Job]) -> None:
        """Give the process a batch, to compute after the batches that it has.

        jobs (List[Job]): The documents of the batch.
        RAISES (BrokenProcessPool): The process has ended.
        """
        future = self.executor.submit(annotate, [job.item for job in jobs])
        self.tasks.append((jobs, future, time.monotonic()))
        future.add_done_callback(self._note_time)

    def _note_time(self, future: Future) -> None:
        # A thread of the executor calls this, so the time is right even if the parent
        # is busy.
        self.latest = time.monotonic()

    def count_seconds(self) -> float:
        """Measure how long the process has worked on its current batch.

        RETURNS (float): The seconds; 0 if the process has no batch, has not loaded the
            pipeline yet, or is being killed.
        """
        if self.is_late or not self.tasks or not self.loading.done():
            return 0.0
        return time.monotonic() - max(self.latest, self.tasks[0][2])

    def kill(self) -> None:
        """Kill the process, which ends its executor."""
        if self.loading.done() and not self.loading.exception():
            number = getattr(signal, "SIGKILL", signal.SIGTERM)
            with contextlib.suppress(OSError):
                os.kill(self.loading.result(), number)

    def stop(self) -> None:
        """End the process; kill it if it has work left."""
        if self.tasks:
            self.kill()
        self.executor.shutdown(wait=not self.tasks, cancel_futures=True)


def dump_pipeline(nlp: Language, dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """Serialize a pipeline with all its settings, for worker processes.

    Leave out the error handlers, which pickle may not be able to serialize. Workers
    send errors to the parent, which calls the handlers.

    nlp (Language): The pipeline.
    dumps (Callable[[Any], bytes]): Function that writes what `pickle.loads` can read.
    RETURNS (bytes): The pipeline and the extension attributes.
    """
    default = nlp.default_error_handler
    handlers = [
        (component, component.get_error_handler())
        for _, component in nlp.pipeline
        if hasattr(component, "get_error_handler")
    ]
    nlp.set_error_handler(raise_error)
    try:
        return dumps((nlp, Underscore.get_state()))
    finally:
        nlp.default_error_handler = default
        for component, handler in handlers:
            component.set_error_handler(handler)


def load_pipeline(data: bytes) -> int:
    """Load the pipeline of this process.

    data (bytes): The pipeline, as returned by `dump_pipeline`.
    RETURNS (int): The id of this process.
    """
    global _nlp
    _nlp, state = pickle.loads(data)
    Underscore.load_state(state)
    return os.getpid()


def annotate(items: Sequence[Union[str, bytes]]) -> List[Outcome]:
    """Apply the pipeline to a batch, or to each document alone if the batch fails.

    items (Sequence[Union[str, bytes]]): Texts, or Docs as bytes.
    RETURNS (List[Outcome]): The outcome of each document, in order.
    """
    assert _nlp is not None
    return list(each_alone(items, _annotate_batch, partial(_annotate_alone, _nlp)))


def _annotate_batch(items: Sequence[Union[str, bytes]]) -> List[Outcome]:
    assert _nlp is not None
    docs = _nlp.pipe([make_doc(_nlp, item) for item in items])
    return [Outcome(doc.to_bytes()) for doc in docs]


def make_doc(nlp: Language, item: Union[str, bytes]) -> Doc:
    """Make the Doc that the first component gets.

    nlp (Language): The pipeline.
    item (Union[str, bytes]): A text, or a Doc as bytes.
    RETURNS (Doc): The Doc.
    """
    if isinstance(item, bytes):
        return Doc(nlp.vocab).from_bytes(item)
    return nlp.make_doc(item)


def _annotate_alone(nlp: Language, item: Union[str, bytes]) -> Outcome:
    """Apply each component as `nlp(text)` does, and go on after one that fails."""
    errors: List[Tuple[Optional[str], Exception]] = []
    try:
        doc = make_doc(nlp, item)
        for name, component in nlp.pipeline:
            try:
                found: Any = component(doc)
                if not isinstance(found, Doc):
                    kind = type(found)
                    raise ValueError(
                        SpacyErrors.E005.format(name=name, returned_type=kind)
                    )
                doc = found
            except Exception as error:
                errors.append((name, _prepare(error)))
        return Outcome(doc.to_bytes(), errors)
    except Exception as error:
        return Outcome(None, [*errors, (None, _prepare(error))])


def _prepare(error: Exception) -> Exception:
    """Replace an error that can't be pickled, and note the worker's traceback."""
    where = "".join(traceback.format_exception(error))
    try:
        error = pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    if hasattr(error, "add_note"):
        error.add_note(f"In a worker process:\n{where}")
    return error
