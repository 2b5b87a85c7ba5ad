"""Texts of which only some mentions are labelled."""

import random
import re
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, NamedTuple, Optional

from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example

from ...languages.lexicon import get_lexicon
from ...span_keys import ANAPHOR, ANNOTATED, NO_MENTION
from ...tokens.clusters import set_clusters
from .items import check_text
from .text_record import Offsets, widen

# Of the spans of this many tokens in LitBank's and OntoGUM's training sets one in 2,000
# is a mention, so whatever span of a text is chosen is none.
_N_TOKENS = range(4, 31)
_TOKENS_PER_OTHER = 4


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
    others (List[Tuple[int, int]]): Characters that are known to be no mention.
    RAISES (ValueError): A mention is not inside the text, or is white space, or the
        text is not UTF-8.
    """

    text: str
    mentions: List[LabelledMention]
    others: List[Offsets] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_text(self.text)
        for start, end, *_ in (*self.mentions, *self.others):
            is_inside = 0 <= start < end <= len(self.text)
            if not is_inside or self.text[start:end].isspace():
                raise ValueError(f"there are no words from {start} to {end}")


def make_pronoun_record(
    text: str, pronoun: Offsets, names: Iterable[Offsets], labels: Iterable[bool]
) -> PartialRecord:
    """Make a record of an English text of which one pronoun's antecedent is known.

    What the names continue is not known: to learn that it is nothing, or not each
    other, would teach that names are not repeated. What begins with a name and ends
    with another mention is a clause, "Ann told Ben", and no mention: of the spans
    from a gold mention that is a name to another gold mention, one in 700 is a mention
    in OntoGUM's training set, one in 6,000 in LitBank's.

    text (str): The text.
    pronoun (Tuple[int, int]): The pronoun's characters.
    names (Iterable[Tuple[int, int]]): Those of names.
    labels (Iterable[bool]): For each name whether the pronoun refers to it.
    RETURNS (PartialRecord): The record.
    """
    mentions = [LabelledMention(*pronoun, "pronoun", is_certain=True)]
    for name, label in zip(names, labels, strict=True):
        mentions.append(LabelledMention(*name, "pronoun" if label else None))
    clauses = [
        (first.start, last.end)
        for first in mentions[1:]
        for last in mentions
        if _has_clause_between(text, first, last)
    ]
    return PartialRecord(text, mentions, clauses)


def _has_clause_between(
    text: str, first: LabelledMention, last: LabelledMention
) -> bool:
    # Two that touch may be one, such as a title and a name, and a list is a mention.
    words = re.findall(r"\w+", text[first.end : last.start].lower())
    return not get_lexicon("en").coordinators.issuperset(words)


def make_partial_example(nlp: Language, record: PartialRecord) -> Example:
    """Make an example with partial labels.

    The labelled mentions are listed in a group of their own, and only their links may
    be learned from; see Varkel & Globerson (2020), section 4. What is no mention is
    listed there, too, and some long spans by chance: a model that learns of such texts
    nothing but that this and that is a mention takes whatever stands in them for one.

    nlp (Language): The pipeline.
    record (PartialRecord): The text.
    RETURNS (Example): The example. Mentions are widened to whole tokens; of several
        that become the same, the first listed stays, before what is no mention.
    """
    reference = nlp.make_doc(record.text)
    found: Dict[Offsets, LabelledMention] = {}
    for mention in record.mentions:
        found.setdefault(widen(reference, *mention[:2]), mention)
    clusters: Dict[str, List[Offsets]] = {}
    for offsets, mention in found.items():
        if mention.entity is not None:
            clusters.setdefault(mention.entity, []).append(offsets)
    set_clusters(reference, [c for c in clusters.values() if len(c) > 1])
    others = _choose_others(len(reference), random.Random(record.text))
    others.extend(widen(reference, *offsets) for offsets in record.others)
    labels = {
        **dict.fromkeys(others, NO_MENTION),
        **{key: ANAPHOR if one.is_certain else "" for key, one in found.items()},
    }
    reference.spans[ANNOTATED] = [
        Span(reference, *offsets, label=label)
        for offsets, label in sorted(labels.items())
    ]
    return Example(nlp.make_doc(record.text), reference)


def _choose_others(n_tokens: int, rng: random.Random) -> List[Offsets]:
    lengths = [rng.choice(_N_TOKENS) for _ in range(n_tokens // _TOKENS_PER_OTHER)]
    starts = [(rng.randrange(n_tokens), length) for length in lengths]
    return [(i, i + length) for i, length in starts if i + length <= n_tokens]


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
