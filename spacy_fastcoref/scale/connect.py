"""Connect to a cluster of Ray, and read files on it."""

import socket
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from ..errors import Errors
from .run import import_ray

_SECONDS = 5
# How files are read, by the name of the format.
READERS: Dict[str, str] = {
    "parquet": "read_parquet",
    "jsonl": "read_json",
    "csv": "read_csv",
    "lines": "read_text",
}
_ENDINGS = (".parquet", ".jsonl", ".csv")


def connect(address: Optional[str]) -> None:
    """Connect to a cluster.

    address (Optional[str]): The address, such as "auto" or "10.0.0.1:6379"; None to
        start Ray on this machine. A connection that there is already is kept.
    """
    ray = import_ray()
    if ray.is_initialized():
        return
    host, _, port = (address or "").rpartition(":")
    try:
        # Ray tries for two minutes, and then ends the process.
        if host and port.isdecimal() and "/" not in host:
            socket.create_connection((host, int(port)), timeout=_SECONDS).close()
        ray.init(address=address)
    except (OSError, ValueError, RuntimeError) as error:
        message = Errors.FC257.format(address=address, reason=error)
        raise ConnectionError(message) from error


def choose_reader(paths: Sequence[str], name: Optional[str]) -> str:
    """Choose how files or folders are read."""
    for path in paths:
        if "://" not in path and not Path(path).exists():
            reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
    names = {name} if name else {_guess(path) for path in paths}
    (found, *others) = names
    if others or found not in READERS:
        available = ", ".join(READERS)
        raise ValueError(Errors.FC258.format(path=paths[0], available=available))
    return found


def _guess(path: str) -> str:
    suffixes: List[str] = Path(path).suffixes
    if Path(path).is_dir():
        # Ray skips the names that are skipped here.
        found = {
            ending for ending in _ENDINGS for _ in Path(path).glob(f"[!._]*{ending}*")
        }
        suffixes = [*found] if len(found) == 1 else []
    return next((one[1:] for one in suffixes if one in _ENDINGS), "")


def read_files(paths: Sequence[str], name: str) -> Any:
    """Read files or folders on the machines of the cluster.

    RETURNS (ray.data.Dataset): The dataset. Each row of a format of tables is a
        document, and each line of a text file.
    """
    ray = import_ray()
    settings: Dict[str, Any] = {"lines": True} if name == "jsonl" else {}
    full = [path if "://" in path else str(Path(path).resolve()) for path in paths]
    return getattr(ray.data, READERS[name])(full, **settings)
