"""Read corpora of texts with one pronoun and two candidate names, such as GAP."""

import json
import re
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...errors import Errors
from ...formats.parsing import open_lines, parse_json, parse_lines
from ...grammar.lexicon import get_lexicon
from ...metrics.gap import GapRow
from ...types import Offsets
from .partial import (
    LabelledMention,
    PartialRecord,
    find_phrase,
    make_partial_examples,
)
from .reading import Corpus, FileCorpus, Paths

_BRACKETED = re.compile(r"\[([^][]+)\]")
_LABELS = {"true": True, "false": False}
_KIND = "a row with a pronoun and two names"


@dataclass(frozen=True)
class ColumnMap:
    """Name the columns of a table, or the keys of JSON objects.

    text (str): The column of the text.
    candidates (Sequence[str]): The columns of the two names.
    pronoun (Optional[str]): The column of the pronoun; None if the pronoun is in
        [brackets] in the text.
    pronoun_offset (Optional[str]): The column of the pronoun's first character.
    candidate_offsets (Optional[Sequence[str]]): The columns of the first character of
        each name; None to use the first occurrence of the name in the text.
    labels (Optional[Sequence[str]]): The columns that say for each name whether the
        pronoun refers to it.
    answer (Optional[str]): Instead of `labels`, the column of the name that the pronoun
        refers to.
    answer_index (Optional[str]): The column of that name's number, 0 or 1. A row in
        which it contradicts `answer` is an error.
    key (Optional[str]): The column of the row's ID.
    """

    text: str
    candidates: Sequence[str]
    pronoun: Optional[str] = None
    pronoun_offset: Optional[str] = None
    candidate_offsets: Optional[Sequence[str]] = None
    labels: Optional[Sequence[str]] = None
    answer: Optional[str] = None
    answer_index: Optional[str] = None
    key: Optional[str] = None

    @classmethod
    def from_dict(cls, columns: Dict[str, Any]) -> "ColumnMap":
        """Make a ColumnMap of a config block."""
        roles = {field.name for field in fields(cls)}
        has_pair = all(
            len(columns[role]) == 2
            for role in ("candidates", "candidate_offsets", "labels")
            if columns.get(role) is not None
        )
        is_complete = (
            {"text", "candidates"} <= columns.keys() <= roles
            and has_pair
            and ("pronoun" in columns) == ("pronoun_offset" in columns)
            and ("labels" in columns) != ("answer" in columns)
        )
        if not is_complete:
            raise ValueError(Errors.FC057.format(columns=columns, roles=sorted(roles)))
        return cls(**columns)


# The columns of GAP (Webster et al. 2018).
GAP = ColumnMap(
    text="Text",
    pronoun="Pronoun",
    pronoun_offset="Pronoun-offset",
    candidates=("A", "B"),
    candidate_offsets=("A-offset", "B-offset"),
    labels=("A-coref", "B-coref"),
    key="ID",
)
# The keys of KnowRef (Emami et al. 2019). In some of its rows, the number and the name
# of the correct candidate contradict each other.
KNOWREF = ColumnMap(
    text="sentence_with_pronoun",
    candidates=("candidate0", "candidate1"),
    answer="correct_candidate",
    answer_index="correct_candidate_idx",
)


@registry.readers("spacy_fastcoref.PronounCorpus.v1")
def make_pronoun_corpus(
    path: Paths,
    columns: Dict[str, Union[str, List[str]]],
    on_error: str = "raise",
    limit: int = 0,
) -> Corpus:
    """Make a reader of texts with one pronoun and two candidate names.

    The examples are partly labelled. See make_jsonl_corpus for the other settings.

    path (Paths): A file or several files: .json, .jsonl or tab-separated.
    columns (Dict[str, Union[str, List[str]]]): The columns by their role; see
        ColumnMap.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid, or a role is missing or unknown.
    """
    column_map = ColumnMap.from_dict(columns)
    return _make_pronoun_corpus(path, column_map, on_error, limit)


@registry.readers("spacy_fastcoref.GapCorpus.v1")
def make_gap_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of GAP (Webster et al. 2018): PronounCorpus.v1 with GAP's columns.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return _make_pronoun_corpus(path, GAP, on_error, limit)


@registry.readers("spacy_fastcoref.KnowRefCorpus.v1")
def make_knowref_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of KnowRef (Emami et al. 2019): PronounCorpus.v1 with its columns.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return _make_pronoun_corpus(path, KNOWREF, on_error, limit)


def _make_pronoun_corpus(
    path: Paths, columns: ColumnMap, on_error: str, limit: int
) -> Corpus:
    read = partial(_read_rows, columns=columns)
    return FileCorpus(path, read, _make_examples, on_error, limit)


