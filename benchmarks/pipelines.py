"""The pipeline that the benchmarks score."""

from typing import Optional

import spacy
from spacy.language import Language


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
