"""Streams of documents: batches of which one item fails, and progress bars."""

from typing import Callable, Iterable, Iterator, Optional, Sequence, TypeVar, Union

from .errors import Errors

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def each_alone(
    batch: Sequence[Item],
    function: Callable[[Sequence[Item]], Sequence[Answer]],
    alone: Optional[Callable[[Item], Answer]] = None,
) -> Iterator[Union[Answer, Exception]]:
    """Apply a function to a batch, or to each item alone if the batch fails.

    function (Callable[[Sequence[Item]], Sequence[Answer]]): Function that answers many
        items. It fails if it raises an error, or returns fewer answers than items, as
        a spaCy component does that drops documents.
    alone (Optional[Callable[[Item], Answer]]): Function that answers one item; None for
        `function`, on a batch of one.
    YIELDS (Union[Answer, Exception]): The answer to each item, in order, or the error
        that it raised.
    """

    def answer(items: Sequence[Item]) -> Sequence[Answer]:
        answers = function(items)
        if len(answers) != len(items):
            raise ValueError(Errors.FC009)
        return answers

    try:
        yield from answer(batch)
        return
    except Exception as error:
        if len(batch) == 1 and alone is None:
            yield error
            return
    for item in batch:
        try:
            yield answer([item])[0] if alone is None else alone(item)
        except Exception as error:
            yield error


def show_progress(
    stream: Iterable, *, enabled: bool, desc: str, total: Optional[int] = None
) -> Iterable:
    """Show a progress bar, if it is enabled, while a stream is consumed."""
    if not enabled:
        return stream
    # Imported here, because every program that uses spaCy imports this package.
    from tqdm import tqdm

    return tqdm(stream, desc=desc, total=total, unit="doc")
