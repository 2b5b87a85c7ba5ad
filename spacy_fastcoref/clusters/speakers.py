"""Read the speaker of each token."""

from typing import Dict, Union

import numpy as np
from spacy.tokens import Doc

from ..grammar.joined import JoinedDocs
from ..span_keys import SPEAKERS
from .groups import read_group


def number_speakers(doc: Union[Doc, JoinedDocs]) -> np.ndarray:
    """Number the speakers of a Doc in the order of their first turns.

    doc (Union[Doc, JoinedDocs]): The document, or many; each span in
        doc.spans["speakers"] is a turn, and its label is the speaker.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64: the number of each token's
        speaker, starting from 1; 0 outside of turns and in turns without a label.
    """
    if isinstance(doc, JoinedDocs):
        return doc.collect(number_speakers)
    speakers = np.zeros(len(doc), dtype=np.int64)
    # Span.label is 0 without a label.
    numbers: Dict[int, int] = {0: 0}
    for turn in read_group(doc, SPEAKERS):
        speakers[turn.start : turn.end] = numbers.setdefault(turn.label, len(numbers))
    return speakers
