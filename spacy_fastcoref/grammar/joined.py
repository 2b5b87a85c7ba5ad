"""Read many short Docs like one, so that what each call costs is paid once."""

from typing import Callable, Dict, List, Sequence, Union

import numpy as np
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc

# What is between two documents: a sign that ends a paragraph, a sentence and a
# quotation, and is in no word list.
_SEPARATOR = "\n\n"
# The number of separators after each document. Rules look at most this far from a word
# without checking what is in between.
N_SEPARATORS = 3


class JoinedDocs:
    """Read the columns of many Docs, with separators between them.

    Grammar reads a Doc as arrays with one entry a token, and this has what it reads,
    as Docs have it.

    docs (Sequence[Doc]): The documents, which have the same vocabulary and language,
        and annotation of the same kinds.

    ATTRIBUTES:
        docs (Sequence[Doc]): The documents.
        vocab (Vocab): Their vocabulary.
        lang_ (str): The code of their language.
        starts (numpy.ndarray): Shape (n_docs,), int64, the first token of each.
        documents (numpy.ndarray): Shape (n_tokens,), int64, the number of the document
            of each token; the separators have the number after those of all documents.
    """

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.docs = docs
        self.vocab = docs[0].vocab
        self.lang_ = docs[0].lang_
        sizes = np.array([len(doc) for doc in docs])
        ends = np.cumsum(sizes + N_SEPARATORS)
        self.starts = ends - sizes - N_SEPARATORS
        self.documents = np.full(ends[-1], len(docs))
        self._is_word = np.ones(ends[-1], dtype=bool)
        for step in range(1, N_SEPARATORS + 1):
            self._is_word[ends - step] = False
        self.documents[self._is_word] = np.repeat(np.arange(len(docs)), sizes)
        self._columns: Dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.documents)

    def to_array(self, attrs: Union[int, List[int]]) -> np.ndarray:
        """Export attributes of tokens; see Doc.to_array.

        attrs (Union[int, List[int]]): An attribute, or a list of them.
        RETURNS (numpy.ndarray): Shape (n_tokens,), or (n_tokens, n_attrs) for several,
            uint64; 0 for separators, except for their text.
        """
        wanted = [attrs] if isinstance(attrs, int) else attrs
        missing = [attr for attr in wanted if attr not in self._columns]
        if missing:
            shape = -1, len(missing)
            found = self.collect(lambda doc: doc.to_array(missing).reshape(shape))
            self._columns.update(zip(missing, found.T, strict=True))
            for attr in {LOWER, ORTH}.intersection(missing):
                text = self.vocab.strings.add(_SEPARATOR)
                self._columns[attr][~self._is_word] = text
        columns = [self._columns[attr] for attr in wanted]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    def collect(self, read: Callable[[Doc], np.ndarray]) -> np.ndarray:
        """Read something about each token of every document.

        read (Callable[[Doc], numpy.ndarray]): Function that returns an array with an
            entry for each token of a Doc.
        RETURNS (numpy.ndarray): Shape (n_tokens, ...), 0 for separators.
        """
        parts = np.concatenate([read(doc) for doc in self.docs])
        found = np.zeros((len(self), *parts.shape[1:]), dtype=parts.dtype)
        found[self._is_word] = parts
        return found
