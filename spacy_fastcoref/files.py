"""Write files and folders atomically: either completely or not at all."""

import contextlib
import ctypes
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Iterator, Optional

try:
    import fcntl
except ImportError:
    # Windows can't lock folders.
    fcntl = None  # type: ignore[assignment]

# The number of characters that tempfile adds to the name of a temporary folder.
_N_ADDED = 8
# Where the system can't lock folders, an older temporary folder counts as abandoned.
_MAX_SECONDS = 24 * 60 * 60
_CHUNK = 1 << 20
# What unpacks to more than this, and to as many times its size, is no text or Doc.
_MAX_UNPACKED, _MAX_RATIO = 1 << 26, 100
# It unpacks to a thousand times its size at most.
_PACKED_CHUNK = 1 << 10
# Linux and macOS can exchange two folders in one step. For each system: the function
# of the C library, and how to make its arguments from the two paths.
_AT_FDCWD = -100
_EXCHANGE = {
    "linux": ("renameat2", lambda a, b: (_AT_FDCWD, a, _AT_FDCWD, b, 2)),
    "darwin": ("renamex_np", lambda a, b: (a, b, 2)),
}


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Write a file to a temporary folder, and move it when it is complete.

    If the block fails, an existing file stays as it is. A path that is not a regular
    file, such as a pipe, is written to directly.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    with _temporary_folder(path) as place:
        yield place / path.name
        sync(place / path.name)
        os.replace(place / path.name, path)
        sync(path.parent)


@contextlib.contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Write a folder to a temporary place, and move it when it is complete.

    If the process is killed, the path has either the old folder or the new one. Where
    the system can't exchange folders in one step, a kill between the two steps leaves
    nothing at the path, and `remove_leftovers` moves the new folder there. If the block
    fails, an existing folder stays as it is.
    """
    path = path.resolve()
    with _temporary_folder(path) as place:
        new, old = place / "new", place / "old"
        new.mkdir()
        yield new
        for folder, _, names in os.walk(new):
            for name in [*names, ""]:
                sync(Path(folder, name))
        if not path.exists() or not _exchange(new, path):
            if path.exists():
                os.replace(path, old)
            try:
                os.replace(new, path)
            except OSError:
                if old.exists():
                    os.replace(old, path)
                raise
        sync(path.parent)


def remove_leftovers(path: Path) -> None:
    """Remove the temporary folders of killed processes.

    If a process was killed while it replaced a folder, and the new folder is complete,
    move the new folder to its path first. Leave temporary folders that another process
    is writing to, and those in a folder that this process may not write to.
    """
    path = path.resolve()
    with contextlib.suppress(OSError):
        for place in [*path.parent.iterdir()]:
            if place.name[:-_N_ADDED] == _make_prefix(path):
                _remove_leftover(place, path)


def check_file(path: Path, *, most: Optional[int] = None) -> None:
    """Check that a path is a regular file, or a link to one, before opening it.

    Opening a pipe may wait forever, and reading a device may never end.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path.name} is not a regular file")
    if most is not None and found.st_size > most:
        raise OSError(f"{path.name} has {found.st_size} bytes, more than {most}")


def check_unpacked(n_unpacked: int, n_packed: int) -> None:
    """Raise an OSError if what was decompressed is far more than a text has."""
    if n_unpacked > max(_MAX_UNPACKED, _MAX_RATIO * n_packed):
        raise OSError(
            f"it unpacks to more than {_MAX_UNPACKED >> 20} MB and {_MAX_RATIO} times "
            "its size, as no text does"
        )


def check_packed(data: bytes) -> bytes:
    """Check what zlib has compressed as `check_unpacked` does, and return it."""
    unpacker, n_unpacked = zlib.decompressobj(), 0
    for start in range(0, len(data), _PACKED_CHUNK):
        piece = data[start : start + _PACKED_CHUNK]
        n_unpacked += len(unpacker.decompress(piece))
        check_unpacked(n_unpacked, len(data))
    return data


def make_folder(path: Path) -> None:
    """Make a folder, and those that it is in, and wait until they are on the disk."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    is_folder = path.is_dir()
    if is_folder and os.name == "nt":
        # Windows can't open folders.
        return
    file = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(file)
    except OSError:
        # Some file systems can't sync folders.
        if not is_folder:
            raise
    finally:
        os.close(file)


def digest_file(path: Path) -> Optional[str]:
    """Identify a file by its contents."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()[:16]


def lock_file(path: Path, file: int, *, wait: bool) -> Optional[bool]:
    """Lock a file or a folder that is open, until it is closed or the process ends.

    RETURNS (Optional[bool]): Whether this process has the lock, and the path is still
        this file; None if the system can't lock files.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems can't lock folders.
        return None
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _make_prefix(path: Path) -> str:
    return f".spacy_fastcoref-{path.name}-"


@contextlib.contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    make_folder(path.parent)
    remove_leftovers(path)
    while True:
        place = Path(tempfile.mkdtemp(prefix=_make_prefix(path), dir=path.parent))
        with _lock(place) as is_locked:
            # Another process may have removed the folder before this one locked it.
            if is_locked is False:
                continue
            try:
                yield place
            finally:
                shutil.rmtree(place, ignore_errors=True)
            return


def _remove_leftover(place: Path, path: Path) -> None:
    """Remove a temporary folder, unless a process is writing to it."""
    if not place.is_dir() or place.is_symlink():
        return
    with contextlib.suppress(OSError), _lock(place, wait=False) as is_locked:
        if is_locked is None:
            is_locked = time.time() - place.stat().st_mtime > _MAX_SECONDS
        if not is_locked:
            return
        # `replace_folder` moves the old folder away only when the new one is complete.
        if (place / "old").exists() and not path.exists():
            os.replace(place / "new", path)
        shutil.rmtree(place)


@contextlib.contextmanager
def _lock(place: Path, *, wait: bool = True) -> Iterator[Optional[bool]]:
    """Lock a folder until the end of the block, or of the process."""
    if fcntl is None:
        # Such systems can't open folders either.
        yield None
        return
    try:
        file = os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        yield lock_file(place, file, wait=wait)
    finally:
        os.close(file)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, and return whether the system could do so."""
    name, arrange = _EXCHANGE.get(sys.platform, ("", None))
    function = getattr(ctypes.CDLL(None), name, None) if arrange else None
    if arrange is None or function is None:
        return False
    # Raise the audit event that os.rename would raise.
    sys.audit("os.rename", str(one), str(other), -1, -1)
    return function(*arrange(os.fsencode(one), os.fsencode(other))) == 0
