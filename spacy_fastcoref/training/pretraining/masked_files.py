"""Write texts with masked words to .spacy files."""

from itertools import groupby
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from ...clusters.index import check_index
from ...journal import identify_pipeline
from ..passages import Passage
from ..shards import Shards
from ..text_files import find_texts, identify_files
from .masked_text import MaskedTextCorpus

# The number of passages in a file. After an interruption, at most these have to be
# masked again.
N_PASSAGES = 2000
# The reader's settings on which the contents of the files depend.
_SETTINGS = (
    "pronouns",
    "mask_share",
    "name_share",
    "max_words",
    "separator",
    "seed",
)


def write_masked(
    corpus: MaskedTextCorpus, nlp: Language, output: Optional[Path]
) -> Iterator[Doc]:
    """Write the examples of a reader, file by file.

    Files of an earlier run are kept. They don't have to be written again, since the
    masks of a passage don't depend on other passages.

    corpus (MaskedTextCorpus): The reader.
    nlp (Language): The pipeline that tokenizes the texts.
    output (Optional[Path]): The folder for the files and their manifest; None for no
        files.
    YIELDS (Doc): The reference of each new example, after it is written.
    RAISES (ValueError): There are no examples, or the folder has other contents.
    """
    texts = find_texts(corpus.paths)
    if output is None:
        for passages in _group(corpus, texts):
            yield from _mask(corpus, nlp, passages)
    else:
        with Shards(output, _describe(corpus, nlp, texts)).open() as shards:
            for i, passages in enumerate(_group(corpus, texts)):
                if shards.has(i):
                    corpus.counts["kept"] += 1
                    continue
                docs = _mask(corpus, nlp, passages)
                bin = DocBin(attrs=["ORTH", "SPACY"], docs=docs, store_user_data=False)
                n_clusters = sum(len(check_index(doc).clusters) for doc in docs)
                shards.add(i, bin, n_passages=len(passages), n_clusters=n_clusters)
                yield from docs
    if not corpus.counts["kept"]:
        corpus.check()


def _mask(
    corpus: MaskedTextCorpus, nlp: Language, passages: List[Passage]
) -> List[Doc]:
    return [eg.reference for eg in corpus.make_examples(nlp, passages)]


def _group(corpus: MaskedTextCorpus, texts: List[Path]) -> Iterator[List[Passage]]:
    """Read the passages in groups, one for each output file."""
    for path in texts:
        passages = corpus.read_file(path)
        for _, group in groupby(passages, lambda p: p.number // N_PASSAGES):
            yield list(group)


def _describe(
    corpus: MaskedTextCorpus, nlp: Language, texts: List[Path]
) -> Dict[str, Any]:
    """List the settings and inputs on which the contents of the files depend."""
    tagger = corpus.tagger
    return {
        "pipeline": identify_pipeline(nlp),
        "ner": None if tagger is None else identify_pipeline(tagger),
        "inputs": identify_files(texts),
        "n_passages": N_PASSAGES,
        **{name: getattr(corpus, name) for name in _SETTINGS},
    }
