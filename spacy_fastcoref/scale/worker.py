"""Annotate blocks in an actor."""

import os
import pickle
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from ..streams import each_alone
from .schedule import Outcome
from .tables import ERROR, Column, make_columns, write_table

# The values of the columns, or what went wrong.
Answer = Union[Dict[str, Any], Exception]


class Worker:
    """Hold a pipeline, and write one file for each block.

    columns, policy, text_column, format, max_tokens: See scale.annotate.
    """

    def __init__(
        self,
        data: bytes,
        *,
        columns: Sequence[str],
        policy: str,
        text_column: str,
        format: str,
        max_tokens: int,
        n_threads: int,
        uses_gpu: bool,
    ) -> None:
        # Imported here, since this module has to be light.
        import spacy
        import torch

        torch.set_num_threads(n_threads)
        if uses_gpu:
            # For components other than ours, which finds a GPU on its own.
            spacy.prefer_gpu()
        self.nlp, state = pickle.loads(data)
        Underscore.load_state(state)
        self.columns = make_columns(columns, policy)
        self.text_column, self.format = text_column, format
        self.max_tokens = max_tokens

    def get_pid(self) -> int:
        """Get the id of this process, once the pipeline is loaded."""
        return os.getpid()

    def write(self, rows: Any, path: str, error: Optional[str]) -> Outcome:
        """Annotate a block, and write it to a file.

        rows (pyarrow.Table): The rows, with a column of errors. Those that have one are
            not annotated.
        error (Optional[str]): The error of all rows; None to annotate them.
        """
        try:
            table = self._annotate(rows, error)
        except MemoryError as failure:
            return MemoryError(f"out of memory {failure}".strip())
        try:
            return write_table(table, Path(path), self.format)
        except OSError as failure:
            return failure

    def _annotate(self, rows: Any, error: Optional[str]) -> Any:
        import pyarrow as pa

        errors = [one or error for one in rows[ERROR].to_pylist()]
        good = [i for i, one in enumerate(errors) if one is None]
        texts = rows[self.text_column].to_pylist()
        kept = [texts[i] for i in good]
        answers = annotate_texts(self.nlp, kept, self.columns, self.max_tokens)
        values: List[Dict[str, Any]] = [{} for _ in errors]
        for i, answer in zip(good, answers, strict=True):
            if isinstance(answer, Exception):
                errors[i] = f"{type(answer).__name__}: {answer}"
            else:
                values[i] = answer
        table = rows.drop_columns([ERROR])
        for name, column in self.columns.items():
            found = [one.get(name) for one in values]
            table = table.append_column(name, pa.array(found, column.make_type(pa)))
        return table.append_column(ERROR, pa.array(errors, pa.string()))


def annotate_texts(
    nlp: Language, texts: Sequence[str], columns: Dict[str, Column], max_tokens: int
) -> List[Answer]:
    """Annotate texts.

    max_tokens (int): The number of tokens in a batch. A longer text makes a batch of
        its own.
    RAISES (MemoryError): The texts don't fit into memory.
    """
    answers: Dict[int, Answer] = {}

    def annotate(docs: Sequence[Doc]) -> List[Answer]:
        # It is one batch for the components, too.
        found = nlp.pipe(docs, batch_size=len(docs))
        return [{key: c.read(doc) for key, c in columns.items()} for doc in found]

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
