"""Annotate a stream of documents, in which one that fails stops nothing."""

from collections import deque
from typing import Any, Deque, Dict, Iterable, Iterator, List, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..formats.base import Document, Entry
from ..pipeline.processes import pipe

Numbered = Tuple[int, Document]


def annotate_documents(
    nlp: Language,
    documents: Iterable[Numbered],
    *,
    n_process: int = 1,
    batch_size: int = 64,
) -> Iterator[Tuple[int, Entry]]:
    """Annotate documents, and yield each in order, or the error of a component.

    nlp (Language): The pipeline.
    documents (Iterable[Tuple[int, Document]]): The documents and their numbers, which
        ascend. They are read lazily.
    n_process (int): The number of processes; -1 for one per CPU.
    batch_size (int): The number of documents in a batch.
    YIELDS (Tuple[int, Union[Document, ValueError]]): The number of each document, and
        the annotated document or an error that names it.
    """
    stream = _Stream(nlp)
    default = nlp.default_error_handler
    items = stream.read(documents)
    if n_process == 1:
        docs = nlp.pipe(items, as_tuples=True, batch_size=batch_size)
    else:
        settings: Dict[str, Any] = {"n_process": n_process, "batch_size": batch_size}
        docs = pipe(nlp, items, as_tuples=True, **settings)
    nlp.set_error_handler(stream.keep_error)
    try:
        for doc, number in docs:
            yield from stream.finish(number, doc)
        yield from stream.finish_others()
    finally:
        nlp.set_error_handler(default)


class _Stream:
    """Match the Docs that a pipeline yields with those that it was given.

    nlp (Language): The pipeline.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.waiting: Deque[Numbered] = deque()
        self.errors: Dict[int, Exception] = {}

    def read(self, documents: Iterable[Numbered]) -> Iterator[Tuple[Doc, int]]:
        for number, document in documents:
            self.waiting.append((number, document))
            yield document.doc, number

    def keep_error(
        self, name: str, component: Any, docs: List[Doc], error: Exception
    ) -> None:
        """Keep the error of a document, as an error handler of spaCy.

        Components of spaCy report a whole batch and drop it. Its documents are then
        tried again, one at a time.
        """
        if len(docs) == 1:
            self.errors[docs[0]._context] = error

    def finish(self, number: int, doc: Doc) -> Iterator[Tuple[int, Entry]]:
        """Yield the documents before this one that were dropped, and this one."""
        while self.waiting[0][0] != number:
            yield self._retry()
        _, document = self.waiting.popleft()
        yield number, self._make_entry(number, Document(document.key, doc))

    def finish_others(self) -> Iterator[Tuple[int, Entry]]:
        while self.waiting:
            yield self._retry()

    def _retry(self) -> Tuple[int, Entry]:
        number, document = self.waiting.popleft()
        doc = document.doc
        doc._context = number
        if number not in self.errors:
            try:
                doc = self.nlp(doc)
            # Whatever a component raises; the document is listed with it.
            except Exception as error:
                self.errors[number] = error
        return number, self._make_entry(number, Document(document.key, doc))

    def _make_entry(self, number: int, document: Document) -> Entry:
        error = self.errors.pop(number, None)
        if error is None:
            return document
        reason = f"{type(error).__name__}: {error}"
        return ValueError(Errors.FC165.format(key=document.key, reason=reason))
