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
_WORD = re.compile(r"(\S+)\s*")
# The last word of a sentence, with closing quotation marks and brackets. A short
# capitalised word with a full stop, such as "Mr.", is an abbreviation.
_LAST = re.compile(r"(?![A-ZÀ-Þ]\w{0,3}\.$).*[.!?…][\"'”’»)\]]*")
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
        otherwise of plain text; both can be compressed.
    separator (str): The beginning of lines that separate the documents of a plain text;
        "" if a file is one document.
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
        if tail == line:
            # The part has no white space at which it could be split.
            tail = ""
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
        for piece in _cut(paragraph, max_words, (_split_sentences, _split_lines))
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


def _cut(text: str, max_words: int, levels: Sequence) -> Iterator[str]:
    """Split a text that is too long; each piece has the white space after it."""
    if len(text.split()) <= max_words:
        yield text
        return
    split, *others = levels or [_split_words]
    parts = (piece for part in split(text) for piece in _cut(part, max_words, others))
    yield from _pack(parts, max_words)


def _split_sentences(text: str) -> Iterator[str]:
    start = 0
    for word in _WORD.finditer(text):
        if _LAST.fullmatch(word[1]):
            yield text[start : word.end()]
            start = word.end()
    yield text[start:]


def _split_lines(text: str) -> List[str]:
    return re.split(r"(?<=\n)", text)


def _split_words(text: str) -> Iterator[str]:
    return (word[0] for word in _WORD.finditer(text))


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
    """List the text files of paths."""
    files: List[Path] = []
    for path in map(Path, paths):
        found = [path]
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            found = [file for file in inside if get_ending(file) in kinds]
        if not found or not path.exists():
            endings = ", ".join(f"{kind}, {kind}{ZIPPED}" for kind in kinds)
            reason = f"it has no files that end in {endings}"
            if not path.exists():
                reason = "there is no such file or folder"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        files.extend(found)
    return files


def get_ending(path: Path) -> Optional[str]:
    """Get the kind of a file by its ending, without ".gz"."""
    kind = Path(path.name.removesuffix(ZIPPED)).suffix
    return kind if kind in (TEXT, JSONL) else None


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
