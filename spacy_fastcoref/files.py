"""Files and folders that are written whole or not at all."""

import contextlib
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import BinaryIO, Iterator


@contextlib.contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its place once it is whole.

    It is written beside its place, under a name that starts with a dot, so that a
    process that is killed or a disk that fills leaves what was there before.

    path (Path): The file; one that exists is replaced.
    YIELDS (BinaryIO): What to write to.
    """
    part = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def replace_folder(new: Path, path: Path) -> None:
    """Move a folder to a place where there may be one.

    new (Path): The folder, on the same disk.
    path (Path): Its place; a folder that is there goes once the new one has come.
    """
    if not path.exists():
        os.replace(new, path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    os.replace(path, old / path.name)
    try:
        os.replace(new, path)
    except OSError:
        os.replace(old / path.name, path)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
