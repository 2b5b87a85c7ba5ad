"""`python -m spacy coref check`: say what is wrong with a corpus."""

from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..training.check import CorpusReport, check_corpus
from . import coref_cli
from .messages import print_message

_SHOWN = 20


@coref_cli.command("check")
def check_cli(
    paths: List[Path] = Arg(
        ..., help="Files of jsonlines (.jsonl) or CoNLL-2012 (.conll)", exists=True
    ),
    max_span_words: int = Opt(
        30,
        "--max-span-words",
        "-w",
        min=1,
        help="The longest mention that a model can find",
    ),
    model: Optional[str] = Opt(
        None,
        "--model",
        "-m",
        help="A pipeline, to see how many gold mentions its model keeps; its tokenizer "
        "then cuts texts into words",
    ),
    lang: str = Opt(
        "en",
        "--lang",
        "-l",
        help="Without a pipeline, the language whose tokenizer cuts texts into words; "
        "choose what the model will be trained with, as mentions that are no whole "
        "words are widened",
    ),
) -> None:
    """Say what is in a corpus, and what is wrong with it, with file and line.

    Exits with 1 if a document cannot be read.
    """
    nlp = None if model is None else spacy.load(model)
    report = check_corpus(paths, max_span_words=max_span_words, nlp=nlp, lang=lang)
    msg.table(make_rows(report))
    for name, messages in (("fail", report.errors), ("warn", report.warnings)):
        for message in messages[:_SHOWN]:
            print_message(name, message)
        if len(messages) > _SHOWN:
            msg.text(f"… and {len(messages) - _SHOWN} more")
    if report.errors:
        msg.fail(f"{len(report.errors)} documents cannot be read", exits=1)
    msg.good("Every document can be read")


def make_rows(report: CorpusReport) -> List[tuple]:
    """Make the table's rows.

    report (CorpusReport): What was found.
    RETURNS (List[tuple]): Name and value.
    """
    rows = [
        ("Documents", report.n_documents),
        ("Words", report.n_words),
        ("Clusters", report.n_clusters),
        ("Clusters of one", report.n_singletons),
        ("Mentions", report.n_mentions),
        ("Mentions too long to be found", report.n_long),
        ("Mentions that cross another", report.n_crossing),
        ("Mentions in more than one cluster", report.n_shared),
        ("Mentions that are no whole words", report.n_widened),
    ]
    if report.pruning_recall is not None:
        rows.append(("Mentions that the model keeps", f"{report.pruning_recall:.1%}"))
        rows.append(("Candidates that it keeps", report.n_candidates))
    return rows
