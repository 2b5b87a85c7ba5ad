"""Define `distill` and `mask`, which make training data from plain text."""

import sys
from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..about import DEFAULT_LANG
from ..span_keys import PRONOUNS
from ..training.distill import distill
from ..training.pretraining.masked_text import MaskedTextCorpus, write_masked
from . import coref_cli
from .console import print_message
from .options import BATCH_SIZE, PIPELINE, check_writable

_MASKED = {
    "passages": "Passages",
    "named": "Passages with names of people",
    "names": "Examples with masked names",
    "pronouns": "Examples with masked pronouns",
    "kept": "Files kept from earlier runs",
}


@coref_cli.command("distill")
def distill_cli(
    teacher: str = PIPELINE,
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
    batch_size: int = BATCH_SIZE,
    n_process: int = Opt(
        1, "--n-process", "-n", help="The number of processes, -1 for one per CPU"
    ),
) -> None:
    """Annotate plain text with a pipeline, the teacher, to train another pipeline.

    Run the same command again to resume an interrupted run. The reader
    spacy_fastcoref.DocBinCorpus.v1 takes the output folder as its path.
    """
    check_writable(output_path)
    counts = distill(
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
    msg.table([*counts.items()])
    print_message("good", f"Written to {output_path}")


@coref_cli.command("mask")
def mask_cli(
    paths: List[Path] = Arg(
        ..., help="Plain text: files, or folders of .txt and .txt.gz", exists=True
    ),
    output: Optional[Path] = Opt(
        None, "--output", "-o", help="The folder for .spacy files; omit to only count"
    ),
    lang: str = Opt(DEFAULT_LANG, "--lang", "-l", help="The language of the texts"),
    ner: Optional[str] = Opt(
        None, "--ner", help="A pipeline to find names; lists of names by default"
    ),
    names_only: bool = Opt(
        False,
        "--names-only",
        help="Mask names only, such as in a language without a list of pronouns",
    ),
    mask_share: float = Opt(0.5, "--mask-share", help="The share of names to mask"),
    max_words: int = Opt(200, "--max-words", "-w", help="The most words in an example"),
    separator: str = Opt(
        "", "--separator", help="The beginning of the lines between documents"
    ),
    seed: int = Opt(0, "--seed", "-s", help="The random seed of the masks"),
    n_shown: int = Opt(3, "--show", help="How many examples to print"),
) -> None:
    """Mask names and pronouns in plain text, to pretrain a model on them.

    Run the same command again to resume an interrupted run; other texts or settings
    need another folder. Files that can't be read are skipped with a warning.
    """
    if output is not None:
        check_writable(output)
    corpus = MaskedTextCorpus(
        [*paths],
        ner=ner,
        pronouns={} if names_only else None,
        mask_share=mask_share,
        max_words=max_words,
        separator=separator,
        n_shuffled=0,
        seed=seed,
    )
    nlp = spacy.blank(lang)
    docs = (
        (eg.reference for eg in corpus(nlp))
        if output is None
        else write_masked(corpus, nlp, output)
    )
    for i, doc in enumerate(docs):
        if i < n_shown:
            chains = [chain.pretty_representation for chain in doc._.coref_chains]
            masked = ", ".join(span.label_ for span in doc.spans.get(PRONOUNS, ()))
            print(f"\n{doc.text}\n-> {masked or '; '.join(chains)}\n")
    counts = corpus.counts
    msg.table([(label, counts[name]) for name, label in _MASKED.items()])
