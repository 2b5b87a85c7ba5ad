"""Write documents to a file or to standard output, only whole ones."""

import contextlib
import io
import os
import sys
import time
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Sequence, Tuple

from ..errors import Errors
from ..files import replace_file, sync
from ..journal import Journal, Row, write_whole
from .base import Document, Format
from .parsing import STDIN

STDOUT = STDIN
_ZIPPED = ".gz"
# The endings of the files that an interrupted run leaves.
_PART, _JOURNAL = ".part", ".journal"
# What was written in so many seconds is lost by a kill, and written again.
_SECONDS = 1.0


class Output:
    """Write documents one after the other.

    Until the file is complete, its documents are in a file beside it, and a journal
    has a row for each document that was read: its number, the size of that file after
    it, and the error of one that failed.
    """

    def __init__(
        self, path: str, format: Format, settings: Optional[Row] = None
    ) -> None:
        self.path, self.format = path, format
        self.target = _find_target(path)
        self.journal: Optional[Journal] = None
        if self.target is not None:
            self.part, beside = _list_working(self.target)
            self.journal = Journal(beside, settings, Path(path))
        # What an earlier run has noted.
        self.rows: List[Row] = []
        self.size = self.n_written = 0
        self._pending: List[Row] = []
        self._last_sync = 0.0

    @property
    def n_done(self) -> int:
        """The number of documents that an earlier run has finished."""
        return self.rows[-1]["document"] + 1 if self.rows else 0

    @property
    def errors(self) -> List[Tuple[int, str]]:
        """The numbers and errors of documents that failed in an earlier run."""
        return [(row["document"], row["error"]) for row in self.rows if row["error"]]

    @contextlib.contextmanager
    def open(self) -> Iterator["Output"]:
        """Open the output. If the block fails, whole documents are left."""
        with contextlib.ExitStack() as stack:
            with self._name_path():
                if self.journal is not None:
                    self._check_part(self.journal)
                    stack.enter_context(self.journal.open())
                self.file = self._open()
                if not self.size:
                    self._write(self.format.header)
            try:
                yield self
                with self._name_path():
                    self._write(self.format.footer)
                    self._finish()
            finally:
                # What failed before can fail again.
                with contextlib.suppress(OSError, ValueError):
                    self._sync()
                if self.path != STDOUT:
                    with contextlib.suppress(OSError):
                        self.file.close()

    def _check_part(self, journal: Journal) -> None:
        # A run writes its journal first, and removes it last.
        if self.part.exists() and not journal.path.exists():
            reason = f"{self.part} has work of another command; move it away"
            raise ValueError(Errors.FC103.format(path=self.path, reason=reason))

    def _open(self) -> BinaryIO:
        if self.journal is None:
            is_whole = self.format.finish is None
            return self._open_target() if is_whole else io.BytesIO()
        size = self.part.stat().st_size if self.part.exists() else 0
        with self.journal.check_rows():
            # Without the part, there is nothing to go on with.
            self.rows = self.journal.rows if size else []
            self.size = self.rows[-1]["size"] if self.rows else 0
            if self.size > size:
                raise ValueError(f"{self.part} has less than it says")
        self.journal.begin(keeps=bool(self.rows))
        file = self.part.open("ab", buffering=0)
        file.truncate(self.size)
        sync(self.part.parent)
        return file

    def _open_target(self) -> BinaryIO:
        return sys.stdout.buffer if self.path == STDOUT else open(self.path, "wb")

    def write(self, index: int, document: Document) -> None:
        """Write a document."""
        assert self.format.dump is not None
        data = self.format.dump(document)
        with self._name_path():
            self._write(data)
            self._note(index)
        self.n_written += 1

    def fail(self, index: int, error: str) -> None:
        """Note that a document that was read could not be annotated or written."""
        with self._name_path():
            self._note(index, error)

    def _note(self, index: int, error: Optional[str] = None) -> None:
        self._pending.append({"document": index, "size": self.size, "error": error})
        if time.monotonic() - self._last_sync > _SECONDS:
            self._sync()

    def _sync(self) -> None:
        """Wait until the documents are on the disk, and note them."""
        if self.journal is not None and self._pending:
            os.fsync(self.file.fileno())
            self.journal.add(*self._pending)
            self._last_sync = time.monotonic()
        self._pending = []

    def _write(self, data: bytes) -> None:
        write_whole(self.file, data)
        self.file.flush()
        self.size += len(data)

    def _finish(self) -> None:
        """Put the file in its place."""
        finish = self.format.finish
        if self.journal is None or self.target is None:
            if finish is not None:
                self.file.seek(0)
                dumped, self.file = self.file, self._open_target()
                finish(dumped, self.file)
                self.file.flush()
            return
        self._sync()
        self.file.close()
        sync(self.part)
        if finish is not None:
            with (
                self.part.open("rb") as dumped,
                replace_file(self.target) as whole,
                whole.open("wb") as file,
            ):
                finish(dumped, file)
            self.part.unlink()
        else:
            os.replace(self.part, self.target)
            sync(self.target.parent)
        self.journal.remove()

    @contextlib.contextmanager
    def _name_path(self) -> Iterator[None]:
        """Name the output in errors of the system, except that of a closed pipe."""
        try:
            yield
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            name = "standard output" if self.path == STDOUT else self.path
            message = Errors.FC246.format(
                path=name, reason=error, n_parts=self.n_written, parts="documents"
            )
            raise OSError(message) from error


def check_output_file(path: str, inputs: Sequence[str]) -> None:
    """Check an output file before computing anything."""
    if path == STDOUT:
        return
    target = _find_target(path)
    written = [target, *_list_working(target)] if target else [Path(path)]
    read = [one for one in inputs if os.path.exists(one)]
    reason = None
    if Path(path).is_dir():
        reason = "it is a folder"
    elif path.endswith(_ZIPPED):
        reason = "output is not compressed; write to - and pipe it to gzip"
    # By the file and not by its name, which may be a link or have other case.
    for file in filter(Path.exists, written):
        if any(os.path.samefile(file, one) for one in read):
            reason = "it is a file that is read"
            if file != target:
                reason = f"{file} is read, and is where its documents are kept"
    if reason is not None:
        raise ValueError(Errors.FC103.format(path=path, reason=reason))


def _find_target(path: str) -> Optional[Path]:
    """Find the file to write; None for what is not replaced: a pipe or a device."""
    if path == STDOUT or (os.path.exists(path) and not os.path.isfile(path)):
        return None
    return Path(path).resolve()


def _list_working(target: Path) -> List[Path]:
    """List the files that an interrupted run leaves."""
    return [target.with_name(target.name + ending) for ending in (_PART, _JOURNAL)]
