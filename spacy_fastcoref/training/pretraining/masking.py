"""Tasks without labels: guess who is hidden, by the rest of the text.

See Varkel & Globerson (2020), section 3 and appendix A.
"""

import random
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ...span_keys import ANAPHOR, ANNOTATED, CANDIDATES, MASKED, PRONOUNS
from ...tokens.clusters import set_clusters
from ...tokens.words import list_words

Offsets = Tuple[int, int]
# What is shown to readers; a model is shown its tokenizer's own mask.
MASK = "[MASK]"
_MASK_SHARE, _RANDOM_SHARE = 0.8, 0.1


class MaskedText(NamedTuple):
    """Hold a text in which some mentions are hidden.

    words (List[str]): What is shown.
    spaces (List[bool]): For each word whether a space follows.
    index (numpy.ndarray): Shape (n_tokens,), where each token of the original is.
    masked (List[int]): The words that are masks.
    """

    words: List[str]
    spaces: List[bool]
    index: np.ndarray
    masked: List[int]

    def move(self, span: Offsets) -> Offsets:
        """Find a span of the original.

        span (Tuple[int, int]): Its offsets there.
        RETURNS (Tuple[int, int]): Its offsets here.
        """
        start, end = span
        return int(self.index[start]), int(self.index[end - 1]) + 1

    def make_doc(self, vocab: Vocab, candidates: Sequence[Offsets]) -> Doc:
        """Make a Doc of what is shown.

        vocab (Vocab): The pipeline's vocabulary.
        candidates (Sequence[Tuple[int, int]]): The only spans that can be mentions.
        RETURNS (Doc): The document.
        """
        doc = Doc(vocab, words=self.words, spaces=self.spaces)
        doc.spans[MASKED] = [Span(doc, i, i + 1) for i in self.masked]
        doc.spans[CANDIDATES] = [Span(doc, *span) for span in candidates]
        return doc


def mask_names(
    vocab: Vocab,
    doc: Doc,
    rng: random.Random,
    *,
    names: Sequence[Sequence[Offsets]],
    share: float,
) -> Optional[Example]:
    """Hide some of the names; what is one name is one cluster (section 3.1).

    vocab (Vocab): The vocabulary of the pipeline that is trained.
    doc (Doc): The text.
    rng (random.Random): The source of chance.
    names (Sequence[Sequence[Tuple[int, int]]]): The places of each name.
    share (float): How many of all places are hidden.
    RETURNS (Optional[Example]): The example, in which only the names are labelled;
        None if there is nothing to choose: a single name, or none twice.
    """
    mentions = sorted(span for places in names for span in places)
    if not 1 < len(names) < len(mentions):
        return None
    hidden = rng.sample(mentions, max(1, round(share * len(mentions))))
    text = hide(doc, sorted(hidden), rng)
    candidates = [text.move(span) for span in mentions]
    predicted, reference = (text.make_doc(vocab, candidates) for _ in range(2))
    set_clusters(
        reference,
        [[text.move(span) for span in places] for places in names if len(places) > 1],
    )
    reference.spans[ANNOTATED] = [
        Span(reference, *span, label=ANAPHOR) for span in candidates
    ]
    return Example(predicted, reference)


def mask_pronouns(
    vocab: Vocab, doc: Doc, rng: random.Random, *, pronouns: Dict[str, float]
) -> Optional[Example]:
    """Hide pronouns, of which the model is to say what they were (section 3.2).

    vocab (Vocab): The vocabulary of the pipeline that is trained.
    doc (Doc): The text.
    rng (random.Random): The source of chance.
    pronouns (Dict[str, float]): The pronouns, in lower case, each with the share of
        its places that are hidden.
    RETURNS (Optional[Example]): The example; nothing is said of what the pronouns
        refer to. None if there are none.
    """
    forms = [word.lower() for word in list_words(doc)]
    chosen = [i for i, form in enumerate(forms) if rng.random() < pronouns.get(form, 0)]
    if not chosen:
        return None
    # One word stays one word, so nothing moves.
    text = hide(doc, [(i, i + 1) for i in chosen], rng)
    candidates = [(i, i + 1) for i in chosen]
    predicted, reference = (text.make_doc(vocab, candidates) for _ in range(2))
    reference.spans[ANNOTATED] = [Span(reference, *span) for span in candidates]
    reference.spans[PRONOUNS] = [
        Span(reference, i, i + 1, label=forms[i]) for i in chosen
    ]
    return Example(predicted, reference)


def hide(doc: Doc, spans: Sequence[Offsets], rng: random.Random) -> MaskedText:
    """Replace spans, each by one mask (80 %), by another word (10 %), or not (10 %).

    See section A.1, where each word has a mask of its own: here their number does not
    give a name away.

    doc (Doc): The document.
    spans (Sequence[Tuple[int, int]]): The spans, none inside another.
    rng (random.Random): The source of chance.
    RETURNS (MaskedText): The text.
    """
    words = list_words(doc)
    # Of the text itself, so that they are words of its language and its kind.
    others = sorted({word for word in words if word.islower() and word.isalpha()})
    shown: Dict[Offsets, str] = {}
    for span in spans:
        chance = rng.random()
        if chance < _MASK_SHARE:
            shown[span] = MASK
        elif chance < _MASK_SHARE + _RANDOM_SHARE and others:
            shown[span] = rng.choice(others)
    kept = np.ones(len(words), dtype=bool)
    for start, end in shown:
        kept[start + 1 : end] = False
    index = np.cumsum(kept) - 1
    texts = [word for word, is_kept in zip(words, kept, strict=True) if is_kept]
    spaces = [bool(token.whitespace_) for token in doc]
    after = [space for space, is_kept in zip(spaces, kept, strict=True) if is_kept]
    masked = []
    for (start, end), word in shown.items():
        place = int(index[start])
        texts[place], after[place] = word, spaces[end - 1]
        if word == MASK:
            masked.append(place)
    return MaskedText(texts, after, index, masked)
