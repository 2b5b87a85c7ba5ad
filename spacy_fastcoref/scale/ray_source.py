"""Read a dataset of Ray in the same order each time."""

import contextlib
import itertools
import re
from typing import Any, Generator, Iterator, Tuple

from ..errors import Errors

# The last line of a traceback. That of the error that was raised first comes first.
_RAISED = re.compile(r"^[\w.]*(Error|Exception): .*$", re.MULTILINE)


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
        raise ValueError(Errors.FC252.format(reason=describe(error))) from error


def describe(error: BaseException) -> str:
    """Describe an error of Ray in a line.

    error (BaseException): The error.
    RETURNS (str): The error that was raised first, or the last lines of the message.
    """
    cause = getattr(error, "cause", None) or error
    raised = _RAISED.search(str(error)) or _RAISED.search(str(cause))
    if raised:
        return raised[0]
    # The first line says where, and the last ones say what.
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {' '.join(lines[-2:])}"
