"""GAP's rows: texts in which one pronoun and two names are annotated."""

from functools import partial
from pathlib import Path
from typing import Iterator, List, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from ...metrics.gap import GapRow
from ...span_keys import CANDIDATES
from .items import open_lines, parse_lines
from .partial import PartialRecord, make_pronoun_record

_LABELS = {"TRUE": True, "FALSE": False}


def read_gap(path: Union[str, Path]) -> Iterator[Union[GapRow, ValueError]]:
    """Read GAP's official file.

    path (Union[str, Path]): The file, tab-separated.
    YIELDS (Union[GapRow, ValueError]): Each row, or what is wrong with it, with file
        and line.
    """
    with open_lines(path) as lines:
        parse = partial(_parse_row, columns=_split(next(lines, "")))
        yield from parse_lines(path, enumerate(lines, start=2), parse, "row of GAP")


def _split(line: str) -> List[str]:
    # Nothing is quoted in GAP, so that this is no work for csv, which limits fields.
    return line.rstrip("\n").split("\t")


def _parse_row(line: str, columns: List[str]) -> GapRow:
    row = dict(zip(columns, _split(line), strict=False))
    text = row["Text"]
    spans: List[Tuple[int, int]] = []
    for name in ("Pronoun", "A", "B"):
        start = int(row[f"{name}-offset"])
        end = start + len(row[name])
        if text[start:end] != row[name] or not row[name].strip():
            raise ValueError(f"{name} at {start} is {text[start:end]!r}")
        spans.append((start, end))
    labels = _LABELS[row["A-coref"].upper()], _LABELS[row["B-coref"].upper()]
    return GapRow(text, spans[0], (spans[1], spans[2]), labels, row["ID"])


def make_gap_record(row: GapRow) -> PartialRecord:
    """Make a record of what a row says.

    row (GapRow): The row.
    RETURNS (PartialRecord): The record.
    """
    return make_pronoun_record(row.text, row.pronoun, row.names, row.labels)


def make_gap_doc(nlp: Language, row: GapRow) -> Doc:
    """Make a Doc in which the pronoun and the two names are given.

    That is GAP's gold-two-mention task (Webster et al. 2018): the model chooses between
    the names, and does not have to find them.

    nlp (Language): The pipeline.
    row (GapRow): The row.
    RETURNS (Doc): The document, with the three as its only candidates for mentions.
    """
    doc = nlp.make_doc(row.text)
    doc.spans[CANDIDATES] = [
        doc.char_span(*offsets, alignment_mode="expand")
        for offsets in (row.pronoun, *row.names)
    ]
    return doc
