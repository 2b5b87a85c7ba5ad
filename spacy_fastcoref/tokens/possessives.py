"""Which words stand before what they own."""

from spacy.tokens import Span, Token

from .lexicon import Lexicon, get_lexicon

_HYPHENS = frozenset("-‐‑")
_MARKUP = frozenset("*_`")
_OPENERS = frozenset("\"'“‘«([")


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
    doc, lexicon = token.doc, get_lexicon(token.doc.lang_)
    # What "very" stands before is an adjective, and the noun comes after that.
    n_words = 1
    for i in range(token.i + 1, len(doc)):
        after = doc[i]
        form = after.lower_
        if _is_within_phrase(after):
            continue
        if form in lexicon.degrees:
            n_words = 2
        elif form in lexicon.modifiers:
            n_words = 1
            if form in lexicon.time_starts and _tells_time(doc[i + 1 : i + 2], lexicon):
                return False
        elif _ends_phrase(after, lexicon):
            return False
        else:
            n_words -= 1
        if not n_words:
            return True
    return False


def _is_within_phrase(token: Token) -> bool:
    """Find a line break, a hyphen, and what marks words: "her *only* son"."""
    if token.is_space:
        # Not the end of a paragraph.
        return token.text.count("\n") < 2
    before = token.nbor(-1)
    follows_space = before.is_space or bool(before.whitespace_)
    precedes_space = bool(token.whitespace_)
    if token.text in _HYPHENS:
        return not (follows_space or precedes_space)
    if token.text in _MARKUP:
        return not (follows_space and precedes_space)
    is_opening = token.text in _OPENERS and follows_space and not precedes_space
    # A capital letter begins what is said: told her "Wait".
    return is_opening and not token.doc[token.i + 1 : token.i + 2].text[:1].isupper()


def _tells_time(after: Span, lexicon: Lexicon) -> bool:
    return any(token.lower_ in lexicon.time_words for token in after)


def _ends_phrase(token: Token, lexicon: Lexicon) -> bool:
    form = token.lower_
    return (
        not any(letter.isalnum() for letter in form)
        or form in lexicon.cutters
        or form in lexicon.determiners
        or form in lexicon.pronouns
        or form in lexicon.coordinators
        or form in lexicon.not_nouns
        or form in lexicon.clitics
    )
