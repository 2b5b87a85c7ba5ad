"""Who may be speaking where: turns with a speaker, and quoted speech."""

from functools import cached_property
from typing import FrozenSet, List, Tuple

import numpy as np
from spacy.attrs import SPACY
from spacy.tokens import Doc

from ..languages.lexicon import Lexicon
from ..languages.quotes import find_quotes, get_marks
from ..languages.word_index import WordIndex, is_sign
from ..tokens.speakers import number_speakers
from ..tokens.words import list_words

# Other signs at which the speaker may change.
_TURNS = frozenset("— – -- - : ( ) [ ] ‘ ’ ' ` _ . ! ?".split())
_COLON = frozenset((":",))
# A line with a colon so near its start may be a turn of who stands before it.
_LABEL = 4
# So many words from a quotation its verb is looked for.
_REACH = 5


class Speech:
    """Hold who speaks each token.

    doc (Doc): The document; its turns are doc.spans["speakers"].
    words (WordIndex): Its words.
    lexicon (Lexicon): Its language's quotation marks and reporting verbs.

    ATTRIBUTES, each of shape (n_tokens,), int64:
        speakers (numpy.ndarray): The number of the speaker, 0 if not known.
        stretches (numpy.ndarray): The number of the stretch of text between signs at
            which the speaker may change: the end of a sentence, dashes, colons,
            brackets, quotation marks.
    """

    def __init__(self, doc: Doc, words: WordIndex, lexicon: Lexicon) -> None:
        self.speakers = number_speakers(doc)
        self.marks = get_marks(lexicon)
        signs = _TURNS | self.marks.opening | self.marks.closing
        self.stretches = np.cumsum(words.cased.find(signs))
        self._doc = doc
        self._words = words
        self._lexicon = lexicon

    # Many documents have no quotations.
    @cached_property
    def quotes(self) -> np.ndarray:
        """Shape (n_tokens,), the number of the quotation, 0 outside of any."""
        is_spaced = self._doc.to_array(SPACY) > 0
        return find_quotes(list_words(self._doc), is_spaced.tolist(), self.marks)

    @cached_property
    def has_narrator(self) -> bool:
        """Whether one person tells all that is in no quotation.

        That is so in prose with quotations, but not in a chat, "Ann: I go." line by
        line. Without quotation marks nobody knows how speech is marked, if at all; and
        where speakers are known, a model that is told them knows better.
        """
        if self.speakers.any() or not self.quotes.any():
            return False
        starts = self._words.map(_has_break) > 0
        starts = np.append(True, starts[:-1])
        places = np.arange(len(starts))
        places -= np.maximum.accumulate(np.where(starts, places, 0))
        are_labels = self._words.find(_COLON) & (places < _LABEL)
        return bool(are_labels.sum() < 2)

    @cached_property
    def attributions(self) -> Tuple[np.ndarray, np.ndarray]:
        """Each of shape (n_quotes + 1,), see find_attributions."""
        words, lexicon = list_words(self._doc), self._lexicon
        verbs, openers = lexicon.reporting_verbs, lexicon.relatives
        return find_attributions(words, self.quotes, verbs, openers)


def _has_break(word: str) -> bool:
    return "\n" in word


def find_attributions(
    words: List[str],
    quotes: np.ndarray,
    saying: FrozenSet[str],
    openers: FrozenSet[str] = frozenset(),
) -> Tuple[np.ndarray, np.ndarray]:
    """Find who is said to speak: "…," said Tom; "…," he said; Tom said: "…".

    words (List[str]): The tokens.
    quotes (numpy.ndarray): Shape (n_tokens,), see find_quotes.
    saying (FrozenSet[str]): The verbs beside direct speech.
    openers (FrozenSet[str]): Words with which a clause begins: what "he said that" is
        about is no quotation.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_quotes + 1,), the
        token at which a mention of the speaker begins, and the one before which it
        ends, -1 where that is not known; the first is of what is no quotation.
    """
    begins, ends = np.full((2, int(quotes.max(initial=0)) + 1), -1)
    if not saying:
        return begins, ends
    # Where a line is broken tells nothing.
    kept = [i for i, word in enumerate(words) if not _breaks_line(word)]
    lowered = [words[i].lower() for i in kept]
    quotes = quotes[kept]
    numbers, firsts = np.unique(quotes, return_index=True)
    lasts = len(kept) - 1 - np.unique(quotes[::-1], return_index=True)[1]
    for number, first, last in zip(
        numbers.tolist(), firsts.tolist(), lasts.tolist(), strict=True
    ):
        if number:
            begins[number] = _find_after(lowered, last, saying, openers)
            if begins[number] < 0:
                begins[number], ends[number] = _find_before(lowered, first, saying)
    # The last one is for -1, and a mention ends with the word before.
    starts, stops = np.array([*kept, len(words), -1]), np.array([0, *kept, -2]) + 1
    return starts[begins], stops[ends]


def _breaks_line(word: str) -> bool:
    return word.isspace() and word.count("\n") < 2


def _find_after(
    words: List[str],
    last: int,
    saying: FrozenSet[str],
    openers: FrozenSet[str],
) -> int:
    # After the sign that closes it.
    start = last + 2
    if words[start : start + 1] == [","]:
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
    # "She was in love." He laughed.
    is_over = words[last] == "."
    is_over |= not openers.isdisjoint(words[verb + 1 : verb + 2])
    return -1 if is_over else start


def _find_before(
    words: List[str], first: int, saying: FrozenSet[str]
) -> Tuple[int, int]:
    # Before the sign that opens it.
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
