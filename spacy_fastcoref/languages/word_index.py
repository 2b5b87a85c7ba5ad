"""Word lists -> what the words of a Doc mean for coreference."""

import threading
import unicodedata
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple, Union

import numpy as np
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc, Span

# How many forms are remembered; a whole library of novels has fewer.
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
    """Tell punctuation from words.

    form (str): A token.
    RETURNS (bool): Whether it has neither letters nor digits.
    """
    return bool(form) and not any(letter.isalnum() for letter in form)


class _Memory:
    """Remember what lists say of each form, for all documents of a process."""

    def __init__(self) -> None:
        self.rows: Dict[int, int] = {}
        # Invisible characters do not count: with or without, it is one form.
        self.numbers: Dict[str, int] = {}
        self.forms: List[str] = []
        self.columns: Dict[Any, Tuple[np.ndarray, int]] = {}
        self.lock = threading.Lock()

    def find_rows(self, doc: Union[Doc, Span], attribute: int) -> np.ndarray:
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

    def find_column(self, key: Any, ask: Callable[[str], Any], dtype: Any) -> Any:
        with self.lock:
            column, n_known = self.columns.get(key, (np.zeros(0, dtype=dtype), 0))
            n_forms = len(self.forms)
            if n_known < n_forms:
                if n_forms > len(column):
                    # Twice as long as it has to be, or growing would be quadratic.
                    grown = np.zeros(2 * n_forms, dtype=dtype)
                    grown[:n_known] = column[:n_known]
                    column = grown
                column[n_known:n_forms] = [ask(f) for f in self.forms[n_known:]]
                self.columns[key] = column, n_forms
        return column


_memories: Dict[int, _Memory] = {}


class WordIndex:
    """Look up the words of a Doc; every form is looked up once in a process.

    doc (Union[Doc, Span]): The document, or a span of it.
    attribute (int): spacy.attrs.LOWER for words in lower case, ORTH as they are.

    ATTRIBUTES:
        index (numpy.ndarray): Shape (n_tokens,), int64, the same number for the same
            form.
    """

    def __init__(self, doc: Union[Doc, Span], attribute: int = LOWER) -> None:
        memory = _memories.get(attribute)
        if memory is None or len(memory.forms) > _MAX_FORMS:
            memory = _memories[attribute] = _Memory()
        self.doc = doc
        self.index = memory.find_rows(doc, attribute)
        self._memory = memory
        self._cased: Optional["WordIndex"] = None

    @property
    def cased(self) -> "WordIndex":
        """The words as they are written."""
        if self._cased is None:
            self._cased = WordIndex(self.doc, ORTH)
        return self._cased

    def find(self, words: FrozenSet[str]) -> np.ndarray:
        """Find words of a list.

        words (FrozenSet[str]): The list.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        column = self._memory.find_column(words, words.__contains__, np.bool_)
        return column[self.index]

    def map(self, number: Callable[[str], int]) -> np.ndarray:
        """Map words to numbers.

        number (Callable[[str], int]): Tells a word's number. It has to be one that
            stays, not made anew for every Doc: its answers are remembered.
        RETURNS (numpy.ndarray): Shape (n_tokens,), int64.
        """
        return self._memory.find_column(number, number, np.int64)[self.index]
