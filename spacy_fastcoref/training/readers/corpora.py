"""Provide registered readers of annotated files, for [corpora] in a config."""

from functools import partial
from typing import Dict, List, Optional, Union

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...metrics.gap import GapRow
from .brackets import BracketRecord, read_brackets
from .conll import read_conll
from .elevant import read_elevant
from .grounded import GroundedText, read_grounded
from .jsonl import read_jsonl
from .partial import PartialRecord, make_partial_example
from .pronouns import GAP, KNOWREF, ColumnMap, make_pronoun_record, read_pronouns
from .reading import Corpus, Paths, check_choice, check_number, list_paths, make_corpus
from .records import Record
from .text_record import TextRecord


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
    check_number("max_words", max_words)
    make = partial(_make_record_examples, max_words=max_words, scheme=scheme)
    return make_corpus(path, read_jsonl, make, on_error, limit)


@registry.readers("spacy_fastcoref.ConllCorpus.v1")
def make_conll_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
) -> Corpus:
    """Make a reader of CoNLL-2012 files.

    path (Paths): A file or several files.
    on_error (str): "raise", or "skip" to skip invalid documents and count them.
    limit (int): The maximum number of documents to read; 0 for all.
    max_words (int): The length of the windows into which longer documents are split; 0
        to keep documents whole.
    scheme (Optional[str]): The annotation scheme, for models trained on several.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    check_number("max_words", max_words)
    make = partial(_make_record_examples, max_words=max_words, scheme=scheme)
    return make_corpus(path, read_conll, make, on_error, limit)


@registry.readers("spacy_fastcoref.BracketCorpus.v1")
def make_bracket_corpus(
    path: Paths,
    on_error: str = "raise",
    limit: int = 0,
    max_words: int = 0,
    scheme: Optional[str] = None,
    misaligned: str = "raise",
) -> Corpus:
    """Make a reader of plain text with mentions in brackets, see read_brackets.

    path (Paths): A file or several, or folders of .txt files.
    on_error (str): "raise", or "skip" to skip bad documents and count them.
    limit (int): The most documents to read, 0 for all.
    max_words (int): The length of the windows that longer documents are cut into, 0 to
        keep documents whole.
    scheme (Optional[str]): The annotation scheme, for models that know several.
    misaligned (str): "drop" to leave out mentions that begin or end inside a token,
        "raise" for an error.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    check_number("max_words", max_words)
    make = partial(_make_record_examples, max_words=max_words, scheme=scheme)
    paths = [
        file
        for one in list_paths(path)
        for file in (sorted(one.glob("*.txt")) if one.is_dir() else [one])
    ]
    check_choice("misaligned", misaligned, ("raise", "drop"))
    read = partial(read_brackets, drops_misaligned=misaligned == "drop")
    return make_corpus([*paths], read, make, on_error, limit)


@registry.readers("spacy_fastcoref.PronounCorpus.v1")
def make_pronoun_corpus(
    path: Paths,
    columns: Dict[str, Union[str, List[str]]],
    on_error: str = "raise",
    limit: int = 0,
) -> Corpus:
    """Make a reader of texts with one pronoun and two candidate names.

    The examples are partly labelled.

    path (Paths): A file or several files: .json, .jsonl or tab-separated.
    columns (Dict[str, Union[str, List[str]]]): The columns by their role; see
        ColumnMap.
    on_error (str): "raise", or "skip" to skip invalid rows and count them.
    limit (int): The maximum number of rows to read; 0 for all.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid, or a role is missing or unknown.
    """
    column_map = ColumnMap.from_dict(columns)
    return _make_pronoun_corpus(path, column_map, on_error, limit)


@registry.readers("spacy_fastcoref.GapCorpus.v1")
def make_gap_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of GAP (Webster et al. 2018): PronounCorpus.v1 with GAP's columns.

    path (Paths): A file or several files.
    on_error (str): "raise", or "skip" to skip invalid rows and count them.
    limit (int): The maximum number of rows to read; 0 for all.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return _make_pronoun_corpus(path, GAP, on_error, limit)


@registry.readers("spacy_fastcoref.KnowRefCorpus.v1")
def make_knowref_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of KnowRef (Emami et al. 2019): PronounCorpus.v1 with its columns.

    path (Paths): A file or several files.
    on_error (str): "raise", or "skip" to skip invalid rows and count them.
    limit (int): The maximum number of rows to read; 0 for all.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return _make_pronoun_corpus(path, KNOWREF, on_error, limit)


@registry.readers("spacy_fastcoref.ElevantCorpus.v1")
def make_elevant_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of ELEVANT's benchmarks (Bast et al. 2023).

    The examples are partly labelled.

    path (Paths): A file or several files.
    on_error (str): "raise", or "skip" to skip invalid articles and count them.
    limit (int): The maximum number of articles to read; 0 for all.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return make_corpus(path, read_elevant, _make_partial_examples, on_error, limit)


@registry.readers("spacy_fastcoref.GroundedCorpus.v1")
def make_grounded_corpus(
    path: Paths, on_error: str = "raise", limit: int = 0
) -> Corpus:
    """Make a reader of texts in which pronouns are linked to names.

    The examples are partly labelled.

    path (Paths): A file or several files, in the format of Aralikatte & Søgaard (2020).
    on_error (str): "raise", or "skip" to skip invalid texts and count them.
    limit (int): The maximum number of texts to read; 0 for all.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return make_corpus(path, read_grounded, _make_grounded_examples, on_error, limit)


def _make_pronoun_corpus(
    path: Paths, columns: ColumnMap, on_error: str, limit: int
) -> Corpus:
    read = partial(read_pronouns, columns=columns)
    return make_corpus(path, read, _make_pronoun_examples, on_error, limit)


def _make_record_examples(
    nlp: Language,
    record: Union[Record, TextRecord, BracketRecord],
    *,
    max_words: int,
    scheme: Optional[str],
) -> List[Example]:
    windows = record.tokenize(nlp).split(max_words)
    return [window.make_example(nlp.vocab, scheme) for window in windows]


def _make_partial_examples(nlp: Language, record: PartialRecord) -> List[Example]:
    return [make_partial_example(nlp, record)]


def _make_pronoun_examples(nlp: Language, row: GapRow) -> List[Example]:
    return _make_partial_examples(nlp, make_pronoun_record(row, nlp.lang))


def _make_grounded_examples(nlp: Language, text: GroundedText) -> List[Example]:
    return _make_partial_examples(nlp, text.make_record(nlp.lang))
