"""The groups of spans that others have put on a Doc."""

from typing import List

from spacy.tokens import Doc, Span

from ..errors import Errors


def find_groups(doc: Doc, name: str) -> List[str]:
    """Find the groups of spans of a name, or of that name with more after it.

    doc (Doc): The document.
    name (str): Such as "coref_seeds", which "coref_seeds_1" is one of, too.
    RETURNS (List[str]): Their keys, sorted.
    """
    return sorted(k for k in doc.spans if k == name or k.startswith(f"{name}_"))


def read_group(doc: Doc, key: str) -> List[Span]:
    """Read a group of spans.

    doc (Doc): The document.
    key (str): The group's key.
    RETURNS (List[Span]): Its spans; none if there is no such group.
    RAISES (ValueError): It is of the tokens that the Doc had before it was retokenised.
    """
    try:
        return list(doc.spans.get(key, ()))
    except IndexError as error:
        message = Errors.FC110.format(key=key, length=len(doc))
        raise ValueError(message) from error
