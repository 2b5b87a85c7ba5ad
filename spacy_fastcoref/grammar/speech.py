"""Read who speaks where, from turns with a speaker and from quotations."""

from functools import cached_property
from typing import Dict, FrozenSet, List, Sequence, Tuple, Union

import numpy as np
from spacy.attrs import SPACY
from spacy.tokens import Doc

from ..span_groups import read_group
from ..span_keys import SPEAKERS
from .lexicon import Lexicon
from .tokens import Tokens
from .word_index import JoinedDocs, Marks, Rows, is_sign, list_words

# The default marks, for a lexicon without quotation marks.
_OPEN, _CLOSE, _BOTH = "“ « ``", "” » ''", '"'


def get_marks(lexicon: Lexicon) -> Tuple[FrozenSet[str], FrozenSet[str]]:
    """Get the marks that open quotations, and those that close them.

    One in both, such as the straight mark, opens and closes quotations in turn.
    """
    marks = lexicon.quotes or {"open": _OPEN, "close": _CLOSE, "both": _BOTH}
    both, opening, closing = (
        frozenset(marks.get(kind, "").split()) for kind in ("both", "open", "close")
    )
    return opening | both, closing | both


def find_quotes(
    words: List[str],
    is_spaced: Sequence[int],
    marks: Tuple[FrozenSet[str], FrozenSet[str]],
) -> Rows:
    """Number the quotations of a text from 1 on; 0 outside of them.

    The end of a paragraph closes a quotation without a closing mark. A straight mark
    directly after a digit, with no space between them, means inches: 55".
    """
    opening, closing = marks
    if opening.isdisjoint(words):
        return np.zeros(len(words), dtype=np.int64)
    quotes = []
    n_quotes = inside = 0
    last = ""
    for word, has_space in zip(words, is_spaced, strict=True):
        quotes.append(0)
        follows_digit, last = last[-1:].isdigit(), "" if has_space else word
        opens, closes = word in opening, word in closing
        if opens and closes:
            opens, closes = not inside and not follows_digit, bool(inside)
        closes |= bool(inside) and word.isspace() and word.count("\n") > 1
        if opens:
            n_quotes += 1
            inside = n_quotes
        elif closes:
            inside = 0
        else:
            quotes[-1] = inside
    return np.array(quotes, dtype=np.int64)


# Signs other than quotation marks at which the speaker can change.
_TURNS = frozenset("— – -- - : ( ) [ ] ‘ ’ ' ` _ . ! ?".split())
_COLON = frozenset((":",))
# Signs between a quotation and its reporting verb.
_LINKS = frozenset(", – — -".split())
# A line with a colon among its first tokens can be a turn, with the speaker's name
# before the colon.
_LABEL = 4
# The maximum distance of the reporting verb from the quotation.
_REACH = 5


