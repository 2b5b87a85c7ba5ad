"""Check whether a replacement agrees with the mention and with the adjacent verb."""

from functools import lru_cache
from typing import Dict, FrozenSet, Optional, Set

from spacy.tokens import Span, Token

from ..clusters.index import get_heads
from ..grammar.kinds import is_name, is_pronoun
from ..grammar.lexicon import Lexicon, get_lexicon

SINGULAR, PLURAL = "Sing", "Plur"
# The maximum number of adverbs and negations between a subject and its verb.
_MAX_ADVERBS = 2


def agrees(mention: Span, by: Span) -> bool:
    """Check whether a mention and its replacement agree in number.

    mention (Span): The mention that is to be replaced.
    by (Span): The replacement.
    RETURNS (bool): False if a plural mention would be replaced by a singular one
        ("they" by "Sue"), or a singular pronoun by a plural mention ("she" by "Tom and
        Sue"), or if the verb next to the pronoun would not agree with the replacement
        ("I am" and "Sue"). A mention of unknown number agrees with every replacement.
    """
    number, other = find_number(mention), find_number(by)
    if number and other and number != other:
        # A singular noun can be collective: "the couple" for "Tom and Sue".
        may_be_collective = number == SINGULAR and not _is_pronoun(mention)
        if not may_be_collective:
            return False
    forms = get_lexicon(mention.doc.lang_).verbs.get(mention.text.lower())
    return forms is None or other != SINGULAR or not _has_verb(mention, forms)


def find_number(mention: Span) -> Optional[str]:
    """Find the grammatical number of a mention.

    mention (Span): The mention.
    RETURNS (Optional[str]): "Sing" or "Plur", according to coordination, lexicon,
        morphology and the noun's ending; None if it is unknown, as for "you".
    """
    doc = mention.doc
    lexicon = get_lexicon(doc.lang_)
    if _is_pronoun(mention):
        return _find_pronoun_number(mention[0])
    heads = get_heads(doc, mention.start, mention.end)
    is_coordination = len(heads) > 1
    if not doc[mention.start].has_dep():
        is_coordination = any(token.lower_ in lexicon.coordinators for token in mention)
    if is_coordination:
        return PLURAL
    head = doc[heads[0]]
    number = _find_noun_number(head, lexicon)
    if is_name(head) and number != SINGULAR:
        # "Charles" is singular, "the Beatles" plural, "the United States" either.
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
    # A possessive agrees with its noun ("ses livres"); Number[psor] is the number of
    # the possessor.
    if "Yes" in token.morph.get("Poss"):
        return next(iter(token.morph.get("Number[psor]")), None)
    return next(iter(token.morph.get("Number")), None)


@lru_cache(maxsize=None)
def _read_numbers(lang: str) -> Dict[str, Optional[str]]:
    """Map pronouns to their number, if they can't have both.

    A pronoun that can be plural or of any number counts as plural, since "they" takes a
    plural verb even if it refers to one person.
    """
    found: Dict[str, Set[str]] = {}
    for features, forms in get_lexicon(lang).features.items():
        given = dict(feature.split("=") for feature in features.split("|"))
        for form in forms.split():
            numbers = found.setdefault(form, set())
            if "Number" in given:
                numbers.add(given["Number"])
    return {
        form: next(iter(numbers), None)
        for form, numbers in found.items()
        if len(numbers) < 2
    }


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
    """Check whether the mention is the subject of one of these verb forms, or of a
    plural verb."""
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    # The verb can come before the subject: "Do you know?", "Don't you know?"
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
