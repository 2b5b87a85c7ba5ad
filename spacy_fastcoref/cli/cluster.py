"""Find the clusters of documents on a cluster of Ray, for `annotate --engine ray`."""

import sys
from typing import List, Optional, Sequence

from ..errors import Errors
from ..formats.output import STDOUT
from ..resolution.resolve import DEFAULT_POLICY
from ..scale.columns import make_columns
from ..scale.connect import choose_reader, connect, read_files
from ..scale.run import annotate
from ..scale.tables import FORMATS
from .console import print_message, show_usage_errors
from .options import load_pipeline


def annotate_on_cluster(
    paths: Sequence[str],
    output: str,
    *,
    model: Optional[str],
    lang: str,
    from_: Optional[str],
    to: Optional[str],
    n_actors: Optional[int],
    address: Optional[str],
    text_column: str,
    columns: List[str],
    block_size: int,
    num_cpus: float,
    num_gpus: float,
) -> None:
    """Annotate files on a cluster, and print how many rows were written.

    paths (Sequence[str]): The files or folders.
    output (str): The folder for the output.
    model (Optional[str]): The pipeline; None for a blank one.
    lang (str): The language of the blank pipeline.
    from_, to (Optional[str]): The formats of the input and the output.
    n_actors (Optional[int]): The number of actors; None for as many as the cluster has
        room for.
    address (Optional[str]): The address of the cluster; None for this machine.
    text_column (str): The name of the column of texts.
    columns (List[str]): The names of the columns to make.
    block_size (int): The number of rows in a block.
    num_cpus, num_gpus (float): The number of CPUs and GPUs of each actor.
    """
    to = to or next(iter(FORMATS))
    with show_usage_errors():
        for name, value, is_valid, expected in (
            ("INPUT", paths, paths and STDOUT not in paths, "files or folders"),
            ("--output", output, output != STDOUT, "a folder"),
            ("--to", to, to in FORMATS, f"one of {', '.join(FORMATS)}"),
            ("--num-cpus", num_cpus, num_cpus > 0, "above 0"),
        ):
            if not is_valid:
                message = Errors.FC076.format(name=name, value=value, expected=expected)
                raise ValueError(message)
        make_columns(columns, DEFAULT_POLICY)
        reader = choose_reader(paths, from_)
    connect(address)
    try:
        done = annotate(
            read_files(paths, reader),
            load_pipeline(model, lang),
            text_column,
            output=output,
            format=to,
            columns=columns,
            block_size=block_size,
            concurrency=n_actors,
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            enable_progress_bar=sys.stderr.isatty(),
        )
    except KeyboardInterrupt:
        print_message("warn", "Stopped. Run the same command again to go on")
        raise
    counts = f"{done.n_rows} rows in {done.folder}, {done.n_old} of an earlier run"
    print_message("good", counts)
    if done.n_errors:
        print_message("fail", f"{done.n_errors} rows have an error; see their column")
        sys.exit(1)
