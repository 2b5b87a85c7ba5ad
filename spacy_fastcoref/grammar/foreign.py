"""Notice texts that are plainly not in the language of their pipeline."""

from functools import lru_cache

import numpy as np
from spacy import attrs
from spacy.tokens import Doc
from spacy.util import get_lang_class

# In 30 words of a text, names apart, at least 0.37 are function words of its language
# (0.13 at least in one with many forms), and of another language 0.07 on average.
_MIN_WORDS = 30
_MIN_SHARE = 0.12
# A token is longer than this on average where a script has no spaces between words. So
# many of its letters count as one word.
_MAX_LENGTH, _LETTERS = 12, 3


class LanguageCheck:
    """Notice, once, a text that is plainly not in the language of its pipeline."""

    def __init__(self) -> None:
        self.n_words = self.n_function = 0
        self.is_done = False

    def notice(self, doc: Doc) -> bool:
        """Read a text, and tell once whether it and those before are plainly in another
        language. Names and words in capitals don't count."""
        if self.is_done or not _has_list(doc.lang_):
            return False
        columns = [attrs.IS_STOP, attrs.IS_ALPHA, attrs.IS_TITLE, attrs.IS_UPPER]
        columns += [attrs.IS_PUNCT, attrs.IS_DIGIT, attrs.IS_SPACE]
        stop, alpha, title, upper, *others = doc.to_array(columns).T > 0
        if 2 * np.any(others, axis=0).sum() > len(doc):
            return False
        is_word, text = alpha & ~title & ~upper, doc.text
        self.n_words += int(is_word.sum())
        if len(text) > _MAX_LENGTH * len(doc):
            letters = (one.isalpha() and one.lower() == one.upper() for one in text)
            self.n_words += sum(letters) // _LETTERS
        self.n_function += int((is_word & stop).sum())
        if self.n_words < _MIN_WORDS:
            return False
        self.is_done = self.n_function < _MIN_SHARE * self.n_words
        self.n_words = self.n_function = 0
        return self.is_done


@lru_cache(maxsize=None)
def _has_list(lang: str) -> bool:
    """Check whether spaCy has a list of a language's function words."""
    try:
        return bool(get_lang_class(lang).Defaults.stop_words)
    except ImportError:
        return False
