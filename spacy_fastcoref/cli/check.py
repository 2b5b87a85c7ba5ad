"""Define `python -m spacy coref check`: find errors in a corpus."""

import sys
from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..about import DEFAULT_LANG
from ..training.check import CorpusReport, check_corpus
from . import coref_cli
from .documents import FROM
from .messages import print_message

_SHOWN = 20


@coref_cli.command("check")
def check_cli(
    paths: List[Path] = Arg(
        ...,
        help="Annotated files of any format with clusters, or folders of them",
        exists=True,
    ),
    source: Optional[str] = FROM,
    max_span_words: int = Opt(
        30,
        "--max-span-words",
        "-w",
        min=1,
        help="The longest mention that the model can predict",
    ),
    model: Optional[str] = Opt(
        None,
        "--model",
        "-m",
        help="A pipeline, to count the gold mentions that its model keeps as "
        "candidates; its tokenizer is used for texts",
    ),
    lang: str = Opt(
        DEFAULT_LANG,
        "--lang",
        "-l",
        help="Without a pipeline, the language of the tokenizer for texts; choose that "
        "of the training config, as mentions are widened to whole tokens",
    ),
) -> None:
    """Print statistics of a corpus, and its errors with file and line.

    The exit code is 1 if any document can't be read.
    """
    nlp = None if model is None else spacy.load(model)
    report = check_corpus(
        paths, name=source, max_span_words=max_span_words, nlp=nlp, lang=lang
    )
    msg.table(make_rows(report))
    for name, messages in (("fail", report.errors), ("warn", report.warnings)):
        for message in messages[:_SHOWN]:
            print_message(name, message, file=sys.stdout)
        if len(messages) > _SHOWN:
            print(f"and {len(messages) - _SHOWN} more")
    if report.errors:
        print_message("fail", f"{len(report.errors)} documents can't be read")
        sys.exit(1)
    print_message("good", "All documents can be read")


def make_rows(report: CorpusReport) -> List[tuple]:
    """Make the rows of the table that the command prints.

    report (CorpusReport): The counts of the corpus.
    RETURNS (List[tuple]): The name and the value of each count.
    """
    rows = [
        ("Documents", report.n_documents),
        ("Words", report.n_words),
        ("Clusters", report.n_clusters),
        ("Singletons", report.n_singletons),
        ("Mentions", report.n_mentions),
        ("Mentions too long to predict", report.n_long),
        ("Crossing mentions", report.n_crossing),
        ("Mentions in more than one cluster", report.n_shared),
        ("Mentions widened to whole tokens", report.n_widened),
    ]
    if report.pruning_recall is not None:
        rows.append(("Gold mentions kept", f"{report.pruning_recall:.1%}"))
        rows.append(("Candidates kept", report.n_candidates))
    return rows
