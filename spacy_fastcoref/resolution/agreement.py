"""Whether a replacement agrees with the mention and with the verb beside it."""

from functools import lru_cache
from typing import Dict, FrozenSet, Optional

from spacy.tokens import Span, Token

from ..languages.kinds import is_name, is_pronoun
from ..languages.lexicon import Lexicon, get_lexicon
from ..tokens.index import get_heads

SINGULAR, PLURAL = "Sing", "Plur"
# Between a subject and its verb there are at most this many adverbs and negations.
_MAX_ADVERBS = 2


def agrees(mention: Span, by: Span) -> bool:
    """Tell whether a mention can be replaced without a change of number.

    mention (Span): The mention that is to be replaced.
    by (Span): The mention to put in its place.
    RETURNS (bool): False for a plural mention and one person or thing ("they", "Sue"),
        for a singular pronoun and several ("she", "Tom and Sue"), and where the verb
        beside the pronoun would not fit ("I am"). What has no known number agrees with
        everything.
    """
    number, other = find_number(mention), find_number(by)
    if number and other and number != other:
        # Nouns can be collective: "the couple" for "Tom and Sue".
        is_collective = number == SINGULAR and not _is_pronoun(mention)
        if not is_collective:
            return False
    forms = get_lexicon(mention.doc.lang_).verbs.get(mention.text.lower())
    return forms is None or other != SINGULAR or not _has_verb(mention, forms)


def find_number(mention: Span) -> Optional[str]:
    """Find the grammatical number of a mention.

    mention (Span): The mention.
    RETURNS (Optional[str]): "Sing" or "Plur" by what is joined, the lexicon, the
        morphology and the noun's ending; None if it is open, as of "you".
    """
    doc = mention.doc
    lexicon = get_lexicon(doc.lang_)
    if _is_pronoun(mention):
        return _find_pronoun_number(mention[0])
    heads = get_heads(doc, mention.start, mention.end)
    is_joined = len(heads) > 1
    if not doc[mention.start].has_dep():
        is_joined = any(token.lower_ in lexicon.coordinators for token in mention)
    if is_joined:
        return PLURAL
    head = doc[heads[0]]
    number = _find_noun_number(head, lexicon)
    if is_name(head) and number != SINGULAR:
        # "Charles" is one, "the Beatles" are several, "the United States" can be both.
        is_annotated = bool(head.morph.get("Number"))
        has_determiner = mention[0].lower_ in lexicon.determiners
        return None if is_annotated or has_determiner else SINGULAR
    return number


def _is_pronoun(mention: Span) -> bool:
    return len(mention) == 1 and is_pronoun(mention[0])


def _find_pronoun_number(token: Token) -> Optional[str]:
    numbers = _read_numbers(token.doc.lang_)
    if token.lower_ in numbers:
        return numbers[token.lower_]
    # The number of a possessive may be that of the noun: "ses livres".
    if "Yes" in token.morph.get("Poss"):
        return next(iter(token.morph.get("Number[psor]")), None)
    return next(iter(token.morph.get("Number")), None)


@lru_cache(maxsize=None)
def _read_numbers(lang: str) -> Dict[str, Optional[str]]:
    """Map pronouns to their number. One that can be plural is taken for plural: even
    of one person "they" asks for a plural verb."""
    numbers: Dict[str, Optional[str]] = {}
    for features, forms in get_lexicon(lang).features.items():
        given = dict(feature.split("=") for feature in features.split("|"))
        for form in forms.split():
            if numbers.get(form) != PLURAL:
                numbers[form] = given.get("Number")
    return numbers


def _find_noun_number(noun: Token, lexicon: Lexicon) -> Optional[str]:
    number = noun.morph.get("Number")
    if number:
        return PLURAL if PLURAL in number else SINGULAR
    if not lexicon.plural_endings:
        return None
    form = noun.lower_
    has_ending = form.endswith(lexicon.plural_endings)
    is_plural = has_ending and not form.endswith(lexicon.singular_endings)
    return PLURAL if is_plural or form in lexicon.plurals else SINGULAR


def _has_verb(mention: Span, forms: FrozenSet[str]) -> bool:
    """Tell whether one of these verb forms, or a plural verb, has this subject."""
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    # "Do you know?", "Don't you know?"
    before = mention.start - 1
    before -= before > 0 and doc[before].lower_ in lexicon.negations
    if before >= 0 and doc[before].lower_ in forms:
        return True
    adverbs = lexicon.not_nouns | lexicon.modifiers | lexicon.degrees
    for token in doc[mention.end : mention.end + _MAX_ADVERBS + 1]:
        if token.lower_ not in adverbs:
            return token.lower_ in forms or _is_plural_verb(token)
    return False


def _is_plural_verb(token: Token) -> bool:
    morph = token.morph
    is_present = "Pres" in morph.get("Tense") and "Fin" in morph.get("VerbForm")
    return is_present and "3" not in morph.get("Person")
