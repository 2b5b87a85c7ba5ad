"""`python -m spacy coref annotate`: make silver data from plain text."""

from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..training.distillation.annotate import AnnotationReport, annotate
from . import coref_cli
from .output import check_writable


@coref_cli.command("annotate")
def annotate_cli(
    teacher: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    input_path: Path = Arg(
        ...,
        metavar="INPUT",
        help="A file .txt or .jsonl, each also with .gz, or a folder of such files",
        exists=True,
    ),
    output_path: Path = Arg(
        ...,
        metavar="OUTPUT",
        help="The folder for the shards, to go on with if it has some",
        file_okay=False,
    ),
    lang: Optional[str] = Opt(
        None, "--lang", "-l", help="The text's language, checked to be the teacher's"
    ),
    max_words: int = Opt(
        500, "--max-words", "-w", min=1, help="The most words in a passage"
    ),
    shard_size: int = Opt(
        500, "--shard-size", "-s", min=1, help="The number of passages read for a shard"
    ),
    skip_empty: bool = Opt(
        False, "--skip-empty", help="Leave out passages without clusters"
    ),
    soft: bool = Opt(
        False,
        "--soft",
        help="Keep how sure the teacher is of each link, and let that be learned",
    ),
    batch_size: int = Opt(
        64, "--batch-size", "-b", min=1, help="The number of passages in a batch"
    ),
    n_process: int = Opt(
        1, "--n-process", "-n", help="The number of processes, -1 for one a CPU"
    ),
) -> None:
    """Annotate plain text with a pipeline, the teacher, into files to train on.

    A run that was killed goes on when the same command is given again. The files are
    read by spacy_fastcoref.DocBinCorpus.v1, the folder as a whole.
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
        enable_progress_bar=True,
    )
    msg.table(make_rows(report))
    msg.good(f"Annotated into {output_path}")


def make_rows(report: AnnotationReport) -> List[tuple]:
    """Make the table's rows.

    report (AnnotationReport): What was annotated.
    RETURNS (List[tuple]): Name and value.
    """
    return [
        ("Files", report.n_files),
        ("Files left out", report.n_skipped_files),
        ("Lines left out", report.n_skipped_lines),
        ("Passages", report.n_passages),
        ("Documents written", report.n_docs),
        ("Clusters", report.n_clusters),
        ("Shards", report.n_shards),
        ("Shards that were there", report.n_old_shards),
    ]
