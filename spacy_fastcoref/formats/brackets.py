"""Read and write texts with mentions in brackets: "[a Ann] said that [a she] left."."""

import re
from collections import Counter, defaultdict
from functools import partial
from typing import Dict, List, Optional, Set, Tuple

import numpy as np
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..errors import Errors
from ..types import Offsets
from .base import Document, Format, reader
from .docs import (
    NO_SPEAKER,
    find_crossing,
    list_clusters,
    list_speakers,
    make_doc,
    mark_doc,
    widen,
)
from .parsing import LineError, Lines, read_records, strip_marks

NAME = "brackets"
# What becomes of a mention that begins or ends inside a token.
RAISE, DROP = "raise", "drop"
_MARK = re.compile(r"\[([A-Za-z0-9]{1,3}) |\]|\[")
# The number that is "a", of those of three letters or digits.
_FIRST = 10
_MAX_CLUSTERS = 36**3 - _FIRST
_HEADER = "# "
_TURN = re.compile(r"@([^:]{1,40}):\s+")
# The pipeline's own sentence segmentation may not be trained yet.
_SENTENCIZER = Sentencizer()
strip_brackets = partial(strip_marks, pattern=_MARK, name="bracket")


@reader(read_records, lambda line: line.startswith(_HEADER))
def read(
    lines: Lines, *, nlp: Language, name: str, misaligned: str = RAISE
) -> Optional[Document]:
    """Read the documents of a file.

    A document begins with a line "# NAME | GENRE". Each other line is a paragraph, and
    may begin with the name of its speaker, such as "@Ann: ". Brackets mark mentions,
    such as in "[a her [b sister]]". Each one begins with the name of the entity, one to
    three letters or digits, and a space.

    misaligned (str): "drop" to leave out mentions that begin or end inside a token, as
        in "the house.I left", and entities of which one mention is left; "raise" for an
        error.
    """
    key, text, last = name, "", 0
    # The line of each mention, by its entity.
    marks: Dict[str, Dict[Offsets, int]] = {}
    turns, begins = [], []
    for line in lines:
        if line.startswith(_HEADER):
            key = line.removeprefix(_HEADER).partition("|")[0].strip()
            continue
        if not line.strip():
            continue
        speaker, line = _read_turn(line.strip())
        plain, found = strip_brackets(line, line=lines.number)
        # Line breaks are those of the file.
        text += "\n" * (lines.number - (last or lines.number))
        last, begin = lines.number, len(text)
        text += plain
        begins += [begin] if plain else []
        for start, end, entity in found:
            marks.setdefault(entity, {})[begin + start, begin + end] = last
        if speaker != NO_SPEAKER:
            turns.append((begin, len(text), speaker))
    if not last:
        return None
    doc = make_doc(nlp, text)
    _align(doc, marks, misaligned)
    clusters = map(list, marks.values())
    document = mark_doc(doc, key, clusters, line=lines.first, turns=turns)
    _SENTENCIZER(doc)
    for begin in begins:
        doc[widen(doc, begin, begin + 1)[0]].is_sent_start = True
    return document


def _align(doc: Doc, marks: Dict[str, Dict[Offsets, int]], misaligned: str) -> None:
    """Check that mentions are whole tokens of one entity, or drop the others."""
    for name, mentions in [*marks.items()]:
        wrong = [offsets for offsets in mentions if not _is_aligned(doc, *offsets)]
        for start, end in wrong:
            line = mentions.pop((start, end))
            if misaligned == RAISE:
                reason = f"{doc.text[start:end]!r} is not whole tokens"
                raise LineError(reason, line)
        if wrong and len(mentions) == 1:
            del marks[name]
    counts = Counter(offsets for mentions in marks.values() for offsets in mentions)
    for (start, end), n in counts.items():
        if n > 1:
            text = doc.text[start:end]
            raise ValueError(f"{text!r} is a mention of {n} entities")


def _is_aligned(doc: Doc, start: int, end: int) -> bool:
    span = doc.char_span(start, end)
    return span is not None and not (span[0].is_space or span[-1].is_space)


def _read_turn(line: str) -> Tuple[str, str]:
    """Read the speaker at the beginning of a line, such as in "@Ann: I left."."""
    turn = _TURN.match(line)
    if turn is None:
        return NO_SPEAKER, line
    return turn.group(1).strip(), line[turn.end() :]


def dump(document: Document) -> bytes:
    """Write a document: a line with its name, and its text."""
    doc, text = document.doc, document.doc.text
    if not text.strip():
        _refuse("it is empty")
    if "[" in text or "]" in text:
        _refuse("it has square brackets in the text")
    pieces = text.split("\n"), _write_marks(doc).split("\n"), _find_line_speakers(doc)
    lines = [_write_line(*line) for line in zip(*pieces, strict=True)]
    key = " ".join(document.key.replace("|", " ").split())
    return "\n".join([f"{_HEADER}{key} |", *lines, ""]).encode()


def _write_line(plain: str, marked: str, speaker: str) -> str:
    if marked.startswith(_HEADER):
        _refuse(f"the line {plain[:20]!r} would be read as the name of a document")
    if _read_turn(marked.strip())[0] != NO_SPEAKER:
        _refuse(f"the line {plain[:20]!r} would be read as the turn of a speaker")
    if speaker == NO_SPEAKER or not plain.strip():
        return marked
    turn = f"@{speaker}: {marked}"
    if _read_turn(turn) != (speaker, marked.lstrip()):
        _refuse(f"the speaker {speaker!r} has a colon, spaces or a long name")
    return turn


def _find_line_speakers(doc: Doc) -> List[str]:
    """Find the speaker of each line; "-" if the line is not that of one speaker."""
    found: List[Set[str]] = [set() for _ in doc.text.split("\n")]
    line = 0
    for token, speaker in zip(doc, list_speakers(doc) or (), strict=False):
        if not token.is_space:
            found[line].add(speaker)
        line += token.text_with_ws.count("\n")
    return [some.pop() if len(some) == 1 else NO_SPEAKER for some in found]


def _write_marks(doc: Doc) -> str:
    """Write the text with its brackets."""
    clusters = list_clusters(doc)
    if len(clusters) > _MAX_CLUSTERS:
        _refuse(f"it has {len(clusters)} clusters, and there are {_MAX_CLUSTERS} names")
    mentions = [(*m, i) for i, cluster in enumerate(clusters) for m in cluster]
    for crossing in find_crossing(m[:2] for m in mentions):
        one, two = (doc[start:end].text for start, end in crossing)
        _refuse(f"the mentions {one!r} and {two!r} overlap without nesting")
    opened: Dict[int, str] = defaultdict(str)
    closed: Dict[int, str] = defaultdict(str)
    for start, end, i in sorted(mentions, key=lambda m: (m[0], -m[1])):
        text = doc[start:end].text
        if "\n" in text or "\r" in text:
            _refuse(f"the mention {text!r} has a line break")
        # Clusters are a, b, …, z, 10, 11, …
        opened[start] += f"[{np.base_repr(i + _FIRST, 36).lower()} "
        closed[end - 1] += "]"
    tokens = [(t.i, t.text, t.whitespace_) for t in doc]
    return "".join(f"{opened[i]}{text}{closed[i]}{gap}" for i, text, gap in tokens)


def _refuse(reason: str) -> None:
    raise ValueError(Errors.FC162.format(name=NAME, reason=reason))


make_bracket_format = partial(
    Format,
    NAME,
    "text with mentions in brackets: [a Ann] said [a she] left",
    (".brackets.txt", ".brackets"),
    read,
    dump,
)
