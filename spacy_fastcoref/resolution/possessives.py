"""Check whether a mention is a possessive: "his", "Tom's", "her" in "her book"."""

from typing import Optional

from spacy.symbols import DET
from spacy.tokens import Span, Token

from ..grammar.kinds import is_acronym
from ..grammar.lexicon import get_lexicon

# Tags of the Penn Treebank and of STTS; labels of ClearNLP and of UD's subtypes.
_TAGS = frozenset(("PRP$", "WP$", "PPOSAT", "PPOSS"))
_DEPS = frozenset(("poss", "nmod:poss", "det:poss"))
# The lists of a lexicon with words that can't follow a possessive directly.
_FUNCTION_WORDS = (
    "determiners pronouns coordinators cutters clitics negations not_nouns".split()
)


def is_possessive(mention: Span) -> Optional[bool]:
    """Check whether a mention is a possessive.

    If a form can be an object or a possessive ("her"), the annotation decides. Without
    annotation, it is a possessive if the next word can be part of a noun phrase.

    mention (Span): The mention.
    RETURNS (Optional[bool]): Whether it is a possessive; None if this is unknown, since
        there is neither annotation nor a list of the language's possessives.
    """
    token = mention[-1]
    lexicon = get_lexicon(mention.doc.lang_)
    if len(mention) > 1:
        return token.lower_ in lexicon.clitics
    if not lexicon.possessives:
        return _is_annotated_possessive(token)
    if token.lower_ not in lexicon.possessives:
        return False
    if token.lower_ not in lexicon.objects:
        return True
    is_annotated = _is_annotated_possessive(token)
    return precedes_noun(token) if is_annotated is None else is_annotated


def _is_annotated_possessive(token: Token) -> Optional[bool]:
    if not (token.tag or token.dep or token.has_morph()):
        return True if token.pos == DET else None
    return (
        "Yes" in token.morph.get("Poss")
        or "Gen" in token.morph.get("Case")
        or token.tag_ in _TAGS
        or token.dep_ in _DEPS
        or token.pos == DET
    )


def precedes_noun(token: Token) -> bool:
    """Guess without annotation whether a pronoun precedes a noun.

    token (Token): A pronoun, such as "her".
    RETURNS (bool): False if the next word is punctuation, a function word or an adverb.
        Modifiers that can be adverbs or adjectives ("her only son", "her very old car")
        are skipped.
    """
    lexicon = get_lexicon(token.doc.lang_)
    for after in token.doc[token.i + 1 :]:
        form = after.lower_
        if after.is_space and after.text.count("\n") < 2:
            continue
        if is_acronym(after):
            return True
        if form not in lexicon.modifiers and form not in lexicon.degrees:
            is_word = any(character.isalnum() for character in form)
            return is_word and not any(
                form in getattr(lexicon, name) for name in _FUNCTION_WORDS
            )
    return False
