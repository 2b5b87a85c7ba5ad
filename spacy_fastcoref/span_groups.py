"""Read the SpanGroups of a Doc, and detect those made before retokenisation."""

from typing import List

import numpy as np
from spacy.tokens import Doc, Span

from .errors import Errors
from .span_keys import MASKED


def find_groups(doc: Doc, name: str) -> List[str]:
    """Find the keys of all groups of a name, with or without a suffix.

    doc (Doc): The document.
    name (str): The name: "coref_seeds" finds "coref_seeds" and "coref_seeds_1".
    RETURNS (List[str]): The keys, sorted.
    """
    return sorted(k for k in doc.spans if k == name or k.startswith(f"{name}_"))


def read_group(doc: Doc, key: str) -> List[Span]:
    """Read the spans of a group.

    doc (Doc): The document.
    key (str): The group's key.
    RETURNS (List[Span]): The spans; an empty list if there is no such group.
    RAISES (ValueError): The Doc was retokenised after the group was made.
    """
    if key not in doc.spans:
        return []
    message = Errors.FC110.format(key=key, length=len(doc))
    try:
        spans = list(doc.spans[key])
    except IndexError as error:
        raise ValueError(message) from error
    if not all(has_its_tokens(span) for span in spans):
        raise ValueError(message)
    return spans


def has_its_tokens(span: Span) -> bool:
    """Check whether a Span still covers the tokens that it was created for.

    After retokenisation, the token offsets of a Span in a group stand for other tokens,
    but its character offsets are unchanged, even after serialization.

    span (Span): A span, read from a group.
    RETURNS (bool): Whether the span's tokens have the span's character offsets.
    """
    if span.start >= span.end:
        return True
    doc = span.doc
    last = doc[span.end - 1]
    return span.start_char == doc[span.start].idx and span.end_char == last.idx + len(
        last
    )


def find_masked(doc: Doc) -> np.ndarray:
    """Find the tokens that are masked in pretraining.

    doc (Doc): The document; the tokens in doc.spans["coref_masked"] are masked.
    RETURNS (numpy.ndarray): Shape (n_masked,), int64: the indexes of the tokens.
    """
    spans = read_group(doc, MASKED)
    return np.array([i for s in spans for i in range(s.start, s.end)], dtype=np.int64)
