"""Find files of plain text, and split them into passages of limited length.

Words are separated by white space. Files can be compressed.
"""

import io
import itertools
import json
import re
import warnings
import zlib
from functools import partial
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from ..errors import Errors, Warnings
from ..files import digest_file
from ..formats.parsing import PARSE_ERRORS, ZIPPED, check_text, open_bytes

TEXT, JSONL = ".txt", ".jsonl"
# A word with the white space after it; the last one of a line; that of a sentence, with
# closing quotation marks and brackets. A short capitalised word with a full stop, such
# as "Mr.", is an abbreviation.
_WORD = re.compile(r"\S+\s*")
_LINE = re.compile(r"\S+\s*\n\s*")
_LAST = re.compile(r"(?![A-ZÀ-Þ]\w{0,3}\.\s*$)\S*[.!?…][\"'”’»)\]]*\s*")
# The maximum number of characters to read at once, since some files are a single line
# or a single paragraph.
_N_CHARS = 1 << 16


class Passage(NamedTuple):
    """Hold a passage of a file, and its number in the file."""

    path: Path
    number: int
    text: str


class PassageReader:
    """Read files and split their texts into passages.

    Files that are empty or not UTF-8 are skipped with a warning, and counted.

    paths (Sequence[Path]): The files: of lines with a "text" if they end in .jsonl, and
        otherwise of plain text, whose documents lines with the separator divide; both
        can be compressed.
    """

    def __init__(
        self, paths: Sequence[Path], max_words: int, separator: str = ""
    ) -> None:
        self.paths = paths
        self.max_words = max_words
        self.separator = separator
        self.n_skipped_files = 0
        self.n_skipped_lines = 0

    def __iter__(self) -> Iterator[Passage]:
        self.n_skipped_files = self.n_skipped_lines = 0
        for path in self.paths:
            problem = find_problem(path)
            if problem is not None:
                self.n_skipped_files += 1
                message = Warnings.FCW20.format(path=path, reason=problem)
                warnings.warn(message, stacklevel=2)
                continue
            read = self._read_rows if get_ending(path) == JSONL else self._read_text
            for number, text in enumerate(read(path)):
                yield Passage(path, number, text)

    def _read_text(self, path: Path) -> Iterator[str]:
        separator = self.separator or None
        documents = itertools.groupby(
            _read_lines(path), lambda line: separator and line.startswith(separator)
        )
        for is_separator, lines in documents:
            if not is_separator:
                yield from cut_passages(lines, self.max_words)

    def _read_rows(self, path: Path) -> Iterator[str]:
        skipped = []
        for number, line in enumerate(_read_lines(path, n_chars=-1), start=1):
            if not line.strip():
                continue
            reason = "the text is empty"
            passages: List[str] = []
            try:
                text = json.loads(line)["text"]
                check_text(text)
                passages = list(cut_passages(text.splitlines(), self.max_words))
            except PARSE_ERRORS as error:
                reason = f"this is not a document: {type(error).__name__}: {error}"
            if not passages:
                message = Errors.FC051.format(path=path, line=number, reason=reason)
                skipped.append(message)
            yield from passages
        if skipped:
            self.n_skipped_lines += len(skipped)
            n_skipped, first = len(skipped), skipped[0]
            message = Warnings.FCW02.format(n_skipped=n_skipped, path=path, first=first)
            warnings.warn(message, stacklevel=3)


def _read_lines(path: Path, n_chars: int = _N_CHARS) -> Iterator[str]:
    """Yield the lines of a file; split those of more characters between words."""
    tail = ""
    for part in _read_parts(path, n_chars):
        is_cut = len(part) == n_chars and not part[-1].isspace()
        line = tail + part
        tail = line.rsplit(maxsplit=1)[-1] if is_cut else ""
        yield line.removesuffix(tail)
    if tail:
        yield tail


def _read_parts(path: Path, n_chars: int, errors: str = "strict") -> Iterator[str]:
    with (
        open_bytes(path) as packed,
        io.TextIOWrapper(packed, "utf-8-sig", errors) as file,
    ):
        yield from iter(partial(file.readline, n_chars), "")


def cut_passages(lines: Iterable[str], max_words: int) -> Iterator[str]:
    """Split a text into passages, each of as many paragraphs as fit.

    Empty lines separate paragraphs. A paragraph that is too long is split between
    sentences, a sentence between lines, and a line between words.
    """
    paragraphs = (
        piece
        for paragraph in _join_lines(lines)
        for piece in _cut(paragraph, max_words, (_LAST, _LINE, _WORD))
    )
    for passage in _pack(paragraphs, max_words):
        yield passage.strip()


def _join_lines(lines: Iterable[str]) -> Iterator[str]:
    joined = ""
    for line in map(str.strip, lines):
        if joined and (not line or len(joined) > _N_CHARS):
            yield joined if line else f"{joined}\n"
            joined = ""
        joined += f"{line}\n" if line else ""
    if joined:
        yield joined


def _cut(
    text: str, max_words: int, levels: Sequence["re.Pattern[str]"]
) -> Iterator[str]:
    """Split a text that is too long behind some of its words, by what these match."""
    if len(text.split()) <= max_words:
        yield text
        return
    level, *others = levels
    words = [word for word in _WORD.finditer(text) if level.fullmatch(word[0])]
    ends = [0, *(word.end() for word in words), len(text)]
    parts = (text[start:end] for start, end in zip(ends, ends[1:], strict=False))
    cut = (piece for part in parts for piece in _cut(part, max_words, others))
    yield from _pack(cut, max_words)


def _pack(parts: Iterable[str], max_words: int) -> Iterator[str]:
    """Join adjacent parts as long as the result has at most `max_words` words."""
    packed, n_words = "", 0
    for part in parts:
        size = len(part.split())
        if n_words and n_words + size > max_words:
            yield packed
            packed, n_words = "", 0
        packed += part
        n_words += size
    if n_words:
        yield packed


def find_texts(
    paths: Iterable[Union[Path, str]], kinds: Sequence[str] = (TEXT,)
) -> List[Path]:
    """List the text files of paths, which are files or folders."""
    files: List[Path] = []
    for path in map(Path, paths):
        found = [path] if path.exists() else []
        if path.is_dir():
            inside = sorted(path.rglob("*"))
            found = [
                one for one in inside if one.is_file() and get_ending(one) in kinds
            ]
        if not found:
            endings = ", ".join(f"{kind}, {kind}{ZIPPED}" for kind in kinds)
            reason = f"there is no such file, or no file in it that ends in {endings}"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        files += found
    return files


def get_ending(path: Path) -> str:
    """Get the kind of a file by its ending, without ".gz"."""
    return Path(path.name.removesuffix(ZIPPED)).suffix


def find_problem(path: Path) -> Optional[str]:
    """Check a whole file before it is read, so that no file is read only in part."""
    line, is_empty = 1, True
    try:
        for part in _read_parts(path, _N_CHARS, "surrogateescape"):
            if "\0" in part:
                return f"it is binary, there is a null byte in line {line}"
            part.encode("utf8")
            is_empty = is_empty and not part.strip()
            line += part.endswith("\n")
    except UnicodeEncodeError:
        return f"line {line} is not UTF-8"
    # The file was removed in the meantime, is not readable, or is not valid gzip.
    except (OSError, EOFError, zlib.error) as error:
        return str(error)
    return "it is empty" if is_empty else None


def identify_files(paths: Iterable[Path]) -> List[List[Optional[str]]]:
    """Identify files by their names and contents."""
    return [[path.name, digest_file(path)] for path in paths]
