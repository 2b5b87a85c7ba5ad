"""Define `annotate` and `convert`, which read and write files of documents."""

import os
import sys
from functools import partial
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import spacy
from spacy import util
from spacy.cli._util import Arg, Opt
from spacy.language import Language
from spacy.tokens import Doc
from typer import Context

from ..errors import Errors, check_setting
from ..formats.base import (
    Document,
    Format,
    Input,
    find_inputs,
    get_format,
    guess_format,
    read_inputs,
)
from ..formats.docs import drop_singletons
from ..formats.output import STDOUT, Output, check_output_file
from ..journal import identify_pipeline
from ..pipeline.processes import annotate_in_processes, check_n_process
from ..resolution.resolve import DEFAULT_POLICY
from ..scale.ray_source import choose_reader, connect, read_files
from ..scale.run import annotate as annotate_dataset
from ..scale.tables import CLUSTERS, DOCBIN, FORMATS, RESOLVED, make_columns
from ..streams import each_alone, show_progress
from . import coref_cli
from .console import print_message, show_usage_errors
from .options import (
    BATCH_SIZE,
    FROM,
    LANGUAGE,
    MODEL,
    TOKENIZER_LANGUAGE,
    load_pipeline,
)

TO: Any = Opt(
    None,
    "--to",
    "-t",
    metavar="FORMAT",
    help="The format of the output; by default that of its ending",
)
OUTPUT: Any = Opt(
    STDOUT, "--output", "-o", metavar="FILE", help="The output; - for standard output"
)
# The number and the name of a document, and its Doc or what failed.
Answer = Tuple[int, str, Union[Doc, Exception]]
LOCAL, RAY = "local", "ray"
# The options that only this engine has.
_ONLY = {
    LOCAL: ("batch_size", "resume"),
    RAY: ("address", "text_column", "columns", "block_size", "num_cpus", "num_gpus"),
}


@coref_cli.command("annotate")
def annotate_cli(
    ctx: Context,
    paths: Optional[List[str]] = Arg(
        None,
        metavar="[INPUT]...",
        help="Files or folders, .gz as well; standard input by default, or for -",
    ),
    output: str = OUTPUT,
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
    from_: Optional[str] = FROM,
    to: Optional[str] = TO,
    batch_size: int = BATCH_SIZE,
    n_process: Optional[int] = Opt(
        None,
        "--n-process",
        "-n",
        help="The number of processes (1), -1 for one per CPU; ray: of actors (-1)",
    ),
    resume: bool = Opt(
        False, "--resume", "-R", help="Say how far an interrupted run has come"
    ),
    engine: str = Opt(
        LOCAL, "--engine", help="local, or ray for a cluster of machines"
    ),
    address: Optional[str] = Opt(
        None, "--address", help="ray: the cluster, such as auto; else this machine"
    ),
    text_column: str = Opt("text", "--text-column", help="ray: the column of texts"),
    columns: str = Opt(
        CLUSTERS,
        "--columns",
        help=f"ray: what to write, of {CLUSTERS},{RESOLVED},{DOCBIN}",
    ),
    block_size: int = Opt(1000, "--block-size", min=1, help="ray: the rows of a file"),
    num_cpus: float = Opt(1, "--num-cpus", min=0.001, help="ray: the CPUs of an actor"),
    num_gpus: float = Opt(0, "--num-gpus", min=0, help="ray: the GPUs of an actor"),
) -> None:
    """Find the clusters of documents, and write them in any format.

    Documents are read, annotated and written one after the other, in order. Those that
    fail are left out and listed at the end, and the exit code is 1. An output file is
    there once it is complete; run the same command again to resume an interrupted run.

    With --engine ray, the input is a table whose rows are documents (.parquet, .jsonl,
    .csv, or lines), and the output is a folder. A row that fails is written with its
    error.
    """
    with show_usage_errors():
        _check_engine(engine, ctx)
        if n_process is None:
            n_process = 1 if engine == LOCAL else -1
        check_n_process(n_process)
    if engine == RAY:
        _annotate_on_cluster(
            paths or [],
            from_,
            load=lambda: load_pipeline(model, lang),
            address=address,
            text_column=text_column,
            output=output,
            format=to or next(iter(FORMATS)),
            columns=[name.strip() for name in columns.split(",")],
            block_size=block_size,
            concurrency=None if n_process == -1 else n_process,
            num_cpus=num_cpus,
            num_gpus=num_gpus,
        )
        return
    to = to or ("jsonl" if output == STDOUT else None)
    inputs, written = _find_files(paths or [STDOUT], from_, output, to, stdin="text")
    nlp = load_pipeline(model, lang)
    settings = {"batch_size": batch_size, "n_process": n_process}
    change = partial(annotate_documents, nlp, **settings)
    _change_files(nlp, inputs, output, written, change, resume=resume)


