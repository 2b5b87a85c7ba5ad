"""KnowRef's rows: sentences in which one pronoun and two names are annotated."""

import re
from pathlib import Path
from typing import Any, Dict, Iterator, Union

from .items import parse_json
from .partial import Offsets, PartialRecord, find_phrase, make_pronoun_record

_PRONOUN = re.compile(r"\[([^][]+)\]")


def read_knowref(path: Union[str, Path]) -> Iterator[Union[PartialRecord, ValueError]]:
    """Read KnowRef's file (Emami et al. 2019).

    path (Union[str, Path]): The file, a JSON list.
    YIELDS (Union[PartialRecord, ValueError]): Each row, or what is wrong with it, with
        file and number.
    RAISES (ValueError): The file is no JSON.
    """
    return parse_json(path, _parse_row, "row of KnowRef")


def _parse_row(row: Dict[str, Any]) -> PartialRecord:
    marked = row["sentence_with_pronoun"]
    pronouns = list(_PRONOUN.finditer(marked))
    if len(pronouns) != 1:
        raise ValueError(f"{len(pronouns)} pronouns are in brackets")
    text = _PRONOUN.sub(r"\1", marked)
    # Where the sentence has no brackets any more.
    start, length = pronouns[0].start(), len(pronouns[0][1])
    names = [row[f"candidate{i}"][0] for i in (0, 1)]
    right = names.index(row["correct_candidate"][0])
    if names[0] == names[1]:
        raise ValueError(f"both candidates are {names[0]!r}")
    # Where they differ it is now the one that is right, now the other.
    if right != row["correct_candidate_idx"]:
        raise ValueError("correct_candidate and correct_candidate_idx do not agree")
    spans = [_find_name(text, name) for name in names]
    labels = [i == right for i in (0, 1)]
    return make_pronoun_record(text, (start, start + length), spans, labels)


def _find_name(text: str, name: str) -> Offsets:
    span = find_phrase(text, name)
    if span is None:
        raise ValueError(f"{name!r} is not in the sentence")
    return span
