"""Make examples of partly labelled texts, in which only some mentions are annotated."""

import random
import re
from typing import Dict, List, NamedTuple, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example

from ...clusters.store import set_clusters
from ...formats.docs import widen
from ...formats.parsing import check_text
from ...span_keys import ANAPHOR, ANNOTATED, NO_MENTION
from ...types import Offsets

# Only one in 2,000 spans of these lengths is a mention in the training sets of LitBank
# and OntoGUM, so that random spans can serve as negatives.
_N_TOKENS = range(4, 31)
_TOKENS_PER_NEGATIVE = 4


class LabelledMention(NamedTuple):
    """Hold a mention of a partly labelled text, by its characters.

    entity (Optional[str]): What it refers to; None if that is unknown.
    is_certain (bool): Whether a mention without a labelled antecedent is known to have
        none. If not, the loss ignores its antecedent.
    """

    start: int
    end: int
    entity: Optional[str] = None
    is_certain: bool = False


def make_partial_examples(
    nlp: Language,
    text: str,
    mentions: Sequence[LabelledMention],
    negatives: Sequence[Offsets] = (),
) -> List[Example]:
    """Make one example of a text in which only some mentions are labelled.

    The labelled mentions are listed in spans["coref_annotated"], and only their links
    contribute to the loss; see Varkel & Globerson (2020), section 4. The group also
    lists known non-mentions and random long spans as negatives: without negatives, the
    model would learn that every span is a mention.

    Mentions and negatives, which are offsets of characters, are widened to whole
    tokens. If several become the same span, the first is kept; a mention takes
    precedence over a negative.
    """
    check_text(text)
    for start, end, *_ in (*mentions, *negatives):
        if not 0 <= start < end <= len(text) or text[start:end].isspace():
            raise ValueError(f"there are no words from {start} to {end}")
    reference = nlp.make_doc(text)
    found: Dict[Offsets, LabelledMention] = {}
    for mention in mentions:
        found.setdefault(widen(reference, *mention[:2]), mention)
    clusters: Dict[str, List[Offsets]] = {}
    for offsets, mention in found.items():
        if mention.entity is not None:
            clusters.setdefault(mention.entity, []).append(offsets)
    set_clusters(reference, [c for c in clusters.values() if len(c) > 1])
    others = _sample_spans(len(reference), random.Random(text))
    others.extend(widen(reference, *offsets) for offsets in negatives)
    labels = {
        **dict.fromkeys(others, NO_MENTION),
        **{key: ANAPHOR if one.is_certain else "" for key, one in found.items()},
    }
    reference.spans[ANNOTATED] = [
        Span(reference, *offsets, label=label)
        for offsets, label in sorted(labels.items())
    ]
    return [Example(nlp.make_doc(text), reference)]


def _sample_spans(n_tokens: int, rng: random.Random) -> List[Offsets]:
    lengths = [rng.choice(_N_TOKENS) for _ in range(n_tokens // _TOKENS_PER_NEGATIVE)]
    starts = [(rng.randrange(n_tokens), length) for length in lengths]
    return [(i, i + length) for i, length in starts if i + length <= n_tokens]


def find_phrase(
    text: str, phrase: str, *, ignore_case: bool = False
) -> Optional[Offsets]:
    """Find the first occurrence of a phrase that is not a part of longer words."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    pattern = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    match = re.search(pattern, text, flags) if phrase else None
    return None if match is None else match.span()