def _read_rows(
    path: str, nlp: Language, *, columns: ColumnMap
) -> Iterator[Union[GapRow, ValueError]]:
    return read_pronoun_rows(path, columns)


def _make_examples(nlp: Language, row: GapRow) -> List[Example]:
    return make_partial_examples(nlp, make_pronoun_record(row, nlp.lang))


def read_pronoun_rows(
    path: Union[str, Path], columns: ColumnMap
) -> Iterator[Union[GapRow, ValueError]]:
    """Read rows with one pronoun and two names, or errors that name their places.

    path (Union[str, Path]): The file: a JSON list if it ends in .json, one JSON object
        per line if it ends in .jsonl, otherwise a tab-separated table with a header.
    """
    parse = partial(_parse_row, columns=columns)
    suffix = Path(path).suffix
    if suffix == ".json":
        return parse_json(path, parse, _KIND)
    if suffix == ".jsonl":
        return parse_lines(path, lambda line, _: parse(json.loads(line)), _KIND)
    with open_lines(path) as lines:
        header = _split(next(lines, ""))
    return parse_lines(
        path,
        lambda line, _: parse(dict(zip(header, _split(line), strict=False))),
        _KIND,
        first=2,
    )


def _split(line: str) -> List[str]:
    # Not the csv module: GAP has no quoted fields, and csv limits their length.
    return line.rstrip("\n").split("\t")


def _parse_row(row: Dict[str, Any], columns: ColumnMap) -> GapRow:
    text = row[columns.text]
    if columns.pronoun is None:
        parts = _BRACKETED.split(text)
        if len(parts) != 3:
            raise ValueError(f"{len(parts) // 2} pronouns are in brackets")
        text = "".join(parts)
        pronoun = len(parts[0]), len(parts[0]) + len(parts[1])
    else:
        pronoun = _locate(row, columns.pronoun, columns.pronoun_offset, text)
    names = [_get_name(row[column]) for column in columns.candidates]
    if columns.candidate_offsets is None:
        spans = [find_phrase(text, name) for name in names]
        if None in spans:
            raise ValueError(f"{names[spans.index(None)]!r} is not in the text")
    else:
        pairs = zip(columns.candidates, columns.candidate_offsets, strict=True)
        spans = [_locate(row, column, offset, text) for column, offset in pairs]
    if columns.answer is None:
        labels = [_LABELS[str(row[column]).lower()] for column in columns.labels]
    else:
        correct = names.index(_get_name(row[columns.answer]))
        if names[0] == names[1]:
            raise ValueError(f"both candidates are {names[0]!r}")
        # If the two contradict each other, either of them can be wrong.
        index = columns.answer_index
        if index is not None and correct != row[index]:
            raise ValueError(f"{columns.answer} and {index} do not agree")
        labels = [i == correct for i in range(len(names))]
    key = "" if columns.key is None else str(row[columns.key])
    return GapRow(text, pronoun, (spans[0], spans[1]), (labels[0], labels[1]), key)


def _locate(row: Dict[str, Any], column: str, offset_column: str, text: str) -> Offsets:
    """Get the offsets of a phrase whose first character is given, and check them."""
    phrase, start = row[column], int(row[offset_column])
    end = start + len(phrase)
    if text[start:end] != phrase or not phrase.strip():
        raise ValueError(f"{column} at {start} is {text[start:end]!r}")
    return start, end


def _get_name(value: Union[str, List[str]]) -> str:
    """Get a name, which is a list of one string in KnowRef."""
    return value if isinstance(value, str) else value[0]


def make_pronoun_record(row: GapRow, lang: str) -> PartialRecord:
    """Make a partly labelled text of a row.

    The antecedents of the names are unknown. To train on "no antecedent" would teach
    the model that names are not repeated.

    A span from a name to another mention is a negative, unless there are only
    coordinators between the two, because it is a clause ("Ann told Ben"). Of all spans
    from a name to another gold mention, only one in 700 is a mention in OntoGUM's
    training set, and one in 6,000 in LitBank's.
    """
    mentions = [LabelledMention(*row.pronoun, "pronoun", is_certain=True)]
    for name, label in zip(row.names, row.labels, strict=True):
        mentions.append(LabelledMention(*name, "pronoun" if label else None))
    coordinators = get_lexicon(lang).coordinators
    clauses = [
        (first.start, last.end)
        for first in mentions[1:]
        for last in mentions
        # Adjacent mentions can form one mention, such as a title and a name.
        if not coordinators.issuperset(
            re.findall(r"\w+", row.text[first.end : last.start].lower())
        )
    ]
    return PartialRecord(row.text, mentions, clauses)
