"""Read the SpanGroups of a Doc, and detect those made before retokenisation."""

from typing import List

import numpy as np
from spacy.tokens import Doc, Span

from .errors import Errors
from .span_keys import MASKED


def find_groups(doc: Doc, name: str) -> List[str]:
    """Find the keys of a name, sorted, such as "coref_seeds" and "coref_seeds_1"."""
    return sorted(k for k in doc.spans if k == name or k.startswith(f"{name}_"))


def read_group(doc: Doc, key: str) -> List[Span]:
    """Read the spans of a group, if any; raise an error for those of other tokens."""
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
    """Check whether a Span still covers the tokens that it was created for."""
    if span.start >= span.end:
        return True
    # Retokenisation does not change the character offsets of a Span in a group.
    first, last = span.doc[span.start], span.doc[span.end - 1]
    return (span.start_char, span.end_char) == (first.idx, last.idx + len(last))


def find_masked(doc: Doc) -> np.ndarray:
    """Find the tokens that are masked in pretraining, doc.spans["coref_masked"]."""
    spans = read_group(doc, MASKED)
    return np.array([i for s in spans for i in range(s.start, s.end)], dtype=np.int64)
