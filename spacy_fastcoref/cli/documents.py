"""Annotate a stream of documents, in which one that fails stops nothing."""

import sys
from functools import partial
from typing import Any, Callable, Iterable, Iterator, List, Sequence, Tuple, Union

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..formats.base import Document, Entry
from ..formats.output import STDOUT, Output
from ..pipeline.processes import annotate_in_processes
from ..streams import each_alone
from .console import print_message

_Numbered = Tuple[int, Document]
# The number and the key of a document, and the document or the error of a component.
_Answer = Tuple[int, str, Union[Doc, Exception]]


def annotate_documents(
    nlp: Language,
    documents: Iterable[_Numbered],
    *,
    n_process: int = 1,
    batch_size: int = 64,
) -> Iterator[Tuple[int, Entry]]:
    """Annotate documents, and yield each in order, or the error of a component.

    documents (Iterable[Tuple[int, Document]]): The documents and their numbers. They
        are read lazily.
    YIELDS (Tuple[int, Union[Document, ValueError]]): The number of each document, and
        the annotated document or an error that names it.
    """
    annotate: Callable[..., Iterator[_Answer]] = _annotate_here
    if n_process != 1:
        annotate = partial(_annotate_in_processes, n_process=n_process)
    for number, key, answer in annotate(nlp, documents, batch_size=batch_size):
        if isinstance(answer, Doc):
            yield number, Document(key, answer)
        else:
            reason = f"{type(answer).__name__}: {answer}"
            yield number, ValueError(Errors.FC165.format(key=key, reason=reason))


def _annotate_here(
    nlp: Language, documents: Iterable[_Numbered], batch_size: int
) -> Iterator[_Answer]:
    def annotate(docs: Sequence[Doc]) -> List[Doc]:
        return list(nlp.pipe(docs, batch_size=batch_size))

    for batch in util.minibatch(documents, batch_size):
        answers = each_alone([document.doc for _, document in batch], annotate)
        for (number, document), answer in zip(batch, answers, strict=True):
            yield number, document.key, answer


def _annotate_in_processes(
    nlp: Language, documents: Iterable[_Numbered], **settings: Any
) -> Iterator[_Answer]:
    pairs = ((one.doc, (number, one.key)) for number, one in documents)
    for doc, (number, key), errors in annotate_in_processes(nlp, pairs, **settings):
        yield number, key, errors[-1][1] if errors else doc


class Failures:
    """Collect the errors of documents, to list them at the end."""

    def __init__(self, earlier: List[Tuple[int, str]]) -> None:
        self.errors = list(earlier)
        self.n_read = 0

    def keep_documents(
        self, entries: Iterator[Entry], first: int = 0
    ) -> Iterator[Tuple[int, Document]]:
        """Number documents, and keep the errors of those that can't be read.

        first (int): The number of the first document to yield. Those before it are
            finished.
        """
        for number, entry in enumerate(entries):
            self.n_read = number + 1
            if isinstance(entry, ValueError):
                self.errors.append((number, str(entry)))
            elif number >= first:
                yield number, entry

    def write(self, output: Output, number: int, entry: Entry) -> None:
        """Write a document, or keep the error of one that failed."""
        message = str(entry)
        if isinstance(entry, Document):
            try:
                output.write(number, entry)
                return
            # The format can't hold it.
            except ValueError as error:
                message = Errors.FC165.format(key=entry.key, reason=error)
        self.errors.append((number, message))
        output.fail(number, message)

    def report(self, output: str) -> None:
        """Print the errors, or that a file is complete; after errors, exit with 1."""
        if not self.errors and output != STDOUT:
            documents = "1 document" if self.n_read == 1 else f"{self.n_read} documents"
            print_message("good", f"Written to {output}: {documents}")
        for _, error in sorted(self.errors):
            print_message("fail", error)
        if self.errors:
            counts = f"{len(self.errors)} of {self.n_read} documents"
            print_message("fail", f"{counts} failed; the others are written")
            sys.exit(1)