class Speech:
    """Hold the speakers and quotations of a document.

    ATTRIBUTES:
        speakers (Rows): The number of the speaker of each token; 0 if unknown.
        stretches (Rows): The number of the stretch of text between two signs at which
            the speaker can change: the end of a sentence, dashes, colons, brackets and
            quotation marks.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.speakers = number_speakers(tokens.doc)
        self._tokens, self._marks = tokens, get_marks(tokens.lexicon)
        self.stretches = np.cumsum(tokens.words.cased.find(_TURNS.union(*self._marks)))

    # Computed on demand, since many documents don't need it.
    @cached_property
    def quotes(self) -> Rows:
        """The number of the quotation of each token; 0 outside of quotations."""
        doc = self._tokens.doc
        return find_quotes(list_words(doc), doc.to_array(SPACY).tolist(), self._marks)

    @cached_property
    def is_narrated(self) -> Marks:
        """Tokens of a document in which one person, the narrator, speaks all text
        outside of quotations.

        This is the case in prose with quotations, but not in a chat with lines such as
        "Ann: I go.". Without quotation marks, it is unknown how direct speech is
        marked. If the speakers are known, the decision is left to the model.
        """
        words = self._tokens.words
        if not self.quotes.any():
            return np.zeros(len(self.quotes), dtype=bool)
        is_break = words.map(_count_breaks) > 0
        columns = np.arange(len(is_break))
        starts = np.where(np.append(True, is_break[:-1]), columns, 0)
        columns -= np.maximum.accumulate(starts)
        are_labels = words.find(_COLON) & (columns < _LABEL)
        is_quoted = words.count(self.quotes > 0) > 0
        is_known = words.count(self.speakers > 0) > 0
        return is_quoted & ~is_known & (words.count(are_labels) < 2)

    @cached_property
    def attributions(self) -> Tuple[Rows, Rows]:
        """See find_attributions."""
        words, lexicon = list_words(self._tokens.doc), self._tokens.lexicon
        verbs, openers = lexicon.reporting_verbs, lexicon.relatives
        return find_attributions(words, self.quotes, verbs, openers)


def _count_breaks(word: str) -> int:
    return word.count("\n")


def find_attributions(
    words: List[str],
    quotes: Rows,
    saying: FrozenSet[str],
    openers: FrozenSet[str] = frozenset(),
) -> Tuple[Rows, Rows]:
    """Find where the speaker of each quotation is mentioned.

    Examples are '"…," said Tom', '"…," he said' and 'Tom said: "…"'.

    A verb before one of the `openers` of clauses does not report the quotation: "he
    said that". By the number of the quotation, the token at which a mention of the
    speaker begins is returned, and the token after one; -1 if unknown.
    """
    begins, ends = np.full((2, int(quotes.max(initial=0)) + 1), -1)
    if not saying or not quotes.any():
        return begins, ends
    # Line breaks within paragraphs are ignored.
    pairs = enumerate(words)
    kept = [i for i, one in pairs if not one.isspace() or _count_breaks(one) > 1]
    lowered = [words[i].lower() for i in kept]
    quotes = quotes[kept]
    numbers, firsts = np.unique(quotes, return_index=True)
    lasts = len(kept) - 1 - np.unique(quotes[::-1], return_index=True)[1]
    for number, first, last in zip(
        numbers.tolist(), firsts.tolist(), lasts.tolist(), strict=True
    ):
        if number:
            before = _find_before(lowered, first, saying)
            # A colon introduces the quotation: 'Tom said: "…" She laughed.'
            is_introduced = max(before) >= 0 and lowered[first - 2] == ":"
            if not is_introduced:
                begins[number] = _find_after(lowered, last, saying, openers)
            if begins[number] < 0:
                begins[number], ends[number] = before
    # The last entry is that of -1. A mention ends after its last word.
    starts, stops = np.array([*kept, len(words), -1]), np.array([0, *kept, -2]) + 1
    return starts[begins], stops[ends]


def _find_after(
    words: List[str], last: int, saying: FrozenSet[str], openers: FrozenSet[str]
) -> int:
    # The word after the closing quotation mark.
    start = last + 2
    if words[start : start + 1] and words[start] in _LINKS:
        start += 1
    for verb in range(start, min(start + _REACH, len(words))):
        if is_sign(words[verb]):
            return -1
        if words[verb] in saying:
            break
    else:
        return -1
    if verb == start:
        return start + 1
    # After a full stop, the verb belongs to another sentence: '"She was in love." He
    # laughed.'
    is_over = words[last] == "."
    is_over |= not openers.isdisjoint(words[verb + 1 : verb + 2])
    return -1 if is_over else start


def _find_before(
    words: List[str], first: int, saying: FrozenSet[str]
) -> Tuple[int, int]:
    # The sign before the opening quotation mark.
    end = first - 2
    if end < 1 or words[end] not in (",", ":"):
        return -1, -1
    for verb in range(end - 1, max(end - 1 - _REACH, -1), -1):
        if is_sign(words[verb]):
            break
        if words[verb] in saying:
            is_first = verb == 0 or is_sign(words[verb - 1])
            return (verb + 1, -1) if is_first else (-1, verb)
    return -1, -1


def number_speakers(doc: Union[Doc, JoinedDocs]) -> Rows:
    """Number the speaker of each token from 1 on, in the order of their first turns.

    Each span in doc.spans["speakers"] is a turn, and its label is the speaker. Outside
    of turns and in turns without a label, the number is 0.
    """
    if isinstance(doc, JoinedDocs):
        return doc.collect(number_speakers)
    speakers = np.zeros(len(doc), dtype=np.int64)
    # Span.label is 0 without a label.
    numbers: Dict[int, int] = {0: 0}
    for turn in read_group(doc, SPEAKERS):
        speakers[turn.start : turn.end] = numbers.setdefault(turn.label, len(numbers))
    return speakers
