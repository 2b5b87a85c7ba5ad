"""Provide a reader for the corpus of one language among several."""

from functools import lru_cache, partial
from typing import Any, Iterator

import spacy
from spacy import registry
from spacy.language import Language
from spacy.training import Example

from .reading import Corpus


@registry.readers("spacy_fastcoref.LanguageCorpus.v1")
def make_language_corpus(
    # Any instead of Corpus, since confection validates the type before it creates the
    # reader.
    corpus: Any,
    lang: str,
) -> Corpus:
    """Make a reader of texts in another language than the pipeline's.

    The documents have the language's tokenizer and code, in `doc.lang_`, so that blocks
    and rules see it. A multilingual pipeline, with the code "xx", is trained on a
    mixture of such corpora.

    corpus (Callable[[Language], Iterator[Example]]): The reader.
    lang (str): The language's code.
    RETURNS (Corpus): The reader.
    RAISES (ImportError): spaCy has no such language.
    """
    _get_pipeline(lang)
    return partial(_read, corpus=corpus, lang=lang)


def _read(nlp: Language, *, corpus: Corpus, lang: str) -> Iterator[Example]:
    yield from corpus(_get_pipeline(lang))


@lru_cache(maxsize=None)
def _get_pipeline(lang: str) -> Language:
    # One vocabulary for all epochs, since each document keeps its own alive.
    return spacy.blank(lang)
