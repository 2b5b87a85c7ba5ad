"""Choose the form in which a phrase fits the place of the mention that it replaces."""

from typing import Dict, Optional, Tuple

from spacy.tokens import Span, Token

from ..clusters.index import get_heads
from ..grammar.kinds import is_pronoun
from ..grammar.lexicon import Lexicon, get_lexicon

# The place of a mention that a table of articles does not name.
_ANY_PLACE = ""


def fit_place(by: Span, mention: Span) -> Optional[Dict[int, str]]:
    """Choose the words that a phrase needs in the place of a mention.

    A phrase with an article is taken up with the definite one, in the gender and case
    that the pronoun shows: "a dog" as "the dog", German "einen Hund" for "ihm" as "dem
    Hund". The lexicon has the forms, see `Lexicon.definite_articles`.

    by (Span): The phrase.
    mention (Span): The mention that it replaces.
    RETURNS (Optional[Dict[int, str]]): The new text of some of the phrase's tokens,
        with the white space after each; empty if the phrase fits as it is, None if the
        language's grammar or lexicon gives no form that fits.
    """
    lexicon = get_lexicon(by.doc.lang_)
    place = mention.text.lower()
    if place in lexicon.before_verbs:
        return None
    if lexicon.declines_names:
        return {} if _have_one_case(by, mention) else None
    article = by[0]
    forms = lexicon.definite_articles.get(article.lower_)
    if forms is None or len(by) == 1:
        return {}
    if not (len(mention) == 1 and is_pronoun(mention[0])):
        return {} if article.lower_ in lexicon.definites else None
    form = forms.get(place, forms.get(_ANY_PLACE))
    if form is None or form == article.lower_:
        return None if form is None else {}
    words = {article.i: form + article.whitespace_}
    if lexicon.elisions and form in lexicon.elisions:
        return _elide(words, form, by[1], lexicon)
    return _add_weak_endings(words, by, form, place, lexicon)


def _have_one_case(by: Span, mention: Span) -> bool:
    """Check whether the heads of both are in the same case; False if it is unknown."""
    heads = (get_heads(span.doc, span.start, span.end)[0] for span in (by, mention))
    cases = [span.morph.get("Case") for span in (by.doc[head] for head in heads)]
    return bool(cases[0]) and cases[0] == cases[1]


def _elide(
    words: Dict[int, str], form: str, after: Token, lexicon: Lexicon
) -> Optional[Dict[int, str]]:
    """Elide an article before a vowel: French "l'ami" for "un ami"."""
    letter = after.lower_[:1]
    if letter in lexicon.elisions["open"]:
        return {after.i - 1: lexicon.elisions[form]}
    # Some words with such a letter elide the article, and others do not.
    return None if letter in lexicon.elisions["unknown"] else words


def _add_weak_endings(
    words: Dict[int, str], by: Span, form: str, place: str, lexicon: Lexicon
) -> Optional[Dict[int, str]]:
    """Give the adjectives after a definite article their endings, as in German."""
    endings = lexicon.weak_endings
    if not endings:
        return words
    head = get_heads(by.doc, by.start, by.end)[0]
    # Weak nouns have endings of their own: "einen Jungen" is "der Junge".
    is_uncertain = by.doc[head].lower_.endswith(endings["uncertain_nouns"])
    if is_uncertain and place in endings["uncertain_places"]:
        return None
    for token in by.doc[by.start + 1 : head]:
        stem = _strip_ending(token.text, endings["adjectives"])
        if stem is None:
            return None
        words[token.i] = stem + endings[form] + token.whitespace_
    return words


def _strip_ending(word: str, endings: Tuple[str, ...]) -> Optional[str]:
    for length in (2, 1):
        if word[-length:] in endings and len(word) > length + 1:
            return word[:-length]
    return None
