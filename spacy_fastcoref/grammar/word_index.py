"""Look up all words of a Doc in word lists, by arrays."""

import threading
import unicodedata
from functools import cached_property
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple, Union

import numpy as np
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc, Span

from .joined import JoinedDocs

# What has words: a document, a part of it, or several documents.
Text = Union[Doc, Span, JoinedDocs]
# The maximum number of cached forms, which is more than a library of novels has.
_MAX_FORMS = 200_000


def drop_invisible(form: str) -> str:
    """Drop invisible characters, such as soft hyphens and zero-width spaces.

    form (str): The text of a token.
    RETURNS (str): The text without characters of the Unicode category Cf.
    """
    if form.isascii():
        return form
    return "".join(char for char in form if unicodedata.category(char) != "Cf")


def is_sign(form: str) -> bool:
    """Check whether a token is punctuation or another sign rather than a word.

    form (str): The text of the token.
    RETURNS (bool): Whether the text has neither letters nor digits.
    """
    return bool(form) and not any(letter.isalnum() for letter in form)


def has_capital(form: str) -> bool:
    """Check whether a token begins with a capital letter.

    form (str): The text of the token.
    RETURNS (bool): Whether it does.
    """
    return form[:1].isupper()


class _Cache:
    """Cache the results of look-ups of each form, for all documents of a process."""

    def __init__(self) -> None:
        self.rows: Dict[int, int] = {}
        # Invisible characters are ignored: forms that differ only in them are the same.
        self.numbers: Dict[str, int] = {}
        self.forms: List[str] = []
        self.columns: Dict[Any, Tuple[np.ndarray, int]] = {}
        self.lock = threading.Lock()

    def find_rows(self, doc: Text, attribute: int) -> np.ndarray:
        rows, strings = self.rows, doc.vocab.strings
        ids = doc.to_array([attribute]).reshape(-1).tolist()
        with self.lock:
            for form in set(ids).difference(rows):
                text = drop_invisible(strings[form]) or strings[form]
                if text not in self.numbers:
                    self.numbers[text] = len(self.forms)
                    self.forms.append(text)
                rows[form] = self.numbers[text]
        return np.array([rows[form] for form in ids], dtype=np.int64)

    def find_column(self, key: Any, look_up: Callable[[str], Any], dtype: Any) -> Any:
        with self.lock:
            column, n_known = self.columns.get(key, (np.zeros(0, dtype=dtype), 0))
            n_forms = len(self.forms)
            if n_known < n_forms:
                if n_forms > len(column):
                    # Twice the necessary length, so that appending takes linear time.
                    grown = np.zeros(2 * n_forms, dtype=dtype)
                    grown[:n_known] = column[:n_known]
                    column = grown
                column[n_known:n_forms] = [look_up(f) for f in self.forms[n_known:]]
                self.columns[key] = column, n_forms
        return column


_caches: Dict[int, _Cache] = {}


class WordIndex:
    """Look up the words of a Doc, each form only once per process.

    doc (Union[Doc, Span, JoinedDocs]): The document, a span of it, or many documents.
    attribute (int): spacy.attrs.LOWER for the words in lower case, spacy.attrs.ORTH for
        the words as they are written.

    ATTRIBUTES:
        index (numpy.ndarray): Shape (n_tokens,), int64, the number of each token's
            form. The same form has another number in another document.
        documents (numpy.ndarray): Shape (n_tokens,), int64, the document of each token;
            0 if there is only one.
    """

    def __init__(self, doc: Text, attribute: int = LOWER) -> None:
        cache = _caches.get(attribute)
        if cache is None or len(cache.forms) > _MAX_FORMS:
            cache = _caches[attribute] = _Cache()
        self.doc = doc
        self._rows = self.index = cache.find_rows(doc, attribute)
        self.documents = np.zeros_like(self._rows)
        if isinstance(doc, JoinedDocs):
            self.documents = doc.documents
            self.index = self._rows + self.documents * len(cache.forms)
        self._cache = cache
        self._cased: Optional["WordIndex"] = None

    @property
    def cased(self) -> "WordIndex":
        """The index of the words as they are written."""
        if self._cased is None:
            self._cased = WordIndex(self.doc, ORTH)
        return self._cased

    def find(self, words: FrozenSet[str]) -> np.ndarray:
        """Find the words that are in a list.

        words (FrozenSet[str]): The list.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        column = self._cache.find_column(words, words.__contains__, np.bool_)
        return column[self._rows]

    def map(self, number: Callable[[str], int]) -> np.ndarray:
        """Map words to numbers.

        number (Callable[[str], int]): Function that returns the number of a word. It
            has to be the same object for every Doc, since its results are cached.
        RETURNS (numpy.ndarray): Shape (n_tokens,), int64.
        """
        return self._cache.find_column(number, number, np.int64)[self._rows]

    def get_forms(self, tokens: np.ndarray) -> List[str]:
        """Get the forms of tokens, as they are looked up.

        tokens (numpy.ndarray): Shape (n_forms,), token indexes.
        RETURNS (List[str]): The forms.
        """
        return [self._cache.forms[row] for row in self._rows[tokens].tolist()]

    @cached_property
    def edges(self) -> Tuple[np.ndarray, np.ndarray]:
        """The first and the last token of each token's document; each of shape
        (n_tokens,)."""
        tokens, n_documents = np.arange(len(self.index)), self.documents.max(initial=0)
        firsts = np.full(n_documents + 1, len(tokens))
        lasts = np.zeros_like(firsts)
        np.minimum.at(firsts, self.documents, tokens)
        np.maximum.at(lasts, self.documents, tokens)
        return firsts[self.documents], lasts[self.documents]

    def count(self, marks: np.ndarray) -> np.ndarray:
        """Count the marked tokens in the document of each token.

        marks (numpy.ndarray): Shape (n_tokens,), bool, the marked tokens.
        RETURNS (numpy.ndarray): Shape (n_tokens,), int64.
        """
        n_documents = self.documents.max(initial=0) + 1
        found = np.bincount(self.documents[marks], minlength=n_documents)
        return found[self.documents]
