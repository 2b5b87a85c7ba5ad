"""What the benchmarks score: a pipeline, and against what."""

from pathlib import Path
from typing import List, Optional, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_fastcoref.metrics.gap import GapRow
from spacy_fastcoref.training.gap import read_gap

Clusters = List[List[Tuple[int, int]]]


def load_pipeline(name: Optional[str], precision: Optional[str] = None) -> Language:
    """Load a pipeline with coreference.

    name (Optional[str]): Its folder or package; None for what add_pipe("fastcoref")
        makes of a blank one.
    precision (Optional[str]): The encoder's, such as "float32", whose scores are the
        same on all machines; None for what the pipeline says.
    RETURNS (Language): The pipeline.
    """
    settings = {} if precision is None else {"precision": precision}
    if name is not None:
        named = {"components": {"fastcoref": settings}} if settings else {}
        return spacy.load(name, config=named)
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref", config=settings)
    return nlp


def read_gap_rows(path: Path) -> List[GapRow]:
    """Read all rows of a file of GAP.

    path (Path): The file.
    RETURNS (List[GapRow]): The rows.
    RAISES (ValueError): A row is none.
    """
    rows = []
    for row in read_gap(path):
        if isinstance(row, ValueError):
            raise row
        rows.append(row)
    return rows


def read_gold(doc: Doc) -> Clusters:
    """Read the clusters of a Doc.

    doc (Doc): The document.
    RETURNS (List[List[Tuple[int, int]]]): Token offsets of their mentions.
    """
    return [
        [(span.start, span.end) for span in group]
        for key, group in doc.spans.items()
        if key.startswith("coref_clusters_")
    ]
