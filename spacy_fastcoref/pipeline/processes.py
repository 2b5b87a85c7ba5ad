"""Apply a pipeline in worker processes, and replace processes that die or hang."""

import contextlib
import itertools
import os
import pickle
import reprlib
import signal
import traceback
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import (
    Any,
    Callable,
    Deque,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import raise_error

from ..errors import Errors, check_setting
from ..streams import each_alone

# The most batches per worker that are read and not yet yielded. Documents are yielded
# in order, so finished batches wait for a slow one.
_BATCHES_AHEAD = 4
# After this many failed starts in a row, raise an error. A start fails if the process
# ends before it has loaded the pipeline.
_MAX_FAILED_STARTS = 3
# The pipeline of this process; None in the parent.
_nlp: Optional[Language] = None
# A text, or a Doc as bytes.
Item = Union[str, bytes]
# A name is None if the error came from outside the components.
ComponentErrors = Sequence[Tuple[Optional[str], Exception]]
# A Doc, its context, and the errors of components.
Annotated = Tuple[Doc, Any, ComponentErrors]


class Outcome(NamedTuple):
    """Hold an annotated Doc as bytes, or None if making or serializing it failed."""

    doc: Optional[bytes]
    errors: ComponentErrors = ()


class LostError(Exception):
    """Say why a process has ended while it had documents."""


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
    pairs = texts if as_tuples else ((text, None) for text in texts)
    found = annotate_in_processes(
        nlp, pairs, n_process=n_process, batch_size=batch_size, timeout=timeout
    )
    return _handle_errors(nlp, found, as_tuples)


def _handle_errors(
    nlp: Language, found: Iterable[Annotated], as_tuples: bool
) -> Iterator[Any]:
    """Yield Docs, and call the error handlers of the components that failed."""
    for doc, context, errors in found:
        doc._context = context
        for name, error in errors:
            component: Any = nlp if name is None else nlp.get_pipe(name)
            handle = nlp.default_error_handler
            if hasattr(component, "get_error_handler"):
                handle = component.get_error_handler()
            handle(name or "pipe", component, [doc], error)
        yield (doc, context) if as_tuples else doc


def check_n_process(n_process: int) -> None:
    """Check a number of processes."""
    is_valid = n_process > 0 or n_process == -1
    check_setting("n_process", n_process, is_valid, "1 or more, or -1 for one per CPU")


def annotate_in_processes(
    nlp: Language,
    pairs: Iterable[Tuple[Any, Any]],
    *,
    n_process: int,
    batch_size: int,
    timeout: Optional[float] = None,
) -> Iterator[Annotated]:
    """Annotate texts or Docs, each with a context, and yield also the errors; see pipe.

    The settings are checked at once.
    """
    check_n_process(n_process)
    check_setting("batch_size", batch_size, batch_size > 0, "1 or more")
    is_time = timeout is None or timeout > 0
    check_setting("timeout", timeout, is_time, "above 0, or None")
    n_process = (os.cpu_count() or 1) if n_process == -1 else n_process
    data = dump_pipeline(nlp)
    workers = [Worker(data, timeout) for _ in range(n_process)]
    return _annotate(nlp, iter(pairs), workers, batch_size)


def _annotate(
    nlp: Language,
    pairs: Iterator[Tuple[Any, Any]],
    workers: List["Worker"],
    batch_size: int,
) -> Iterator[Annotated]:
    """Read texts, let the workers annotate them, and yield the Docs in order."""
    free = [*workers]

    def work(items: List[Item], first: int) -> List[Outcome]:
        worker = free.pop()
        try:
            return worker.annotate(items, first)
        finally:
            free.append(worker)

    pending: Deque[Tuple[List[Tuple[Item, Any]], Future]] = deque()
    failure: Optional[Exception] = None
    n_read, is_read = 0, False
    # A thread waits for each process.
    threads = ThreadPoolExecutor(len(workers))
    try:
        while pending or not is_read:
            while not is_read and len(pending) < len(workers) * _BATCHES_AHEAD:
                if pending and pending[0][1].done():
                    break
                batch: List[Tuple[Item, Any]] = []
                try:
                    for item, context in itertools.islice(pairs, batch_size):
                        item = item.to_bytes() if isinstance(item, Doc) else item
                        batch.append((item, context))
                # The documents before it are yielded.
                except Exception as error:
                    failure = error
                is_read = len(batch) < batch_size
                if batch:
                    items = [item for item, _ in batch]
                    pending.append((batch, threads.submit(work, items, n_read)))
                    n_read += len(batch)
            if pending:
                batch, future = pending.popleft()
                outcomes = future.result()
                for (item, context), outcome in zip(batch, outcomes, strict=True):
                    data = item if outcome.doc is None else outcome.doc
                    yield make_doc(nlp, data), context, outcome.errors
    finally:
        for worker in workers:
            worker.is_closed = True
            if worker not in free:
                worker.kill()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.stop()
    if failure is not None:
        raise failure


class Worker:
    """Run one process in its own executor, so that its death does not end the others.

    data (bytes): The pipeline, see `dump_pipeline`.
    """

    def __init__(self, data: bytes, timeout: Optional[float]) -> None:
        self.data = data
        self.timeout = timeout
        self.executor: Optional[ProcessPoolExecutor] = None
        self.pid = 0
        self.is_closed = False

    def annotate(self, items: List[Item], first: int) -> List[Outcome]:
        """Annotate documents, each alone if the process ends while it has them all.

        first (int): The number of the first document, for errors.
        """
        try:
            return self._run(items)
        except LostError:
            return [self._annotate_again(one, i) for i, one in enumerate(items, first)]

    def _annotate_again(self, item: Item, index: int) -> Outcome:
        try:
            return self._run([item])[0]
        except LostError as error:
            text = "a Doc" if isinstance(item, bytes) else reprlib.repr(item)
            message = Errors.FC152.format(index=index, text=text, reason=error)
            return Outcome(None, [(None, RuntimeError(message))])

    def _run(self, items: List[Item]) -> List[Outcome]:
        try:
            return self._start().submit(annotate, items).result(self.timeout)
        except BrokenProcessPool as error:
            self.stop()
            raise LostError("it was killed, or crashed") from error
        except LateError as error:
            self.kill()
            self.stop()
            reason = f"it took longer than {self.timeout} seconds"
            raise LostError(reason) from error

    def _start(self) -> ProcessPoolExecutor:
        """Start the process, and load the pipeline in it, unless it runs."""
        n_failed = 0
        while self.executor is None and not self.is_closed:
            # Not forked: a forked process would wait for threads that only its parent
            # has.
            self.executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            try:
                self.pid = self.executor.submit(load_pipeline, self.data).result()
            except Exception as error:
                self.stop()
                n_failed += 1
                is_dead = isinstance(error, BrokenProcessPool)
                if not is_dead or n_failed >= _MAX_FAILED_STARTS:
                    raise RuntimeError(Errors.FC151.format(reason=error)) from error
        if self.executor is None or self.is_closed:
            raise LostError
        return self.executor

    def kill(self) -> None:
        """Kill the process, which ends its executor."""
        if self.pid:
            number = getattr(signal, "SIGKILL", signal.SIGTERM)
            with contextlib.suppress(OSError):
                os.kill(self.pid, number)

    def stop(self) -> None:
        """End the process."""
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)
        self.executor, self.pid = None, 0


