"""Define `python -m spacy coref distill`: make silver data from plain text."""

import sys
from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..training.distillation.annotate import AnnotationReport, annotate
from . import coref_cli
from .messages import print_message
from .output import check_writable


@coref_cli.command("distill")
def distill_cli(
    teacher: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    input_path: Path = Arg(
        ...,
        metavar="INPUT",
        help="A file that ends in .txt or .jsonl, or in .gz after that, or a folder "
        "of such files",
        exists=True,
    ),
    output_path: Path = Arg(
        ...,
        metavar="OUTPUT",
        help="The folder for the shards; an interrupted run is resumed",
        file_okay=False,
    ),
    lang: Optional[str] = Opt(
        None,
        "--lang",
        "-l",
        help="The texts' language, compared with the teacher's",
    ),
    max_words: int = Opt(
        500, "--max-words", "-w", min=1, help="The most words in a passage"
    ),
    shard_size: int = Opt(
        500, "--shard-size", "-s", min=1, help="The number of passages for a shard"
    ),
    skip_empty: bool = Opt(
        False, "--skip-empty", help="Leave out passages without clusters"
    ),
    soft: bool = Opt(
        False,
        "--soft",
        help="Keep the teacher's scores as soft labels, to train on these",
    ),
    batch_size: int = Opt(
        64, "--batch-size", "-b", min=1, help="The number of passages in a batch"
    ),
    n_process: int = Opt(
        1, "--n-process", "-n", help="The number of processes, -1 for one per CPU"
    ),
) -> None:
    """Annotate plain text with a pipeline, the teacher, to train another pipeline.

    Run the same command again to resume an interrupted run. The reader
    spacy_fastcoref.DocBinCorpus.v1 takes the output folder as its path.
    """
    check_writable(output_path)
    report = annotate(
        spacy.load(teacher),
        input_path,
        output_path,
        lang=lang,
        max_words=max_words,
        shard_size=shard_size,
        skip_empty=skip_empty,
        soft=soft,
        batch_size=batch_size,
        n_process=n_process,
        enable_progress_bar=sys.stderr.isatty(),
    )
    msg.table(make_rows(report))
    print_message("good", f"Written to {output_path}")


def make_rows(report: AnnotationReport) -> List[tuple]:
    """Make the rows of the table that the command prints.

    report (AnnotationReport): The counts of the run.
    RETURNS (List[tuple]): The name and the value of each count.
    """
    return [
        ("Files", report.n_files),
        ("Files skipped", report.n_skipped_files),
        ("Lines skipped", report.n_skipped_lines),
        ("Passages", report.n_passages),
        ("Documents written", report.n_docs),
        ("Clusters", report.n_clusters),
        ("Shards", report.n_shards),
        ("Shards kept from earlier runs", report.n_old_shards),
    ]
