"""GAP's rows: texts in which one pronoun and two names are annotated."""

import csv
from pathlib import Path
from typing import Iterator, List, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import Errors
from ..metrics.gap import GapRow
from ..tokens.clusters import CANDIDATES, set_clusters
from .records import ANAPHOR, ANNOTATED

_LABELS = {"TRUE": True, "FALSE": False}


def read_gap(path: Union[str, Path]) -> Iterator[Union[GapRow, ValueError]]:
    """Read GAP's official file.

    path (Union[str, Path]): The file, tab-separated.
    YIELDS (Union[GapRow, ValueError]): Each row, or what is wrong with it, with file
        and line.
    """
    with open(path, encoding="utf8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        for row in reader:
            try:
                yield _read_row(row)
            except (KeyError, ValueError, AttributeError, TypeError) as error:
                reason = f"this is no row of GAP: {type(error).__name__}: {error}"
                message = Errors.FC051.format(
                    path=path, line=reader.line_num, reason=reason
                )
                yield ValueError(message)


def _read_row(row) -> GapRow:
    text = row["Text"]
    spans: List[Tuple[int, int]] = []
    for name in ("Pronoun", "A", "B"):
        start = int(row[f"{name}-offset"])
        end = start + len(row[name])
        if text[start:end] != row[name]:
            raise ValueError(f"{name} at {start} is {text[start:end]!r}")
        spans.append((start, end))
    labels = _LABELS[row["A-coref"].upper()], _LABELS[row["B-coref"].upper()]
    return GapRow(text, spans[0], (spans[1], spans[2]), labels, row["ID"])


def make_gap_example(nlp: Language, row: GapRow) -> Example:
    """Make an example with partial labels.

    Of the text nothing is known but whether the pronoun is one of the names, so the
    three mentions are listed in a group of their own, and only they may be learned
    from; see Varkel & Globerson (2020), section 4.

    nlp (Language): The pipeline.
    row (GapRow): The row.
    RETURNS (Example): The example. Mentions are widened to whole tokens.
    """
    reference = nlp.make_doc(row.text)
    pronoun = _find_span(reference, row.pronoun)
    names = [_find_span(reference, name) for name in row.names]
    cluster = {(pronoun.start, pronoun.end)}
    for name, label in zip(names, row.labels, strict=True):
        if label:
            cluster.add((name.start, name.end))
    if len(cluster) > 1:
        set_clusters(reference, [sorted(cluster)])
    # What the names continue is not known: to learn that it is nothing, or not each
    # other, would teach that names are not repeated.
    labels = {(name.start, name.end): "" for name in names}
    labels[pronoun.start, pronoun.end] = ANAPHOR
    reference.spans[ANNOTATED] = [
        Span(reference, *offsets, label=label)
        for offsets, label in sorted(labels.items())
    ]
    return Example(nlp.make_doc(row.text), reference)


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
        _find_span(doc, offsets) for offsets in (row.pronoun, *row.names)
    ]
    return doc


def _find_span(doc: Doc, offsets: Tuple[int, int]) -> Span:
    return doc.char_span(*offsets, alignment_mode="expand")
