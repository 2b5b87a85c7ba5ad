"""Registered readers: files -> examples, for [corpora] in a config."""

import math
import random
import warnings
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Union

from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from ...errors import Errors, Warnings
from ...metrics.gap import GapRow
from ...span_keys import MASKED, SPEAKERS
from ..augmentation.augment import Augmenter
from ..distillation.shards import list_shards
from .conll import read_conll
from .elevant import read_elevant
from .gap import make_gap_record, read_gap
from .grounded import read_grounded
from .items import NO_ITEM
from .jsonl import read_jsonl
from .knowref import read_knowref
from .partial import PartialRecord, make_partial_example
from .records import Record
from .text_record import TextRecord

Corpus = Callable[[Language], Iterator[Example]]
Paths = Union[Path, str, List[Union[Path, str]]]
_ON_ERROR = ("raise", "skip")
# What of the gold annotation a model is told.
_KNOWN = frozenset((SPEAKERS, MASKED))


@registry.readers("spacy_fastcoref.JsonlCorpus.v1")
def make_jsonl_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
) -> Corpus:
    """Make a reader of the field's jsonlines, and of fastcoref's.

    path (Paths): A file or several.
    on_error (str): "raise", or "skip" to leave bad documents out and count them.
    limit (int): The most documents to read, 0 for all.
    max_words (int): Longer documents are cut into windows, 0 to keep them whole.
    scheme (Optional[str]): What models that know several annotation schemes are told.
    RETURNS (Corpus): The reader.
    """
    _check_number("max_words", max_words)
    make = partial(_make_record_examples, max_words=max_words, scheme=scheme)
    return _make_corpus(path, read_jsonl, make, on_error, limit)


@registry.readers("spacy_fastcoref.ConllCorpus.v1")
def make_conll_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
) -> Corpus:
    """Make a reader of CoNLL-2012 files.

    path (Paths): A file or several.
    on_error (str): "raise", or "skip" to leave bad documents out and count them.
    limit (int): The most documents to read, 0 for all.
    max_words (int): Longer documents are cut into windows, 0 to keep them whole.
    scheme (Optional[str]): What models that know several annotation schemes are told.
    RETURNS (Corpus): The reader.
    """
    _check_number("max_words", max_words)
    make = partial(_make_record_examples, max_words=max_words, scheme=scheme)
    return _make_corpus(path, read_conll, make, on_error, limit)


@registry.readers("spacy_fastcoref.GapCorpus.v1")
def make_gap_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of GAP's files, whose examples are labelled in part.

    path (Paths): A file or several.
    on_error (str): "raise", or "skip" to leave bad rows out and count them.
    limit (int): The most rows to read, 0 for all.
    RETURNS (Corpus): The reader.
    """
    return _make_corpus(path, read_gap, _make_gap_examples, on_error, limit)


@registry.readers("spacy_fastcoref.KnowRefCorpus.v1")
def make_knowref_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of KnowRef's file, whose examples are labelled in part.

    path (Paths): A file or several.
    on_error (str): "raise", or "skip" to leave bad rows out and count them.
    limit (int): The most rows to read, 0 for all.
    RETURNS (Corpus): The reader.
    """
    return _make_corpus(path, read_knowref, _make_partial_examples, on_error, limit)


