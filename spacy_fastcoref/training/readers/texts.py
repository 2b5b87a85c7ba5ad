"""Plain text, cut into passages of a bounded number of words."""

import codecs
import gzip
import hashlib
import io
import itertools
import json
import re
import warnings
import zlib
from pathlib import Path
from typing import BinaryIO, Dict, Iterable, Iterator, List, Optional

from ...errors import Errors, Warnings
from .items import NO_ITEM, check_text

_TEXT, _JSON = ".txt", ".jsonl"
_ZIPPED = ".gz"
_CHUNK = 1 << 20
# Where a line that is too long is cut first: after what ends a sentence, if only
# brackets and quotes stand between that and the space.
_SENTENCE_END = re.compile(r"(?<=[.!?…])([\"'”’»)\]]*)\s+")


def list_inputs(path: Path) -> List[Path]:
    """List the files of a text.

    path (Path): A file that ends in .txt or .jsonl, or in .gz after that, or a folder
        of such files.
    RETURNS (List[Path]): The file, or those of the folder and its folders, in the
        order of their names.
    RAISES (ValueError): There is none.
    """
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in found if _get_kind(file) and file.is_file()]
    if not files:
        reason = "there has to be a file, or a folder of files, that ends in .txt, "
        reason += ".jsonl, .txt.gz or .jsonl.gz"
        raise ValueError(Errors.FC080.format(path=path, reason=reason))
    return files


class PassageReader:
    """Read files as passages, one after the other.

    Files that are empty or no text are left out with a warning, and counted.

    paths (List[Path]): The files; see list_inputs.
    max_words (int): The most words in a passage, as white space tells words apart.
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
                if _get_kind(path) == _TEXT:
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
            except NO_ITEM as error:
                reason = f"this is no document: {type(error).__name__}: {error}"
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


def find_problem(path: Path) -> Optional[str]:
    """Tell why a file can't be read as text.

    The whole file is looked through, so that it is read from end to end or not at all.

    path (Path): The file.
    RETURNS (Optional[str]): The reason, None if it can be read.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line, is_empty = 1, True
    try:
        with open_text(path) as file:
            while True:
                chunk = file.read(_CHUNK)
                if b"\0" in chunk:
                    line += chunk.count(b"\n", 0, chunk.index(b"\0"))
                    return f"it is binary, there is a null byte in line {line}"
                text = decoder.decode(chunk, final=not chunk)
                is_empty = is_empty and not text.strip()
                if not chunk:
                    return "it is empty" if is_empty else None
                line += chunk.count(b"\n")
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        return f"line {line} is not UTF-8"
    # Not there any more, not allowed, or not what gzip wrote.
    except (OSError, EOFError, zlib.error) as error:
        return str(error)


def cut_passages(lines: Iterable[str], max_words: int) -> Iterator[str]:
    """Cut a text into passages between paragraphs, with as many as go into each.

    Paragraphs are what has empty lines around it. One that is too long is cut between
    lines, a line between sentences, and a sentence between words.

    lines (Iterable[str]): The text's lines.
    max_words (int): The most words in a passage, as white space tells words apart.
    YIELDS (str): The passages: all words of the text, in order.
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
    """Join parts, none of which is too long, while they are not too long together."""
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


def describe_inputs(paths: List[Path], root: Path) -> Dict[str, Optional[str]]:
    """Tell files from others.

    paths (List[Path]): The files.
    root (Path): The folder they are in, or the one file.
    RETURNS (Dict[str, Optional[str]]): For each its digest, by its name in the folder.
    """
    folder = root if root.is_dir() else root.parent
    return {str(path.relative_to(folder)): digest_file(path) for path in paths}


def digest_file(path: Path) -> Optional[str]:
    """Tell what is in a file from anything else.

    path (Path): The file.
    RETURNS (Optional[str]): The digest of its bytes, None if they can't be read.
    """
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()[:16]


def _get_kind(path: Path) -> Optional[str]:
    kind = Path(path.name.removesuffix(_ZIPPED)).suffix
    return kind if kind in (_TEXT, _JSON) else None


def open_text(path: Path) -> BinaryIO:
    """Open a file, whether it is compressed or not.

    path (Path): The file.
    RETURNS (BinaryIO): What reads the bytes of the text.
    """
    return gzip.open(path) if path.suffix == _ZIPPED else open(path, "rb")
