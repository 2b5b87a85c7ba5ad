"""Word lists -> what the words of a Doc mean for coreference."""

from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, Tuple

import numpy as np
from spacy.attrs import LOWER
from spacy.tokens import Doc

DATA = Path(__file__).parent / "data"


@lru_cache(maxsize=None)
def read_words(lang: str, name: str) -> FrozenSet[str]:
    """Read a word list.

    lang (str): The language's code, or "common".
    name (str): The list's name, without ".txt". A line is a word; what follows "#" is
        a comment.
    RETURNS (FrozenSet[str]): The words in lower case.
    """
    text = (DATA / lang / f"{name}.txt").read_text(encoding="utf8")
    lines = (line.split("#")[0].strip().lower() for line in text.splitlines())
    return frozenset(line for line in lines if line)


@lru_cache(maxsize=None)
def read_table(lang: str, name: str) -> Dict[str, Tuple[str, ...]]:
    """Read a table.

    lang (str): The language's code.
    name (str): The table's name, without ".txt". A line is a word and its columns,
        separated by blanks; what follows "#" is a comment.
    RETURNS (Dict[str, Tuple[str, ...]]): The columns by word.
    """
    lines = (line.split() for line in sorted(read_words(lang, name)))
    return {word: tuple(columns) for word, *columns in lines}


class WordIndex:
    """Look up the words of a Doc once a form, and not once a token.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        forms = doc.to_array([LOWER]).reshape(-1)
        known, self.index = np.unique(forms, return_inverse=True)
        self.forms = [doc.vocab.strings[int(form)] for form in known]

    def find(self, words: FrozenSet[str]) -> np.ndarray:
        """Find words of a list.

        words (FrozenSet[str]): The list, in lower case.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return np.array([form in words for form in self.forms], dtype=bool)[self.index]

    def map(self, values: Dict[str, int], default: int = 0) -> np.ndarray:
        """Map words to numbers.

        values (Dict[str, int]): The numbers by word.
        default (int): That of all other words.
        RETURNS (numpy.ndarray): Shape (n_tokens,), int64.
        """
        numbers = [values.get(form, default) for form in self.forms]
        return np.array(numbers, dtype=np.int64)[self.index]
