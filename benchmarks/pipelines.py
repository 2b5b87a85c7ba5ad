"""What the benchmarks score: a pipeline, and against what."""

from typing import List, Optional, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc

Clusters = List[List[Tuple[int, int]]]


def load_pipeline(name: Optional[str]) -> Language:
    """Load a pipeline with coreference.

    name (Optional[str]): Its folder or package; None for what add_pipe("fastcoref")
        makes of a blank one.
    RETURNS (Language): The pipeline.
    """
    if name is not None:
        return spacy.load(name)
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref")
    return nlp


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
