"""Which tokens head a mention, and what kind of mention they make."""

from enum import IntEnum
from typing import List, Sequence, Tuple

from spacy.symbols import ADP, AUX, DET, NOUN, PRON, PROPN, PUNCT, SCONJ, VERB, conj
from spacy.tokens import Doc, Token

from .lexicon import Lexicon, get_lexicon

_CUTTING_POS = frozenset((ADP, VERB, AUX, SCONJ, PUNCT))
# How far up a parse is followed; a broken one can have cycles.
_MAX_DEPTH = 100
_NOUN_POS = frozenset((NOUN, PROPN, PRON))


class Kind(IntEnum):
    """Order the kinds of mention by how much they tell.

    PRONOUN is what names nothing by itself: a pronoun, or the verb of an event.
    """

    PRONOUN = 0
    NOUN = 1
    NAME = 2


def find_heads(doc: Doc, start: int, end: int) -> List[int]:
    """Find the tokens that head a mention.

    With a parse these are the root of the mention and its conjuncts inside it, so
    that "Peter and his wife" has two. Without one it is the head noun by position.

    doc (Doc): The document.
    start (int): The mention's first token.
    end (int): The token after its last.
    RETURNS (List[int]): Token indexes in text order, at least one.
    """
    if end - start == 1:
        return [start]
    # Doc.has_annotation would look at every token of the document each time.
    if doc[start].has_dep() and doc[end - 1].has_dep():
        return _find_heads_by_parse(doc, start, end)
    return [_find_head_by_position(doc, start, end)]


def _find_heads_by_parse(doc: Doc, start: int, end: int) -> List[int]:
    # Token.conjuncts walks the whole chain, past the mention, and never ends where a
    # broken parse has a cycle.
    tokens = [(token, token.head.i) for token in doc[start:end]]
    roots = [t for t, head in tokens if head == t.i or not start <= head < end]
    if not roots:
        return [start]
    # Of several roots the one nearest to the sentence's.
    root = roots[0] if len(roots) == 1 else min(roots, key=_find_depth)
    joined = {root.i}
    # In "[Bob and Eve]", said after "Ann,", both may be conjuncts of "Ann".
    first = root.head.i if root.dep == conj else root.i
    for token, head in tokens:
        if token.dep == conj and token.i > head and (head in joined or head == first):
            joined.add(token.i)
    return sorted(joined)


def _find_depth(token: Token) -> int:
    if token.head.i == token.i:
        return 0
    if (token.is_space or token.is_punct) and not (token.n_lefts or token.n_rights):
        return _MAX_DEPTH
    depth = 0
    while token.head.i != token.i and depth < _MAX_DEPTH:
        token = token.head
        depth += 1
    return depth


def _find_head_by_position(doc: Doc, start: int, end: int) -> int:
    lexicon = get_lexicon(doc.lang_)
    stop = _strip_end(doc, start, end, lexicon)
    first = start
    while first < stop - 1 and _precedes_head(doc[first], lexicon):
        first += 1
    # A possessor before the head is not the head: "Tom's dog".
    for i in range(stop - 2, first, -1):
        if doc[i].lower_ in lexicon.clitics:
            first = i + 1
            break
    cut = first + 1
    while cut < stop and not _cuts(doc[cut], lexicon):
        cut += 1
    nouns = [i for i in range(first, cut) if doc[i].pos in _NOUN_POS]
    if nouns:
        return nouns[-1] if lexicon.head == "last" else nouns[0]
    return cut - 1 if lexicon.head == "last" else first


def _strip_end(doc: Doc, start: int, end: int, lexicon: Lexicon) -> int:
    while end - start > 1 and (
        doc[end - 1].is_space
        or doc[end - 1].is_punct
        or doc[end - 1].lower_ in lexicon.clitics
    ):
        end -= 1
    return end


def _precedes_head(token: Token, lexicon: Lexicon) -> bool:
    if token.is_space or token.is_punct:
        return True
    # In "all of them" the determiner is all there is before the cut.
    is_determiner = token.pos == DET or token.lower_ in lexicon.determiners
    return is_determiner and not _cuts(token.nbor(), lexicon)


def _cuts(token: Token, lexicon: Lexicon) -> bool:
    if token.lower_ in lexicon.clitics or is_acronym(token):
        return False
    return (
        token.pos in _CUTTING_POS
        or token.lower_ in lexicon.cutters
        or token.lower_ in lexicon.coordinators
        or (token.is_punct and token.text not in {"-", "–", "."})
    )


