"""Split the texts that a teacher annotates into passages of limited length."""

import io
import itertools
import json
import re
import warnings
from pathlib import Path
from typing import Iterable, Iterator, List

from ...errors import Errors, Warnings
from ...formats.parsing import PARSE_ERRORS, check_text, open_text
from ..text_files import TEXT, find_problem, get_kind

# The end of a sentence, with closing brackets and quotation marks.
_SENTENCE_END = re.compile(r"(?<=[.!?…])([\"'”’»)\]]*)\s+")


class PassageReader:
    """Read files and split their texts into passages.

    Files that are empty or not UTF-8 are skipped with a warning, and counted.

    paths (List[Path]): The files; see text_files.list_inputs.
    max_words (int): The maximum number of words in a passage. Words are separated by
        white space.
    """

    def __init__(self, paths: List[Path], max_words: int) -> None:
        self.paths = paths
        self.max_words = max_words
        self.n_skipped_files = 0
        self.n_skipped_lines = 0

    def __iter__(self) -> Iterator[str]:
        self.n_skipped_files = self.n_skipped_lines = 0
        for path in self.paths:
            problem = find_problem(path)
            if problem is not None:
                self.n_skipped_files += 1
                message = Warnings.FCW20.format(path=path, reason=problem)
                warnings.warn(message, stacklevel=2)
                continue
            with io.TextIOWrapper(open_text(path), encoding="utf-8-sig") as lines:
                if get_kind(path) == TEXT:
                    yield from cut_passages(lines, self.max_words)
                else:
                    yield from self._read_documents(lines, path)

    def _read_documents(self, lines: Iterable[str], path: Path) -> Iterator[str]:
        skipped = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                text = json.loads(line)["text"]
                check_text(text)
                passages = list(cut_passages(text.splitlines(), self.max_words))
            except PARSE_ERRORS as error:
                reason = f"this is not a document: {type(error).__name__}: {error}"
                passages = []
            else:
                reason = "the text is empty"
            if not passages:
                skipped.append(
                    Errors.FC051.format(path=path, line=number, reason=reason)
                )
            yield from passages
        if skipped:
            self.n_skipped_lines += len(skipped)
            warnings.warn(
                Warnings.FCW02.format(
                    n_skipped=len(skipped), path=path, first=skipped[0]
                ),
                stacklevel=3,
            )


def cut_passages(lines: Iterable[str], max_words: int) -> Iterator[str]:
    """Split a text into passages, each of as many paragraphs as fit.

    Empty lines separate paragraphs. A paragraph that is too long is split between
    lines, a line between sentences, and a sentence between words.

    lines (Iterable[str]): The lines of the text.
    max_words (int): The maximum number of words in a passage. Words are separated by
        white space.
    YIELDS (str): The passages, which contain all words of the text in order.
    """
    stripped = (line.strip() for line in lines)
    groups = itertools.groupby(stripped, key=bool)
    paragraphs = (
        paragraph
        for is_text, group in groups
        if is_text
        for paragraph in _pack(_cut_lines(group, max_words), "\n", max_words)
    )
    return _pack(paragraphs, "\n\n", max_words)


def _cut_lines(lines: Iterable[str], max_words: int) -> Iterator[str]:
    for line in lines:
        if len(line.split()) <= max_words:
            yield line
        else:
            sentences = _SENTENCE_END.sub(r"\1\n", line).split("\n")
            yield from _pack(_cut_sentences(sentences, max_words), " ", max_words)


def _cut_sentences(sentences: Iterable[str], max_words: int) -> Iterator[str]:
    for sentence in sentences:
        words = sentence.split()
        for start in range(0, len(words), max_words):
            yield " ".join(words[start : start + max_words])


def _pack(parts: Iterable[str], separator: str, max_words: int) -> Iterator[str]:
    """Join adjacent parts as long as the result has at most `max_words` words."""
    packed: List[str] = []
    n_words = 0
    for part in parts:
        size = len(part.split())
        if packed and n_words + size > max_words:
            yield separator.join(packed)
            packed, n_words = [], 0
        packed.append(part)
        n_words += size
    if packed:
        yield separator.join(packed)