def _check_engine(engine: str, ctx: Context) -> None:
    """Check that there is such an engine, and that it has the options given."""
    check_setting("--engine", engine, engine in _ONLY, " or ".join(_ONLY))
    for other, names in _ONLY.items():
        given = [
            f"--{name.replace('_', '-')}"
            for name in names
            if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
        ]
        if given and other != engine:
            options = ", ".join(given)
            raise ValueError(
                Errors.FC259.format(options=options, engine=engine, other=other)
            )


def _annotate_on_cluster(
    paths: Sequence[str],
    name: Optional[str],
    *,
    load: Callable[[], Language],
    address: Optional[str],
    output: str,
    format: str,
    **settings: Any,
) -> None:
    """Annotate files on a cluster, see scale.annotate, and count the rows."""
    with show_usage_errors():
        are_files = paths and STDOUT not in paths
        check_setting("INPUT", paths, are_files, "files or folders")
        check_setting("--output", output, output != STDOUT, "a folder")
        check_setting("--to", format, format in FORMATS, f"one of {', '.join(FORMATS)}")
        make_columns(settings["columns"], DEFAULT_POLICY)
        reader = choose_reader(paths, name)
    connect(address)
    try:
        done = annotate_dataset(
            read_files(paths, reader),
            load(),
            output=output,
            format=format,
            enable_progress_bar=sys.stderr.isatty(),
            **settings,
        )
    except KeyboardInterrupt:
        print_message("warn", "Stopped. Run the same command again to go on")
        raise
    counts = f"{done.n_rows} rows in {done.folder}, {done.n_old} of an earlier run"
    print_message("good", counts)
    if done.n_errors:
        print_message("fail", f"{done.n_errors} rows have an error; see their column")
        sys.exit(1)


def annotate_documents(
    nlp: Language,
    documents: Iterable[Tuple[int, Document]],
    *,
    n_process: int = 1,
    batch_size: int = 64,
) -> Iterator[Answer]:
    """Annotate documents, read lazily, and yield each with its Doc or its error."""
    pairs = ((one.doc, (number, one.key)) for number, one in documents)
    if n_process == 1:
        answers = _annotate_here(nlp, pairs, batch_size)
    else:
        settings = {"n_process": n_process, "batch_size": batch_size}
        found = annotate_in_processes(nlp, pairs, **settings)
        answers = ((e[-1][1] if e else doc, context) for doc, context, e in found)
    return ((number, key, answer) for answer, (number, key) in answers)


def _annotate_here(
    nlp: Language, pairs: Iterable[Tuple[Doc, Any]], batch_size: int
) -> Iterator[Tuple[Union[Doc, Exception], Any]]:
    def annotate(docs: Sequence[Doc]) -> List[Doc]:
        return list(nlp.pipe(docs, batch_size=batch_size))

    for batch in util.minibatch(pairs, batch_size):
        docs, contexts = zip(*batch, strict=True)
        yield from zip(each_alone(docs, annotate), contexts, strict=True)


def _find_files(
    paths: Sequence[str],
    name: Optional[str],
    output: str,
    to: Optional[str],
    stdin: Optional[str] = None,
) -> Tuple[List[Input], Format]:
    """Find the files to read and the format to write, and check where it is written."""
    with show_usage_errors():
        inputs = find_inputs(paths, name, stdin=stdin)
        written = (
            get_format(to, reads=False) if to else guess_format(output, reads=False)
        )
        check_output_file(output, [path for path, _ in inputs])
    return inputs, written


