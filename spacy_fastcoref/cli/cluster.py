"""Find the clusters of documents on a cluster of Ray, for `annotate --engine ray`."""

import sys
from typing import List, Optional

from ..errors import Errors
from ..formats.output import STDOUT
from ..scale.connect import connect, read_files
from ..scale.run import annotate
from ..scale.tables import FORMATS
from .documents import show_usage_errors
from .messages import print_message
from .pipelines import load_pipeline


def annotate_on_cluster(
    paths: Optional[List[str]],
    output: str,
    *,
    model: Optional[str],
    from_: Optional[str],
    to: Optional[str],
    address: Optional[str],
    text_column: str,
    columns: str,
    block_size: int,
    num_gpus: float,
) -> None:
    """Annotate files on a cluster, and print how many rows were written.

    paths (Optional[List[str]]): The files or folders.
    output (str): The folder for the output.
    model (Optional[str]): The pipeline.
    from_, to (Optional[str]): The formats of the input and the output.
    address (Optional[str]): The address of the cluster; None for this machine.
    text_column (str): The name of the column of texts.
    columns (str): The names of the columns to make, with commas.
    block_size (int): The number of rows in a block.
    num_gpus (float): The number of GPUs of each actor.
    """
    with show_usage_errors():
        for name, value, is_valid, expected in (
            ("INPUT", paths, paths and STDOUT not in paths, "files or folders"),
            ("--output", output, output != STDOUT, "a folder"),
        ):
            if not is_valid:
                message = Errors.FC076.format(name=name, value=value, expected=expected)
                raise ValueError(message)
    connect(address)
    with show_usage_errors():
        dataset = read_files(paths or [], from_)
    done = annotate(
        dataset,
        load_pipeline(model),
        text_column,
        output=output,
        format=to or next(iter(FORMATS)),
        columns=[name.strip() for name in columns.split(",")],
        block_size=block_size,
        num_gpus=num_gpus,
        enable_progress_bar=sys.stderr.isatty(),
    )
    counts = f"{done.n_rows} rows in {done.folder}, {done.n_old} of an earlier run"
    print_message("good", counts)
    if done.n_errors:
        print_message("fail", f"{done.n_errors} rows have an error; see their column")
        sys.exit(1)
