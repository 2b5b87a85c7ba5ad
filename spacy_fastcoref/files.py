"""Write files and folders atomically: complete, or not at all."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

# Tells what a killed process left from the user's own hidden folders.
_PREFIX = ".spacy_fastcoref-"


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Write a file to a temporary place, and move it when it is complete.

    path (pathlib.Path): The file, or a link to it; an existing one is replaced. A path
        that is not a regular file, such as a pipe, is written to directly.
    YIELDS (pathlib.Path): The path to write to. If the block fails, nothing changes.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    with _temporary_folder(path) as place:
        yield place / path.name
        os.replace(place / path.name, path)


@contextlib.contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Write a folder to a temporary place, and move it when it is complete.

    path (pathlib.Path): The folder, or a link to it; an existing one is replaced.
    YIELDS (pathlib.Path): An empty folder. If the block fails, nothing changes.
    """
    path = path.resolve()
    with _temporary_folder(path) as place:
        new, old = place / "new", place / "old"
        new.mkdir()
        yield new
        if path.exists():
            os.replace(path, old)
        try:
            os.replace(new, path)
        except OSError:
            if old.exists():
                os.replace(old, path)
            raise


def remove_leftovers(path: Path) -> None:
    """Remove the incomplete files of killed processes.

    path (pathlib.Path): The file or folder that they were writing, which is kept; its
        name may have wildcards.
    """
    path = path.resolve()
    for place in path.parent.glob(f"{_PREFIX}{path.name}-*"):
        if place.is_dir():
            shutil.rmtree(place)


@contextlib.contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f"{_PREFIX}{path.name}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as place:
        yield Path(place)
