"""Align the gold clusters of an example with the tokens of its predicted Doc."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..clusters.index import make_index
from ..clusters.soft_labels import read_links
from ..span_keys import ANAPHOR, ANNOTATED, CANDIDATES, NO_MENTION, PRONOUNS, TYPED
from ..types import Links, Offsets


@dataclass
class AlignedGold:
    """Hold the gold annotation of one document, as token offsets of the predicted Doc.

    clusters (List[List[Tuple[int, int]]]): The clusters, without misaligned mentions.
    unsure (List[Tuple[int, int]]): Mentions whose antecedents are not known, because
        they are misaligned or not labelled.
    annotated (Optional[List[Tuple[int, int]]]): The labelled mentions of a partly
        labelled document; None if the whole document is labelled.
    others (List[Tuple[int, int]]): Spans that are known not to be mentions, in a partly
        labelled document.
    pronouns (Dict[Tuple[int, int], str]): The masked pronouns by their offsets.
    types (Dict[Tuple[int, int], str]): The entity types of all mentions by their
        offsets; empty if they are not annotated.
    links (Optional[Links]): A teacher's soft labels, used instead of the clusters.
    n_misaligned (int): The number of mentions that start or end inside a token.
    """

    clusters: List[List[Offsets]] = field(default_factory=list)
    unsure: List[Offsets] = field(default_factory=list)
    annotated: Optional[List[Offsets]] = None
    others: List[Offsets] = field(default_factory=list)
    pronouns: Dict[Offsets, str] = field(default_factory=dict)
    types: Dict[Offsets, str] = field(default_factory=dict)
    links: Optional[Links] = None
    n_misaligned: int = 0


def align_gold(eg: Example) -> AlignedGold:
    """Align the gold annotation of an example with the tokens of its predicted Doc.

    Mentions that start or end inside a token are left out. A mention whose only
    antecedent is left out is `unsure`: training must not teach that it has none.
    """
    gold = AlignedGold()
    for cluster in make_index(eg.reference).clusters:
        mentions = [_align(eg, *mention) for mention in cluster.mentions]
        aligned = [mention for mention in mentions if mention is not None]
        n_missing = len(mentions) - len(aligned)
        gold.n_misaligned += n_missing
        if aligned:
            gold.clusters.append(aligned)
            # The first aligned mention has an antecedent, but a misaligned one.
            if mentions[0] is None:
                gold.unsure.append(aligned[0])
    if ANNOTATED in eg.reference.spans:
        labels = _align_labels(eg, ANNOTATED)
        gold.others = [span for span, label in labels.items() if label == NO_MENTION]
        gold.annotated = [span for span, label in labels.items() if label != NO_MENTION]
        known = {mention for cluster in gold.clusters for mention in cluster[1:]}
        known.update(span for span, label in labels.items() if label == ANAPHOR)
        gold.unsure.extend(span for span in gold.annotated if span not in known)
    gold.links = read_links(eg, _align)
    gold.pronouns = _align_labels(eg, PRONOUNS)
    gold.types = _align_labels(eg, TYPED)
    return gold


def restrict(eg: Example, gold: AlignedGold) -> Doc:
    """Restrict the mentions of a partly labelled document, in a copy, to its labels."""
    if gold.annotated is None:
        return eg.predicted
    doc = eg.predicted.copy()
    spans = (*gold.annotated, *gold.others)
    doc.spans[CANDIDATES] = [Span(doc, *offsets) for offsets in spans]
    return doc


def _align_labels(eg: Example, key: str) -> Dict[Offsets, str]:
    spans = eg.reference.spans.get(key, ())
    found = {_align(eg, span.start, span.end): span.label_ for span in spans}
    return {span: label for span, label in found.items() if span is not None}


def _align(eg: Example, start: int, end: int) -> Optional[Offsets]:
    tokens = eg.alignment.y2x[start:end]
    if not len(tokens):
        return None
    first, last = int(tokens[0]), int(tokens[-1])
    # A reference token can cover a part of a predicted token: the span is aligned only
    # if its predicted tokens cover the same reference tokens.
    covered = eg.alignment.x2y[first : last + 1]
    if covered[0] != start or covered[-1] != end - 1:
        return None
    return first, last + 1
