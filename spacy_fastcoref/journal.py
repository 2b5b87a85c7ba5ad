"""Note what a run has finished, so that the same run goes on after a kill.

A journal is a file of JSON lines: the settings of the run, then what is finished. Each
line is on the disk before the run goes on. Only one process has a journal open, and the
lock ends with that process. A manifest is a folder whose files a journal lists.
"""

import contextlib
import hashlib
import json
import os
import reprlib
import shutil
import socket
import uuid
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, TypeVar

from spacy.language import Language

from .errors import Errors, Warnings
from .files import digest_file, lock_file, make_folder, sync

Row = Dict[str, Any]
ManifestT = TypeVar("ManifestT", bound="Manifest")
# Readers of folders, such as Arrow's and Spark's, skip names that begin with these.
MANIFEST = "_manifest.jsonl"
_WRITING = ".writing-"
_VERSION = 1
# A forked process would keep the locks of its parent.
_OPEN: "weakref.WeakSet[BinaryIO]" = weakref.WeakSet()


def _close_all() -> None:
    for file in [*_OPEN]:
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)


class Journal:
    """Hold the lines of a journal.

    settings: What determines the output; None for a run that none can go on with.
    """

    def __init__(
        self,
        path: Path,
        settings: Optional[Dict[str, Any]],
        output: Path,
        parts: str = "documents",
    ) -> None:
        self.path, self.output, self.parts = path, output, parts
        # As they are once they are read again.
        self.settings = json.loads(json.dumps(settings))
        # Those of an earlier run.
        self.rows: List[Row] = []

    @contextlib.contextmanager
    def open(self) -> Iterator["Journal"]:
        """Lock the file, and read the rows of an earlier run."""
        make_folder(self.path.parent)
        with self.path.open("a+b", buffering=0) as self.file:
            _OPEN.add(self.file)
            if lock_file(self.path, self.file.fileno(), wait=False) is False:
                self._refuse_second_run()
            self._read()
            yield self

    def _refuse_second_run(self) -> None:
        self._read()
        other = self._runs[-1] if self._runs else "one that is starting or ending"
        raise ValueError(Errors.FC242.format(path=self.output, other=other))

    def _read(self) -> None:
        """Read the whole lines, without the last one if it was cut."""
        data = self.path.read_bytes() if self.path.exists() else b""
        data = data[: data.rfind(b"\n") + 1]
        self.size = len(data)
        with self.check_rows():
            rows = [json.loads(line) for line in data.splitlines()]
            self._found = rows[0]["settings"] if rows else None
            self._runs = [row["run"] for row in rows if "run" in row]
            self.rows = [row for row in rows[1:] if "run" not in row]

    @contextlib.contextmanager
    def check_rows(self) -> Iterator[None]:
        """Say in errors of what reads the rows that no run has written them."""
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{self.path.name} is broken: {type(error).__name__}: {error}"
            message = Errors.FC081.format(path=self.output, reason=reason)
            raise ValueError(message) from error

    def begin(self, *, keeps: bool) -> None:
        """Go on after the rows of an earlier run, or anew."""
        lines: List[Row] = [{"run": f"process {os.getpid()} on {socket.gethostname()}"}]
        if keeps:
            self._check_settings()
        else:
            self.rows, self.size = [], 0
            lines.insert(0, {"version": _VERSION, "settings": self.settings})
        # Without a line that was cut.
        os.truncate(self.path, self.size)
        self.add(*lines)
        sync(self.path.parent)

    def _check_settings(self) -> None:
        found, own = self._found, self.settings
        differences = "what it reads, such as standard input, can't be read again"
        if found is not None and own is not None:
            differences = ", ".join(
                f"{name} was {reprlib.repr(found.get(name))} and is "
                f"{reprlib.repr(own.get(name))}"
                for name in sorted({*found, *own})
                if found.get(name) != own.get(name)
            )
        if differences:
            message = Errors.FC163.format(
                path=self.output,
                n_parts=len(self.rows),
                parts=self.parts,
                differences=differences,
            )
            raise ValueError(message)

    def add(self, *rows: Row) -> None:
        """Add rows, and wait until they are on the disk."""
        self.check_alone()
        data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        # What is cut by a full disk is no whole line.
        write_whole(self.file, data)
        os.fsync(self.file.fileno())
        self.size += len(data)

    def check_alone(self) -> None:
        """Check that no other run has begun."""
        if os.fstat(self.file.fileno()).st_size != self.size:
            self._refuse_second_run()

    def remove(self) -> None:
        """Remove the file, once the output is in its place."""
        self.path.unlink()
        sync(self.path.parent)


