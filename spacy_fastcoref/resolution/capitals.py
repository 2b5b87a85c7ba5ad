"""Adapt the first letter of a replacement to its position in the sentence."""

from functools import cached_property
from typing import FrozenSet, Optional

from spacy.symbols import ADJ, DET, NOUN, NUM
from spacy.tokens import Doc, Token

from ..grammar.kinds import is_pronoun
from ..grammar.lexicon import get_lexicon

_SENTENCE_ENDS = frozenset(".!?…")
_OPENERS = frozenset("\"'“‘”’«»„([{—–-*")
_LOWER_POS = frozenset((ADJ, NUM, DET))


class Capitals:
    """Adapt the first letter of replacements to their position in the sentence.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.lexicon = get_lexicon(doc.lang_)

    def adjust(self, text: str, first: Optional[Token], replaced: Token) -> str:
        """Write the first letter of a replacement in upper or lower case.

        text (str): The replacement.
        first (Optional[Token]): The token of the Doc that the replacement begins with;
            None if the text is not from the Doc.
        replaced (Token): The first token of the mention that is replaced.
        RETURNS (str): The replacement, with a capital letter at the start of a
            sentence. Elsewhere, it has the case of its first token, or lower case if
            that token is capitalised only because it starts a sentence.
        """
        if starts_sentence(replaced):
            return text[0].upper() + text[1:]
        if first is None:
            return text
        letter = first.text[0]
        if starts_sentence(first) and self._is_lower(first):
            letter = letter.lower()
        return letter + text[1:]

    def _is_lower(self, token: Token) -> bool:
        """Guess whether a token that starts a sentence is in lower case elsewhere."""
        if not token.text.istitle() or token.lower_ in self.lexicon.capitalised:
            return False
        if token.lower_ in self.lexicon.determiners or is_pronoun(token):
            return True
        is_noun = token.pos == NOUN and not self.lexicon.capitalises_nouns
        if not is_noun and token.pos not in _LOWER_POS:
            return False
        # An adjective can be capitalised anywhere: "American soldiers".
        return not token.ent_type and token.orth not in self._capitalised_inside

    @cached_property
    def _capitalised_inside(self) -> FrozenSet[int]:
        """The words that are capitalised somewhere inside a sentence."""
        return frozenset(
            token.orth
            for token in self.doc
            if token.text.istitle() and not starts_sentence(token)
        )


def starts_sentence(token: Token) -> bool:
    """Check whether a token is the first word of a sentence, after quotation marks.

    token (Token): The token.
    RETURNS (bool): Whether it is, according to the sentence boundaries, or to the
        punctuation if there are none.
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
