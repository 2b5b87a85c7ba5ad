"""Choose the form in which a phrase fits the place of the mention that it replaces."""

from functools import lru_cache
from typing import Dict, FrozenSet, Optional

from spacy.symbols import DET
from spacy.tokens import Span, Token

from ..clusters.index import get_heads
from ..grammar.kinds import is_acronym, is_name, is_pronoun
from ..grammar.lexicon import Lexicon, get_lexicon
from ..grammar.word_index import is_sign


def fit_place(by: Span, mention: Span) -> Optional[Dict[int, str]]:
    """Choose new words, with the white space after each, for some tokens of a phrase in
    the place of a mention: "a dog" is taken up as "the dog", "einen Hund" for "ihm" as
    "dem Hund". None if no form fits."""
    lexicon = get_lexicon(by.doc.lang_)
    place = mention.text.lower()
    if place in lexicon.before_verbs:
        return None
    if lexicon.declines_names:
        # It has to have the case of the mention.
        pair = [
            (span, get_heads(span.doc, span.start, span.end)) for span in (by, mention)
        ]
        cases = [span.doc[heads[0]].morph.get("Case") for span, heads in pair]
        return {} if cases[0] and cases[0] == cases[1] else None
    article = by[0]
    forms = lexicon.definite_articles.get(article.lower_)
    if forms is None or len(by) == 1:
        return {}
    if not stands_alone(mention):
        return {} if article.lower_ in lexicon.definites else None
    # Without a form for the place, that for any.
    form = forms.get(place, forms.get(""))
    if form is None or form == article.lower_:
        return None if form is None else {}
    words = {article.i: form + article.whitespace_}
    if lexicon.elisions and form in lexicon.elisions:
        # "L'ami" for "un ami".
        letter = by[1].lower_[:1]
        if letter in lexicon.elisions["open"]:
            return {article.i: lexicon.elisions[form]}
        # Some words with such a letter elide the article, and others do not.
        return None if letter in lexicon.elisions["unknown"] else words
    return _add_weak_endings(words, by, form, place, lexicon)


def _add_weak_endings(
    words: Dict[int, str], by: Span, form: str, place: str, lexicon: Lexicon
) -> Optional[Dict[int, str]]:
    """Give the adjectives after a definite article their endings."""
    endings = lexicon.weak_endings
    if not endings:
        return words
    head = get_heads(by.doc, by.start, by.end)[0]
    # Weak nouns have endings of their own: "einen Jungen" is "der Junge".
    is_uncertain = by.doc[head].lower_.endswith(endings["uncertain_nouns"])
    if is_uncertain and place in endings["uncertain_places"]:
        return None
    for token in by.doc[by.start + 1 : head]:
        sizes = [n for n in (2, 1) if token.text[-n:] in endings["adjectives"]]
        sizes = [n for n in sizes if len(token) > n + 1]
        if not sizes:
            return None
        words[token.i] = token.text[: -sizes[0]] + endings[form] + token.whitespace_
    return words


SINGULAR, PLURAL = "Sing", "Plur"
# The maximum number of adverbs and negations between a subject and its verb.
_MAX_ADVERBS = 2


def agrees(mention: Span, by: Span) -> bool:
    """Check whether a replacement agrees in number with a mention, and with the verb
    next to a pronoun: not "Sue" with "they" or with "I am"."""
    number, other = _find_number(mention), _find_number(by)
    differs = number and other and number != other
    # A singular noun can be collective: "the couple" for "Tom and Sue".
    if differs and (number == PLURAL or stands_alone(mention)):
        return False
    forms = get_lexicon(mention.doc.lang_).verbs.get(mention.text.lower())
    return forms is None or other != SINGULAR or not _has_verb(mention, forms)


def _find_number(mention: Span) -> Optional[str]:
    """Find the grammatical number of a mention; None if it is unknown."""
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    if stands_alone(mention):
        numbers, morph = _read_numbers(doc.lang_), mention[0].morph
        if mention[0].lower_ in numbers:
            return numbers[mention[0].lower_]
        # A possessive agrees with its noun ("ses livres"); Number[psor] is the number
        # of the possessor.
        feature = "Number[psor]" if "Yes" in morph.get("Poss") else "Number"
        return next(iter(morph.get(feature)), None)
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


def stands_alone(mention: Span) -> bool:
    """Check whether a mention is a pronoun alone."""
    return len(mention) == 1 and is_pronoun(mention[0])


@lru_cache(maxsize=None)
def _read_numbers(lang: str) -> Dict[str, Optional[str]]:
    """Map pronouns to their number, if they can't have both."""
    found = {
        form: {number for given in readings for number in given.get("Number", ())}
        for form, readings in get_lexicon(lang).readings.items()
    }
    return {form: next(iter(one), None) for form, one in found.items() if len(one) < 2}


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
    """Check whether the mention is the subject of such a form or a plural verb."""
    doc, lexicon = mention.doc, get_lexicon(mention.doc.lang_)
    # The verb can come before the subject: "Do you know?", "Don't you know?"
    before = mention.start - 1
    before -= before > 0 and doc[before].lower_ in lexicon.negations
    if before >= 0 and doc[before].lower_ in forms:
        return True
    adverbs = lexicon.not_nouns | lexicon.modifiers | lexicon.degrees
    for token in doc[mention.end : mention.end + _MAX_ADVERBS + 1]:
        if token.lower_ not in adverbs:
            morph = token.morph
            is_present = "Pres" in morph.get("Tense") and "Fin" in morph.get("VerbForm")
            is_plural = is_present and "3" not in morph.get("Person")
            return token.lower_ in forms or is_plural
    return False


# Tags of the Penn Treebank and of STTS; labels of ClearNLP and of UD's subtypes.
_TAGS = frozenset(("PRP$", "WP$", "PPOSAT", "PPOSS"))
_DEPS = frozenset(("poss", "nmod:poss", "det:poss"))
# The lists of a lexicon with words that can't follow a possessive directly.
_FUNCTION_WORDS = (
    "determiners pronouns coordinators cutters clitics negations not_nouns".split()
)


def is_possessive(mention: Span) -> Optional[bool]:
    """Check whether a mention is a possessive; None without annotation and lists."""
    token, lexicon = mention[-1], get_lexicon(mention.doc.lang_)
    if len(mention) > 1:
        return token.lower_ in lexicon.clitics
    if not lexicon.possessives:
        return _is_annotated_possessive(token)
    if token.lower_ not in lexicon.possessives:
        return False
    if token.lower_ not in lexicon.objects:
        return True
    # "Her" can be both.
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
    """Guess without annotation whether a pronoun precedes a noun: it does if the next
    word, after modifiers ("her only son"), is no sign, function word or adverb."""
    lexicon = get_lexicon(token.doc.lang_)
    for after in token.doc[token.i + 1 :]:
        form = after.lower_
        if after.is_space and after.text.count("\n") < 2:
            continue
        if is_acronym(after):
            return True
        if form not in lexicon.modifiers | lexicon.degrees:
            lists = (getattr(lexicon, name) for name in _FUNCTION_WORDS)
            return not is_sign(form) and not any(form in words for words in lists)
    return False


_SENTENCE_ENDS = frozenset(".!?…")
_OPENERS = frozenset("\"'“‘”’«»„([{—–-*")


def starts_sentence(token: Token) -> bool:
    """Check whether a token is the first word of a sentence, after quotation marks, by
    the sentence boundaries, or by the punctuation if there are none."""
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
