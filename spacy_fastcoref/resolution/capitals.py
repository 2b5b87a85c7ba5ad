"""The first letter of what is put in another place."""

from functools import cached_property
from typing import FrozenSet, Union

from spacy.symbols import ADJ, DET, NOUN, NUM
from spacy.tokens import Doc, Span, Token

from ..languages.kinds import is_pronoun
from ..languages.lexicon import get_lexicon

_SENTENCE_ENDS = frozenset(".!?…")
_OPENERS = frozenset("\"'“‘”’«»„([{—–-*")
_LOWER_POS = frozenset((ADJ, NUM, DET))


class Capitals:
    """Write first letters as their new places ask for.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.lexicon = get_lexicon(doc.lang_)

    def adjust(self, by: Union[Span, str], mention: Span, text: str) -> str:
        """Write a text as its new place asks for.

        by (Union[Span, str]): What the text is of.
        mention (Span): In whose place it is put.
        text (str): The text.
        RETURNS (str): The text, with another first letter perhaps.
        """
        if _starts_sentence(mention[0]):
            return text[0].upper() + text[1:]
        if isinstance(by, Span) and _starts_sentence(by[0]) and self._is_lower(by[0]):
            return text[0].lower() + text[1:]
        return text

    def _is_lower(self, token: Token) -> bool:
        """Tell whether a word that starts a sentence is in lower case elsewhere."""
        if not token.text.istitle():
            return False
        if token.lower_ in self.lexicon.determiners or is_pronoun(token):
            return token.text != "I"
        is_noun = token.pos == NOUN and not self.lexicon.capitalises_nouns
        if not is_noun and token.pos not in _LOWER_POS:
            return False
        # "American soldiers"
        return not token.ent_type and token.orth not in self._names

    @cached_property
    def _names(self) -> FrozenSet[int]:
        """The words that have a capital letter inside sentences."""
        return frozenset(
            token.orth
            for token in self.doc
            if token.text.istitle() and not _starts_sentence(token)
        )


def _starts_sentence(token: Token) -> bool:
    doc, i = token.doc, token.i
    while i and doc[i].is_sent_start is False and _is_opener(doc[i - 1]):
        i -= 1
    if doc[i].is_sent_start is not None:
        return doc[i].is_sent_start
    i -= 1
    while i >= 0 and (doc[i].is_space or _is_opener(doc[i])):
        i -= 1
    return i < 0 or doc[i].text[-1:] in _SENTENCE_ENDS


def _is_opener(token: Token) -> bool:
    return len(token) == 1 and token.text in _OPENERS