def _change_files(
    nlp: Language,
    inputs: Sequence[Input],
    path: str,
    written: Format,
    change: Callable[[Iterable[Tuple[int, Document]]], Iterable[Answer]],
    *,
    resume: bool = False,
    **options: Any,
) -> None:
    """Read documents, change them, write them, and list those that fail.

    change (Callable[[Iterable[Tuple[int, Document]]], Iterable[Answer]]): Function that
        takes numbered documents, and yields each with its new Doc or its error.
    **options (Any): What else determines the output.
    """
    # Standard output is not read again.
    settings = None if path == STDOUT else _describe_run(nlp, inputs, written, options)
    output = Output(path, written, settings)
    n_read = 0

    def read() -> Iterator[Tuple[int, Document]]:
        nonlocal n_read
        for number, entry in enumerate(read_inputs(inputs, nlp)):
            n_read = number + 1
            if isinstance(entry, ValueError):
                errors.append((number, str(entry)))
            # An earlier run has finished those before.
            elif number >= output.n_done:
                yield number, entry

    with output.open():
        errors = list(output.errors)
        if resume:
            n_there = output.n_done - len(errors)
            print_message("warn", f"{n_there} documents are there; going on after them")
        stream = change(read())
        try:
            for number, key, answer in show_progress(
                stream, enabled=sys.stderr.isatty(), desc="documents"
            ):
                try:
                    if isinstance(answer, Exception):
                        raise ValueError(f"{type(answer).__name__}: {answer}")
                    output.write(number, Document(key, answer))
                # Or the format can't hold it.
                except ValueError as error:
                    message = Errors.FC165.format(key=key, reason=error)
                    errors.append((number, message))
                    output.fail(number, message)
        except KeyboardInterrupt:
            print_message("warn", f"Stopped after {output.n_written} documents")
            if output.journal is not None:
                print_message("warn", "Run the same command again to go on")
            raise
    for _, message in sorted(errors):
        print_message("fail", message)
    if errors:
        counts = f"{len(errors)} of {n_read} documents"
        print_message("fail", f"{counts} failed; the others are written")
        sys.exit(1)
    if path != STDOUT:
        counts = "1 document" if n_read == 1 else f"{n_read} documents"
        print_message("good", f"Written to {path}: {counts}")


def _describe_run(
    nlp: Language, inputs: Sequence[Input], written: Format, options: Dict[str, Any]
) -> Optional[Dict[str, Any]]:
    """Describe what a run depends on, to resume it; None if it can't be read again."""
    files = []
    for path, read in inputs:
        if not os.path.isfile(path):
            return None
        status = os.stat(path)
        size, time = status.st_size, status.st_mtime_ns
        files.append([os.path.abspath(path), read.name, size, time])
    pipeline = identify_pipeline(nlp)
    return {"pipeline": pipeline, "inputs": files, "format": written.name, **options}


@coref_cli.command("convert")
def convert_cli(
    paths: List[str] = Arg(
        ...,
        metavar="INPUT...",
        help="Files or folders, .gz as well; - for standard input",
    ),
    output: str = OUTPUT,
    from_: Optional[str] = FROM,
    to: Optional[str] = TO,
    model: Optional[str] = Opt(
        None, "--model", "-m", help="A pipeline, whose tokenizer is used for texts"
    ),
    lang: str = TOKENIZER_LANGUAGE,
    singletons: bool = Opt(
        True,
        "--singletons/--no-singletons",
        help="Keep clusters of one mention, or leave them out",
    ),
) -> None:
    """Convert annotated documents from one format to another.

    Documents that can't be read, or that the new format can't hold, are left out and
    listed at the end, and the exit code is 1.
    """
    inputs, written = _find_files(paths, from_, output, to)
    nlp = spacy.blank(lang) if model is None else spacy.load(model)

    def convert(documents: Iterable[Tuple[int, Document]]) -> Iterator[Answer]:
        for number, document in documents:
            if not singletons:
                drop_singletons(document.doc)
            yield number, document.key, document.doc

    _change_files(nlp, inputs, output, written, convert, singletons=singletons)