def is_pronoun(token: Token) -> bool:
    """Tell whether a token is a pronoun, possessive and reflexive ones included.

    token (Token): The token.
    RETURNS (bool): By the tag where there is one, by the word list where not.
    """
    lexicon = get_lexicon(token.doc.lang_)
    if is_acronym(token):
        return False
    if token.pos == PRON:
        return True
    # Schemes differ on whether "his" is a determiner, so the list decides.
    return token.pos in (0, DET) and (
        token.lower_ in lexicon.pronouns
        or token.lower_ in lexicon.possessives
        or token.lower_ in lexicon.reflexives
    )


def is_acronym(token: Token) -> bool:
    """Tell whether a token is short for a name and looks like a pronoun: "the US".

    token (Token): The token.
    RETURNS (bool): Whether it is in capitals, which the words beside it are not, and
        no tag says that it is a pronoun.
    """
    is_like = token.lower_ in get_lexicon(token.doc.lang_).acronyms
    if not is_like or token.pos == PRON or not _is_loud(token):
        return False
    doc, i = token.doc, token.i
    return not any(map(_is_loud, (*doc[max(0, i - 1) : i], *doc[i + 1 : i + 2])))


def _is_loud(token: Token) -> bool:
    return len(token) > 1 and token.is_upper


def find_kind(doc: Doc, start: int, end: int, heads: Sequence[int]) -> Kind:
    """Tell what kind of mention this is.

    doc (Doc): The document.
    start (int): The mention's first token.
    end (int): The token after its last.
    heads (Sequence[int]): The mention's head tokens.
    RETURNS (Kind): The most telling kind among its heads.
    """
    return max(_find_token_kind(doc[i], end - start == 1) for i in heads)


def _find_token_kind(token: Token, alone: bool) -> Kind:
    if is_acronym(token):
        return Kind.NAME
    if is_pronoun(token) and (alone or token.pos == PRON):
        return Kind.PRONOUN
    if alone and _names_nothing(token):
        return Kind.PRONOUN
    return Kind.NAME if is_name(token) else Kind.NOUN


def _names_nothing(token: Token) -> bool:
    if token.pos:
        return token.pos in _CUTTING_POS
    lexicon = get_lexicon(token.doc.lang_)
    return (
        token.lower_ in lexicon.copulas
        or token.lower_ in lexicon.cutters
        or token.lower_ in lexicon.determiners
        or not any(character.isalnum() for character in token.text)
    )


def is_name(token: Token) -> bool:
    """Tell whether a token is (part of) a proper name.

    token (Token): The token.
    RETURNS (bool): By the tag where there is one, else by its entity label or its
        capital letter.
    """
    if token.pos:
        return token.pos == PROPN
    if token.ent_type or is_acronym(token):
        return True
    lexicon = get_lexicon(token.doc.lang_)
    if token.lower_ in lexicon.determiners or token.lower_ in lexicon.pronouns:
        return False
    if not token.text[:1].isupper():
        return False
    if lexicon.capitalises_nouns and token.i:
        # One with a determiner is no name.
        return token.nbor(-1).lower_ not in lexicon.determiners
    return True


def find_main(
    doc: Doc,
    mentions: Sequence[Tuple[int, int]],
    heads: Sequence[Sequence[int]],
) -> int:
    """Choose the mention that says best who a cluster is about.

    Names come before nouns before pronouns. Of names the one with most name words
    wins, then the shortest ("Alice Walker" before "Alice" and before "Alice Walker,
    who sings"), then the first; of nouns and pronouns the first.

    doc (Doc): The document.
    mentions (Sequence[Tuple[int, int]]): Token offsets of the cluster's mentions.
    heads (Sequence[Sequence[int]]): Their head tokens.
    RETURNS (int): The index of the main mention.
    """
    best, best_key = 0, None
    for i, ((start, end), mention_heads) in enumerate(
        zip(mentions, heads, strict=True)
    ):
        kind = find_kind(doc, start, end, mention_heads)
        key: Tuple[int, ...] = (kind,)
        if kind == Kind.NAME:
            n_words = _count_name_words(doc, start, end, mention_heads[0])
            key = (kind, n_words, start - end)
        if best_key is None or key > best_key:
            best, best_key = i, key
    return best


def _count_name_words(doc: Doc, start: int, end: int, head: int) -> int:
    left, right = head, head + 1
    while left > start and is_name(doc[left - 1]):
        left -= 1
    while right < end and is_name(doc[right]):
        right += 1
    return right - left
