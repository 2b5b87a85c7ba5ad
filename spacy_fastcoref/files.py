"""Write files and folders atomically: complete, or not at all."""

import contextlib
import ctypes
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Iterator, Optional

try:
    import fcntl
except ImportError:
    # On Windows folders can't be locked.
    fcntl = None  # type: ignore[assignment]

# Temporary folders are named after what is written: the prefix, the name, and the
# characters that tempfile adds.
_PREFIX = ".spacy_fastcoref-"
_TEMPORARY = re.compile(rf"{re.escape(_PREFIX)}(.+)-[a-z0-9_]{{8}}", re.DOTALL)
# Where folders can't be locked, one that is older is not being written any more.
_MAX_SECONDS = 24 * 60 * 60
# Linux and macOS can exchange two folders in one step: the function of the C library,
# and the arguments around the paths.
_AT_FDCWD = -100
_EXCHANGE = {
    "linux": ("renameat2", lambda a, b: (_AT_FDCWD, a, _AT_FDCWD, b, 2)),
    "darwin": ("renamex_np", lambda a, b: (a, b, 2)),
}


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

    A process that is killed leaves the old folder or the new one. Where the system
    can't exchange folders in one step, a kill between two steps leaves neither at the
    path, and `remove_leftovers` moves the new one there.

    path (pathlib.Path): The folder, or a link to it; an existing one is replaced.
    YIELDS (pathlib.Path): An empty folder. If the block fails, nothing changes.
    """
    path = path.resolve()
    with _temporary_folder(path) as place:
        new, old = place / "new", place / "old"
        new.mkdir()
        yield new
        if path.exists() and _exchange(new, path):
            return
        if path.exists():
            os.replace(path, old)
        try:
            os.replace(new, path)
        except OSError:
            if old.exists():
                os.replace(old, path)
            raise


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left, and finish the move of a complete folder.

    What another process is writing at this moment stays. Where this process may not
    write, nothing is removed.

    path (pathlib.Path): The file or folder that they were writing, which is kept; its
        name may have wildcards.
    """
    path = path.resolve()
    with contextlib.suppress(OSError):
        for name in os.listdir(path.parent):
            match = _TEMPORARY.fullmatch(name)
            if match and (match[1] == path.name or fnmatchcase(match[1], path.name)):
                _remove_leftover(path.parent / name, path.parent / match[1])


def check_file(path: Path, *, most: Optional[int] = None) -> None:
    """Check that a path is a regular file, or a link to one, before it is opened.

    To open a pipe may wait for ever, and a device may have no end.

    path (pathlib.Path): The file.
    most (Optional[int]): The largest size in bytes; None for any.
    RAISES (OSError): It is missing, not a regular file, or too large.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path.name} is not a regular file")
    if most is not None and found.st_size > most:
        raise OSError(f"{path.name} has {found.st_size} bytes, more than {most}")


@contextlib.contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    prefix = f"{_PREFIX}{path.name}-"
    while True:
        place = Path(tempfile.mkdtemp(prefix=prefix, dir=path.parent))
        with _lock(place) as is_locked:
            # Another process may have removed it before it was locked.
            if is_locked is False:
                continue
            try:
                yield place
            finally:
                shutil.rmtree(place, ignore_errors=True)
            return


def _remove_leftover(place: Path, path: Path) -> None:
    """Remove a temporary folder, unless a process is writing in it."""
    if not place.is_dir() or place.is_symlink():
        return
    with contextlib.suppress(OSError), _lock(place, wait=False) as is_locked:
        if is_locked is None:
            is_locked = time.time() - place.stat().st_mtime > _MAX_SECONDS
        if not is_locked:
            return
        # The old folder is moved away only when the new one is complete.
        if (place / "old").exists() and not path.exists():
            os.replace(place / "new", path)
        shutil.rmtree(place)


@contextlib.contextmanager
def _lock(place: Path, *, wait: bool = True) -> Iterator[Optional[bool]]:
    """Lock a folder until the block ends or the process does.

    Yields whether this process has the lock; None if folders can't be locked here.
    """
    if fcntl is None:
        yield None
        return
    try:
        file = os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        file = None
    try:
        yield file is not None and _lock_file(place, file, wait=wait)
    finally:
        if file is not None:
            os.close(file)


def _lock_file(place: Path, file: int, *, wait: bool) -> Optional[bool]:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems lock no folders.
        return None
    try:
        return os.path.samestat(os.stat(place), os.fstat(file))
    except FileNotFoundError:
        return False


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, and tell whether the system could do so."""
    name, arrange = _EXCHANGE.get(sys.platform, ("", None))
    function = getattr(ctypes.CDLL(None), name, None) if arrange else None
    if arrange is None or function is None:
        return False
    # As os.rename does.
    sys.audit("os.rename", str(one), str(other), -1, -1)
    return function(*arrange(os.fsencode(one), os.fsencode(other))) == 0
