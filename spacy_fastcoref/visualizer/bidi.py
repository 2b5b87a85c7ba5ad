"""Turn runs of words around that are written against the direction of their text."""

import unicodedata
from typing import List, Optional, Tuple

from .layout import Layout, Segment, Word, measure_number

_STRONG = {"L": False, "R": True, "AL": True}
_NUMBERS = ("EN", "AN")


def turn_runs(layout: Layout, is_right_to_left: bool) -> Layout:
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
