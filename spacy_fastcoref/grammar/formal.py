"""Find pronouns of the third person that address somebody, such as German "Sie"."""

import numpy as np

from .annotation import Annotation
from .lexicon import Lexicon
from .word_index import WordIndex, has_capital, is_sign

# The signs after which no sentence begins.
_INNER_SIGNS = frozenset(",;'’/&-")


def find_formal(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> np.ndarray:
    """Find third persons that address somebody, by their capital letter: "danke Ihnen".

    At the beginning of a sentence, any pronoun has a capital letter.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
    """
    found = words.find(lexicon.formal)
    if not found.any():
        return found
    begins = np.append(True, words.map(_begins_after)[:-1] > 0)
    begins[1:] |= np.diff(annotation.sentences) > 0
    return found & (words.cased.map(has_capital) > 0) & ~begins


def _begins_after(form: str) -> bool:
    """Check whether a sentence can begin after a sign, such as a quotation mark."""
    return is_sign(form) and not _INNER_SIGNS.issuperset(form)
