"""A Doc's words as strings, without making a Token of each."""

from typing import List

from spacy.attrs import ORTH
from spacy.tokens import Doc


def list_words(doc: Doc) -> List[str]:
    """List the words of a Doc.

    doc (Doc): The document.
    RETURNS (List[str]): The text of each token.
    """
    strings = doc.vocab.strings
    return [strings[form] for form in doc.to_array([ORTH]).reshape(-1).tolist()]
