"""Read files record by record, for all registered readers."""

import math
import random
import warnings
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Union

from spacy.language import Language
from spacy.training import Example

from ...errors import Errors, Warnings, check_setting
from ...formats.parsing import PARSE_ERRORS, describe_error

Corpus = Callable[[Language], Iterator[Example]]
Paths = Union[Path, str, List[Union[Path, str]]]
_ON_ERROR = ("raise", "skip")


def list_file(path: Path) -> List[Path]:
    """List a file as it is, for a format without folders."""
    return [path]


def make_corpus(
    path: Paths,
    read: Callable[[str, Language], Iterable[Any]],
    make: Callable[[Language, Any], List[Example]],
    on_error: str = "raise",
    limit: int = 0,
    *,
    list_files: Callable[[Path], List[Path]] = list_file,
    seed: Optional[int] = None,
) -> Corpus:
    """Make a reader of files of records.

    read (Callable[[str, Language], Iterable[Any]]): Function that yields the records of
        a file, and a ValueError for each record that can't be read.
    make (Callable[[Language, Any], List[Example]]): Function that makes the examples of
        a record.
    seed (Optional[int]): The random seed to shuffle the files, and the records of each
        file, in another order in each epoch; None to keep the order.
    """
    check_setting("on_error", on_error, on_error in _ON_ERROR, "'raise' or 'skip'")
    check_number("limit", limit)
    return partial(
        _read_files,
        paths=list_paths(path),
        list_files=list_files,
        read=read,
        make=make,
        skip=on_error == "skip",
        limit=limit,
        rng=None if seed is None else random.Random(seed),
    )


def _read_files(
    nlp: Language,
    *,
    paths: List[Path],
    list_files: Callable,
    read: Callable,
    make: Callable,
    skip: bool,
    limit: int,
    rng: Optional[random.Random],
) -> Iterator[Example]:
    n_read = 0
    files = [file for path in paths for file in list_files(path)]
    if rng is not None:
        rng.shuffle(files)
    for path in files:
        skipped: List[ValueError] = []
        check_exists(path)
        records = read(str(path), nlp)
        if rng is not None:
            records = list(records)
            rng.shuffle(records)
        for item, record in enumerate(records, start=1):
            if limit and n_read >= limit:
                return
            try:
                examples = _make_examples(make, nlp, record, path, item)
            except ValueError as error:
                if not skip:
                    raise
                skipped.append(error)
                continue
            n_read += 1
            yield from examples
        if skipped:
            n_skipped, first = len(skipped), skipped[0]
            message = Warnings.FCW02.format(n_skipped=n_skipped, path=path, first=first)
            warnings.warn(message, stacklevel=2)
    check_any(n_read, paths)


def _make_examples(
    make: Callable, nlp: Language, record: Any, path: Path, item: int
) -> List[Example]:
    """Make the examples of a record; errors name its number in the file."""
    if isinstance(record, ValueError):
        raise record
    try:
        return make(nlp, record)
    except PARSE_ERRORS as error:
        reason = f"no example can be made of it: {describe_error(error)}"
        message = Errors.FC091.format(path=path, item=item, reason=reason)
        raise ValueError(message) from error


def check_number(name: str, value: float) -> None:
    """Check a setting that is a count or a weight."""
    check_setting(name, value, 0 <= value < math.inf, "a number, 0 or more")


def check_exists(path: Path) -> None:
    """Check that a file exists."""
    if not path.is_file():
        reason = "there is no such file"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))


def check_any(
    n_read: int,
    names: Iterable[Union[Path, str]],
    reason: str = "there are no documents in it",
) -> None:
    """Check that an epoch had documents, since spaCy repeats empty epochs endlessly."""
    if not n_read:
        path = ", ".join(map(str, names))
        raise ValueError(Errors.FC052.format(path=path, reason=reason))


def list_paths(path: Paths) -> List[Path]:
    """Convert a setting of one or several paths to a list."""
    return [Path(p) for p in (path if isinstance(path, list) else [path])]
