"""Annotate the texts of a block, in which one that fails stops nothing."""

from typing import Any, Dict, Iterator, List, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from .columns import Column

# The values of the columns, or what went wrong.
Answer = Union[Dict[str, Any], Exception]


def annotate_texts(
    nlp: Language,
    texts: Sequence[str],
    columns: Dict[str, Column],
    max_tokens: int,
) -> List[Answer]:
    """Annotate texts.

    nlp (Language): The pipeline.
    texts (Sequence[str]): The texts.
    columns (Dict[str, Column]): The columns to make, by their names.
    max_tokens (int): The number of tokens in a batch. A longer text makes a batch of
        its own.
    RETURNS (List[Union[Dict[str, Any], Exception]]): For each text, the value of each
        column, or the error that it raised.
    RAISES (MemoryError): The texts don't fit into memory.
    """
    answers: Dict[int, Answer] = {}
    default = nlp.default_error_handler
    try:
        for batch in _make_batches(nlp, texts, max_tokens, answers):
            # It is one batch for the components, too.
            for i, answer in _annotate_batch(nlp, batch):
                answers[i] = _read(answer, columns)
    finally:
        nlp.set_error_handler(default)
    return [answers[i] for i in range(len(texts))]


def _make_batches(
    nlp: Language, texts: Sequence[str], max_tokens: int, answers: Dict[int, Answer]
) -> Iterator[Dict[int, Doc]]:
    """Tokenize texts as they are needed. Those that fail get their answer here."""
    batch: Dict[int, Doc] = {}
    n_tokens = 0
    for i, text in enumerate(texts):
        try:
            doc = nlp.make_doc(text)
        except MemoryError:
            raise
        # Such as a text that is longer than nlp.max_length.
        except Exception as error:
            answers[i] = error
            continue
        if batch and n_tokens + len(doc) > max_tokens:
            yield batch
            batch, n_tokens = {}, 0
        batch[i] = doc
        n_tokens += len(doc)
    if batch:
        yield batch


def _annotate_batch(
    nlp: Language, batch: Dict[int, Doc]
) -> Iterator[Tuple[int, Union[Doc, Exception]]]:
    errors: Dict[int, Exception] = {}

    def keep(name: str, component: Any, docs: List[Doc], error: Exception) -> None:
        if isinstance(error, MemoryError):
            raise error
        # Components of spaCy report a whole batch, and drop it.
        if len(docs) == 1:
            errors[docs[0]._context] = error

    handler: Any = keep
    nlp.set_error_handler(handler)
    found: Dict[int, Doc] = {}
    items = [(doc, i) for i, doc in batch.items()]
    try:
        for doc, i in nlp.pipe(items, as_tuples=True, batch_size=len(items)):
            found[i] = doc
    except MemoryError:
        raise
    # A component without error handlers. Documents are tried alone below.
    except Exception:
        pass
    for i, doc in batch.items():
        if i not in found and i not in errors:
            try:
                doc = nlp.make_doc(doc.text)
                doc._context = i
                found[i] = nlp(doc)
            except MemoryError:
                raise
            # Whatever a component raises; it is the answer for this text.
            except Exception as error:
                errors[i] = error
        yield i, errors.get(i) or found[i]


def _read(answer: Union[Doc, Exception], columns: Dict[str, Column]) -> Answer:
    if isinstance(answer, Exception):
        return answer
    try:
        return {name: column.read(answer) for name, column in columns.items()}
    except MemoryError:
        raise
    # A policy may be a user's function.
    except Exception as error:
        return error
