"""Read the agreement of nouns from their determiners."""

from functools import lru_cache
from typing import Callable, Dict

import numpy as np

from .annotation import Annotation
from .features import ANYTHING, read_morph
from .lexicon import Lexicon
from .word_index import WordIndex

# The maximum number of words between a determiner and its noun, without a parse.
_GAP = 2


def read_determiners(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> np.ndarray:
    """Read what the determiner of each noun says about it: "une" is one, feminine.

    This holds also for a preposition that contains an article, such as "du".

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The lexicon, whose `articles` has the forms.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the bits of features.py of the
        determiner of each token; ANYTHING for a token without one.
    """
    masks = words.map(_make_reader(lexicon))
    found = np.full(len(masks), ANYTHING)
    if annotation.has_dep:
        tokens = np.arange(len(masks))
        (before,) = np.nonzero((masks > 0) & (annotation.heads > tokens))
        before = before[~annotation.is_pos("PRON")[before]]
        np.bitwise_and.at(found, annotation.heads[before], masks[before])
        return np.where(found > 0, found, ANYTHING)
    is_between = annotation.is_pos("ADJ", "NUM", "ADV")
    is_open = np.ones(len(masks), dtype=bool)
    for step in range(1, _GAP + 2):
        before = np.append(np.zeros(step, dtype=np.int64), masks)[: len(masks)]
        is_found = is_open & (before > 0)
        found = np.where(is_found, before, found)
        is_gap = np.append(np.zeros(step, dtype=bool), is_between)[: len(masks)]
        is_open &= ~is_found & is_gap
    return found


@lru_cache(maxsize=None)
def _make_reader(lexicon: Lexicon) -> Callable[[str], int]:
    masks: Dict[str, int] = {}
    for feats, forms in lexicon.articles.items():
        for form in forms.split():
            # A form with several readings, such as "leur", can have each.
            masks[form] = masks.get(form, 0) | read_morph(feats)
    return lambda form: masks.get(form, 0)
