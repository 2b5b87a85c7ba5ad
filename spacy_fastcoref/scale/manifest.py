"""Note which rows of a dataset are written, so that each is written exactly once."""

import contextlib
import json
import os
import reprlib
import shutil
import socket
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple

from ..errors import Errors
from ..files import lock_file
from ..training.readers.text_files import digest_file

# Readers of folders, such as Arrow's and Spark's, skip names that begin with these.
MANIFEST = "_manifest.jsonl"
_WRITING = ".writing-"
_FILE = "rows-{start:012}-{stop:012}{ending}"
_VERSION = 1


@dataclass(frozen=True)
class Entry:
    """Hold what is noted about a block that is written.

    start, stop (int): The first row in the dataset, and the one after the last.
    file (str): The name of the file.
    size (int): Its size in bytes.
    sha256 (str): Its digest.
    inputs (str): The digest of the texts that were annotated.
    n_errors (int): The number of rows that have an error.
    """

    start: int
    stop: int
    file: str
    size: int
    sha256: str
    inputs: str
    n_errors: int


class Written(NamedTuple):
    """Hold what a worker says about a file that it has written.

    path (str): The temporary file.
    size (int): Its size in bytes.
    sha256 (str): Its digest.
    n_errors (int): The number of rows that have an error.
    """

    path: str
    size: int
    sha256: str
    n_errors: int


