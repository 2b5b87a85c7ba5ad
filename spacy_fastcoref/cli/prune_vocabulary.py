"""Define `python -m spacy coref prune-vocabulary`: cut an encoder's vocabulary."""

from itertools import chain
from pathlib import Path
from typing import Iterator, List, Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.lang.xx import MultiLanguage
from spacy.tokens import Doc

from ..formats.base import find_inputs
from ..training.check import read_docs
from ..training.distillation.passages import PassageReader
from ..training.text_files import find_texts
from . import coref_cli
from .documents import FROM
from .messages import print_message
from .output import check_output

_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_MAX_WORDS = 500


@coref_cli.command("prune-vocabulary")
def prune_vocabulary_cli(
    encoder: str = Arg(..., help="The encoder: a folder or a name on the hub"),
    path: Path = Arg(..., help="The output folder; an encoder there is replaced"),
    texts: List[Path] = Opt(
        ...,
        "--texts",
        "-t",
        help="Plain text in the languages: files, or folders of .txt and .txt.gz; can "
        "be given several times",
        exists=True,
    ),
    corpora: Optional[List[Path]] = Opt(
        None,
        "--corpora",
        "-c",
        help="Annotated files of any format to count, too",
        exists=True,
    ),
    source: Optional[str] = FROM,
    size: int = Opt(64_000, "--size", "-s", help="The most word pieces to keep"),
) -> None:
    """Write an encoder with only the word pieces that some languages need.

    All letters of the Latin script are kept, so that any word can still be spelt.
    """
    # Imported here, because every spaCy command imports this module.
    from ..training.pretraining.vocabulary import prune_encoder

    check_output(path, _FILES, [encoder])
    # Before the encoder is read.
    find_inputs(corpora or [], source)
    docs = _read(texts, corpora or [], source)
    n_kept = prune_encoder(encoder, path, docs, size)
    print_message("good", f"Written to {path}: {n_kept} word pieces")


def _read(
    texts: List[Path], corpora: List[Path], source: Optional[str]
) -> Iterator[Doc]:
    nlp = spacy.blank(MultiLanguage.lang)
    passages = PassageReader(find_texts(texts), _MAX_WORDS)
    return chain(map(nlp.make_doc, passages), read_docs(corpora, nlp, source))
