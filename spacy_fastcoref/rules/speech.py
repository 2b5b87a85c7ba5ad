"""Who may be speaking where: turns with a speaker, and quoted speech."""

from functools import cached_property
from typing import FrozenSet, List

import numpy as np
from spacy.tokens import Doc

from ..tokens.clusters import SPEAKERS
from ..tokens.words import list_words
from .words import WordIndex

_OPENING = frozenset(("“", "«", "„", "``"))
_CLOSING = frozenset(("”", "»", "''"))
_EITHER = frozenset(('"',))
_TURNS = (
    _OPENING
    | _CLOSING
    | _EITHER
    | frozenset("— – -- - : ( ) [ ] ‘ ’ ' ` _ . ! ?".split())
)


class Speech:
    """Hold who speaks each token.

    doc (Doc): The document; its turns are doc.spans["speakers"].
    words (WordIndex): Its words.
    saying (FrozenSet[str]): The verbs of the language that stand beside speech.

    ATTRIBUTES, each of shape (n_tokens,), int64:
        speakers (numpy.ndarray): The number of the speaker, 0 if not known.
        stretches (numpy.ndarray): The number of the stretch of text between signs at
            which the speaker may change: the end of a sentence, dashes, colons,
            brackets, quotation marks.
    """

    def __init__(
        self, doc: Doc, words: WordIndex, saying: FrozenSet[str] = frozenset()
    ) -> None:
        self.speakers = np.zeros(len(doc), dtype=np.int64)
        if SPEAKERS in doc.spans:
            numbers: dict = {}
            for turn in doc.spans[SPEAKERS]:
                number = numbers.setdefault(turn.label_, len(numbers) + 1)
                self.speakers[turn.start : turn.end] = number
        self.stretches = np.cumsum(words.cased.find(_TURNS))
        self._doc = doc
        self._saying = saying

    # Few documents have speakers, and the rule of who is quoted is off by default.
    @cached_property
    def quotes(self) -> np.ndarray:
        """Shape (n_tokens,), the number of the quotation, 0 outside of any."""
        return find_quotes(list_words(self._doc))

    @cached_property
    def quoted(self) -> np.ndarray:
        """Shape (n_tokens,), the token that names who speaks the quotation that a
        token is in, -1 where none is named beside it."""
        return find_quoted(list_words(self._doc), self.quotes, self._saying)


def find_quotes(words: List[str]) -> np.ndarray:
    """Number the quotations of a text.

    words (List[str]): Its tokens.
    RETURNS (numpy.ndarray): Shape (n_tokens,), from 1 on, 0 outside. A paragraph's end
        closes a quotation that nothing else does.
    """
    if not (_OPENING | _EITHER).intersection(words):
        return np.zeros(len(words), dtype=np.int64)
    quotes = []
    n_quotes = inside = 0
    for word in words:
        quotes.append(0)
        if word in _EITHER:
            opens = not inside
        elif word in _OPENING:
            opens = True
        elif word in _CLOSING or (inside and word.isspace() and word.count("\n") > 1):
            opens = False
        else:
            quotes[-1] = inside
            continue
        if opens:
            n_quotes += 1
        inside = n_quotes if opens else 0
    return np.array(quotes, dtype=np.int64)


def find_quoted(
    words: List[str], quotes: np.ndarray, saying: FrozenSet[str]
) -> np.ndarray:
    """Find who is said to speak: "…," said Tom; "…," he said.

    words (List[str]): The tokens.
    quotes (numpy.ndarray): Shape (n_tokens,), see find_quotes.
    saying (FrozenSet[str]): The verbs that stand beside speech.
    RETURNS (numpy.ndarray): Shape (n_tokens,), the token that names the speaker, which
        is one of a name or a pronoun, -1 where none is named.
    """
    quoted = np.full(len(words), -1)
    if not saying or not quotes.any():
        return quoted
    # The last token of each quotation; none of one that is empty.
    lasts = np.full(quotes.max() + 1, -1)
    lasts[quotes] = np.arange(len(words))
    speakers = np.full(len(lasts), -1)
    for number in (np.flatnonzero(lasts[1:] >= 0) + 1).tolist():
        # After the sign that closes it.
        after = int(lasts[number]) + 2
        pair = [word.lower() for word in words[after : after + 2]]
        if len(pair) == 2 and pair[1] in saying:
            speakers[number] = after
        elif len(pair) == 2 and pair[0] in saying:
            named = after + 1
            # The last word of "Tom Sawyer" and "Mr. Bennet".
            while (
                named + 1 < len(words)
                and words[named][:1].isupper()
                and words[named + 1][:1].isupper()
            ):
                named += 1
            speakers[number] = named
    return np.where(quotes > 0, speakers[quotes], -1)