class Manifest:
    """Hold a folder of blocks and the file that lists them.

    The file has a line for each block. A line is added when the block's file is in its
    place, and no line is changed. Only one run at a time has the file open.

    folder (Path): The folder.
    settings (Dict[str, Any]): What determines the output, as JSON-serializable values.
    ending (str): The ending of the files.
    """

    def __init__(self, folder: Path, settings: Dict[str, Any], ending: str) -> None:
        self.folder = folder
        self.settings = settings
        self.ending = ending
        self.path = folder / MANIFEST
        # What the workers of this run write to. Workers that outlive an earlier run
        # write elsewhere, and only a run moves files to their places.
        self.writing = folder / f"{_WRITING}{uuid.uuid4().hex}"
        self.entries: Dict[int, Entry] = {}

    @contextlib.contextmanager
    def open(self) -> Iterator["Manifest"]:
        """Open the folder for one run, and remove what killed runs have left there.

        YIELDS (Manifest): This manifest, with the entries of earlier runs whose files
            are whole.
        RAISES (ValueError): The folder has something else in it, another run is writing
            to it, or an earlier one had other settings.
        """
        with self._open_file() as self.file:
            if lock_file(self.path, self.file.fileno(), wait=False) is False:
                self._refuse_second_run()
            self._load()
            self._add({"run": f"process {os.getpid()} on {socket.gethostname()}"})
            self._drop_broken()
            self._clean()
            self.writing.mkdir()
            try:
                yield self
            finally:
                shutil.rmtree(self.writing, ignore_errors=True)

    def _open_file(self) -> BinaryIO:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            is_new = not self.path.exists()
            if is_new and any(self.folder.iterdir()):
                reason = f"it has files, but no {MANIFEST} that lists them"
                raise ValueError(Errors.FC081.format(path=self.folder, reason=reason))
            return self.path.open("a+b", buffering=0)
        except OSError as error:
            message = Errors.FC103.format(path=self.folder, reason=error)
            raise ValueError(message) from error

    def _refuse_second_run(self) -> None:
        runs = [row["run"] for row in self._read_rows() if "run" in row]
        other = runs[-1] if runs else "a process that is starting"
        raise ValueError(Errors.FC242.format(path=self.folder, other=other))

    def _read_rows(self) -> List[Dict[str, Any]]:
        """Read the whole lines, and set the size of the file without a cut last one."""
        *lines, _ = self.path.read_bytes().split(b"\n")
        self.size = sum(len(line) + 1 for line in lines)
        try:
            rows = [json.loads(line) for line in lines]
        except ValueError as error:
            raise self._describe_broken(error) from error
        if not all(isinstance(row, dict) for row in rows):
            raise self._describe_broken("each line has to be an object")
        return rows

    def _describe_broken(self, reason: object) -> ValueError:
        message = f"its {MANIFEST} is broken: {reason}"
        return ValueError(Errors.FC081.format(path=self.folder, reason=message))

    def _load(self) -> None:
        rows = self._read_rows()
        os.truncate(self.path, self.size)
        if not rows:
            # A run may have been killed before it had written the first line.
            self._begin()
            return
        try:
            found = rows[0]["settings"]
            for row in rows[1:]:
                if "dropped" in row:
                    del self.entries[row["dropped"]]
                elif "file" in row:
                    if row["start"] in self.entries:
                        raise ValueError(f"row {row['start']} is in two blocks")
                    self.entries[row["start"]] = Entry(**row)
            self._check_order()
        except (KeyError, TypeError, ValueError) as error:
            raise self._describe_broken(f"{type(error).__name__}: {error}") from error
        if found != self.settings and not self.entries:
            # An earlier run was refused, or ended before it had written a block.
            self._begin()
        elif found != self.settings:
            names = sorted({*found, *self.settings})
            differences = ", ".join(
                f"{name} was {reprlib.repr(found.get(name))} and is "
                f"{reprlib.repr(self.settings.get(name))}"
                for name in names
                if found.get(name) != self.settings.get(name)
            )
            message = Errors.FC243.format(path=self.folder, differences=differences)
            raise ValueError(message)

    def _begin(self) -> None:
        os.truncate(self.path, 0)
        self.size = 0
        self._add({"version": _VERSION, "settings": self.settings})

    def _check_order(self) -> None:
        position = 0
        for entry in sorted(self.entries.values(), key=lambda entry: entry.start):
            if entry.start < position:
                raise ValueError(f"row {entry.start} is in two blocks")
            position = entry.stop

    def _add(self, row: Dict[str, Any]) -> None:
        """Add a line, or leave the file as it was."""
        line = f"{json.dumps(row)}\n".encode()
        self.check_alone()
        try:
            # A file without a buffer may write only a part of what it is given.
            view = memoryview(line)
            while view:
                view = view[self.file.write(view) :]
            os.fsync(self.file.fileno())
        except OSError:
            self.file.truncate(self.size)
            raise
        self.size += len(line)

    def check_alone(self) -> None:
        """Check that no other run has begun.

        RAISES (ValueError): Another run has added lines. The system should not have
            let it, but some network file systems can't lock files.
        """
        if os.fstat(self.file.fileno()).st_size != self.size:
            self._refuse_second_run()

    def _drop_broken(self) -> None:
        """Drop the entries whose files are missing or were changed."""
        entries = list(self.entries.values())
        with ThreadPoolExecutor() as pool:
            are_whole = list(pool.map(self._is_whole, entries))
        for entry, is_whole in zip(entries, are_whole, strict=True):
            if not is_whole:
                self._add({"dropped": entry.start})
                del self.entries[entry.start]

    def _is_whole(self, entry: Entry) -> bool:
        path = self.folder / entry.file
        try:
            size = path.stat().st_size
        except OSError:
            return False
        return size == entry.size and digest_file(path) == entry.sha256

    def _clean(self) -> None:
        """Remove the files of blocks that are not listed, and temporary files."""
        listed = {entry.file for entry in self.entries.values()}
        for path in self.folder.iterdir():
            if path.name.startswith(_WRITING):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.startswith("rows-") and path.name not in listed:
                path.unlink()

    @property
    def n_done(self) -> int:
        """The number of rows that are written."""
        return sum(entry.stop - entry.start for entry in self.entries.values())

    @property
    def n_errors(self) -> int:
        """The number of rows that have an error."""
        return sum(entry.n_errors for entry in self.entries.values())

    def name_temporary(self, start: int, stop: int) -> Path:
        """Name a file for a worker to write to.

        start, stop (int): The rows of the block.
        RETURNS (Path): The path, another one each time: a worker that was given up may
            still be writing.
        """
        name = _FILE.format(start=start, stop=stop, ending=self.ending)
        return self.writing / f"{uuid.uuid4().hex[:8]}-{name}"

    def commit(self, start: int, stop: int, written: Written, inputs: str) -> None:
        """Put the file of a block in its place, and note it.

        start, stop (int): The rows of the block.
        written (Written): The temporary file.
        inputs (str): The digest of the texts that were annotated.
        RAISES (OSError): The file is not there, or can't be moved or noted.
        """
        # Another run would have removed the temporary file.
        self.check_alone()
        name = _FILE.format(start=start, stop=stop, ending=self.ending)
        os.replace(written.path, self.folder / name)
        entry = Entry(
            start, stop, name, written.size, written.sha256, inputs, written.n_errors
        )
        self._add(asdict(entry))
        self.entries[start] = entry

    def finish(self, n_rows: int) -> None:
        """Note that all rows are written.

        n_rows (int): The number of rows in the dataset.
        RAISES (OSError): It can't be noted.
        """
        self._check_order()
        assert self.n_done == n_rows
        self._add({"n_rows": n_rows, "n_errors": self.n_errors})
