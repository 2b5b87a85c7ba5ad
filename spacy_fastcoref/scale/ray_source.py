"""Connect to a cluster of Ray, and read files and datasets on it."""

import contextlib
import itertools
import re
import socket
from pathlib import Path
from typing import Any, Dict, Generator, Iterator, List, Optional, Sequence, Tuple

from ..errors import Errors

_SECONDS = 5
# How files are read, by the name of the format.
READERS: Dict[str, str] = {
    "parquet": "read_parquet",
    "jsonl": "read_json",
    "csv": "read_csv",
    "lines": "read_text",
}
_ENDINGS = (".parquet", ".jsonl", ".csv")
# The last line of a traceback. That of the error that was raised first comes first.
_RAISED = re.compile(r"^[\w.]*(Error|Exception): .*$", re.MULTILINE)


def import_ray() -> Any:
    """Import Ray Data."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ImportError(Errors.FC200.format(reason=error, extra="ray")) from error
    return ray


def connect(address: Optional[str]) -> None:
    """Connect to a cluster, or start Ray here, unless there is a connection."""
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
    """Read files or folders on the machines of the cluster as a ray.data.Dataset."""
    ray = import_ray()
    settings: Dict[str, Any] = {"lines": True} if name == "jsonl" else {}
    full = [path if "://" in path else str(Path(path).resolve()) for path in paths]
    return getattr(ray.data, READERS[name])(full, **settings)


@contextlib.contextmanager
def read_dataset(dataset: Any, *, shows_progress: bool) -> Iterator[Tuple[Any, Any]]:
    """Read a dataset, and leave its settings as they were.

    YIELDS (Tuple[pyarrow.Schema, Iterator[pyarrow.Table]]): The columns that are known,
        and the rows in order. They are read as they are needed.
    """
    import pyarrow as pa

    context = dataset.context
    options = context.execution_options
    before = options.preserve_order, context.enable_progress_bars
    options.preserve_order = True
    context.enable_progress_bars = shows_progress and before[1]
    batches = _read_batches(dataset)
    try:
        first = next(batches, None)
        schema = pa.schema([]) if first is None else first.schema
        known = dataset.schema(fetch_if_missing=False)
        # It may be one of pandas.
        if known is not None and isinstance(known.base_schema, pa.Schema):
            schema = known.base_schema
        yield schema, itertools.chain([] if first is None else [first], batches)
    finally:
        # While Ray is connected.
        batches.close()
        options.preserve_order, context.enable_progress_bars = before


def _read_batches(dataset: Any) -> Generator[Any, None, None]:
    from ray.exceptions import RayError

    try:
        batches = dataset.iter_batches(batch_size=None, batch_format="pyarrow")
        yield from (batch for batch in batches if len(batch))
    except (RayError, OSError) as error:
        message = Errors.FC052.format(path="the dataset", reason=describe(error))
        raise ValueError(message) from error


def describe(error: BaseException) -> str:
    """Describe an error of Ray in a line, by the error that was raised first."""
    cause = getattr(error, "cause", None) or error
    raised = _RAISED.search(str(error)) or _RAISED.search(str(cause))
    if raised:
        return raised[0]
    # The first line says where, and the last ones say what.
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {' '.join(lines[-2:])}"
