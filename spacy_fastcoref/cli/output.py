"""Check that a command can write its output, and replaces only earlier output."""

import os
import tempfile
from pathlib import Path
from typing import Sequence

from ..errors import Errors

# The files by which to recognize the folder of a pipeline, and that of a model.
PIPELINE = ("config.cfg", "meta.json")
MODEL = ("config.json", "model.safetensors")


def check_output(path: Path, files: Sequence[str], inputs: Sequence[str]) -> None:
    """Check that the command may replace the output folder, before computing anything.

    path (Path): The folder, which need not exist.
    files (Sequence[str]): The files that each output of this kind has. A folder that
        lacks one of them may be replaced only if it is empty.
    inputs (Sequence[str]): The input pipelines: folders or names of packages.
    RAISES (ValueError): The folder has other content, contains an input pipeline or is
        inside one, or can't be written.
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
    """Check that the command can write to the output folder, before computing anything.

    path (Path): The folder, which need not exist.
    replaces (bool): Whether the command replaces the folder as a whole.
    RAISES (ValueError): The path is a file, or is a mount point and `replaces` is set,
        or the system does not allow writing there.
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
