"""A Doc's words, without making a Token of each."""

import unicodedata
from typing import List

import numpy as np
from spacy.attrs import ORTH
from spacy.tokens import Doc

from ..span_keys import MASKED
from .groups import read_group


def list_words(doc: Doc) -> List[str]:
    """List the words of a Doc.

    doc (Doc): The document.
    RETURNS (List[str]): The text of each token.
    """
    strings = doc.vocab.strings
    return [strings[form] for form in doc.to_array([ORTH]).reshape(-1).tolist()]


def drop_invisible(form: str) -> str:
    """Drop what nobody sees of a word, such as soft hyphens.

    form (str): A token.
    RETURNS (str): The same without characters of the Unicode category Cf.
    """
    if form.isascii():
        return form
    return "".join(char for char in form if unicodedata.category(char) != "Cf")


def find_masked(doc: Doc) -> np.ndarray:
    """Find the words that stand for hidden ones.

    doc (Doc): The document; those in doc.spans["coref_masked"] do.
    RETURNS (numpy.ndarray): Shape (n_masked,), int64: their indexes.
    """
    spans = read_group(doc, MASKED)
    return np.array([i for s in spans for i in range(s.start, s.end)], dtype=np.int64)
