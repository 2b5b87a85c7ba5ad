"""Distinguish kinds of mentions: pronouns, nouns and names."""

from enum import IntEnum
from typing import Sequence, Tuple

from spacy.symbols import ADP, ADV, AUX, DET, PRON, PROPN, PUNCT, SCONJ, VERB
from spacy.tokens import Doc, Token

from .lexicon import get_lexicon
from .word_index import is_in_capitals, is_sign

_CUTTING_POS = frozenset((ADP, VERB, AUX, SCONJ, PUNCT))


class Kind(IntEnum):
    """List the kinds of mentions, from the least to the most informative."""

    # Or another mention without a noun, such as the verb of an event.
    PRONOUN = 0
    NOUN = 1
    NAME = 2


def is_pronoun(token: Token) -> bool:
    """Check whether a token is a pronoun, including possessives and reflexives."""
    lexicon = get_lexicon(token.doc.lang_)
    if is_acronym(token):
        return False
    if token.pos == PRON:
        return True
    # Some annotation schemes tag "his" as a determiner, and words such as "damit" are
    # adverbs, so the word lists decide.
    lists = lexicon.pronouns, lexicon.possessives, lexicon.reflexives
    return token.pos in (0, ADV, DET) and any(token.lower_ in one for one in lists)


def is_acronym(token: Token) -> bool:
    """Check whether a token is an acronym with the form of a pronoun: "the US".

    It is in capitals while the adjacent words are not, and not tagged as a pronoun.
    """
    has_form = token.lower_ in get_lexicon(token.doc.lang_).acronyms
    if not has_form or token.pos == PRON or not is_in_capitals(token.text):
        return False
    doc, i = token.doc, token.i
    beside = (*doc[max(0, i - 1) : i], *doc[i + 1 : i + 2])
    return not any(is_in_capitals(one.text) for one in beside)


def find_kind(doc: Doc, start: int, end: int, heads: Sequence[int]) -> Kind:
    """Find the kind of a mention."""
    return max(_find_token_kind(doc[i], end - start == 1) for i in heads)


def _find_token_kind(token: Token, alone: bool) -> Kind:
    if is_acronym(token):
        return Kind.NAME
    is_nothing = is_pronoun(token) and (alone or token.pos == PRON)
    if alone and token.pos:
        is_nothing |= token.pos in _CUTTING_POS
    elif alone:
        lexicon = get_lexicon(token.doc.lang_)
        lists = lexicon.copulas, lexicon.cutters, lexicon.determiners
        is_nothing |= is_sign(token.text) or any(token.lower_ in one for one in lists)
    if is_nothing:
        return Kind.PRONOUN
    return Kind.NAME if is_name(token) else Kind.NOUN


def is_name(token: Token) -> bool:
    """Check whether a token is part of a proper name, by the tag, or without one by the
    entity label or the capital letter."""
    if token.pos:
        return token.pos == PROPN
    if token.ent_type or is_acronym(token):
        return True
    lexicon = get_lexicon(token.doc.lang_)
    if token.lower_ in lexicon.determiners or token.lower_ in lexicon.pronouns:
        return False
    is_noun = lexicon.capitalises_nouns and token.i
    # A capitalised noun with a determiner is not a name.
    if is_noun and token.nbor(-1).lower_ in lexicon.determiners:
        return False
    return token.text[:1].isupper()


def find_main(
    doc: Doc, mentions: Sequence[Tuple[int, int]], heads: Sequence[Sequence[int]]
) -> int:
    """Choose the first of the most informative mentions of a cluster."""
    pairs = zip(mentions, heads, strict=True)
    ratings = [rate_mention(doc, *mention, tokens) for mention, tokens in pairs]
    return max(range(len(ratings)), key=ratings.__getitem__, default=0)


def rate_mention(
    doc: Doc, start: int, end: int, heads: Sequence[int]
) -> Tuple[int, ...]:
    """Rate how informative a mention is, to choose the main mention of a cluster.

    Among names, the one with most name words is chosen, and then the shortest: "Alice
    Walker" rather than "Alice" or "Alice Walker, who sings".
    """
    kind = find_kind(doc, start, end, heads)
    if kind != Kind.NAME:
        return (kind,)
    left, right = heads[0], heads[0] + 1
    while left > start and is_name(doc[left - 1]):
        left -= 1
    while right < end and is_name(doc[right]):
        right += 1
    return kind, right - left, start - end
