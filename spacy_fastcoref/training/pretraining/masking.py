"""Mask names or pronouns in a text, to train without labels.

See Varkel & Globerson (2020), section 3 and appendix A.
"""

import random
from typing import Dict, List, NamedTuple, Optional, Sequence

from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ...clusters.store import set_clusters
from ...grammar.word_index import list_words
from ...span_keys import ANAPHOR, ANNOTATED, CANDIDATES, MASKED, PRONOUNS
from ...types import Offsets
from ..edits import edit_words

# The mask in the text of a Doc. Models replace it by the mask token of their tokenizer.
MASK = "[MASK]"
_MASK_SHARE, _RANDOM_SHARE = 0.8, 0.1


class _MaskedText(NamedTuple):
    """Hold the words of a text with masks, and where the masks are."""

    words: List[str]
    spaces: List[bool]
    places: List[int]
    masked: List[int]

    def move(self, span: Offsets) -> Offsets:
        """Map a span of the original text to the masked text."""
        return self.places[span[0]], self.places[span[1]]

    def make_example(
        self, vocab: Vocab, candidates: Sequence[Offsets], label: str = ""
    ) -> Example:
        """Make an example of the masked text, in which only these are labelled."""
        docs = [Doc(vocab, words=self.words, spaces=self.spaces) for _ in range(2)]
        for doc in docs:
            doc.spans[MASKED] = [Span(doc, i, i + 1) for i in self.masked]
            doc.spans[CANDIDATES] = [Span(doc, *span) for span in candidates]
        predicted, reference = docs
        reference.spans[ANNOTATED] = [
            Span(reference, *span, label=label) for span in candidates
        ]
        return Example(predicted, reference)


def mask_names(
    vocab: Vocab,
    doc: Doc,
    rng: random.Random,
    *,
    names: Sequence[Sequence[Offsets]],
    share: float,
) -> Optional[Example]:
    """Mask occurrences of names (section 3.1).

    The occurrences of each name are a cluster. With only one name, or if no name occurs
    twice, there is no example.
    """
    mentions = sorted(span for spans in names for span in spans)
    if not 1 < len(names) < len(mentions):
        return None
    masked = rng.sample(mentions, max(1, round(share * len(mentions))))
    text = mask_spans(doc, sorted(masked), rng)
    eg = text.make_example(vocab, [*map(text.move, mentions)], ANAPHOR)
    clusters = [[*map(text.move, spans)] for spans in names if len(spans) > 1]
    set_clusters(eg.reference, clusters)
    return eg


def mask_pronouns(
    vocab: Vocab, doc: Doc, rng: random.Random, *, pronouns: Dict[str, float]
) -> Optional[Example]:
    """Mask pronouns, whose forms the model has to predict (section 3.2), if any."""
    forms = [word.lower() for word in list_words(doc)]
    chosen = [i for i, form in enumerate(forms) if rng.random() < pronouns.get(form, 0)]
    if not chosen:
        return None
    # Each mask replaces one word, so that offsets don't change.
    spans = [(i, i + 1) for i in chosen]
    eg = mask_spans(doc, spans, rng).make_example(vocab, spans)
    new = eg.reference
    new.spans[PRONOUNS] = [Span(new, i, i + 1, label=forms[i]) for i in chosen]
    return eg


def mask_spans(doc: Doc, spans: Sequence[Offsets], rng: random.Random) -> _MaskedText:
    """Replace spans by a mask (80%) or by another word (10%), or keep them (10%).

    In section A.1, each word is replaced by a mask. Here, each span is replaced by one
    mask, so that the number of masks doesn't reveal the length of a name. The spans do
    not overlap.
    """
    # Other words are taken from the same text, so that they are of the same language.
    words = set(list_words(doc))
    others = sorted(word for word in words if word.islower() and word.isalpha())
    edits: Dict[Offsets, List[str]] = {}
    for span in spans:
        draw = rng.random()
        if draw < _MASK_SHARE:
            edits[span] = [MASK]
        elif draw < _MASK_SHARE + _RANDOM_SHARE and others:
            edits[span] = [rng.choice(others)]
    edited = edit_words(doc, edits)
    masked = [edited[2][start] for (start, _), new in edits.items() if new == [MASK]]
    return _MaskedText(*edited, masked)
