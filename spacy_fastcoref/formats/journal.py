"""Note how far a file is written, so that an interrupted run can be resumed."""

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from ..errors import Errors


class Journal:
    """Hold a file with a line for each document that was read.

    A line has the number of the document, the size of the output after it, and the
    error of a document that failed. The first line has the settings.

    path (Path): The file.
    settings (Dict[str, Any]): What determines the output, as JSON-serializable values.
    """

    def __init__(self, path: Path, settings: Dict[str, Any]) -> None:
        self.path = path
        self.settings = settings
        self.n_done = 0
        self.size = 0
        self.errors: List[Tuple[int, str]] = []

    def resume(self, size: int) -> bool:
        """Read the lines of an earlier run, up to the last whole document.

        size (int): The size of the output.
        RETURNS (bool): Whether there was an earlier run.
        RAISES (ValueError): The earlier run had other settings.
        """
        if not self.path.exists():
            return False
        lines = self.path.read_bytes().splitlines(keepends=True)
        settings, *rows = [_read_line(line) for line in lines] or [None]
        if settings is None:
            # The process was killed before it had written the first line.
            return False
        if settings != self.settings:
            self._refuse(settings)
        whole = len(lines[0])
        for line, row in zip(lines[1:], rows, strict=True):
            # What comes after a line that is cut, or lost, was not written.
            if row is None or row[1] > size:
                break
            self.n_done, self.size, error = row[0] + 1, row[1], row[2]
            self.errors += [(row[0], error)] if error else []
            whole += len(line)
        os.truncate(self.path, whole)
        return True

    def _refuse(self, settings: Dict[str, Any]) -> None:
        names = sorted({*settings, *self.settings})
        differences = ", ".join(
            f"{name} was {settings.get(name)!r} and is {self.settings.get(name)!r}"
            for name in names
            if settings.get(name) != self.settings.get(name)
        )
        message = Errors.FC163.format(path=self.path, differences=differences)
        raise ValueError(message)

    def start(self) -> None:
        """Write the first line; what was there is replaced."""
        self.path.write_text(f"{json.dumps(self.settings)}\n", encoding="utf8")

    def add(self, index: int, size: int, error: Optional[str] = None) -> None:
        """Note that a document is finished.

        index (int): The number of the document, counted from 0.
        size (int): The size of the output.
        error (Optional[str]): The error, if the document failed.
        """
        with self.path.open("a", encoding="utf8") as file:
            file.write(f"{json.dumps([index, size, error])}\n")

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def _read_line(line: bytes) -> Any:
    """Read a line; None if it was cut when the process was killed."""
    try:
        return json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
