"""Texts of which only some mentions are labelled."""

import re
from dataclasses import dataclass
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example

from ..tokens.clusters import set_clusters
from .records import ANAPHOR, ANNOTATED

Offsets = Tuple[int, int]


class LabelledMention(NamedTuple):
    """Hold a mention and what is known of it.

    start (int): Its first character.
    end (int): Where it ends, exclusive.
    entity (Optional[str]): What it refers to: a name that mentions of the same share,
        None where that is not known.
    is_certain (bool): Whether it continues none of the labelled mentions before it, if
        none of them refers to the same. Where that is not known, nothing is learned of
        a mention that has no such antecedent.
    """

    start: int
    end: int
    entity: Optional[str] = None
    is_certain: bool = False


@dataclass(frozen=True)
class PartialRecord:
    """Hold a text of which only some mentions are labelled.

    text (str): The text.
    mentions (List[LabelledMention]): The mentions, in any order.
    RAISES (ValueError): A mention is not inside the text, or is white space.
    """

    text: str
    mentions: List[LabelledMention]

    def __post_init__(self) -> None:
        for start, end, *_ in self.mentions:
            is_inside = 0 <= start < end <= len(self.text)
            if not is_inside or self.text[start:end].isspace():
                raise ValueError(f"there are no words from {start} to {end}")


def make_pronoun_record(
    text: str, pronoun: Offsets, names: Iterable[Offsets], labels: Iterable[bool]
) -> PartialRecord:
    """Make a record of a text of which one pronoun's antecedent is known.

    What the names continue is not known: to learn that it is nothing, or not each
    other, would teach that names are not repeated.

    text (str): The text.
    pronoun (Tuple[int, int]): The pronoun's characters.
    names (Iterable[Tuple[int, int]]): Those of names.
    labels (Iterable[bool]): For each name whether the pronoun refers to it.
    RETURNS (PartialRecord): The record.
    """
    mentions = [LabelledMention(*pronoun, "pronoun", is_certain=True)]
    for name, label in zip(names, labels, strict=True):
        mentions.append(LabelledMention(*name, "pronoun" if label else None))
    return PartialRecord(text, mentions)


def make_partial_example(nlp: Language, record: PartialRecord) -> Example:
    """Make an example with partial labels.

    The labelled mentions are listed in a group of their own, and only they may be
    learned from; see Varkel & Globerson (2020), section 4.

    nlp (Language): The pipeline.
    record (PartialRecord): The text.
    RETURNS (Example): The example. Mentions are widened to whole tokens; of several
        that become the same, the first listed stays.
    """
    reference = nlp.make_doc(record.text)
    found: Dict[Offsets, LabelledMention] = {}
    for mention in record.mentions:
        span = reference.char_span(*mention[:2], alignment_mode="expand")
        found.setdefault((span.start, span.end), mention)
    clusters: Dict[str, List[Offsets]] = {}
    for offsets, mention in found.items():
        if mention.entity is not None:
            clusters.setdefault(mention.entity, []).append(offsets)
    set_clusters(reference, [c for c in clusters.values() if len(c) > 1])
    reference.spans[ANNOTATED] = [
        Span(reference, *offsets, label=ANAPHOR if mention.is_certain else "")
        for offsets, mention in sorted(found.items())
    ]
    return Example(nlp.make_doc(record.text), reference)


def find_phrase(
    text: str, phrase: str, *, ignore_case: bool = False
) -> Optional[Offsets]:
    """Find where words first stand in a text.

    text (str): The text.
    phrase (str): The words.
    ignore_case (bool): Whether capitals do not matter.
    RETURNS (Optional[Tuple[int, int]]): The characters, None if they are not there or
        are only parts of other words.
    """
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    pattern = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    match = re.search(pattern, text, flags) if phrase else None
    return None if match is None else match.span()
