"""Find the place of each token and mention in an SVG picture, which has no lines."""

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Dict, List, NamedTuple, Optional, Tuple

from spacy.tokens import Token

from .passage import Mention, Passage

# The width of a letter at 16 pixels in the monospaced fonts of all systems, and that of
# a digit of a number.
LETTER = 9.6
DIGIT = 7.0
_WIDE = frozenset("WF")
_WITHOUT_WIDTH = frozenset(("Mn", "Me", "Cf"))
_STRONG = {"L": False, "R": True, "AL": True}
_NUMBERS = ("EN", "AN")


class Word(NamedTuple):
    """Hold the place of a token.

    text (str): The token's text.
    line (int): Its line, from 0.
    x (float): Where it starts.
    width (float): Its width.
    """

    text: str
    line: int
    x: float
    width: float


class Segment(NamedTuple):
    """Hold the part of a mention that is in one line.

    mention (Mention): The mention.
    line (int): The line.
    x (float): Where it starts.
    end (float): Where it ends, after the numbers of all mentions that end here.
    number_x (float): Where its number starts.
    is_last (bool): Whether the mention ends here, and has its number here.
    """

    mention: Mention
    line: int
    x: float
    end: float
    number_x: float
    is_last: bool


@dataclass
class Layout:
    """Hold the places of all tokens and mentions.

    words (List[Word]): The tokens but white space.
    segments (List[Segment]): The parts of mentions.
    n_lines (int): The number of lines.
    width (float): The width of the longest line.
    """

    words: List[Word] = field(default_factory=list)
    segments: List[Segment] = field(default_factory=list)
    n_lines: int = 1
    width: float = 0.0


def lay_out(passage: Passage, n_letters: int) -> Layout:
    """Break a text into lines."""
    starts: Dict[int, List[Mention]] = {}
    ends: Dict[int, List[Mention]] = {}
    for mention in passage.mentions:
        starts.setdefault(mention.start, []).append(mention)
        ends.setdefault(mention.end, []).append(mention)
    writer = _Writer(starts, ends, n_letters * LETTER)
    unit: List[Token] = []
    for i in range(passage.start, passage.end):
        token = passage.doc[i]
        unit.append(token)
        if token.whitespace_ or token.is_space:
            writer.write(unit)
            unit = []
    if unit:
        writer.write(unit)
    writer.break_line()
    writer.layout.n_lines = writer.line
    return _turn_runs(writer.layout, passage.is_right_to_left)


class _Writer:
    """Write tokens in lines."""

    def __init__(
        self,
        starts: Dict[int, List[Mention]],
        ends: Dict[int, List[Mention]],
        width: float,
    ) -> None:
        self.starts = starts
        # What is inside ends first.
        self.ends = {
            i: sorted(some, key=attrgetter("level")) for i, some in ends.items()
        }
        self.width = width
        self.layout = Layout()
        self.line = 0
        self.x = 0.0
        self.written = 0.0
        self.open: Dict[Mention, float] = {}

    def write(self, tokens: List[Token]) -> None:
        """Write tokens between which no line may end."""
        needed = sum(
            measure(token.text) + self._measure_numbers(token) for token in tokens
        )
        if self.x and self.x + needed > self.width and not tokens[0].is_space:
            self.break_line()
        for token in tokens:
            for mention in self.starts.get(token.i, ()):
                self.open[mention] = self.x
            self._write_token(token)
            for mention in self.ends.get(token.i + 1, ()):
                number_x = self.x
                self.x += measure_number(mention.number)
                self._close(mention, self.x, number_x, True)
            self.written = self.x
            self.x += LETTER * len(token.whitespace_)

    def break_line(self) -> None:
        """Start a new line, in which the open mentions go on."""
        self.layout.width = max(self.layout.width, self.written)
        for mention in list(self.open):
            self._close(mention, self.written, self.written, False)
            self.open[mention] = 0.0
        self.line += 1
        self.x = self.written = 0.0

    def _write_token(self, token: Token) -> None:
        if not token.is_space:
            width = measure(token.text)
            self.layout.words.append(Word(token.text, self.line, self.x, width))
            self.x += width
            return
        # Two line breaks or more are one empty line.
        n_breaks = min(token.text.count("\n"), 2)
        for _ in range(n_breaks):
            self.break_line()
        if not n_breaks and self.x:
            self.x += LETTER * len(token.text)

    def _close(
        self, mention: Mention, end: float, number_x: float, is_last: bool
    ) -> None:
        start = self.open.pop(mention)
        if end > start:
            segment = Segment(mention, self.line, start, end, number_x, is_last)
            self.layout.segments.append(segment)

    def _measure_numbers(self, token: Token) -> float:
        ending = self.ends.get(token.i + 1, ())
        return sum(measure_number(mention.number) for mention in ending)


