"""`python -m spacy coref mask`: make a corpus of plain text, without any labels."""

import warnings
from pathlib import Path
from typing import List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.tokens import Doc
from wasabi import msg

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
        None, "--output", "-o", help="A folder for .spacy files; none to write nothing"
    ),
    lang: str = Opt("en", "--lang", "-l", help="The language of the texts"),
    ner: Optional[str] = Opt(
        None, "--ner", help="A pipeline to find names with; lists if left out"
    ),
    names_only: bool = Opt(
        False, "--names-only", help="Hide no pronouns, as in a language without a list"
    ),
    mask_share: float = Opt(0.5, "--mask-share", help="The share of names to hide"),
    max_words: int = Opt(200, "--max-words", "-w", help="The most words in an example"),
    separator: str = Opt(
        "", "--separator", help="What a line between two documents starts with"
    ),
    seed: int = Opt(0, "--seed", "-s", help="The seed of what is hidden"),
    n_shown: int = Opt(3, "--show", help="How many examples to print"),
) -> None:
    """Hide names and pronouns in plain text, for a model to guess.

    What was written stays: after an interruption the same command goes on; one with
    other texts or settings needs another folder. Files that cannot be read are named,
    and the rest is done.
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
            ("Passages that name people", counts["named"]),
            ("Examples with names hidden", counts["names"]),
            ("Examples with pronouns hidden", counts["pronouns"]),
            ("Files that were there already", counts["kept"]),
        ]
    )


def write_example(doc: Doc) -> str:
    """Write an example down, with what is hidden.

    doc (Doc): The reference of an example.
    RETURNS (str): Its text, then the clusters, or the pronouns, in text order.
    """
    if PRONOUNS in doc.spans:
        return f"{doc.text}\n-> " + ", ".join(s.label_ for s in doc.spans[PRONOUNS])
    chains = (chain.pretty_representation for chain in doc._.coref_chains)
    return f"{doc.text}\n-> " + "; ".join(chains)
