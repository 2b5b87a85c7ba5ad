"""GAP's rows: texts in which one pronoun and two names are annotated."""

import csv
from pathlib import Path
from typing import Dict, Iterator, List, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..metrics.gap import GapRow
from ..tokens.clusters import CANDIDATES
from .items import parse_lines
from .partial import PartialRecord, make_pronoun_record

_LABELS = {"TRUE": True, "FALSE": False}


def read_gap(path: Union[str, Path]) -> Iterator[Union[GapRow, ValueError]]:
    """Read GAP's official file.

    path (Union[str, Path]): The file, tab-separated.
    YIELDS (Union[GapRow, ValueError]): Each row, or what is wrong with it, with file
        and line.
    """
    with open(path, encoding="utf8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = ((reader.line_num, row) for row in reader)
        yield from parse_lines(path, rows, _parse_row, "row of GAP")


def _parse_row(row: Dict[str, str]) -> GapRow:
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
