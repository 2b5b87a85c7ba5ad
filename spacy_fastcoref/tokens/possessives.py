"""Which words stand before what they own."""

from spacy.tokens import Span, Token

from .lexicon import get_lexicon


def is_possessive(mention: Span) -> bool:
    """Tell whether a mention stands before what it owns.

    mention (Span): The mention.
    RETURNS (bool): Whether it does: "Tom's" and "his", and "her" in "her book".
    """
    lexicon = get_lexicon(mention.doc.lang_)
    last = mention[-1]
    if len(mention) > 1:
        return last.lower_ in lexicon.clitics
    if last.lower_ not in lexicon.possessives:
        return False
    if last.lower_ not in lexicon.objects:
        return True
    if "Yes" in last.morph.get("Poss") or last.tag_.startswith("PRP$"):
        return True
    if last.pos or last.tag:
        return False
    return precedes_noun(last)


def precedes_noun(token: Token) -> bool:
    """Guess, without tags, whether a word belongs to a phrase that goes on after it.

    token (Token): A pronoun, such as "her" or "his".
    RETURNS (bool): Whether it does ("her book"), or stands for itself ("saw her
        yesterday").
    """
    if token.i + 1 >= len(token.doc):
        return False
    after = token.nbor()
    lexicon = get_lexicon(token.doc.lang_)
    return not (
        after.is_space
        or after.is_punct
        or after.lower_ in lexicon.cutters
        or after.lower_ in lexicon.determiners
        or after.lower_ in lexicon.pronouns
        or after.lower_ in lexicon.coordinators
        or after.lower_ in lexicon.not_nouns
        or after.lower_ in lexicon.clitics
    )
