"""What a command may write over: nothing, or what such a command wrote."""

import os
import tempfile
from pathlib import Path
from typing import Sequence

from ..errors import Errors

# The files by which a folder is known: a pipeline's, and a model's for fastcoref.
PIPELINE = ("config.cfg", "meta.json")
MODEL = ("config.json", "model.safetensors")


def check_output(path: Path, files: Sequence[str], inputs: Sequence[str]) -> None:
    """Check, before anything is computed, that a folder may be replaced.

    path (Path): The folder, which need not exist.
    files (Sequence[str]): What such a folder has in it; another one is not replaced,
        unless it is empty.
    inputs (Sequence[str]): The pipelines that are read: folders or names of packages.
    RAISES (ValueError): It is something else, or one of the inputs, in one or around
        one, or nothing can be written there.
    """
    check_writable(path, replaces=True)
    folder = path.resolve()
    sources = [Path(source).resolve() for source in inputs if Path(source).exists()]
    if any(source in (folder, *folder.parents) for source in sources):
        _refuse(path, "it is a pipeline that is read, or in one")
    if any(folder in source.parents for source in sources):
        _refuse(path, "a pipeline that is read is in it")
    missing = [name for name in files if not (path / name).is_file()]
    if missing and path.exists() and any(path.iterdir()):
        names = " and no ".join(missing)
        _refuse(path, f"this folder is not empty, and has no {names} to be replaced")


def check_writable(path: Path, *, replaces: bool = False) -> None:
    """Check, before anything is computed, that a folder can be made or written into.

    path (Path): The folder, which need not exist.
    replaces (bool): Whether it is going to be replaced, and not written into.
    RAISES (ValueError): It is a file, or a mount point to be replaced, or its place is
        none that can be written to.
    """
    if path.is_file():
        _refuse(path, "it is a file")
    folder = path.resolve()
    if replaces and os.path.ismount(folder):
        _refuse(path, "it is a mount point, which can't be replaced")
    places = folder.parents if replaces else (folder, *folder.parents)
    try:
        with tempfile.TemporaryDirectory(dir=next(p for p in places if p.exists())):
            pass
    except OSError as error:
        _refuse(path, str(error))


def _refuse(path: Path, reason: str) -> None:
    raise ValueError(Errors.FC103.format(path=path, reason=reason))
