"""Read files record by record, for all registered readers."""

import math
import random
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Iterator, List, Optional, Union

from spacy.language import Language
from spacy.training import Example

from ...errors import Errors, Warnings, check_setting

Corpus = Callable[[Language], Iterator[Example]]
Paths = Union[Path, str, List[Union[Path, str]]]
# The examples of a record, or why it can't be read.
Record = Union[List[Example], ValueError]


@dataclass
class FileCorpus:
    """Read files of records.

    ending (str): What the files of a folder end in; "" for a format without folders.
    rng (Optional[random.Random]): What shuffles the files in each epoch; None to keep
        their order.
    """

    path: Paths
    read: Callable[[str, Language], Iterator[Record]]
    on_error: str = "raise"
    limit: int = 0
    ending: str = ""
    rng: Optional[random.Random] = None

    def __post_init__(self) -> None:
        is_known = self.on_error in ("raise", "skip")
        check_setting("on_error", self.on_error, is_known, "'raise' or 'skip'")
        check_number("limit", self.limit)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the files once, in an epoch."""
        n_read = 0
        files = [file for path in list_paths(self.path) for file in self._list(path)]
        if self.rng is not None:
            self.rng.shuffle(files)
        for path in files:
            skipped: List[ValueError] = []
            if not path.is_file():
                reason = "there is no such file"
                raise ValueError(Errors.FC052.format(path=path, reason=reason))
            for record in self.read(str(path), nlp):
                if not isinstance(record, ValueError):
                    yield from record
                    n_read += 1
                    if n_read == self.limit:
                        return
                elif self.on_error == "raise":
                    raise record
                else:
                    skipped.append(record)
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


def check_number(name: str, value: float) -> None:
    """Check a setting that is a count or a weight."""
    check_setting(name, value, 0 <= value < math.inf, "a number, 0 or more")


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
