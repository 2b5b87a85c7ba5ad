"""Find the quotations of a text: between marks, after dashes, and in scripts."""

import re
from functools import lru_cache
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from ..grammar.lexicon import Lexicon
from ..grammar.speech import get_marks
from ..types import Offsets

# Marks that open and close each other, whatever a language does with them.
_FAMILIES = (("“", "”", "„", '"'), ("``", "''", '"'), "«»", "‘’‚", "‹›")
_MARK = re.compile(r"``|''|[“”„\"«»‘’‚'‹›]")
_SINGLE = frozenset("‘’‚'")
# A blank line, or a line that begins with a dash.
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*|(?<=[.!?…:])\s*\n(?=\s*[—–―-]\s*\w)")
# Without blank lines, a line can end inside of a sentence.
_LINE_END = re.compile(r"(?<=[.!?…:;\"'»”“’)\]—–-])[^\S\n]*\n\s*")
_DASH = re.compile(r"\s*(?:[—–―]\s*|--?\s+)(?=\S)")
_INNER_DASH = re.compile(r"\s[—–―-]{1,2}\s")
# The name before a colon, and what an actor does: "Ann (laughing): Yes."
_LABEL = r"(\w[\w.'’-]*(?:[^\S\n][\w.'’-]+){0,3})"
_LINE = re.compile(rf"(?m)^[^\S\n]*{_LABEL}(?:[^\S\n]*\([^)\n]*\))?:[^\S\n]+(?=\S)")
# Where a mark is in a text, a dash, or the name of a speaker.
Mark = re.Match[str]


class Quotation(NamedTuple):
    """Hold a quotation by character offsets, without its marks and with them (`outer`).

    depth (int): The number of quotations that it is in.
    is_closed (bool): Whether it ends with a mark, or needs none.
    label (Optional[Offsets]): The name before the colon, in a script.
    """

    start: int
    end: int
    outer: Offsets
    paragraph: int
    depth: int = 0
    is_closed: bool = True
    label: Optional[Offsets] = None


def split_paragraphs(text: str) -> List[Offsets]:
    """Split a text at blank lines, or else at lines that end like sentences."""
    pattern = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else _LINE_END
    breaks = [match.span() for match in pattern.finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(text)]
    return list(zip(starts, ends, strict=True))


def find_quotations(text: str, lexicon: Lexicon) -> List[Quotation]:
    """Find the quotations of a text, an outer one before those that it has."""
    found: List[Quotation] = []
    lines = _find_lines(text)
    for number, (start, end) in enumerate(split_paragraphs(text)):
        inside = [line for line in lines if start <= line.start() < end]
        starts = [*(line.start() for line in inside), end]
        limit = starts[0]
        dash = _DASH.match(text, start, limit)
        if dash and lexicon.quotes.get("dash") and _is_speech(text, dash, limit):
            parts = _split_dashes(text, dash.end(), limit, lexicon)
            found += [Quotation(a, z, (start, z), number) for a, z in parts]
        else:
            for one in _scan(text, start, limit, lexicon, number):
                found += _cut(text, one, lexicon)
        for line, after in zip(inside, starts[1:], strict=True):
            said = line.end(), len(text[:after].rstrip())
            found.append(Quotation(*said, said, number, label=line.span(1)))
    return [one for one in sorted(found) if text[one.start : one.end].strip()]


def _find_lines(text: str) -> List[Mark]:
    """Find lines that begin with a speaker."""
    found = [match for match in _LINE.finditer(text) if match[1][0].isupper()]
    labels = [match[1] for match in found]
    # "Note: …" alone makes no script.
    is_script = 1 < len({*labels}) < len(labels)
    words = [word for label in labels for word in label.split()]
    is_script |= len(labels) > 1 and all(word[0].isupper() for word in words)
    return found if is_script else []


def _is_speech(text: str, dash: Mark, end: int) -> bool:
    """Check that a paragraph with a dash is no item of a list: it is a sentence."""
    is_long = dash[0].strip() in ("—", "―")
    return is_long or text[dash.end() : end].rstrip(' \n»”"')[-1:] in ".!?…—–:"


def _scan(
    text: str, start: int, end: int, lexicon: Lexicon, paragraph: int
) -> Iterator[Quotation]:
    """Yield the quotations between marks of a paragraph."""
    stack: List[Mark] = []
    done: List[Quotation] = []

    def close(opener: Mark, stop: int, outer: int, *rest: Any) -> None:
        span = opener.end(), stop, (opener.start(), outer)
        done.append(Quotation(*span, paragraph, *rest))

    marks = list(_MARK.finditer(text, start, end))
    for i, mark in enumerate(marks):
        opener = _find_opener(stack, mark[0])
        if _opens(text, mark, opener, lexicon, marks[i + 1 :]):
            if opener is not None and mark[0] == opener[0] == '"':
                # The one before was never closed.
                close(opener, mark.start(), mark.start(), 0, False)
                stack.clear()
            stack.append(mark)
        elif opener is not None and _closes(text, mark, marks[i + 1 :]):
            del stack[stack.index(opener) :]
            close(opener, *mark.span(), len(stack))
    # Of those never closed, the outermost lasts until the end of the paragraph.
    for opener in stack[:1]:
        goes_on = re.compile(r"\s*" + re.escape(opener[0])).match(text, end)
        if opener[0] not in _SINGLE or goes_on:
            close(opener, end, end, 0, False)
        else:
            yield from _scan(text, opener.end(), end, lexicon, paragraph)
            done = [one for one in done if one.outer[0] < opener.start()]
    yield from done