@lru_cache(maxsize=4096)
def measure(text: str) -> float:
    """Measure a text in a monospaced font."""
    n_letters = sum(
        0
        if unicodedata.category(letter) in _WITHOUT_WIDTH
        else 1 + (unicodedata.east_asian_width(letter) in _WIDE)
        for letter in text
    )
    return max(1, n_letters) * LETTER


def measure_number(number: int) -> float:
    """Measure the number of a cluster, with the space before it."""
    return 3 + DIGIT * len(str(number)) if number else 0.0


def _turn_runs(layout: Layout, is_right_to_left: bool) -> Layout:
    """Turn runs around, such as an English name of two words in an Arabic text.

    RETURNS (Layout): The places in both directions. A mention that is only in part in
        a run stays where it is.
    """
    words, segments = list(layout.words), list(layout.segments)
    for first, last in _find_runs(words, is_right_to_left):
        line, start = words[first].line, words[first].x
        inside = [
            i
            for i, segment in enumerate(segments)
            if segment.line == line and segment.x >= start
        ]
        end = words[last].x + words[last].width
        # The numbers of mentions that end with the run belong to it.
        for i in sorted(inside, key=lambda i: segments[i].number_x):
            if segments[i].is_last and abs(segments[i].number_x - end) < 1:
                end = segments[i].end
        for i in range(first, last + 1):
            word = words[i]
            words[i] = word._replace(x=start + end - word.x - word.width)
        for i in inside:
            if segments[i].end <= end:
                segments[i] = _turn(segments[i], start + end)
    return Layout(words, segments, layout.n_lines, layout.width)


def _turn(segment: Segment, ends: float) -> Segment:
    """Mirror a segment; `ends` is the sum of the ends of what is turned around."""
    width = measure_number(segment.mention.number) if segment.is_last else 0.0
    return segment._replace(
        x=ends - segment.end,
        end=ends - segment.x,
        number_x=ends - segment.number_x - width,
    )


def _find_runs(words: List[Word], is_right_to_left: bool) -> List[Tuple[int, int]]:
    """Find the first and the last word of each run of two words or more in a line."""
    runs: List[Tuple[int, int]] = []
    start: Optional[int] = None
    last = 0
    for i, word in enumerate(words):
        direction = _find_direction(word.text)
        is_against = direction is not None and direction != is_right_to_left
        if start is not None and word.line != words[start].line:
            runs.append((start, last))
            start = None
        if start is not None:
            # A number goes on in the direction of the letters before it.
            kind = unicodedata.bidirectional(word.text[0])
            if is_against or (direction is None and kind in _NUMBERS):
                last = i
            elif direction is not None:
                runs.append((start, last))
                start = None
        elif is_against:
            start = last = i
    if start is not None:
        runs.append((start, last))
    return [(first, last) for first, last in runs if last > first]


def _find_direction(text: str) -> Optional[bool]:
    """Find whether a word is written from right to left; None if it has no letters."""
    kinds = map(unicodedata.bidirectional, text)
    return next((_STRONG[kind] for kind in kinds if kind in _STRONG), None)
