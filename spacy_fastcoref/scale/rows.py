"""Annotate the texts of a block, in which one that fails stops nothing."""

from typing import Any, Dict, Iterator, List, Sequence, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..streams import each_alone
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

    def read(doc: Doc) -> Answer:
        return {name: column.read(doc) for name, column in columns.items()}

    def annotate(docs: Sequence[Doc]) -> List[Answer]:
        # It is one batch for the components, too.
        return [read(doc) for doc in nlp.pipe(docs, batch_size=len(docs))]

    def annotate_alone(doc: Doc) -> Answer:
        # Not by nlp(doc), which hides the words of a KeyError.
        (answer,) = annotate([nlp.make_doc(doc.text)])
        return answer

    for batch in _make_batches(nlp, texts, max_tokens, answers):
        found = each_alone([*batch.values()], annotate, annotate_alone)
        for i, answer in zip(batch, found, strict=True):
            # No fault of the text.
            if isinstance(answer, MemoryError):
                raise answer
            answers[i] = answer
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