@registry.readers("spacy_fastcoref.ElevantCorpus.v1")
def make_elevant_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of ELEVANT's benchmarks, whose examples are labelled in part.

    path (Paths): A file or several.
    on_error (str): "raise", or "skip" to leave bad articles out and count them.
    limit (int): The most articles to read, 0 for all.
    RETURNS (Corpus): The reader.
    """
    return _make_corpus(path, read_elevant, _make_partial_examples, on_error, limit)


@registry.readers("spacy_fastcoref.GroundedCorpus.v1")
def make_grounded_corpus(
    path: Paths, on_error: str = "raise", limit: int = 0
) -> Corpus:
    """Make a reader of texts whose pronouns are labelled with names.

    path (Paths): A file or several, as Aralikatte & Søgaard (2020) made them.
    on_error (str): "raise", or "skip" to leave bad texts out and count them.
    limit (int): The most texts to read, 0 for all.
    RETURNS (Corpus): The reader.
    """
    return _make_corpus(path, read_grounded, _make_partial_examples, on_error, limit)


@registry.readers("spacy_fastcoref.DocBinCorpus.v1")
def make_docbin_corpus(
    path: Paths,
    limit: int = 0,
    scheme: Optional[str] = None,
    seed: Optional[int] = None,
) -> Corpus:
    """Make a reader of .spacy files with clusters, one file in memory at a time.

    Other than spaCy's own reader, it keeps the tokens and gives the model the
    speakers, and what is masked.

    path (Paths): A file, a folder of files such as `spacy coref annotate` writes, or
        several.
    limit (int): The most documents to read, 0 for all.
    scheme (Optional[str]): What models that know several annotation schemes are told;
        None for what each document says itself, if it does.
    seed (Optional[int]): The seed of the order of the files, and of the documents in
        each, every epoch another; None to read them as they stand.
    RETURNS (Corpus): The reader.
    """
    _check_number("limit", limit)
    rng = None if seed is None else random.Random(seed)
    paths = _list_paths(path)
    return partial(_read_docbins, paths=paths, limit=limit, scheme=scheme, rng=rng)


@registry.readers("spacy_fastcoref.MixedCorpus.v1")
def make_mixed_corpus(
    # Not Corpus: confection checks this before it has made the readers.
    corpora: Dict[str, Any],
    weights: Optional[Dict[str, float]] = None,
    seed: int = 0,
    augmenter: Optional[Any] = None,
) -> Corpus:
    """Make a reader that mixes corpora.

    corpora (Dict[str, Any]): The readers by name.
    weights (Optional[Dict[str, float]]): How often each is read in an epoch: 2 for
        twice, 0.5 for a random half of it, 1 if it is not listed.
    seed (int): The seed of the choice and of the order; every epoch is another.
    augmenter (Optional[Any]): What changes the examples, as in spacy.Corpus.v1; it has
        to keep clusters, such as spacy_fastcoref.swap_genders.v1.
    RETURNS (Corpus): The reader. It raises a ValueError if there are corpora, but no
        example is left of them by their weights.
    RAISES (ValueError): A weight for a corpus that is not there, or below 0.
    """
    weights = weights or {}
    unknown = sorted(set(weights) - set(corpora))
    if unknown:
        raise ValueError(Errors.FC053.format(names=unknown, available=list(corpora)))
    for name, weight in weights.items():
        _check_number(f"weights.{name}", weight)
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
        _check_any(len(examples), corpora, "no document is left by its weight")
    rng.shuffle(examples)
    if augmenter is None:
        yield from examples
    else:
        for eg in examples:
            yield from augmenter(nlp, eg)


def _make_record_examples(
    nlp: Language,
    record: Union[Record, TextRecord],
    *,
    max_words: int,
    scheme: Optional[str],
) -> List[Example]:
    windows = record.tokenize(nlp).split(max_words)
    return [window.make_example(nlp.vocab, scheme) for window in windows]


def _make_gap_examples(nlp: Language, row: GapRow) -> List[Example]:
    return _make_partial_examples(nlp, make_gap_record(row))


def _make_partial_examples(nlp: Language, record: PartialRecord) -> List[Example]:
    return [make_partial_example(nlp, record)]


def _make_corpus(
    path: Paths, read: Callable, make: Callable, on_error: str, limit: int
) -> Corpus:
    if on_error not in _ON_ERROR:
        raise ValueError(Errors.FC054.format(value=on_error, available=_ON_ERROR))
    _check_number("limit", limit)
    skip = on_error == "skip"
    paths = _list_paths(path)
    return partial(
        _read_files, paths=paths, read=read, make=make, skip=skip, limit=limit
    )


def _check_number(name: str, value: float) -> None:
    if not 0 <= value < math.inf:
        expected = "a number, 0 or more"
        raise ValueError(Errors.FC076.format(name=name, value=value, expected=expected))


def _list_paths(path: Paths) -> List[Path]:
    return [Path(p) for p in (path if isinstance(path, list) else [path])]


def _read_files(
    nlp: Language,
    *,
    paths: List[Path],
    read: Callable,
    make: Callable,
    skip: bool,
    limit: int,
) -> Iterator[Example]:
    n_read = 0
    for path in paths:
        skipped: List[ValueError] = []
        for item, record in enumerate(_open(path, read), start=1):
            if limit and n_read >= limit:
                return
            try:
                examples = _make_named(make, nlp, record, path, item)
            except ValueError as error:
                if not skip:
                    raise
                skipped.append(error)
                continue
            n_read += 1
            yield from examples
        if skipped:
            warnings.warn(
                Warnings.FCW02.format(
                    n_skipped=len(skipped), path=path, first=skipped[0]
                ),
                stacklevel=2,
            )
    _check_any(n_read, paths)


def _check_any(
    n_read: int,
    names: Iterable[Union[Path, str]],
    reason: str = "there are no documents in it",
) -> None:
    """Check that there was a document: spaCy begins epochs without any for ever."""
    if not n_read:
        path = ", ".join(map(str, names))
        raise ValueError(Errors.FC052.format(path=path, reason=reason))


def _make_named(
    make: Callable, nlp: Language, record: Any, path: Path, item: int
) -> List[Example]:
    """Make a record's examples; an error names its place in the file."""
    if isinstance(record, ValueError):
        raise record
    try:
        return make(nlp, record)
    except NO_ITEM as error:
        reason = f"no example can be made of it: {type(error).__name__}: {error}"
        if isinstance(record, (Record, TextRecord)):
            message = Errors.FC051.format(path=path, line=record.line, reason=reason)
        else:
            message = Errors.FC091.format(path=path, item=item, reason=reason)
        raise ValueError(message) from error


