"""Read the texts of a Doc's tokens without creating Token objects, which is slow."""

from typing import List, Union

import numpy as np
from spacy.attrs import ORTH
from spacy.tokens import Doc

from ..grammar.joined import JoinedDocs
from ..span_keys import MASKED
from .groups import read_group


def list_words(doc: Union[Doc, JoinedDocs]) -> List[str]:
    """List the texts of a Doc's tokens.

    doc (Union[Doc, JoinedDocs]): The document, or many.
    RETURNS (List[str]): The text of each token.
    """
    strings = doc.vocab.strings
    return [strings[form] for form in doc.to_array([ORTH]).reshape(-1).tolist()]


def find_masked(doc: Doc) -> np.ndarray:
    """Find the tokens that are masked in pretraining.

    doc (Doc): The document; the tokens in doc.spans["coref_masked"] are masked.
    RETURNS (numpy.ndarray): Shape (n_masked,), int64: the indexes of the tokens.
    """
    spans = read_group(doc, MASKED)
    return np.array([i for s in spans for i in range(s.start, s.end)], dtype=np.int64)
