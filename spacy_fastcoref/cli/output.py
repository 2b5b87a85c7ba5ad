"""Check output folders: a command only replaces the output of an earlier run."""

import os
import tempfile
from pathlib import Path
from typing import Sequence

from ..errors import Errors

# The files that every pipeline has, and every model for fastcoref.
PIPELINE = ("config.cfg", "meta.json")
MODEL = ("config.json", "model.safetensors")


def check_output(path: Path, files: Sequence[str], inputs: Sequence[str]) -> None:
    """Check, before anything is computed, that the output folder may be replaced.

    path (Path): The folder, which need not exist.
    files (Sequence[str]): The files of output of this kind. A folder without them is
        replaced only if it is empty.
    inputs (Sequence[str]): The pipelines that are read: folders or names of packages.
    RAISES (ValueError): The folder has other files, or contains an input or is inside
        one, or can't be written to.
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
    """Check, before anything is computed, that the output folder can be written.

    path (Path): The folder, which need not exist.
    replaces (bool): Whether the folder is replaced as a whole.
    RAISES (ValueError): It is a file, or a mount point that would be replaced, or the
        user has no permission to write there.
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
