"""Whether a verb agrees with what is put in the place of its subject."""

from typing import FrozenSet

from spacy.tokens import Span, Token

from ..languages.heads import find_heads
from ..languages.kinds import is_name
from ..languages.lexicon import get_lexicon

_REACH = 3


def breaks_agreement(mention: Span, by: Span) -> bool:
    """Tell whether a verb that stands beside a pronoun would not fit another subject.

    mention (Span): The mention that is to be replaced.
    by (Span): The mention to put in its place.
    RETURNS (bool): Whether the verb tells it: "I am", but not "I was", for a name. Of
        other verbs than auxiliaries a tagger has to tell.
    """
    lexicon = get_lexicon(mention.doc.lang_)
    forms = lexicon.verbs.get(mention.text.lower())
    return forms is not None and _has_verb(mention, forms) and _is_one(by)


def _has_verb(mention: Span, forms: FrozenSet[str]) -> bool:
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    # "Do you know?", "Don't you know?"
    before = mention.start - 1
    before -= before > 0 and doc[before].lower_ in lexicon.negations
    if before >= 0 and doc[before].lower_ in forms:
        return True
    adverbs = lexicon.not_nouns | lexicon.modifiers | lexicon.degrees
    for token in doc[mention.end : mention.end + _REACH]:
        if token.lower_ not in adverbs:
            return token.lower_ in forms or _is_plural_verb(token)
    return False


def _is_plural_verb(token: Token) -> bool:
    morph = token.morph
    is_present = "Pres" in morph.get("Tense") and "Fin" in morph.get("VerbForm")
    return is_present and "3" not in morph.get("Person")


def _is_one(mention: Span) -> bool:
    """Tell whether a mention is one person or thing, rather than several."""
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    heads = find_heads(doc, mention.start, mention.end)
    if len(heads) > 1 or any(t.lower_ in lexicon.coordinators for t in mention):
        return False
    head = doc[heads[0]]
    number = head.morph.get("Number")
    if number:
        return "Plur" not in number
    if is_name(head) and mention[0].lower_ not in lexicon.determiners:
        return True
    form = head.lower_
    is_plural = form in lexicon.plurals or form.endswith(lexicon.plural_endings)
    return not is_plural or form.endswith(lexicon.singular_endings)
