"""Masked texts as .spacy files, some thousand examples each."""

import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Iterator, List, Optional

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from ..files import replace_file
from .masked_text import MaskedTextCorpus
from .passages import find_texts

# How many passages make a file: what is lost by an interruption.
N_PASSAGES = 2000


def write_masked(
    corpus: MaskedTextCorpus, nlp: Language, output: Optional[Path]
) -> Iterator[Doc]:
    """Write the examples that a reader makes, file by file.

    A file that is there already is left as it is, and nothing is computed for it: what
    is hidden in a passage depends on no other passage.

    corpus (MaskedTextCorpus): The reader.
    nlp (Language): The pipeline that tokenises the texts.
    output (Optional[Path]): The folder for the files; None to write nothing.
    YIELDS (Doc): The reference of each new example, once it is written.
    RAISES (ValueError): There is nothing to make an example of.
    """
    texts = find_texts(corpus.paths)
    names = [re.sub(r"\.txt(\.gz)?$", "", path.name) for path in texts]
    n_named, seen = Counter(names), Counter()
    for path, name in zip(texts, names, strict=True):
        # Files of one name, from several folders.
        stem = name if n_named[name] == 1 else f"{name}-{seen[name]}"
        seen[name] += 1
        groups = groupby(corpus.read_file(path), lambda p: p.number // N_PASSAGES)
        for number, passages in groups:
            target = None if output is None else output / f"{stem}-{number:05}.spacy"
            if target is not None and target.exists():
                corpus.counts["kept"] += 1
                continue
            docs = [eg.reference for eg in corpus.make_examples(nlp, passages)]
            if target is not None:
                _write(docs, target)
            yield from docs
    if not corpus.counts["kept"]:
        corpus.check()


def _write(docs: List[Doc], target: Path) -> None:
    """Write a file beside its place first, so that half a file is never there."""
    docbin = DocBin(attrs=["ORTH", "SPACY"], docs=docs, store_user_data=False)
    with replace_file(target) as new:
        docbin.to_disk(new)
