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
from .word_index import JoinedDocs, Marks, Rows, find_next, is_sign, list_words

# The default marks, for a lexicon without quotation marks.
_OPEN, _CLOSE, _BOTH = "“ « ``", "” » ''", '"'


def get_marks(lexicon: Lexicon) -> Tuple[FrozenSet[str], FrozenSet[str]]:
    """Get the marks that open quotations, and those that close them; some do both."""
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

    The end of a paragraph closes one, too, and a straight mark after a digit is none.
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
    """Hold the speakers and quotations of a document."""

    def __init__(self, tokens: Tokens) -> None:
        # The number of the speaker of each token, 0 if unknown, and of the stretch of
        # text between two signs at which the speaker can change.
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
        """Tokens of a document of which one person narrates all but the quotations.

        This is prose with quotations, but not a chat with lines such as "Ann: I go.",
        or with known speakers, for which the decision is left to the model.
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
    """Find the speaker of each quotation: '"…," said Tom', 'Tom said: "…"'.

    By the number of the quotation, these are the token at which a mention of the
    speaker begins, and the token after one; -1 if unknown. A verb before one of the
    `openers` of clauses does not report the quotation: "he said that".
    """
    begins, ends = np.full((2, int(quotes.max(initial=0)) + 1), -1)
    if not saying or not quotes.any():
        return begins, ends
    # Line breaks within paragraphs are ignored.
    pairs = enumerate(words)
    kept = [i for i, one in pairs if not one.isspace() or _count_breaks(one) > 1]
    # What is after the last word is nothing.
    forms, n_words = [*(words[i].lower() for i in kept), "", ""], len(kept)
    is_mark = np.array([*map(is_sign, forms)])
    is_verb, is_opener, is_link, is_stop, is_comma, is_colon = (
        np.array([form in found for form in forms])
        for found in (saying, openers, _LINKS, {"."}, {","}, _COLON)
    )
    numbers, firsts = np.unique(quotes[kept], return_index=True)
    lasts = n_words - 1 - np.unique(quotes[kept][::-1], return_index=True)[1]
    # The words after the closing mark.
    start = np.minimum(lasts + 2, n_words)
    start += is_link[start]
    verb = find_next(is_verb, start)
    is_said = verb < np.minimum(start + _REACH, n_words)
    is_said &= verb < find_next(is_mark, start)
    # After a full stop, the verb belongs to another sentence: '"She was in love." He
    # laughed.'
    is_over = is_stop[lasts] | is_opener[np.minimum(verb + 1, n_words)]
    is_said &= (verb == start) | ~is_over
    after = np.where(is_said, start + (verb == start), -1)
    # The words before the opening mark, and the sign between.
    end = np.maximum(firsts - 2, 0)
    verb = n_words + 1 - find_next(is_verb[::-1], n_words + 2 - end)
    mark = n_words + 1 - find_next(is_mark[::-1], n_words + 2 - end)
    is_said = (end >= 1) & (is_comma | is_colon)[end] & (verb > mark)
    is_said &= verb >= np.maximum(end - _REACH, 0)
    is_first = (verb == 0) | is_mark[verb - 1]
    # A colon introduces the quotation: 'Tom said: "…" She laughed.'
    is_before = (is_said & is_colon[end]) | (after < 0)
    before = np.where(is_said & is_first, verb + 1, -1)
    begins[numbers] = np.where(is_before, before, after)
    ends[numbers] = np.where(is_before & is_said & ~is_first, verb, -1)
    begins[0] = ends[0] = -1
    # The last entry is that of -1. A mention ends after its last word.
    starts, stops = np.array([*kept, len(words), -1]), np.array([0, *kept, -2]) + 1
    return starts[begins], stops[ends]


def number_speakers(doc: Union[Doc, JoinedDocs]) -> Rows:
    """Number the speaker of each token from 1 on, in the order of their first turns; 0
    outside of turns, the spans in doc.spans["speakers"], and in those without a label.
    """
    if isinstance(doc, JoinedDocs):
        return doc.collect(number_speakers)
    speakers = np.zeros(len(doc), dtype=np.int64)
    # Span.label is 0 without a label.
    numbers: Dict[int, int] = {0: 0}
    for turn in read_group(doc, SPEAKERS):
        speakers[turn.start : turn.end] = numbers.setdefault(turn.label, len(numbers))
    return speakers
