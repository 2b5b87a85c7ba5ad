"""Annotate a dataset of Ray."""

import functools
from contextlib import closing
from pathlib import Path
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import spacy
from spacy.language import Language

from ..errors import Errors, check_known, check_setting
from ..factories import find_last_component
from ..journal import identify_pipeline
from ..pipeline.processes import dump_pipeline
from ..resolution.resolve import DEFAULT_POLICY
from .ray_pool import RayPool
from .ray_source import import_ray, read_dataset
from .schedule import Blocks, Run
from .tables import CLUSTERS, ERROR, FORMATS, digest_texts, join_tables, make_columns


class Annotated(NamedTuple):
    """Hold the counts of a run.

    folder (Path): The folder of the output.
    n_rows (int): The number of rows in it.
    n_old (int): The number of rows that earlier runs have written.
    n_errors (int): The number of rows that have an error.
    """

    folder: Path
    n_rows: int
    n_old: int
    n_errors: int


def annotate(
    dataset: Any,
    pipeline: Union[str, Path, Language],
    text_column: str = "text",
    *,
    output: Union[str, Path],
    format: str = "parquet",
    columns: Sequence[str] = (CLUSTERS,),
    policy: str = DEFAULT_POLICY,
    block_size: int = 1000,
    max_tokens: int = 20_000,
    concurrency: Optional[int] = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    enable_progress_bar: bool = False,
) -> Annotated:
    """Annotate a dataset on a cluster, and write each row exactly once.

    Rows are written in blocks, and a manifest lists those that are whole. If anything
    stops the run, the same call goes on where it stopped. A row whose text can't be
    annotated has an error.

    dataset (ray.data.Dataset): The dataset. It has to have the same rows in the same
        order each time.
    pipeline (Union[str, Path, Language]): The pipeline, or its package or folder. The
        actors get a copy, so only this process needs the files.
    text_column (str): The name of the column of texts.
    output (Union[str, Path]): The folder for the output, which all machines share.
    format (str): The format: "parquet", "jsonl" or "arrow".
    columns (Sequence[str]): What to write beside the columns of the dataset:
        "clusters" (the start and the end of each mention of each cluster, in
        characters), "resolved_text", "docbin" (a Doc as bytes).
    policy (str): The registered name of the policy that resolves texts.
    block_size (int): The number of rows in a block.
    max_tokens (int): The number of tokens that an actor annotates at once.
    concurrency (Optional[int]): The number of actors; None for as many as the cluster
        has room for.
    num_cpus (float): The number of CPUs of each actor, and of its threads.
    num_gpus (float): The number of GPUs of each actor, such as 0.5 for two on one GPU.
    enable_progress_bar (bool): Whether to show Ray's progress bars.
    RETURNS (Annotated): The counts.
    RAISES (ImportError): Ray is not installed.
    RAISES (OSError): The output can't be written, such as on a full disk.
    RAISES (RuntimeError): No actor can be started.
    RAISES (ValueError): A setting is not valid, the dataset can't be read or has no
        such column, or the folder has another output or another run that writes to it.
    """
    for name, value, is_valid, expected in (
        ("format", format, format in FORMATS, f"one of {', '.join(FORMATS)}"),
        ("block_size", block_size, block_size > 0, "1 or more"),
        ("max_tokens", max_tokens, max_tokens > 0, "1 or more"),
        ("concurrency", concurrency, concurrency is None or concurrency > 0, "above 0"),
        ("num_cpus", num_cpus, num_cpus > 0, "above 0"),
        ("num_gpus", num_gpus, num_gpus >= 0, "0 or more"),
    ):
        check_setting(name, value, is_valid, expected)
    made = {*make_columns(columns, policy), ERROR}
    ray = import_ray()
    nlp = pipeline if isinstance(pipeline, Language) else spacy.load(pipeline)
    find_last_component(nlp)
    noted: Dict[str, Any] = {
        "text_column": text_column,
        "columns": list(columns),
        "policy": policy,
        "format": format,
    }
    n_actors, resources = _choose_resources(ray, concurrency, num_cpus, num_gpus)
    threads = {"n_threads": max(1, int(num_cpus)), "uses_gpu": num_gpus > 0}
    settings = {**noted, **threads, "max_tokens": max_tokens}
    noted["pipeline"] = identify_pipeline(nlp)
    with (
        Blocks(Path(output), noted, f".{format}").open() as blocks,
        read_dataset(dataset, shows_progress=enable_progress_bar) as (schema, batches),
    ):
        if schema.names:
            check_known("column of texts (text_column),", text_column, schema.names)
        taken = sorted(made & {*schema.names})
        if taken:
            raise ValueError(Errors.FC256.format(names=", ".join(taken)))
        # Functions of a script are not found by name in other processes.
        data = dump_pipeline(nlp, ray.cloudpickle.dumps)
        with closing(RayPool(data, settings, n_actors, resources)) as pool:
            run = Run(
                blocks,
                pool,
                functools.partial(join_tables, text_column=text_column, schema=schema),
                functools.partial(digest_texts, text_column=text_column),
                _make_bar(enable_progress_bar),
            )
            run.write(batches, block_size)
        n_errors = blocks.count("n_errors")
        return Annotated(blocks.folder, run.n_rows, run.n_old, n_errors)


def _choose_resources(
    ray: Any, concurrency: Optional[int], num_cpus: float, num_gpus: float
) -> Tuple[int, Dict[str, float]]:
    """Choose the number of actors, and how many CPUs Ray is asked for."""
    if not ray.is_initialized():
        ray.init()
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpus, gpus = ([node.get(kind, 0.0) for node in nodes] for kind in ("CPU", "GPU"))
    if concurrency is None:
        rooms = [n // num_cpus for n in cpus]
        if num_gpus:
            rooms = [min(n, g // num_gpus) for n, g in zip(rooms, gpus, strict=True)]
        concurrency = int(sum(rooms))
        if not concurrency:
            wanted = f"{num_cpus:g} CPUs and {num_gpus:g} GPUs"
            found = f"{max(cpus, default=0):g} CPUs and {max(gpus, default=0):g} GPUs"
            raise ValueError(Errors.FC254.format(wanted=wanted, found=found))
    smallest = min((n for n in cpus if n > 1), default=2.0)
    counted = num_cpus * (smallest - 1) / smallest
    return concurrency, {"num_cpus": counted, "num_gpus": num_gpus}


def _make_bar(is_shown: bool) -> Callable[[int], None]:
    if not is_shown:
        return lambda n_rows: None
    from ray.experimental import tqdm_ray

    return tqdm_ray.tqdm(desc="annotate", unit="row").update
