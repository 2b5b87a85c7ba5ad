"""Define `annotate` and `convert`, which read and write files of documents."""

import os
import sys
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
    Entry,
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
from .options import FROM, LANGUAGE, MODEL, TOKENIZER_LANGUAGE, load_pipeline

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
    batch_size: int = Opt(
        64, "--batch-size", "-b", min=1, help="The number of documents in a batch"
    ),
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
    num_cpus: float = Opt(1, "--num-cpus", help="ray: the CPUs of an actor"),
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
    with show_usage_errors():
        inputs = find_inputs(paths or [STDOUT], from_, stdin="text")
        written = _choose_output(output, to, default="jsonl")
        check_output_file(output, [path for path, _ in inputs])
    nlp = load_pipeline(model, lang)
    settings = describe_run(nlp, inputs, written) if output != STDOUT else None
    annotate_files(
        nlp,
        inputs,
        Output(output, written, settings),
        batch_size=batch_size,
        n_process=n_process,
        resume=resume,
    ).report(output)


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
    **settings: Any,
) -> None:
    """Annotate files on a cluster, see scale.annotate, and count the rows."""
    output, to, num_cpus = (settings[k] for k in ("output", "format", "num_cpus"))
    with show_usage_errors():
        are_files = paths and STDOUT not in paths
        check_setting("INPUT", paths, are_files, "files or folders")
        check_setting("--output", output, output != STDOUT, "a folder")
        check_setting("--to", to, to in FORMATS, f"one of {', '.join(FORMATS)}")
        check_setting("--num-cpus", num_cpus, num_cpus > 0, "above 0")
        make_columns(settings["columns"], DEFAULT_POLICY)
        reader = choose_reader(paths, name)
    connect(address)
    try:
        dataset, is_shown = read_files(paths, reader), sys.stderr.isatty()
        done = annotate_dataset(
            dataset, load(), enable_progress_bar=is_shown, **settings
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
) -> Iterator[Tuple[int, Entry]]:
    """Annotate documents, read lazily, and yield each in order with its number.

    Where a component fails, there is an error that names the document.
    """
    pairs = ((one.doc, (number, one.key)) for number, one in documents)
    if n_process == 1:
        answers = _annotate_here(nlp, pairs, batch_size)
    else:
        settings = {"n_process": n_process, "batch_size": batch_size}
        found = annotate_in_processes(nlp, pairs, **settings)
        answers = ((e[-1][1] if e else doc, context) for doc, context, e in found)
    for answer, (number, key) in answers:
        if isinstance(answer, Doc):
            yield number, Document(key, answer)
        else:
            reason = f"{type(answer).__name__}: {answer}"
            yield number, ValueError(Errors.FC165.format(key=key, reason=reason))


def _annotate_here(
    nlp: Language, pairs: Iterable[Tuple[Doc, Any]], batch_size: int
) -> Iterator[Tuple[Union[Doc, Exception], Any]]:
    def annotate(docs: Sequence[Doc]) -> List[Doc]:
        return list(nlp.pipe(docs, batch_size=batch_size))

    for batch in util.minibatch(pairs, batch_size):
        docs, contexts = zip(*batch, strict=True)
        yield from zip(each_alone(docs, annotate), contexts, strict=True)


class Failures:
    """Collect the errors of documents, to list them at the end."""

    def __init__(self, earlier: List[Tuple[int, str]]) -> None:
        self.errors = list(earlier)
        self.n_read = 0

    def keep_documents(
        self, entries: Iterator[Entry], first: int = 0
    ) -> Iterator[Tuple[int, Document]]:
        """Number documents, and keep the errors of those that can't be read.

        first (int): The number of the first document to yield.
        """
        for number, entry in enumerate(entries):
            self.n_read = number + 1
            if isinstance(entry, ValueError):
                self.errors.append((number, str(entry)))
            elif number >= first:
                yield number, entry

    def write(self, output: Output, number: int, entry: Entry) -> None:
        """Write a document, or keep the error of one that failed."""
        message = str(entry)
        if isinstance(entry, Document):
            try:
                output.write(number, entry)
                return
            # The format can't hold it.
            except ValueError as error:
                message = Errors.FC165.format(key=entry.key, reason=error)
        self.errors.append((number, message))
        output.fail(number, message)

    def report(self, output: str) -> None:
        """Print the errors, or that a file is complete; after errors, exit with 1."""
        if not self.errors and output != STDOUT:
            documents = "1 document" if self.n_read == 1 else f"{self.n_read} documents"
            print_message("good", f"Written to {output}: {documents}")
        for _, error in sorted(self.errors):
            print_message("fail", error)
        if self.errors:
            counts = f"{len(self.errors)} of {self.n_read} documents"
            print_message("fail", f"{counts} failed; the others are written")
            sys.exit(1)


def annotate_files(
    nlp: Language,
    inputs: Sequence[Input],
    output: Output,
    *,
    batch_size: int = 64,
    n_process: int = 1,
    resume: bool = False,
) -> Failures:
    """Annotate the documents of files."""
    with output.open():
        if resume:
            n_there = output.n_done - len(output.errors)
            print_message("warn", f"{n_there} documents are there; going on after them")
        failures = Failures(output.errors)
        entries = read_inputs(inputs, nlp)
        stream = annotate_documents(
            nlp,
            failures.keep_documents(entries, output.n_done),
            n_process=n_process,
            batch_size=batch_size,
        )
        is_shown = sys.stderr.isatty()
        try:
            for number, entry in show_progress(
                stream, enabled=is_shown, desc="annotate"
            ):
                failures.write(output, number, entry)
        except KeyboardInterrupt:
            print_message("warn", f"Stopped after {output.n_written} documents")
            if output.journal is not None:
                print_message("warn", "Run the same command again to go on")
            raise
    return failures


def describe_run(
    nlp: Language, inputs: Sequence[Input], written: Format, **options: Any
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


def _choose_output(path: str, name: Optional[str], default: Optional[str]) -> Format:
    """Choose the format of the output; `default` is that of standard output."""
    if name is None and path == STDOUT:
        name = default
    if name is None:
        return guess_format(path, reads=False)
    return get_format(name, reads=False)


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
    with show_usage_errors():
        inputs = find_inputs(paths, from_)
        written = _choose_output(output, to, default=None)
        check_output_file(output, [path for path, _ in inputs])
    nlp = spacy.blank(lang) if model is None else spacy.load(model)
    settings = describe_run(nlp, inputs, written, singletons=singletons)
    opened = Output(output, written, settings)
    with opened.open():
        failures = Failures(opened.errors)
        entries = read_inputs(inputs, nlp)
        for number, entry in failures.keep_documents(entries, opened.n_done):
            if not singletons:
                drop_singletons(entry.doc)
            failures.write(opened, number, entry)
    failures.report(output)
