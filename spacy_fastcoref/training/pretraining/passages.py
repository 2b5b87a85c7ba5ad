"""Read plain text as a stream of passages of whole sentences."""

import io
import random
import re
from functools import partial
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple

from ...formats.parsing import open_text

# The last word of a sentence, with closing quotation marks and brackets. A short
# capitalised word with a full stop, such as "Mr.", is an abbreviation.
_LAST = re.compile(r"(?![A-ZÀ-Þ]\w{0,3}\.$).*[.!?…][\"'”’»)\]]*")
# The maximum number of characters to read at once, since some files are a single line.
_N_CHARS = 1 << 16


class Passage(NamedTuple):
    """Hold a sequence of sentences of a file.

    path (Path): The file.
    number (int): The number of the passage in the file, starting from 0.
    text (str): The text, with words separated by single spaces.
    """

    path: Path
    number: int
    text: str


def read_passages(
    path: Path, *, max_words: int, separator: str = ""
) -> Iterator[Passage]:
    """Split a file into passages at the ends of sentences and paragraphs.

    Passages do not cross the boundaries of documents.

    path (Path): The file, checked by text_files.find_problem.
    max_words (int): The maximum number of words in a passage. Longer sentences are
        split.
    separator (str): The beginning of lines that separate the documents of the file; ""
        if the file is one document.
    YIELDS (Passage): The passages.
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
    """Yield the words of each sentence, and an empty list between documents."""
    words: List[str] = []
    for line in _read_lines(path):
        found = line.split()
        is_separator = bool(separator) and line.startswith(separator)
        if words and (is_separator or not found):
            yield words
            words = []
        if is_separator:
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
    """Yield the lines of a file; split long lines between words."""
    tail = ""
    with io.TextIOWrapper(open_text(path), encoding="utf-8-sig") as file:
        for part in iter(partial(file.readline, _N_CHARS), ""):
            is_cut = len(part) == _N_CHARS and not part[-1].isspace()
            line = tail + part
            tail = line.rsplit(maxsplit=1)[-1] if is_cut else ""
            if tail == line:
                # The part has no white space at which it could be split.
                tail = ""
            yield line.removesuffix(tail)
    if tail:
        yield tail


def shuffle(
    passages: Iterable[Passage], size: int, rng: random.Random
) -> Iterator[Passage]:
    """Shuffle a stream with a buffer.

    passages (Iterable[Passage]): The stream.
    size (int): The number of passages in the buffer; 0 to keep the order.
    rng (random.Random): The random generator.
    YIELDS (Passage): The same passages.
    """
    buffer: List[Passage] = []
    for passage in passages:
        if len(buffer) < size:
            buffer.append(passage)
        elif size:
            i = rng.randrange(size)
            buffer[i], passage = passage, buffer[i]
            yield passage
        else:
            yield passage
    rng.shuffle(buffer)
    yield from buffer
