"""Define `python -m spacy coref mask`: make a pretraining corpus from plain text."""

import warnings
from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.tokens import Doc
from wasabi import msg

from ..about import DEFAULT_LANG
from ..span_keys import PRONOUNS
from ..training.pretraining.masked_files import write_masked
from ..training.pretraining.masked_text import make_masked_text_corpus
from . import coref_cli
from .messages import print_message
from .output import check_writable


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
    corpus = make_masked_text_corpus(
        paths,
        ner=ner,
        pronouns={} if names_only else None,
        mask_share=mask_share,
        max_words=max_words,
        separator=separator,
        seed=seed,
    )
    docs = write_masked(corpus, spacy.blank(lang), output)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for i, doc in enumerate(docs):
                if i < n_shown:
                    print(f"\n{write_example(doc)}\n")
        finally:
            for warning in caught:
                print_message("warn", warning.message)
    counts = corpus.counts
    msg.table(
        [
            ("Passages", counts["passages"]),
            ("Passages with names of people", counts["named"]),
            ("Examples with masked names", counts["names"]),
            ("Examples with masked pronouns", counts["pronouns"]),
            ("Files kept from earlier runs", counts["kept"]),
        ]
    )


def write_example(doc: Doc) -> str:
    """Format an example with its gold annotation.

    doc (Doc): The reference Doc of an example.
    RETURNS (str): The text, then the masked pronouns if there are any, or else the
        clusters, both in text order.
    """
    if PRONOUNS in doc.spans:
        return f"{doc.text}\n-> " + ", ".join(s.label_ for s in doc.spans[PRONOUNS])
    chains = (chain.pretty_representation for chain in doc._.coref_chains)
    return f"{doc.text}\n-> " + "; ".join(chains)