def _find_opener(stack: List[Mark], mark: str) -> Optional[Mark]:
    """Find the innermost open mark that a mark can close."""
    others = {mark}.union(*(family for family in _FAMILIES if mark in family))
    return next((opener for opener in reversed(stack) if opener[0] in others), None)


def _get_neighbours(text: str, mark: Mark) -> Tuple[str, str]:
    """Get the characters before and after a mark."""
    start, end = mark.span()
    return text[max(start - 1, 0) : start], text[end : end + 1]


def _opens(
    text: str, mark: Mark, opener: Optional[Mark], lexicon: Lexicon, later: List[Mark]
) -> bool:
    before, after = _get_neighbours(text, mark)
    is_free = not (before.isalnum() or before in tuple(".,!?…;"))
    is_tight = bool(after) and not after.isspace()
    opening, closing = get_marks(lexicon)
    if mark[0] in _SINGLE:
        # An apostrophe has a letter before it, or nothing that closes it.
        can_close = any(m[0] in _SINGLE and _closes(text, m, []) for m in later)
        is_opener = mark[0] != "’" or "’" in opening
        # A speech of several paragraphs.
        can_close |= mark[0] in "‘'" and before in ("", "\n")
        return is_opener and opener is None and is_free and is_tight and can_close
    if mark[0] in opening and mark[0] in closing:
        if opener is None:
            return not (before.isdigit() and not after.isalpha())
        return (not before.strip()) and is_tight and mark[0] == '"'
    if mark[0] in opening:
        return opener is None or is_free
    # A mark of another language's.
    return opener is None and is_free and is_tight


def _closes(text: str, mark: Mark, later: List[Mark]) -> bool:
    if mark[0] not in _SINGLE:
        return True
    before, after = _get_neighbours(text, mark)
    if mark[0] == "‚" or not before.strip() or after.isalnum():
        return False
    # "The boys' house": what closes comes after a stop, if anything does.
    nearest = (text[m.start() - 1] for m in later if m[0] in _SINGLE)
    is_last = next(nearest, "s") not in ".,!?…—–-"
    is_sure = before in ".,!?…—–-"
    return is_sure or (mark[0] == "’" and (before != "s" or is_last))


@lru_cache(maxsize=None)
def _find_incises(lexicon: Lexicon) -> "re.Pattern[str]":
    """Make a pattern for clauses such as ", dit-il" inside of a quotation."""
    verbs = sorted(lexicon.reporting_verbs, key=len, reverse=True)
    words = "|".join(map(re.escape, verbs)) or "(?!)"
    return re.compile(
        rf"[,!?…—–]\s+(?:\w{{1,2}}['’]|\w\w\s)?(?:{words})(?!\w)[^.,!?;:—]*"
    )


def _cut(text: str, one: Quotation, lexicon: Lexicon) -> Iterator[Quotation]:
    """Cut out the clauses about the speaker between guillemets."""
    if text[one.outer[0]] != "«" or one.depth:
        yield one
        return
    parts = [*_split_incises(text, one.start, one.end, lexicon)]
    for i, (a, z) in enumerate(parts):
        is_last = i + 1 == len(parts)
        outer = a if i else one.outer[0], one.outer[1] if is_last else z
        is_closed = one.is_closed or not is_last
        yield one._replace(start=a, end=z, outer=outer, is_closed=is_closed)


def _split_incises(
    text: str, start: int, end: int, lexicon: Lexicon
) -> Iterator[Offsets]:
    for match in _find_incises(lexicon).finditer(text, start, end):
        yield start, match.start() + 1
        start = match.end() + 1
    if text[start:end].strip(" .,!?;:—–-»\n"):
        yield start, end


def _split_dashes(
    text: str, start: int, end: int, lexicon: Lexicon
) -> Iterator[Offsets]:
    """Yield what is said in a paragraph that begins with a dash."""
    stop = len(text[start:end].rstrip(' \n»”"')) + start
    pieces: List[Offsets] = []
    is_narrated = False
    breaks = [*_INNER_DASH.finditer(text, start, stop)]
    begins = [start, *(match.end() for match in breaks)]
    for a, z in zip(begins, [*(m.start() for m in breaks), stop], strict=True):
        words = re.findall(r"\w+", text[a:z].lower())[:4]
        is_cue = not lexicon.reporting_verbs.isdisjoint(words)
        is_cue |= lexicon.drops_subjects or text[:a].rstrip(" —–-")[-1:] in "!?…"
        is_narrated = not is_narrated and a > start and text[a].islower() and is_cue
        if not is_narrated:
            if pieces and not text[pieces[-1][1] : a].strip(" —–-―"):
                a = pieces.pop()[0]
            pieces.append((a, z))
    for a, z in pieces:
        yield from _split_incises(text, a, z, lexicon)
