"""Gold clusters of an example, as token offsets of the Doc that is predicted."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..span_keys import ANAPHOR, ANNOTATED, CANDIDATES, NO_MENTION, PRONOUNS
from ..tokens.index import make_index
from ..tokens.soft_labels import read_links
from ..types import Links

Offsets = Tuple[int, int]


@dataclass
class AlignedGold:
    """Hold what is right for one document.

    clusters (List[List[Tuple[int, int]]]): The clusters, without what is misaligned.
    unsure (List[Tuple[int, int]]): Mentions whose antecedents are not known: the only
        ones are misaligned, or they are not labelled.
    annotated (Optional[List[Tuple[int, int]]]): The mentions that are labelled where
        not all of a document is; None if all of it is.
    others (List[Tuple[int, int]]): Spans of such a document that are no mentions.
    pronouns (Dict[Tuple[int, int], str]): The pronouns that were masked.
    links (Optional[Links]): What a teacher says, in place of all that.
    n_misaligned (int): The number of mentions that are no spans of tokens here.
    """

    clusters: List[List[Offsets]] = field(default_factory=list)
    unsure: List[Offsets] = field(default_factory=list)
    annotated: Optional[List[Offsets]] = None
    others: List[Offsets] = field(default_factory=list)
    pronouns: Dict[Offsets, str] = field(default_factory=dict)
    links: Optional[Links] = None
    n_misaligned: int = 0


def align_gold(eg: Example) -> AlignedGold:
    """Find the gold mentions among the tokens of the predicted Doc.

    eg (Example): The example.
    RETURNS (AlignedGold): The clusters. Mentions that start or end inside a token are
        left out and counted, and nothing wrong is learned from their absence.
    """
    gold = AlignedGold()
    for cluster in make_index(eg.reference).clusters:
        mentions = [_align(eg, *mention) for mention in cluster.mentions]
        aligned = [mention for mention in mentions if mention is not None]
        n_missing = len(mentions) - len(aligned)
        gold.n_misaligned += n_missing
        if aligned:
            gold.clusters.append(aligned)
            # Its antecedent is not here, and to say that it has none would be wrong.
            if mentions[0] is None:
                gold.unsure.append(aligned[0])
    if ANNOTATED in eg.reference.spans:
        spans = eg.reference.spans[ANNOTATED]
        labels = {_align(eg, span.start, span.end): span.label_ for span in spans}
        labels.pop(None, None)
        gold.others = [span for span, label in labels.items() if label == NO_MENTION]
        gold.annotated = [span for span, label in labels.items() if label != NO_MENTION]
        known = {mention for cluster in gold.clusters for mention in cluster[1:]}
        known.update(span for span, label in labels.items() if label == ANAPHOR)
        gold.unsure.extend(span for span in gold.annotated if span not in known)
    gold.links = read_links(eg, _align)
    if PRONOUNS in eg.reference.spans:
        for span in eg.reference.spans[PRONOUNS]:
            mention = _align(eg, span.start, span.end)
            if mention is not None:
                gold.pronouns[mention] = span.label_
    return gold


def restrict(eg: Example, gold: AlignedGold) -> Doc:
    """Let only what is labelled be a candidate, where not all mentions are.

    eg (Example): The example.
    gold (AlignedGold): What align_gold made of it.
    RETURNS (Doc): The predicted Doc, or a copy with spans["coref_mentions"].
    """
    if gold.annotated is None:
        return eg.predicted
    doc = eg.predicted.copy()
    spans = (*gold.annotated, *gold.others)
    doc.spans[CANDIDATES] = [Span(doc, *offsets) for offsets in spans]
    return doc


def _align(eg: Example, start: int, end: int) -> Optional[Offsets]:
    tokens = eg.alignment.y2x[start:end]
    if not len(tokens):
        return None
    first, last = int(tokens[0]), int(tokens[-1])
    back = eg.alignment.x2y[first : last + 1]
    if back[0] != start or back[-1] != end - 1:
        return None
    return first, last + 1