def _open(path: Path, read: Callable) -> Any:
    if not path.is_file():
        reason = "there is no such file"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return read(path)


def _read_docbins(
    nlp: Language,
    *,
    paths: List[Path],
    limit: int,
    scheme: Optional[str],
    rng: Optional[random.Random],
) -> Iterator[Example]:
    files = [file for path in paths for file in _list_docbins(path)]
    if rng is not None:
        rng.shuffle(files)
    n_read = 0
    for file in files:
        references = list(_open(file, _read_docbin).get_docs(nlp.vocab))
        if rng is not None:
            rng.shuffle(references)
        for reference in references:
            if limit and n_read >= limit:
                return
            n_read += 1
            yield _make_docbin_example(reference, scheme)
    _check_any(n_read, paths)


def _list_docbins(path: Path) -> List[Path]:
    if not path.is_dir():
        return [path]
    shards = list_shards(path)
    if not shards:
        reason = "there is no .spacy file in this folder"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return shards


def _read_docbin(path: Path) -> DocBin:
    try:
        return DocBin().from_disk(path)
    except (ValueError, KeyError, TypeError) as error:
        reason = f"this is no DocBin: {type(error).__name__}: {error}"
        raise ValueError(Errors.FC052.format(path=path, reason=reason)) from error


def _make_docbin_example(reference: Doc, scheme: Optional[str]) -> Example:
    # What is gold, tags and trees too, is for the components to find.
    predicted = Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
    )
    for key in _KNOWN.intersection(reference.spans):
        predicted.spans[key] = [
            Span(predicted, span.start, span.end, label=span.label)
            for span in reference.spans[key]
        ]
    predicted._.coref_scheme = scheme or reference._.coref_scheme
    return Example(predicted, reference)
