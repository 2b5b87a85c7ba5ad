"""Read corpora of texts with one pronoun and two candidate names, such as GAP."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Union

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...errors import Errors
from ...formats.parsing import open_lines, parse_json, parse_lines
from ...grammar.lexicon import get_lexicon
from ...metrics.gap import GapRow
from ...types import Offsets
from .partial import LabelledMention, find_phrase, make_partial_examples
from .reading import Corpus, FileCorpus, Paths, Record

_BRACKETED = re.compile(r"\[([^][]+)\]")
_LABELS = {"true": True, "false": False}
_KIND = "a row with a pronoun and two names"

# What a column can hold; see make_pronoun_corpus.
_ROLES = frozenset(
    "text candidates pronoun pronoun_offset candidate_offsets labels answer "
    "answer_index key".split()
)
Columns = Dict[str, Any]
# The columns of GAP (Webster et al. 2018).
GAP: Columns = {
    "text": "Text",
    "pronoun": "Pronoun",
    "pronoun_offset": "Pronoun-offset",
    "candidates": ["A", "B"],
    "candidate_offsets": ["A-offset", "B-offset"],
    "labels": ["A-coref", "B-coref"],
    "key": "ID",
}
# The keys of KnowRef (Emami et al. 2019). In some of its rows, the number and the name
# of the correct candidate contradict each other.
KNOWREF: Columns = {
    "text": "sentence_with_pronoun",
    "candidates": ["candidate0", "candidate1"],
    "answer": "correct_candidate",
    "answer_index": "correct_candidate_idx",
}


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
    columns (Dict[str, Union[str, List[str]]]): The columns, or the keys of JSON
        objects, by their role: `text`; `candidates`, those of the two names; `pronoun`
        and `pronoun_offset`, its first character, unless it is in [brackets] in the
        text; `candidate_offsets`, or else a name is where it first occurs; `labels`,
        those that say for each name whether the pronoun refers to it, or `answer`, the
        name that it refers to, with `answer_index`, the number of that name, 0 or 1: a
        row in which they contradict each other is an error; `key`, the row's ID.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid, or a role is missing or unknown.
    """
    are_pairs = all(
        len(columns[role]) == 2
        for role in ("candidates", "candidate_offsets", "labels")
        if role in columns
    )
    is_complete = (
        {"text", "candidates"} <= columns.keys() <= _ROLES
        and are_pairs
        and ("pronoun" in columns) == ("pronoun_offset" in columns)
        and ("labels" in columns) != ("answer" in columns)
    )
    if not is_complete:
        raise ValueError(Errors.FC057.format(columns=columns, roles=sorted(_ROLES)))
    return FileCorpus(path, partial(_read_rows, columns=columns), on_error, limit)


@registry.readers("spacy_fastcoref.GapCorpus.v1")
def make_gap_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of GAP (Webster et al. 2018): PronounCorpus.v1 with GAP's columns.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return make_pronoun_corpus(path, GAP, on_error, limit)


@registry.readers("spacy_fastcoref.KnowRefCorpus.v1")
def make_knowref_corpus(path: Paths, on_error: str = "raise", limit: int = 0) -> Corpus:
    """Make a reader of KnowRef (Emami et al. 2019): PronounCorpus.v1 with its columns.

    path (Paths): A file or several files.
    RETURNS (Corpus): The reader.
    RAISES (ValueError): A setting is not valid.
    """
    return make_pronoun_corpus(path, KNOWREF, on_error, limit)


def _read_rows(path: str, nlp: Language, *, columns: Columns) -> Iterator[Record]:
    return read_pronoun_rows(path, columns, partial(make_pronoun_examples, nlp))


def read_pronoun_rows(
    path: Union[str, Path],
    columns: Columns,
    make: Callable[[GapRow], Any] = lambda row: row,
) -> Iterator[Any]:
    """Read what `make` makes of rows with one pronoun and two names, or errors that
    name their places: of a JSON list (.json), of one JSON object per line (.jsonl), or
    of a tab-separated table with a header.
    """

    def parse(row: Mapping[str, Any]) -> Any:
        return make(_parse_row(row, columns))

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


def _parse_row(row: Mapping[str, Any], columns: Columns) -> GapRow:
    text = row[columns["text"]]
    if "pronoun" not in columns:
        parts = _BRACKETED.split(text)
        if len(parts) != 3:
            raise ValueError(f"{len(parts) // 2} pronouns are in brackets")
        text = "".join(parts)
        pronoun = len(parts[0]), len(parts[0]) + len(parts[1])
    else:
        pronoun = _locate(row, columns["pronoun"], columns["pronoun_offset"], text)
    names = [_get_name(row[column]) for column in columns["candidates"]]
    if "candidate_offsets" not in columns:
        spans = [find_phrase(text, name) for name in names]
        if None in spans:
            raise ValueError(f"{names[spans.index(None)]!r} is not in the text")
    else:
        pairs = zip(columns["candidates"], columns["candidate_offsets"], strict=True)
        spans = [_locate(row, column, offset, text) for column, offset in pairs]
    if "labels" in columns:
        labels = [_LABELS[str(row[column]).lower()] for column in columns["labels"]]
    else:
        correct = names.index(_get_name(row[columns["answer"]]))
        if names[0] == names[1]:
            raise ValueError(f"both candidates are {names[0]!r}")
        # If the two contradict each other, either of them can be wrong.
        index = columns.get("answer_index")
        if index is not None and correct != row[index]:
            raise ValueError(f"{columns['answer']} and {index} do not agree")
        labels = [i == correct for i in range(len(names))]
    key = str(row[columns["key"]]) if "key" in columns else ""
    return GapRow(text, pronoun, (spans[0], spans[1]), (labels[0], labels[1]), key)


def _locate(
    row: Mapping[str, Any], column: str, offset_column: str, text: str
) -> Offsets:
    """Get the offsets of a phrase whose first character is given, and check them."""
    phrase, start = row[column], int(row[offset_column])
    end = start + len(phrase)
    if text[start:end] != phrase or not phrase.strip():
        raise ValueError(f"{column} at {start} is {text[start:end]!r}")
    return start, end


def _get_name(value: Union[str, List[str]]) -> str:
    """Get a name, which is a list of one string in KnowRef."""
    return value if isinstance(value, str) else value[0]


def make_pronoun_examples(nlp: Language, row: GapRow) -> List[Example]:
    """Make the example of a row.

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
    coordinators = get_lexicon(nlp.lang).coordinators
    clauses = [
        (first.start, last.end)
        for first in mentions[1:]
        for last in mentions
        # Adjacent mentions can form one mention, such as a title and a name.
        if not coordinators.issuperset(
            re.findall(r"\w+", row.text[first.end : last.start].lower())
        )
    ]
    return make_partial_examples(nlp, row.text, mentions, clauses)
