"""Let actors of Ray annotate blocks, and replace those that end."""

import os
import pickle
from functools import partial
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.training.batchers import minibatch_by_words

from ..errors import Errors
from ..journal import Row
from ..streams import each_alone
from .ray_source import describe
from .schedule import Outcome, Task
from .tables import ERROR, Column, make_columns, write_table

# After this many actors in a row have ended before they had loaded the pipeline, raise
# an error.
_MAX_FAILED_STARTS = 5
# The values of the columns, or what went wrong.
Answer = Union[Dict[str, Any], Exception]


class RayPool:
    """Give blocks to actors, one at a time, to know which of them ended an actor."""

    def __init__(
        self,
        data: bytes,
        settings: Dict[str, Any],
        n_actors: int,
        resources: Dict[str, float],
    ) -> None:
        import ray

        self.ray = ray
        options: Dict[str, Any] = {"scheduling_strategy": "SPREAD", **resources}
        actor_class = ray.remote(Worker).options(**options)
        # In the memory that the processes of a machine share, once for each machine.
        self.make_actor = partial(actor_class.remote, ray.put(data), **settings)
        self.n_actors = n_actors
        self.n_failed = 0
        self.free: List[Any] = []
        # What each answer comes from: an actor, and its task, or None if it starts.
        self.busy: Dict[Any, Tuple[Any, Optional[Task]]] = {}

    def close(self) -> None:
        """End the actors."""
        for actor in [*self.free, *(actor for actor, _ in self.busy.values())]:
            self.ray.kill(actor)

    def _start(self) -> None:
        actor: Any = self.make_actor()
        self.busy[actor.get_pid.remote()] = actor, None

    def has_room(self) -> bool:
        """Tell whether an actor is free."""
        # A run that has nothing to do never asks.
        while self.n_actors:
            self._start()
            self.n_actors -= 1
        return bool(self.free)

    def is_idle(self) -> bool:
        """Tell whether no actor has a task."""
        return not any(task for _, task in self.busy.values())

    def submit(self, task: Task) -> None:
        """Give a task to a free actor."""
        actor = self.free.pop()
        ref = actor.write.remote(task.rows, task.path, task.error)
        self.busy[ref] = actor, task

    def wait(self) -> List[Tuple[Task, Outcome]]:
        """Wait until an actor has started or ended a task."""
        (ref,), _ = self.ray.wait([*self.busy], num_returns=1, fetch_local=True)
        actor, task = self.busy.pop(ref)
        outcome = self._finish(ref, actor, is_start=task is None)
        return [] if task is None else [(task, outcome)]

    def _finish(self, ref: Any, actor: Any, *, is_start: bool) -> Outcome:
        try:
            outcome = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            # The actor goes on.
            self.free.append(actor)
            if isinstance(error.cause, OSError):
                return error.cause
            if not isinstance(error.cause, MemoryError):
                raise
            return RuntimeError(describe(error))
        except self.ray.exceptions.RayError as error:
            # The actor or its machine was killed, was out of memory, or can't be
            # reached and may still be writing: to a file that nobody will list.
            self.ray.kill(actor)
            self.n_failed += is_start
            is_certain = getattr(error, "actor_init_failed", False)
            if is_start and (is_certain or self.n_failed >= _MAX_FAILED_STARTS):
                message = Errors.FC248.format(reason=describe(error))
                raise RuntimeError(message) from error
            self._start()
            return RuntimeError(describe(error))
        self.n_failed = 0
        self.free.append(actor)
        return outcome


class Worker:
    """Hold a pipeline, and write one file for each block; see scale.annotate."""

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

    def write(self, rows: Any, path: Path, error: Optional[str]) -> Row:
        """Annotate a block, and write it to a file; see write_table.

        error (Optional[str]): The error of all rows; None to annotate those that have
            none of their own.
        """
        return write_table(self._annotate(rows, error), path, self.format)

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
        for name, (_, make_type) in self.columns.items():
            found = [one.get(name) for one in values]
            table = table.append_column(name, pa.array(found, make_type(pa)))
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
        return [{key: read(doc) for key, (read, _) in columns.items()} for doc in found]

    def annotate_alone(doc: Doc) -> Answer:
        # Not by nlp(doc), which hides the words of a KeyError.
        (answer,) = annotate([nlp.make_doc(doc.text)])
        return answer

    def make_docs() -> Iterator[Tuple[int, Doc]]:
        for i, text in enumerate(texts):
            try:
                doc = nlp.make_doc(text)
            # Such as a text that is longer than nlp.max_length.
            except Exception as error:
                answers[i] = error
            else:
                yield i, doc

    # Texts are tokenized as they are needed.
    for batch in minibatch_by_words(
        make_docs(), max_tokens, tolerance=0, get_length=lambda pair: len(pair[1])
    ):
        numbers, docs = zip(*batch, strict=True)
        found = each_alone(docs, annotate, annotate_alone)
        answers.update(zip(numbers, found, strict=True))
    for answer in answers.values():
        # No fault of the text.
        if isinstance(answer, MemoryError):
            raise answer
    return [answers[i] for i in range(len(texts))]
