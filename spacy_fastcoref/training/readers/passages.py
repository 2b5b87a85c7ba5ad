"""Plain text, as much of it as there is, as passages of some sentences."""

import io
import random
import re
from functools import partial
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Union

from ...errors import Errors
from .texts import open_text

_SUFFIXES = (".txt", ".txt.gz")
# A sentence's last word, with the quotes and brackets behind it; "Mr." is none.
_LAST = re.compile(r"(?![A-ZÀ-Þ]\w{0,3}\.$).*[.!?…][\"'”’»)\]]*")
# How much of a line is read at once: some files are one line.
_N_CHARS = 1 << 16


class Passage(NamedTuple):
    """Hold some sentences of a file.

    path (Path): The file.
    number (int): How many passages of the file come before it.
    text (str): The text, words separated by one space.
    """

    path: Path
    number: int
    text: str


def find_texts(paths: Iterable[Union[Path, str]]) -> List[Path]:
    """Find files of plain text.

    paths (Iterable[Union[Path, str]]): Files, and folders, of which all files are
        taken that end in .txt or .txt.gz.
    RETURNS (List[Path]): The files, those of a folder in the order of their names.
    RAISES (ValueError): A path does not exist, or a folder has no such files.
    """
    files: List[Path] = []
    for path in map(Path, paths):
        found = [path]
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            found = [file for file in inside if file.name.endswith(_SUFFIXES)]
        if not found or not path.exists():
            reason = "it has no files that end in .txt or .txt.gz"
            if not path.exists():
                reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        files.extend(found)
    return files


def read_passages(
    path: Path, *, max_words: int, separator: str = ""
) -> Iterator[Passage]:
    """Cut a file into passages at the ends of sentences and paragraphs.

    path (Path): The file, in which find_problem finds none.
    max_words (int): The most words in a passage, and in a sentence: longer ones are
        cut.
    separator (str): What a line between two documents starts with, which no passage
        crosses; "" if a file is one document.
    YIELDS (Passage): Each passage.
    """
    number, words = 0, []
    for sentence in _read_sentences(path, max_words, separator):
        if words and (not sentence or len(words) + len(sentence) > max_words):
            yield Passage(path, number, " ".join(words))
            number, words = number + 1, []
        words.extend(sentence)
    if words:
        yield Passage(path, number, " ".join(words))


def _read_sentences(path: Path, max_words: int, separator: str) -> Iterator[List[str]]:
    """Yield the words of each sentence, and none where a document ends."""
    words: List[str] = []
    for line in _read_lines(path):
        found = line.split()
        is_between = bool(separator) and line.startswith(separator)
        if words and (is_between or not found):
            yield words
            words = []
        if is_between:
            yield []
            continue
        for word in found:
            words.append(word)
            if len(words) == max_words or _LAST.fullmatch(word):
                yield words
                words = []
    if words:
        yield words


def _read_lines(path: Path) -> Iterator[str]:
    """Yield each line, one that is too long in parts that end between words."""
    tail = ""
    with io.TextIOWrapper(open_text(path), encoding="utf-8-sig") as file:
        for part in iter(partial(file.readline, _N_CHARS), ""):
            is_cut = len(part) == _N_CHARS and not part[-1].isspace()
            line = tail + part
            tail = line.rsplit(maxsplit=1)[-1] if is_cut else ""
            if tail == line:
                # No word is as long as that.
                tail = ""
            yield line.removesuffix(tail)
    if tail:
        yield tail


def shuffle(
    passages: Iterable[Passage], size: int, rng: random.Random
) -> Iterator[Passage]:
    """Shuffle a stream, as far as what is held of it allows.

    passages (Iterable[Passage]): The stream.
    size (int): How many passages are held; 0 for the order of the stream.
    rng (random.Random): The source of chance.
    YIELDS (Passage): The same passages.
    """
    held: List[Passage] = []
    for passage in passages:
        if len(held) < size:
            held.append(passage)
        elif size:
            i = rng.randrange(size)
            held[i], passage = passage, held[i]
            yield passage
        else:
            yield passage
    rng.shuffle(held)
    yield from held