class Manifest:
    """Hold a folder, and a journal of the files in it.

    A file is listed when it is whole and in its place. Files that are not listed don't
    count, and those that were changed are dropped from the list.
    """

    # What `n_done` counts, for messages.
    parts = "files"

    def __init__(self, folder: Path, settings: Row, prefix: str) -> None:
        self.folder, self.prefix = folder, prefix
        self.journal = Journal(folder / MANIFEST, settings, folder, "files")
        # What this run writes to. Workers that outlive an earlier run write elsewhere,
        # and only a run moves files to their places.
        self.writing = folder.absolute() / f"{_WRITING}{uuid.uuid4().hex}"
        self.files: Dict[str, Row] = {}

    @property
    def n_done(self) -> int:
        """The number of files that are written."""
        return len(self.files)

    @contextlib.contextmanager
    def open(self: ManifestT) -> Iterator[ManifestT]:
        """Open the folder for one run, and remove what killed runs have left there."""
        with contextlib.ExitStack() as stack:
            try:
                is_new = not self.journal.path.exists()
                if is_new and self.folder.exists() and any(self.folder.iterdir()):
                    reason = f"it has files, but no {MANIFEST} that lists them"
                    raise ValueError(
                        Errors.FC081.format(path=self.folder, reason=reason)
                    )
                stack.enter_context(self.journal.open())
            except OSError as error:
                message = Errors.FC103.format(path=self.folder, reason=error)
                raise ValueError(message) from error
            with self.journal.check_rows():
                for row in self.journal.rows:
                    if "dropped" in row:
                        del self.files[row["dropped"]]
                    elif row["file"] in self.files:
                        raise ValueError(f"{row['file']} is listed twice")
                    else:
                        self.files[row["file"]] = row
                self.check()
            self.journal.begin(keeps=bool(self.files))
            self._drop_broken()
            self._clean()
            self.writing.mkdir()
            try:
                yield self
            finally:
                shutil.rmtree(self.writing, ignore_errors=True)

    def check(self) -> None:
        """Check the files that are listed."""
        for row in self.files.values():
            row["size"], row["sha256"]

    def count(self, name: str) -> int:
        """Sum up what is noted by a name about the files."""
        return sum(row[name] for row in self.files.values())

    def _drop_broken(self) -> None:
        with ThreadPoolExecutor() as pool:
            are_whole = list(pool.map(self._is_whole, self.files.values()))
        for name, is_whole in zip([*self.files], are_whole, strict=True):
            if not is_whole:
                path = self.folder / name
                warnings.warn(Warnings.FCW21.format(path=path), stacklevel=2)
                self.journal.add({"dropped": name})
                del self.files[name]

    def _is_whole(self, row: Row) -> bool:
        path = self.folder / row["file"]
        return path.is_file() and {**row, **describe_file(path)} == row

    def _clean(self) -> None:
        """Remove what is not listed, and what killed runs were writing."""
        for path in self.folder.iterdir():
            if path.name.startswith(_WRITING):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.startswith(self.prefix) and path.name not in self.files:
                path.unlink()

    def name_temporary(self) -> Path:
        """Name a file to write to, another one each time: a worker that was given up
        may still be writing."""
        return self.writing / uuid.uuid4().hex

    def put(self, path: Path, name: str, **noted: Any) -> None:
        """Put a file that is on the disk in its place, and list it."""
        self.journal.check_alone()
        os.replace(path, self.folder / name)
        sync(self.folder)
        row = {"file": name, **noted}
        self.journal.add(row)
        self.files[name] = row

    def write(self, data: bytes, name: str, **noted: Any) -> None:
        """Write a file, and list it."""
        path = self.name_temporary()
        with self.name_folder():
            path.write_bytes(data)
            sync(path)
            self.put(path, name, **describe_file(path), **noted)

    @contextlib.contextmanager
    def name_folder(self) -> Iterator[None]:
        """Name the folder in errors of the system, and what is in it."""
        try:
            yield
        except OSError as error:
            # Another run would have removed the folder of temporary files.
            self.journal.check_alone()
            raise OSError(self.describe(error)) from error

    def describe(self, error: OSError) -> str:
        """Describe why the folder can't be written to."""
        return Errors.FC246.format(
            path=self.folder, reason=error, n_parts=self.n_done, parts=self.parts
        )


def describe_file(path: Path) -> Row:
    """Describe what a file has, to tell later whether it is still the same."""
    return {"size": path.stat().st_size, "sha256": digest_file(path)}


def identify_pipeline(nlp: Language) -> str:
    """Identify a pipeline, on which the output of a run depends."""
    digest = hashlib.sha256(nlp.to_bytes(exclude=["vocab"])).hexdigest()[:16]
    return f"{nlp.lang}_{nlp.meta['name']} {nlp.meta['version']} {digest}"


def write_whole(file: BinaryIO, data: bytes) -> None:
    """Write data to a file without a buffer, which may take only a part at once."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
