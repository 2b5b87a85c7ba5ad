"""The capital letter at the start of a replacement."""

from functools import cached_property
from typing import FrozenSet, Optional

from spacy.symbols import ADJ, DET, NOUN, NUM
from spacy.tokens import Doc, Token

from ..languages.kinds import is_pronoun
from ..languages.lexicon import get_lexicon

_SENTENCE_ENDS = frozenset(".!?…")
_OPENERS = frozenset("\"'“‘”’«»„([{—–-*")
_LOWER_POS = frozenset((ADJ, NUM, DET))


class Capitals:
    """Write replacements with the capital letter that their place asks for.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.lexicon = get_lexicon(doc.lang_)

    def adjust(self, text: str, first: Optional[Token], place: Token) -> str:
        """Give a text the first letter that its place asks for.

        text (str): The text.
        first (Optional[Token]): The token of the Doc that the text begins with; None
            for a text that is not from the Doc.
        place (Token): The first token of the mention that it replaces.
        RETURNS (str): The text. It begins with a capital letter at the start of a
            sentence. Elsewhere it keeps the letter of its first token, without the
            capital that this has only because it starts a sentence itself.
        """
        if starts_sentence(place):
            return text[0].upper() + text[1:]
        if first is None:
            return text
        letter = first.text[0]
        if starts_sentence(first) and self._is_lower(first):
            letter = letter.lower()
        return letter + text[1:]

    def _is_lower(self, token: Token) -> bool:
        """Tell whether a token that starts a sentence is in lower case elsewhere."""
        if not token.text.istitle() or token.lower_ in self.lexicon.capitalised:
            return False
        if token.lower_ in self.lexicon.determiners or is_pronoun(token):
            return True
        is_noun = token.pos == NOUN and not self.lexicon.capitalises_nouns
        if not is_noun and token.pos not in _LOWER_POS:
            return False
        # "American soldiers"
        return not token.ent_type and token.orth not in self._capitalised_inside

    @cached_property
    def _capitalised_inside(self) -> FrozenSet[int]:
        """The words that have a capital letter somewhere inside a sentence."""
        return frozenset(
            token.orth
            for token in self.doc
            if token.text.istitle() and not starts_sentence(token)
        )


def starts_sentence(token: Token) -> bool:
    """Tell whether a token starts a sentence, or a quotation that does.

    token (Token): The token.
    RETURNS (bool): By the sentence boundaries, or without them by the punctuation.
    """
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
