"""Look up all words of a text in word lists, by arrays, also of many Docs at once."""

import threading
import unicodedata
from functools import cached_property
from typing import Any, Callable, Dict, FrozenSet, List, Sequence, Tuple, Union

import numpy as np
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc, Span

# What is between two documents: a sign that ends a paragraph, a sentence and a
# quotation, and is in no word list.
_SEPARATOR = "\n\n"
# The number of separators after each document. Rules look at most this far from a word
# without checking what is in between.
N_SEPARATORS = 3


class JoinedDocs:
    """Hold many Docs of one vocabulary, with annotation of the same kinds, like one,
    with separators between them; it has what grammar reads of a Doc.
    """

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.docs = docs
        self.vocab = docs[0].vocab
        self.lang_ = docs[0].lang_
        counts = np.array([(len(doc), N_SEPARATORS) for doc in docs])
        self.starts = np.cumsum(counts.sum(1)) - counts.sum(1)
        # The number of the document of each token; of a separator, one more than all.
        numbers = np.stack([np.arange(len(docs)), np.full(len(docs), len(docs))], 1)
        self.documents = np.repeat(numbers, counts.reshape(-1))
        self._is_word = self.documents < len(docs)

    def __len__(self) -> int:
        return len(self.documents)

    def to_array(self, attrs: Union[int, List[int]]) -> np.ndarray:
        """Export attributes of tokens, 0 for separators except for their text."""
        wanted = [attrs] if isinstance(attrs, int) else attrs
        found = self.collect(lambda doc: doc.to_array(wanted).reshape(-1, len(wanted)))
        for column, attr in enumerate(wanted):
            if attr in (LOWER, ORTH):
                found[~self._is_word, column] = self.vocab.strings.add(_SEPARATOR)
        return found[:, 0] if len(wanted) == 1 else found

    def collect(self, read: Callable[[Doc], np.ndarray]) -> np.ndarray:
        """Read something about each token of every document, 0 for separators."""
        parts = np.concatenate([read(doc) for doc in self.docs])
        found = np.zeros((len(self), *parts.shape[1:]), dtype=parts.dtype)
        found[self._is_word] = parts
        return found


# What has words: a document, a part of it, or several documents.
Text = Union[Doc, Span, JoinedDocs]
# Arrays with one entry a token of a text, a mention, or a pair of mentions: whether
# something holds, bool; or indexes of tokens or mentions, int64, -1 for none.
Marks = np.ndarray
Rows = np.ndarray
# The maximum number of cached forms, which is more than a library of novels has.
_MAX_FORMS = 200_000


def drop_invisible(form: str) -> str:
    """Drop invisible characters, such as soft hyphens and zero-width spaces."""
    if form.isascii():
        return form
    return "".join(char for char in form if unicodedata.category(char) != "Cf")


def is_sign(form: str) -> bool:
    """Check whether a token is punctuation or another sign rather than a word."""
    return bool(form) and not any(letter.isalnum() for letter in form)


def has_capital(form: str) -> bool:
    """Check whether a token begins with a capital letter."""
    return form[:1].isupper()


def is_in_capitals(form: str) -> bool:
    """Check whether a token of several letters is in capitals."""
    return len(form) > 1 and form.isupper()


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

    def look_up(self, key: Any, read: Callable, dtype: Any, rows: Rows) -> Any:
        column, n_known = self.columns.get(key, (np.zeros(0, dtype=dtype), 0))
        n_forms = len(self.forms)
        if n_known < n_forms:
            if n_forms > len(column):
                # Twice the necessary length, so that appending takes linear time.
                column = np.resize(column, 2 * n_forms)
            column[n_known:n_forms] = [*map(read, self.forms[n_known:n_forms])]
            self.columns[key] = column, n_forms
        return column[rows]


_caches: Dict[int, _Cache] = {}


class WordIndex:
    """Look up the words of a Doc, or another attribute, each form once per process."""

    def __init__(self, doc: Text, attribute: int = LOWER) -> None:
        cache = _caches.get(attribute)
        if cache is None or len(cache.forms) > _MAX_FORMS:
            cache = _caches[attribute] = _Cache()
        self.doc = doc
        # The number of each token's form, which differs between documents, and the
        # document of each token.
        self._rows = self.index = cache.find_rows(doc, attribute)
        self.documents = np.zeros_like(self._rows)
        if isinstance(doc, JoinedDocs):
            self.documents = doc.documents
            self.index = self._rows + self.documents * len(cache.forms)
        self._cache = cache

    @cached_property
    def cased(self) -> "WordIndex":
        """The index of the words as they are written."""
        return WordIndex(self.doc, ORTH)

    def find(self, words: FrozenSet[str]) -> Marks:
        """Find the words that are in a list."""
        return self._cache.look_up(words, words.__contains__, np.bool_, self._rows)

    def map(self, number: Callable[[str], int]) -> np.ndarray:
        """Map words to numbers.

        Results are cached, so `number` has to be the same object for every Doc.
        """
        return self._cache.look_up(number, number, np.int64, self._rows)

    @cached_property
    def edges(self) -> Tuple[Rows, Rows]:
        """The first and the last token of each token's document."""
        tokens, n_documents = np.arange(len(self.index)), self.documents.max(initial=0)
        firsts = np.full(n_documents + 1, len(tokens))
        lasts = np.zeros_like(firsts)
        np.minimum.at(firsts, self.documents, tokens)
        np.maximum.at(lasts, self.documents, tokens)
        return firsts[self.documents], lasts[self.documents]

    def count(self, marks: Marks) -> np.ndarray:
        """Count the marked tokens in the document of each token."""
        n_documents = self.documents.max(initial=0) + 1
        found = np.bincount(self.documents[marks], minlength=n_documents)
        return found[self.documents]


def find_next(marks: Marks, places: Rows) -> Rows:
    """Find the first mark at each place or after it; the number of marks for none."""
    found = np.flatnonzero(marks)
    return np.append(found, len(marks))[np.searchsorted(found, places)]


def list_words(doc: Text) -> List[str]:
    """List the texts of a Doc's tokens."""
    strings = doc.vocab.strings
    return [strings[form] for form in doc.to_array(ORTH).tolist()]
