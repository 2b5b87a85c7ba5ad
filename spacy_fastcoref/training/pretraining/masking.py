"""Mask names or pronouns in a text, to train without labels.

See Varkel & Globerson (2020), section 3 and appendix A.
"""

import random
from typing import Dict, List, NamedTuple, Optional, Sequence

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ...clusters.store import set_clusters
from ...grammar.word_index import list_words
from ...span_keys import ANAPHOR, ANNOTATED, CANDIDATES, MASKED, PRONOUNS
from ...types import Offsets

# The mask in the text of a Doc. Models replace it by the mask token of their tokenizer.
MASK = "[MASK]"
_MASK_SHARE, _RANDOM_SHARE = 0.8, 0.1


class _MaskedText(NamedTuple):
    """Hold the words of a text with masks, and where the masks are."""

    words: List[str]
    spaces: List[bool]
    index: np.ndarray
    masked: List[int]

    def move(self, span: Offsets) -> Offsets:
        """Map a span of the original text to the masked text."""
        start, end = span
        return int(self.index[start]), int(self.index[end - 1]) + 1

    def make_docs(self, vocab: Vocab, candidates: Sequence[Offsets]) -> List[Doc]:
        """Make two Docs of the masked text, to predict and to annotate."""
        docs = [Doc(vocab, words=self.words, spaces=self.spaces) for _ in range(2)]
        for doc in docs:
            doc.spans[MASKED] = [Span(doc, i, i + 1) for i in self.masked]
            doc.spans[CANDIDATES] = [Span(doc, *span) for span in candidates]
        return docs


def mask_names(
    vocab: Vocab,
    doc: Doc,
    rng: random.Random,
    *,
    names: Sequence[Sequence[Offsets]],
    share: float,
) -> Optional[Example]:
    """Mask occurrences of names (section 3.1).

    RETURNS (Optional[Example]): The example, in which only the names are labelled, and
        the occurrences of each name are a cluster; None if there is only one name, or
        if no name occurs twice.
    """
    mentions = sorted(span for spans in names for span in spans)
    if not 1 < len(names) < len(mentions):
        return None
    masked = rng.sample(mentions, max(1, round(share * len(mentions))))
    text = mask_spans(doc, sorted(masked), rng)
    candidates = [text.move(span) for span in mentions]
    predicted, reference = text.make_docs(vocab, candidates)
    set_clusters(
        reference,
        [[text.move(span) for span in spans] for spans in names if len(spans) > 1],
    )
    reference.spans[ANNOTATED] = [
        Span(reference, *span, label=ANAPHOR) for span in candidates
    ]
    return Example(predicted, reference)


def mask_pronouns(
    vocab: Vocab, doc: Doc, rng: random.Random, *, pronouns: Dict[str, float]
) -> Optional[Example]:
    """Mask pronouns, whose forms the model has to predict (section 3.2).

    RETURNS (Optional[Example]): The example, in which the pronouns have no antecedents;
        None if no pronoun is masked.
    """
    forms = [word.lower() for word in list_words(doc)]
    chosen = [i for i, form in enumerate(forms) if rng.random() < pronouns.get(form, 0)]
    if not chosen:
        return None
    # Each mask replaces one word, so that offsets don't change.
    text = mask_spans(doc, [(i, i + 1) for i in chosen], rng)
    candidates = [(i, i + 1) for i in chosen]
    predicted, reference = text.make_docs(vocab, candidates)
    reference.spans[ANNOTATED] = [Span(reference, *span) for span in candidates]
    reference.spans[PRONOUNS] = [
        Span(reference, i, i + 1, label=forms[i]) for i in chosen
    ]
    return Example(predicted, reference)


def mask_spans(doc: Doc, spans: Sequence[Offsets], rng: random.Random) -> _MaskedText:
    """Replace spans by a mask (80%) or by another word (10%), or keep them (10%).

    In section A.1, each word is replaced by a mask. Here, each span is replaced by one
    mask, so that the number of masks doesn't reveal the length of a name.

    spans (Sequence[Tuple[int, int]]): The spans, which do not overlap.
    """
    words = list_words(doc)
    # Other words are taken from the same text, so that they are of the same language.
    others = sorted({word for word in words if word.islower() and word.isalpha()})
    replaced: Dict[Offsets, str] = {}
    for span in spans:
        draw = rng.random()
        if draw < _MASK_SHARE:
            replaced[span] = MASK
        elif draw < _MASK_SHARE + _RANDOM_SHARE and others:
            replaced[span] = rng.choice(others)
    kept = np.ones(len(words), dtype=bool)
    for start, end in replaced:
        kept[start + 1 : end] = False
    index = np.cumsum(kept) - 1
    texts = [word for word, is_kept in zip(words, kept, strict=True) if is_kept]
    spaces = [bool(token.whitespace_) for token in doc]
    after = [space for space, is_kept in zip(spaces, kept, strict=True) if is_kept]
    masked = []
    for (start, end), word in replaced.items():
        i = int(index[start])
        texts[i], after[i] = word, spaces[end - 1]
        if word == MASK:
            masked.append(i)
    return _MaskedText(texts, after, index, masked)
