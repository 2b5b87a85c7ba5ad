"""Write documents to a file or to standard output, only whole ones."""

import contextlib
import io
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Tuple

from ..errors import Errors
from ..training.readers.parsing import STDIN
from .base import Document, Format
from .journal import Journal

STDOUT = STDIN
_ZIPPED = ".gz"
# The endings of the files that an interrupted run leaves.
PART, JOURNAL = ".part", ".journal"


class Output:
    """Write documents one after the other.

    path (str): The file, whose documents are in a file beside it until it is complete;
        "-" for standard output.
    format (Format): The format.
    settings (Optional[Dict[str, Any]]): What determines the output, as
        JSON-serializable values, so that a run with the same settings resumes it; None
        to begin anew each time.
    """

    def __init__(
        self, path: str, format: Format, settings: Optional[Dict[str, Any]] = None
    ) -> None:
        self.path, self.format = path, format
        # A pipe or a device has no name beside it, and is not replaced.
        is_file = path != STDOUT and (not Path(path).exists() or Path(path).is_file())
        self.target = Path(path).resolve() if is_file else None
        self.part: Optional[Path] = None
        self.journal: Optional[Journal] = None
        if self.target is not None:
            self.part = self.target.with_name(self.target.name + PART)
            self.beside = self.target.with_name(self.target.name + JOURNAL)
            if settings is not None:
                self.journal = Journal(self.beside, settings)
        self.size = 0
        self.n_written = 0

    @property
    def n_done(self) -> int:
        """The number of documents that an earlier run has finished."""
        return self.journal.n_done if self.journal else 0

    @property
    def errors(self) -> List[Tuple[int, str]]:
        """The numbers and errors of documents that failed in an earlier run."""
        return self.journal.errors if self.journal else []

    @contextlib.contextmanager
    def open(self) -> Iterator["Output"]:
        """Open the output. If the block fails, whole documents are left.

        YIELDS (Output): This output.
        RAISES (OSError): The file can't be written.
        """
        with self._name_path():
            self.file = self._open()
        try:
            yield self
            with self._name_path():
                self._write(self.format.footer)
                self._finish()
        finally:
            if self.path != STDOUT:
                # What failed before can fail again.
                with contextlib.suppress(OSError):
                    self.file.close()

    def _open(self) -> BinaryIO:
        if self.part is None:
            if self.format.finish is not None:
                return io.BytesIO()
            file = self._open_target()
        else:
            self.part.parent.mkdir(parents=True, exist_ok=True)
            if self.journal is None:
                # That of an earlier run does not describe what this one writes.
                self.beside.unlink(missing_ok=True)
            file = self.part.open("ab", buffering=0)
            size = os.fstat(file.fileno()).st_size
            is_resumed = self.journal is not None and self.journal.resume(size)
            self.size = self.journal.size if is_resumed else 0
            file.truncate(self.size)
            if is_resumed and self.size:
                self.file = file
                return file
            if self.journal is not None:
                self.journal.start()
                self.journal.n_done = 0
                self.journal.errors = []
        self.file = file
        self._write(self.format.header)
        return file

    def _open_target(self) -> BinaryIO:
        return sys.stdout.buffer if self.path == STDOUT else open(self.path, "wb")

    def write(self, index: int, document: Document) -> None:
        """Write a document.

        index (int): The number of the document in the input, counted from 0.
        document (Document): The document.
        RAISES (ValueError): The format can't hold it; nothing is written.
        RAISES (OSError): It can't be written; a file is left as it was.
        """
        data = self.format.dump(document)
        with self._name_path(), delay_interrupt():
            self._write(data)
            if self.journal is not None:
                self.journal.add(index, self.size)
        self.n_written += 1

    def fail(self, index: int, error: str) -> None:
        """Note that a document that was read could not be annotated or written.

        index (int): The number of the document in the input, counted from 0.
        error (str): The error.
        """
        if self.journal is not None:
            with self._name_path():
                self.journal.add(index, self.size, error)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self.file.write(view) :]
            self.file.flush()
        except OSError:
            if self.part is not None:
                self.file.truncate(self.size)
            raise
        self.size += len(data)

    def _finish(self) -> None:
        """Put the file in its place."""
        finish = self.format.finish
        if self.part is None:
            if finish is not None:
                self.file.seek(0)
                dumped, self.file = self.file, self._open_target()
                finish(dumped, self.file)
                self.file.flush()
            return
        self.file.close()
        if finish is not None:
            whole = self.part.with_name(f"{self.part.name}.whole")
            with self.part.open("rb") as dumped, whole.open("wb") as file:
                finish(dumped, file)
            os.replace(whole, self.target)
            self.part.unlink()
        else:
            os.replace(self.part, self.target)
        if self.journal is not None:
            self.journal.remove()

    @contextlib.contextmanager
    def _name_path(self) -> Iterator[None]:
        """Name the output in errors of the system, except that of a closed pipe."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            name = "standard output" if self.path == STDOUT else self.path
            n_docs = self.n_written
            message = Errors.FC164.format(path=name, reason=error, n_docs=n_docs)
            raise OSError(message) from error


@contextlib.contextmanager
def delay_interrupt() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block, so that a document is written as a whole.

    YIELDS (None): Nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread is interrupted.
        yield
        return
    caught: list = []
    before = signal.signal(signal.SIGINT, lambda *args: caught.append(args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if caught and callable(before):
            before(*caught[0])


def check_output_file(path: str, inputs: List[str]) -> None:
    """Check an output file before computing anything.

    path (str): The file; "-" for standard output.
    inputs (List[str]): The files that are read.
    RAISES (ValueError): The path is a folder or a file that is read, or it is to be
        compressed.
    """
    if path == STDOUT:
        return
    reason = None
    if Path(path).is_dir():
        reason = "it is a folder"
    elif path.endswith(_ZIPPED):
        reason = "output is not compressed; write to - and pipe it to gzip"
    elif Path(path).resolve() in {Path(one).resolve() for one in inputs}:
        reason = "it is a file that is read"
    if reason is not None:
        raise ValueError(Errors.FC103.format(path=path, reason=reason))
