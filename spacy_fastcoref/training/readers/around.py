"""Provide readers around other readers: of a mixture, a language, or annotated."""

import random
from functools import partial
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import spacy
from spacy import registry, util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ...errors import check_known
from ..augmentation.augment import Augmenter
from .reading import Corpus, check_any, check_number

# A setting that is a reader has the type Any: confection validates it before it makes
# the reader.


@registry.readers("spacy_fastcoref.MixedCorpus.v1")
def make_mixed_corpus(
    corpora: Dict[str, Any],
    weights: Optional[Dict[str, float]] = None,
    seed: int = 0,
    augmenter: Optional[Any] = None,
) -> Corpus:
    """Make a reader that mixes corpora.

    corpora (Dict[str, Any]): The readers by name.
    weights (Optional[Dict[str, float]]): How often to read each corpus in an epoch: 2
        for twice, 0.5 for a random half of its examples. The default is 1.
    seed (int): The random seed for sampling and shuffling, which differ in each epoch.
    augmenter (Optional[Any]): An augmenter as in spacy.Corpus.v1, which has to keep the
        clusters, such as spacy_fastcoref.swap_genders.v1.
    RETURNS (Corpus): The reader. It raises a ValueError if the weights leave no
        examples.
    RAISES (ValueError): A weight is negative, or there is no corpus of its name.
    """
    weights = weights or {}
    for name, weight in weights.items():
        check_known("corpus", name, corpora)
        check_number(f"weights.{name}", weight)
    rng = random.Random(seed)
    return partial(_mix, corpora=corpora, weights=weights, rng=rng, augmenter=augmenter)


def _mix(
    nlp: Language,
    *,
    corpora: Dict[str, Corpus],
    weights: Dict[str, float],
    rng: random.Random,
    augmenter: Optional[Augmenter],
) -> Iterator[Example]:
    examples: List[Example] = []
    for name, corpus in corpora.items():
        weight = weights.get(name, 1.0)
        for _ in range(int(weight)):
            examples.extend(corpus(nlp))
        rest = weight - int(weight)
        if rest:
            whole = list(corpus(nlp))
            examples.extend(rng.sample(whole, round(rest * len(whole))))
    if corpora:
        check_any(len(examples), corpora, "the weights leave no document of it")
    rng.shuffle(examples)
    for eg in examples:
        yield from [eg] if augmenter is None else augmenter(nlp, eg)


@registry.readers("spacy_fastcoref.LanguageCorpus.v1")
def make_language_corpus(corpus: Any, lang: str) -> Corpus:
    """Make a reader of texts in another language than the pipeline's.

    The documents have the language's tokenizer and code, in `doc.lang_`, so that blocks
    and rules see it. A multilingual pipeline, with the code "xx", is trained on a
    mixture of such corpora.

    corpus (Callable[[Language], Iterator[Example]]): The reader.
    lang (str): The language's code.
    RETURNS (Corpus): The reader.
    RAISES (ImportError): spaCy has no such language.
    """
    # One vocabulary for all epochs, since each document keeps its own alive.
    return partial(_read, corpus=corpus, own=spacy.blank(lang))


def _read(nlp: Language, *, corpus: Corpus, own: Language) -> Iterator[Example]:
    yield from corpus(own)


@registry.readers("spacy_fastcoref.AnnotatedCorpus.v1")
def make_annotated_corpus(corpus: Any, pipeline: str) -> Corpus:
    """Make a reader of a corpus whose documents a pipeline has tagged and parsed.

    The documents are annotated when they are read for the first time, and kept, so that
    further epochs cost no time for it. Only for corpora that are the same in each
    epoch: put augmenters and mixtures around it.

    corpus (Callable[[Language], Iterable[Example]]): The reader of the corpus.
    pipeline (str): The name or folder of the pipeline.
    RETURNS (Corpus): The reader.
    """
    return _AnnotatedCorpus(corpus, pipeline)


class _AnnotatedCorpus:
    def __init__(self, corpus: Corpus, pipeline: str) -> None:
        self.corpus = corpus
        self.pipeline = pipeline
        self.examples: Optional[List[Example]] = None
        self.vocab: Optional[Any] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        if self.examples is None or self.vocab is not nlp.vocab:
            keyed = (("", eg) for eg in self.corpus(nlp))
            annotated = annotate_examples(keyed, util.load_model(self.pipeline))
            self.examples, self.vocab = [eg for _, eg in annotated], nlp.vocab
        for eg in self.examples:
            # Evaluation writes into the predicted Doc.
            yield Example(eg.predicted.copy(), eg.reference)


def annotate_examples(
    examples: Iterable[Tuple[str, Example]], annotator: Language
) -> Iterator[Tuple[str, Example]]:
    """Let a pipeline tag and parse documents, for a model that reads its annotation."""
    keyed = list(examples)
    docs = annotator.pipe(_move(eg.predicted, annotator.vocab) for _, eg in keyed)
    for doc, (key, eg) in zip(docs, keyed, strict=True):
        yield key, Example(_move(doc, eg.reference.vocab), eg.reference)


def _move(doc: Doc, vocab: Vocab) -> Doc:
    """Copy a Doc to another vocabulary."""
    new = Doc(vocab).from_bytes(doc.to_bytes(exclude=["user_data"]))
    new.user_data = dict(doc.user_data)
    return new
