"""Read and write texts with mentions in brackets: "[a Ann] said that [a she] left."."""

import itertools
import string
from pathlib import Path
from typing import Dict, Iterator, List

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..training.readers.brackets import BracketRecord, read_brackets, read_turn
from ..training.readers.parsing import name_line
from ..training.readers.records import NO_SPEAKER
from .base import Document, Entry, Format
from .docs import Offsets, find_crossing, list_clusters, list_speakers, make_doc

NAME = "brackets"
_HEADER = "# "
_LINE_BREAKS = ("\n", "\r")


def make_bracket_format() -> Format:
    """Make the format of texts with mentions in brackets, see read_brackets.

    RETURNS (Format): The format.
    """
    return Format(
        name=NAME,
        description="text with mentions in brackets: [a Ann] said [a she] left",
        endings=(".brackets.txt", ".brackets"),
        read=read,
        dump=dump,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file.

    path (str): The file; "-" for standard input.
    nlp (Language): The pipeline, for its tokenizer.
    YIELDS (Union[Document, ValueError]): Each document, or an error.
    """
    for record in read_brackets(path):
        try:
            yield record if isinstance(record, ValueError) else _convert(record, nlp)
        except ValueError as error:
            yield error


def _convert(record: BracketRecord, nlp: Language) -> Document:
    """Join the paragraphs of a document, with the line breaks of its file."""
    text = ""
    clusters: Dict[str, List[Offsets]] = {}
    turns = []
    last = record.paragraphs[0].line
    for paragraph in record.paragraphs:
        text += "\n" * (paragraph.line - last)
        last = paragraph.line
        begin = len(text)
        text += paragraph.text
        for start, end, name in paragraph.mentions:
            clusters.setdefault(name, []).append((begin + start, begin + end))
        if paragraph.speaker != NO_SPEAKER:
            turns.append((begin, len(text), paragraph.speaker))
    with name_line(record.path, record.line):
        doc = make_doc(nlp, text, clusters.values(), turns)
    # The reader puts the file's name before the document's.
    return Document(record.key.removeprefix(f"{Path(record.path).stem}_"), doc)


def dump(document: Document) -> bytes:
    """Write a document: a line with its name, and its text.

    document (Document): The document.
    RETURNS (bytes): The lines.
    RAISES (ValueError): The text has square brackets, or a line that would be read as
        the beginning of a document or as a turn; or mentions cross, or have a line
        break.
    """
    doc = document.doc
    text = doc.text
    if not text.strip():
        _refuse("it is empty")
    if "[" in text or "]" in text:
        _refuse("it has square brackets in the text")
    marks = _make_marks(doc, list_clusters(doc))
    begins = sorted({0, len(text), *marks})
    pieces = [
        marks.get(start, "") + text[start:end]
        for start, end in zip(begins, [*begins[1:], len(text)], strict=True)
    ]
    speakers = _find_line_speakers(doc)
    plain = text.split("\n")
    marked = "".join(pieces).split("\n")
    lines = [_write_line(*line) for line in zip(plain, marked, speakers, strict=True)]
    key = " ".join(document.key.replace("|", " ").split())
    return "\n".join([f"{_HEADER}{key} |", *lines, ""]).encode()


def _write_line(plain: str, marked: str, speaker: str) -> str:
    if marked.startswith(_HEADER):
        _refuse(f"the line {plain[:20]!r} would be read as the name of a document")
    if read_turn(marked.strip())[0] != NO_SPEAKER:
        _refuse(f"the line {plain[:20]!r} would be read as the turn of a speaker")
    if speaker == NO_SPEAKER or not plain.strip():
        return marked
    turn = f"@{speaker}: {marked}"
    if read_turn(turn) != (speaker, marked.lstrip()):
        _refuse(f"the speaker {speaker!r} has a colon, spaces or a long name")
    return turn


def _find_line_speakers(doc: Doc) -> List[str]:
    """Find the speaker of each line; "-" if the line is not that of one speaker."""
    found: List[set] = [set() for _ in doc.text.split("\n")]
    speakers = list_speakers(doc)
    line = 0
    for token in doc:
        if speakers is not None and not token.is_space:
            found[line].add(speakers[token.i])
        line += token.text_with_ws.count("\n")
    return [some.pop() if len(some) == 1 else NO_SPEAKER for some in found]


def _make_marks(doc: Doc, clusters: List[List[Offsets]]) -> Dict[int, str]:
    """Make the brackets by the characters that they are before."""
    mentions = [(*m, i) for i, cluster in enumerate(clusters) for m in cluster]
    crossing = find_crossing(m[:2] for m in mentions)
    if crossing is not None:
        one, two = (doc[start:end].text for start, end in crossing)
        _refuse(f"the mentions {one!r} and {two!r} overlap without nesting")
    names = _name_clusters(len(clusters))
    opened: Dict[int, str] = {}
    closed: Dict[int, str] = {}
    for start, end, i in sorted(mentions, key=lambda m: (m[0], -m[1])):
        span = doc[start:end]
        if any(mark in span.text for mark in _LINE_BREAKS):
            _refuse(f"the mention {span.text!r} has a line break")
        opened[span.start_char] = opened.get(span.start_char, "") + f"[{names[i]} "
        closed[span.end_char] = closed.get(span.end_char, "") + "]"
    return {at: closed.get(at, "") + opened.get(at, "") for at in {*opened, *closed}}


def _name_clusters(n_clusters: int) -> List[str]:
    """Name clusters by one to three letters: a, b, …, aa, ab, …"""
    letters = (
        itertools.product(string.ascii_lowercase, repeat=length)
        for length in range(1, 4)
    )
    names = map("".join, itertools.chain.from_iterable(letters))
    found = list(itertools.islice(names, n_clusters))
    if len(found) < n_clusters:
        _refuse(f"it has {n_clusters} clusters, and there are {len(found)} names")
    return found


def _refuse(reason: str) -> None:
    raise ValueError(Errors.FC162.format(name=NAME, reason=reason))
