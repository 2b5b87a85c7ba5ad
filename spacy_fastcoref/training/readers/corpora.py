"""Provide registered readers of annotated files, for [corpora] in a config."""

import random
from functools import partial
from typing import Any, Callable, Iterable, Iterator, List, Optional

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...errors import check_setting
from ...formats import brackets, conll, docbin, jsonl
from ...formats.base import Document, Entry, check_clusters
from .examples import make_example, make_examples
from .reading import Corpus, FileCorpus, Paths, Record, check_number


@registry.readers("spacy_fastcoref.JsonlCorpus.v1")
def make_jsonl_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
) -> Corpus:
    """Make a reader of jsonlines files with tokens, or with texts as in fastcoref.

    path (Paths): A file or several files.
    on_error (str): "raise", or "skip" to skip invalid documents and count them.
    limit (int): The maximum number of documents to read; 0 for all.
    max_words (int): The length of the windows into which longer documents are split; 0
        to keep documents whole.
    scheme (Optional[str]): The annotation scheme, for models trained on several.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return _make_corpus(path, jsonl.read, on_error, limit, max_words, scheme)


@registry.readers("spacy_fastcoref.ConllCorpus.v1")
def make_conll_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
) -> Corpus:
    """Make a reader of CoNLL-2012 files; see make_jsonl_corpus for the settings.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    """
    return _make_corpus(path, conll.read, on_error, limit, max_words, scheme)


@registry.readers("spacy_fastcoref.BracketCorpus.v1")
def make_bracket_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
    misaligned: str = brackets.RAISE,
) -> Corpus:
    """Make a reader of plain text with mentions in brackets, see formats.brackets.read.

    See make_jsonl_corpus for the other settings.

    path (Paths): A file or several, or folders of .txt files.
    misaligned (str): "drop" to leave out mentions that begin or end inside a token, and
        entities of which one mention is left; "raise" for an error.
    RETURNS (Corpus): The reader.
    """
    is_valid = misaligned in (brackets.RAISE, brackets.DROP)
    check_setting("misaligned", misaligned, is_valid, "'raise' or 'drop'")
    read = partial(brackets.read, misaligned=misaligned)
    return _make_corpus(path, read, on_error, limit, max_words, scheme, ".txt")


def _make_corpus(
    path: Paths,
    read: Callable[[str, Language], Iterator[Entry]],
    on_error: str,
    limit: int,
    max_words: int,
    scheme: Optional[str],
    ending: str = "",
) -> Corpus:
    check_number("max_words", max_words)
    make = partial(make_examples, max_words=max_words, scheme=scheme)
    read_records = partial(_read, read=read, make=make)
    return FileCorpus(path, read_records, on_error, limit, ending)


def _read(
    path: str,
    nlp: Language,
    *,
    read: Callable[[str, Language], Iterator[Entry]],
    make: Callable[[Document], List[Example]],
    rng: Optional[random.Random] = None,
) -> Iterator[Record]:
    entries: Iterable[Entry] = read(path, nlp)
    if rng is not None:
        entries = list(entries)
        rng.shuffle(entries)
    for entry in entries:
        entry = check_clusters(path, entry)
        yield entry if isinstance(entry, ValueError) else make(entry)


@registry.readers("spacy_fastcoref.DocBinCorpus.v1")
def make_docbin_corpus(
    path: Paths,
    limit: int = 0,
    scheme: Optional[str] = None,
    seed: Optional[int] = None,
    annotated: bool = False,
) -> Corpus:
    """Make a reader of .spacy files with clusters, with one file in memory at a time.

    Unlike spacy.Corpus.v1, the reader keeps the gold tokens, and copies the speakers
    and the masked words to the predicted Doc.

    path (Paths): A file, a folder of files such as the output of `spacy coref
        distill`, or several of these.
    limit (int): The maximum number of documents to read; 0 for all.
    scheme (Optional[str]): The annotation scheme, for models trained on several; None
        to use the scheme of each document, if it has one.
    seed (Optional[int]): The random seed to shuffle the files, and the documents of
        each file, in another order in each epoch; None to keep the order.
    annotated (bool): Whether the predicted Docs keep the tags, the parse and all other
        annotation of words, for models that read it and train without the pipeline that
        made it.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    rng = None if seed is None else random.Random(seed)
    make = partial(_make_docbin_example, scheme=scheme, is_annotated=annotated)
    read = partial(_read, read=docbin.read, make=make, rng=rng)
    return FileCorpus(path, read, limit=limit, ending=".spacy", rng=rng)


def _make_docbin_example(document: Document, **settings: Any) -> List[Example]:
    return [make_example(document.doc, **settings)]
