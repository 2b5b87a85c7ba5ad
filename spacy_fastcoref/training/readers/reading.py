"""Read files record by record, for all registered readers."""

import math
import random
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Union

from spacy.language import Language
from spacy.training import Example

from ...errors import Errors, Warnings, check_setting
from ...formats.parsing import PARSE_ERRORS, describe_error

Corpus = Callable[[Language], Iterator[Example]]
Paths = Union[Path, str, List[Union[Path, str]]]


@dataclass
class FileCorpus:
    """Read files of records.

    read (Callable[[str, Language], Iterable[Any]]): Function that yields the records of
        a file, and a ValueError for each record that can't be read.
    make (Callable[[Language, Any], List[Example]]): Function that makes the examples of
        a record.
    ending (str): What the files of a folder end in; "" for a format without folders.
    seed (Optional[int]): The random seed to shuffle the files, and the records of each
        file, in another order in each epoch; None to keep the order.
    """

    path: Paths
    read: Callable[[str, Language], Iterable[Any]]
    make: Callable[[Language, Any], List[Example]]
    on_error: str = "raise"
    limit: int = 0
    ending: str = ""
    seed: Optional[int] = None

    def __post_init__(self) -> None:
        is_known = self.on_error in ("raise", "skip")
        check_setting("on_error", self.on_error, is_known, "'raise' or 'skip'")
        check_number("limit", self.limit)
        self.rng = None if self.seed is None else random.Random(self.seed)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the files once, in an epoch."""
        n_read = 0
        files = [file for path in list_paths(self.path) for file in self._list(path)]
        if self.rng is not None:
            self.rng.shuffle(files)
        for path in files:
            skipped: List[ValueError] = []
            check_exists(path)
            records = self.read(str(path), nlp)
            if self.rng is not None:
                records = list(records)
                self.rng.shuffle(records)
            for item, record in enumerate(records, start=1):
                if self.limit and n_read >= self.limit:
                    return
                try:
                    examples = self._make_examples(nlp, record, path, item)
                except ValueError as error:
                    if self.on_error == "raise":
                        raise
                    skipped.append(error)
                    continue
                n_read += 1
                yield from examples
            if skipped:
                message = Warnings.FCW02.format(
                    n_skipped=len(skipped), path=path, first=skipped[0]
                )
                warnings.warn(message, stacklevel=2)
        check_any(n_read, list_paths(self.path))

    def _list(self, path: Path) -> List[Path]:
        if not self.ending or not path.is_dir():
            return [path]
        files = sorted(path.glob(f"[!.]*{self.ending}"))
        check_any(len(files), [path], f"this folder has no {self.ending} files")
        return files

    def _make_examples(
        self, nlp: Language, record: Any, path: Path, item: int
    ) -> List[Example]:
        """Make the examples of a record; errors name its number in the file."""
        if isinstance(record, ValueError):
            raise record
        try:
            return self.make(nlp, record)
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