def dump_pipeline(nlp: Language, dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """Serialize a pipeline and the extension attributes, for worker processes.

    Leave out the error handlers, which pickle may not be able to serialize. Workers
    send errors to the parent, which calls the handlers.

    dumps (Callable[[Any], bytes]): Function that writes what `pickle.loads` can read.
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
    except Exception as error:
        raise ValueError(Errors.FC150.format(reason=error)) from error
    finally:
        nlp.default_error_handler = default
        for component, handler in handlers:
            component.set_error_handler(handler)


def load_pipeline(data: bytes) -> int:
    """Load the pipeline of this process, and return the process's id."""
    global _nlp
    _nlp, state = pickle.loads(data)
    Underscore.load_state(state)
    return os.getpid()


def annotate(items: Sequence[Item]) -> List[Outcome]:
    """Apply the pipeline to a batch, or to each document alone if the batch fails."""
    assert _nlp is not None
    nlp = _nlp

    def annotate_batch(items: Sequence[Item]) -> List[Outcome]:
        docs = nlp.pipe([make_doc(nlp, item) for item in items])
        return [Outcome(doc.to_bytes()) for doc in docs]

    return list(each_alone(items, annotate_batch, partial(_annotate_alone, nlp)))


def make_doc(nlp: Language, item: Item) -> Doc:
    """Make the Doc that the first component gets."""
    if isinstance(item, bytes):
        return Doc(nlp.vocab).from_bytes(item)
    return nlp.make_doc(item)


def _annotate_alone(nlp: Language, item: Item) -> Outcome:
    """Apply the pipeline to a document, and go on after a component that fails."""
    errors: List[Tuple[Optional[str], Exception]] = []

    def keep(name: str, component: Any, docs: List[Doc], error: Exception) -> None:
        errors.append((name, _prepare(error)))

    nlp.set_error_handler(keep)
    try:
        return Outcome(nlp(make_doc(nlp, item)).to_bytes(), errors)
    except Exception as error:
        return Outcome(None, [*errors, (None, _prepare(error))])
    finally:
        nlp.set_error_handler(raise_error)


def _prepare(error: Exception) -> Exception:
    """Replace an error that can't be pickled, and note the worker's traceback."""
    where = "".join(traceback.format_exception(error))
    try:
        error = pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    # From Python 3.11 on.
    if hasattr(error, "add_note"):
        error.add_note(f"In a worker process:\n{where}")
    return error
