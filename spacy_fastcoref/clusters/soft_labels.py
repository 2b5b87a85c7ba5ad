"""Store and read soft labels, which are a teacher's link scores for distillation."""

from typing import Callable, Optional, Tuple

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..span_keys import SOFT
from ..types import Links

# Links of a smaller probability are not stored.
_MIN_PROB = 1e-3


def write_links(doc: Doc, links: Links) -> None:
    """Store a model's output as soft labels in doc.spans["coref_soft"]."""
    kept = links.drop_below(links.log_norms + np.log(_MIN_PROB))
    is_link = kept.antecedents >= 0
    pairs = zip(kept.antecedents, kept.scores, is_link, strict=True)
    rows = [(row[mask].tolist(), scores[mask].tolist()) for row, scores, mask in pairs]
    attrs = {
        "mention_scores": links.mention_scores.tolist(),
        "log_norms": links.log_norms.tolist(),
        "antecedents": [antecedents for antecedents, _ in rows],
        "scores": [scores for _, scores in rows],
    }
    spans = [Span(doc, start, end) for start, end in links.mentions.tolist()]
    doc.spans[SOFT] = SpanGroup(doc, name=SOFT, attrs=attrs, spans=spans)


def read_links(
    eg: Example, align: Callable[[Example, int, int], Optional[Tuple[int, int]]]
) -> Optional[Links]:
    """Read the soft labels of an example for its predicted Doc, if there are any.

    align (Callable[[Example, int, int], Optional[Tuple[int, int]]]): Function that
        converts token offsets of the reference to those of the predicted Doc, or
        returns None for a mention to leave out.
    """
    if SOFT not in eg.reference.spans:
        return None
    group = eg.reference.spans[SOFT]
    found = [align(eg, span.start, span.end) for span in group]
    rows = [i for i, offsets in enumerate(found) if offsets is not None]
    if not rows:
        return Links.empty()
    new_rows = np.full(len(found), -1, dtype=np.int32)
    new_rows[rows] = np.arange(len(rows))
    attrs = group.attrs
    width = max(len(attrs["antecedents"][i]) for i in rows)
    antecedents = np.full((len(rows), width), -1, dtype=np.int32)
    scores = np.full((len(rows), width), -np.inf, dtype=np.float32)
    for row, i in enumerate(rows):
        n = len(attrs["antecedents"][i])
        antecedents[row, :n] = new_rows[attrs["antecedents"][i]]
        scores[row, :n] = attrs["scores"][i]
    return Links(
        np.array([found[i] for i in rows], dtype=np.int32),
        np.array(attrs["mention_scores"], dtype=np.float32)[rows],
        antecedents,
        np.where(antecedents >= 0, scores, -np.inf),
        np.array(attrs["log_norms"], dtype=np.float32)[rows],
    )
