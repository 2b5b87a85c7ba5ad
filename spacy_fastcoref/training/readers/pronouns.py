"""Corpora of texts with one pronoun and two candidate names, such as GAP."""

import json
import re
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from ...errors import Errors
from ...languages.lexicon import get_lexicon
from ...metrics.gap import GapRow, Offsets
from ...span_keys import CANDIDATES
from .parsing import open_lines, parse_json, parse_lines
from .partial import LabelledMention, PartialRecord, find_phrase

_BRACKETED = re.compile(r"\[([^][]+)\]")
_LABELS = {"true": True, "false": False}
_KIND = "a row with a pronoun and two names"


@dataclass(frozen=True)
class ColumnMap:
    """Name the columns of a table, or the keys of JSON objects.

    text (str): The text.
    candidates (Sequence[str]): The two names.
    pronoun (Optional[str]): The pronoun; None if the text has it in [brackets].
    pronoun_offset (Optional[str]): The pronoun's first character.
    candidate_offsets (Optional[Sequence[str]]): The first character of each name; None
        to take the first place in the text where the name is.
    labels (Optional[Sequence[str]]): Whether the pronoun refers to each name.
    answer (Optional[str]): Instead of `labels`, the name that it refers to.
    answer_index (Optional[str]): The number of that name, 0 or 1; a row in which it
        does not agree with `answer` is an error.
    key (Optional[str]): The row's ID.
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
        """Make a map of a config's block.

        columns (Dict[str, Any]): The column, or columns, by role.
        RETURNS (ColumnMap): The map.
        RAISES (ValueError): A role is unknown, or one that is needed is missing.
        """
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
# The keys of KnowRef (Emami et al. 2019), in which the number and the name of the right
# candidate sometimes contradict each other.
KNOWREF = ColumnMap(
    text="sentence_with_pronoun",
    candidates=("candidate0", "candidate1"),
    answer="correct_candidate",
    answer_index="correct_candidate_idx",
)


def read_pronouns(
    path: Union[str, Path], columns: ColumnMap
) -> Iterator[Union[GapRow, ValueError]]:
    """Read rows with one pronoun and two names.

    path (Union[str, Path]): The file: a JSON list if it ends in .json, a JSON object a
        line if it ends in .jsonl, else a table with a header, separated by tabs.
    columns (ColumnMap): What is in which column.
    YIELDS (Union[GapRow, ValueError]): Each row, or an error that names its place.
    RAISES (ValueError): A file that ends in .json is not JSON.
    """
    parse = partial(_parse_row, columns=columns)
    suffix = Path(path).suffix
    if suffix == ".json":
        yield from parse_json(path, parse, _KIND)
        return
    with open_lines(path) as lines:
        if suffix == ".jsonl":
            numbered = enumerate(lines, start=1)
            yield from parse_lines(
                path, numbered, lambda line: parse(json.loads(line)), _KIND
            )
        else:
            header = _split(next(lines, ""))
            numbered = enumerate(lines, start=2)
            yield from parse_lines(
                path,
                numbered,
                lambda line: parse(dict(zip(header, _split(line), strict=False))),
                _KIND,
            )


def read_gap(path: Union[str, Path]) -> Iterator[Union[GapRow, ValueError]]:
    """Read GAP's official file.

    path (Union[str, Path]): The file, tab-separated.
    YIELDS (Union[GapRow, ValueError]): Each row, or an error that names its line.
    """
    return read_pronouns(path, GAP)


def _split(line: str) -> List[str]:
    # GAP quotes nothing, and the csv module limits the length of a field.
    return line.rstrip("\n").split("\t")


def _parse_row(row: Dict[str, Any], columns: ColumnMap) -> GapRow:
    text = row[columns.text]
    if columns.pronoun is None:
        text, pronoun = _remove_brackets(text)
    else:
        pronoun = _locate(row, columns.pronoun, columns.pronoun_offset, text)
    names = [_get_name(row[column]) for column in columns.candidates]
    if columns.candidate_offsets is None:
        spans = [_find_name(text, name) for name in names]
    else:
        pairs = zip(columns.candidates, columns.candidate_offsets, strict=True)
        spans = [_locate(row, column, offset, text) for column, offset in pairs]
    if columns.answer is None:
        labels = [_LABELS[str(row[column]).lower()] for column in columns.labels]
    else:
        labels = _read_answer(row, columns, names)
    key = "" if columns.key is None else str(row[columns.key])
    return GapRow(text, pronoun, (spans[0], spans[1]), (labels[0], labels[1]), key)


def _remove_brackets(marked: str) -> Tuple[str, Offsets]:
    found = list(_BRACKETED.finditer(marked))
    if len(found) != 1:
        raise ValueError(f"{len(found)} pronouns are in brackets")
    start, length = found[0].start(), len(found[0][1])
    return _BRACKETED.sub(r"\1", marked), (start, start + length)


def _locate(row: Dict[str, Any], column: str, offset_column: str, text: str) -> Offsets:
    """Get the place of a phrase whose first character is given."""
    phrase, start = row[column], int(row[offset_column])
    end = start + len(phrase)
    if text[start:end] != phrase or not phrase.strip():
        raise ValueError(f"{column} at {start} is {text[start:end]!r}")
    return start, end


def _get_name(value: Union[str, List[str]]) -> str:
    """Get a name; KnowRef has each as a list of one."""
    return value if isinstance(value, str) else value[0]


def _find_name(text: str, name: str) -> Offsets:
    span = find_phrase(text, name)
    if span is None:
        raise ValueError(f"{name!r} is not in the text")
    return span


def _read_answer(
    row: Dict[str, Any], columns: ColumnMap, names: List[str]
) -> List[bool]:
    right = names.index(_get_name(row[columns.answer]))
    if names[0] == names[1]:
        raise ValueError(f"both candidates are {names[0]!r}")
    # Where the two differ, neither is always the right one.
    if columns.answer_index is not None and right != row[columns.answer_index]:
        raise ValueError(f"{columns.answer} and {columns.answer_index} do not agree")
    return [i == right for i in range(len(names))]


def make_pronoun_record(row: GapRow, lang: str) -> PartialRecord:
    """Make a partly labelled text of a row.

    The names' own antecedents are not known. To train on "none" would teach the model
    that names are not repeated. A span from a name to another mention with more than
    coordinators between them is a clause ("Ann told Ben") and no mention: of the spans
    from a gold mention that is a name to another gold mention, one in 700 is a mention
    in OntoGUM's training set, and one in 6,000 in LitBank's.

    row (GapRow): The row.
    lang (str): The language's code, whose coordinators are looked up.
    RETURNS (PartialRecord): The record.
    """
    mentions = [LabelledMention(*row.pronoun, "pronoun", is_certain=True)]
    for name, label in zip(row.names, row.labels, strict=True):
        mentions.append(LabelledMention(*name, "pronoun" if label else None))
    coordinators = get_lexicon(lang).coordinators
    clauses = [
        (first.start, last.end)
        for first in mentions[1:]
        for last in mentions
        # Two mentions that touch may be one, such as a title and a name.
        if not coordinators.issuperset(
            re.findall(r"\w+", row.text[first.end : last.start].lower())
        )
    ]
    return PartialRecord(row.text, mentions, clauses)


def make_gap_doc(nlp: Language, row: GapRow) -> Doc:
    """Make a Doc for GAP's gold-two-mention task (Webster et al. 2018).

    The model does not have to find the mentions: the pronoun and the two names are the
    only candidates.

    nlp (Language): The pipeline.
    row (GapRow): The row.
    RETURNS (Doc): The document.
    """
    doc = nlp.make_doc(row.text)
    doc.spans[CANDIDATES] = [
        doc.char_span(*offsets, alignment_mode="expand")
        for offsets in (row.pronoun, *row.names)
    ]
    return doc
