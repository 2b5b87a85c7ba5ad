"""Files and folders that are written whole, or not at all."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

# What is left by the killed has to be told from what users hide beside it.
_PREFIX = ".spacy_fastcoref-"


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Write a file beside its place, and move it there when it is whole.

    path (pathlib.Path): The file, or a link to it; one that exists is replaced. What is
        no regular file, such as a pipe, is written to as it is.
    YIELDS (pathlib.Path): What to write to. If the block fails, nothing changes.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    with _workplace(path) as place:
        yield place / path.name
        os.replace(place / path.name, path)


@contextlib.contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Write a folder beside its place, and move it there when it is whole.

    path (pathlib.Path): The folder, or a link to it; one that exists is replaced.
    YIELDS (pathlib.Path): An empty folder. If the block fails, nothing changes.
    """
    path = path.resolve()
    with _workplace(path) as place:
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
    """Remove what a process that was killed left of a file or folder half-written.

    path (pathlib.Path): The file or folder, which is kept; its name may have wildcards.
    """
    path = path.resolve()
    for place in path.parent.glob(f"{_PREFIX}{path.name}-*"):
        if place.is_dir():
            shutil.rmtree(place)


@contextlib.contextmanager
def _workplace(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f"{_PREFIX}{path.name}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as place:
        yield Path(place)
