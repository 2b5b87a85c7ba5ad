"""Read texts with mentions in brackets, such as "[a Ann] said that [a she] left."."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple, Union

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Token

from .parsing import FileRecord, check_text, name_line, open_lines
from .records import NO_SPEAKER, Record

Offsets = Tuple[int, int]
_MARK = re.compile(r"\[([A-Za-z0-9]{1,3}) |\]|\[")
_HEADER = "# "
_TURN = re.compile(r"@([^:]{1,40}):\s+")
# The pipeline's own sentence segmentation may not be trained yet.
_SENTENCIZER = Sentencizer()


@dataclass
class Paragraph:
    """Hold a paragraph, or a turn of a conversation.

    text (str): The text without brackets.
    mentions (List[Tuple[int, int, str]]): The character offsets of each mention, with
        the end exclusive, and the name of its entity.
    speaker (str): The name of the speaker; "-" for none.
    line (int): The line in the file.
    """

    text: str
    mentions: List[Tuple[int, int, str]]
    speaker: str
    line: int


@dataclass
class BracketRecord(FileRecord):
    """Hold one document of a file with mentions in brackets.

    path (str): The file.
    line (int): The line of its header.
    key (str): The document's name.
    paragraphs (List[Paragraph]): The document's paragraphs.
    drops_misaligned (bool): Whether to leave out mentions that begin or end inside a
        token, as in "the house.I left", and entities of which one mention is left.
    """

    path: str
    line: int
    key: str = ""
    paragraphs: List[Paragraph] = field(default_factory=list)
    drops_misaligned: bool = False

    def tokenize(self, nlp: Language) -> Record:
        """Tokenize the text and split it into sentences.

        nlp (Language): The pipeline, for its tokenizer.
        RETURNS (Record): The document, without tokens of white space.
        RAISES (ValueError): A mention does not consist of whole tokens, or has more
            than one entity.
        """
        words: List[str] = []
        starts: List[bool] = []
        speakers: List[str] = []
        clusters: Dict[str, List[Offsets]] = {}
        incomplete = set()
        for paragraph in self.paragraphs:
            doc = _SENTENCIZER(nlp.make_doc(paragraph.text))
            kept = [token for token in doc if not token.is_space]
            places = {token.i: len(words) + i for i, token in enumerate(kept)}
            for start, end, name in paragraph.mentions:
                span = doc.char_span(start, end)
                if span is None or span[0].is_space or span[-1].is_space:
                    if self.drops_misaligned:
                        incomplete.add(name)
                        continue
                    mention = paragraph.text[start:end]
                    self._fail(paragraph, f"{mention!r} is not whole tokens")
                offsets = places[span.start], places[span.end - 1] + 1
                mentions = clusters.setdefault(name, [])
                if offsets not in mentions:
                    mentions.append(offsets)
            words.extend(token.text for token in kept)
            # A sentence may start with a token of white space, which is dropped.
            begins = [any(t.is_sent_start for t in _with_space(t)) for t in kept]
            starts.extend(begins)
            speakers.extend([paragraph.speaker] * len(kept))
        for name in incomplete:
            if len(clusters.get(name, ())) == 1:
                del clusters[name]
        self._check_entities(words, clusters)
        record = Record(
            words,
            starts,
            speakers,
            sorted(sorted(mentions) for mentions in clusters.values()),
            self.path,
            self.line,
            self.key,
        )
        record.check()
        return record

    def _check_entities(
        self, words: List[str], clusters: Dict[str, List[Offsets]]
    ) -> None:
        counts = Counter(m for mentions in clusters.values() for m in mentions)
        for (start, end), n_entities in counts.items():
            if n_entities > 1:
                mention = " ".join(words[start:end])
                self.fail(f"{mention!r} is a mention of {n_entities} entities")

    def _fail(self, paragraph: Paragraph, reason: str) -> None:
        FileRecord.fail(BracketRecord(self.path, paragraph.line), reason)


def _with_space(token: Token) -> Iterator[Token]:
    """Yield a token and the tokens of white space right before it."""
    yield token
    while token.i and token.nbor(-1).is_space:
        token = token.nbor(-1)
        yield token


def read_brackets(
    path: Union[str, Path], drops_misaligned: bool = False
) -> Iterator[Union[BracketRecord, ValueError]]:
    """Read documents with mentions in brackets.

    A document begins with a line "# NAME | GENRE". Each other line is a paragraph, and
    may begin with the name of its speaker, such as "@Ann: ". Brackets mark mentions,
    such as in "[a her [b sister]]". Each one begins with the name of the entity, one to
    three letters or digits, and a space.

    path (Union[str, Path]): The file.
    drops_misaligned (bool): See BracketRecord.
    YIELDS (Union[BracketRecord, ValueError]): Each document, or an error that names the
        file and the line.
    """
    name = str(path)
    record = BracketRecord(name, 1, Path(path).stem)
    error: Optional[ValueError] = None
    with open_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.startswith(_HEADER):
                yield from _finish(record, error, drops_misaligned)
                key = line.removeprefix(_HEADER).partition("|")[0].strip()
                record = BracketRecord(name, number, f"{Path(path).stem}_{key}")
                error = None
            elif line.strip():
                try:
                    with name_line(name, number):
                        record.paragraphs.append(_read_paragraph(line, number))
                except ValueError as found:
                    error = error or found
    yield from _finish(record, error, drops_misaligned)


def _finish(
    record: BracketRecord, error: Optional[ValueError], drops_misaligned: bool
) -> Iterator[Union[BracketRecord, ValueError]]:
    if error is not None:
        yield error
    elif record.paragraphs:
        record.drops_misaligned = drops_misaligned
        yield record


def _read_paragraph(line: str, number: int) -> Paragraph:
    check_text(line)
    speaker, line = read_turn(line.strip())
    text, mentions = strip_brackets(line)
    return Paragraph(text, mentions, speaker, number)


def read_turn(line: str) -> Tuple[str, str]:
    """Read the speaker at the beginning of a line, such as in "@Ann: I left.".

    line (str): The line.
    RETURNS (Tuple[str, str]): The name of the speaker, "-" for none, and the rest of
        the line.
    """
    turn = _TURN.match(line)
    if turn is None:
        return NO_SPEAKER, line
    return turn.group(1).strip(), line[turn.end() :]


def strip_brackets(line: str) -> Tuple[str, List[Tuple[int, int, str]]]:
    """Remove the brackets from a text.

    line (str): The text.
    RETURNS (Tuple[str, List[Tuple[int, int, str]]]): The text without brackets, and the
        character offsets and the entity of each mention.
    RAISES (ValueError): A bracket is not closed or not opened, or has no entity.
    """
    pieces: List[str] = []
    opened: List[Tuple[int, str]] = []
    mentions = []
    size = last = 0
    for mark in _MARK.finditer(line):
        piece = line[last : mark.start()]
        pieces.append(piece)
        size += len(piece)
        last = mark.end()
        if mark.group(1):
            opened.append((size, mark.group(1)))
        elif mark.group() == "[":
            raise ValueError(f"no entity in {line[mark.start() : mark.start() + 20]!r}")
        elif opened:
            start, name = opened.pop()
            mentions.append((start, size, name))
        else:
            before = line[max(0, mark.start() - 20) : mark.end()]
            raise ValueError(f"the bracket at the end of {before!r} was never opened")
    if opened:
        raise ValueError(f"the bracket of {opened[-1][1]!r} is never closed")
    return "".join(pieces) + line[last:], mentions
