"""Mentions -> their heads, and whether they join several, all at once."""

from typing import Optional, Tuple

import numpy as np

from ..languages.lexicon import get_lexicon
from ..languages.parse import Parse
from ..languages.word_index import WordIndex, is_sign
from .acronyms import find_acronyms

# What a mention's head is looked for in; longer ones have it near their start.
_WIDTH = 40
_COMMA, _HYPHEN = frozenset((",",)), frozenset(("-",))


def find_mention_heads(
    mentions: np.ndarray,
    parse: Parse,
    words: WordIndex,
    lang: str,
    begins_clause: Optional[np.ndarray] = None,
    follows_noun: Optional[np.ndarray] = None,
    is_opener: Optional[np.ndarray] = None,
) -> Tuple[np.ndarray, np.ndarray]:
    """Find each mention's head, by the parse or, without one, by position.

    mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    lang (str): The language, whose closed-class words end a phrase.
    begins_clause (Optional[numpy.ndarray]): Shape (n_tokens,), bool: words that, other
        than as a mention's first or last, end a phrase as well.
    follows_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool: words that do so as
        the last one, too.
    is_opener (Optional[numpy.ndarray]): Shape (n_tokens,), bool: words that a phrase
        begins with and that do not end it there.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Shape (n_mentions,), the head token,
        and bool, whether it is the first of several that are joined, as in "Peter and
        his wife".
    """
    starts, ends = mentions[:, :1].astype(np.int64), mentions[:, 1:].astype(np.int64)
    width = min(_WIDTH, int((ends - starts).max(initial=1)))
    window = starts + np.arange(width)
    inside = window < ends
    window = np.minimum(window, ends - 1)
    is_name = find_acronyms(parse, words, lang)
    # "The man who", other than "the WHO".
    ends_phrase = words.find(get_lexicon(lang).cutters) & ~is_name
    # "The on-call doctor"
    ends_phrase &= ~np.append(words.find(_HYPHEN)[1:], False)
    nothing = np.zeros(len(ends_phrase), dtype=bool)
    begins_clause, follows_noun, is_opener = (
        nothing if marks is None else marks
        for marks in (begins_clause, follows_noun, is_opener)
    )
    cuts = ends_phrase[window]
    # Not the last: "police building".
    cuts[:, 1:-1] |= begins_clause[window[:, 1:-1]] & inside[:, 2:]
    cuts[:, 1:] |= follows_noun[window[:, 1:]]
    # "Over 100 guests"
    opens = np.cumprod(is_opener[window] & inside, 1).astype(bool)
    by_position = _find_by_position(window, inside, words, cuts, opens, lang)
    if not parse.has_dep:
        return by_position
    heads, is_joined = _find_roots(window, inside, starts, ends, parse)
    # Parsers take the second name of "Ann, Ben and Eve" for an apposition.
    is_list = by_position[1] & _find_lists(window, inside, parse, words, lang)
    return heads, is_joined | is_list


def _find_lists(
    window: np.ndarray, inside: np.ndarray, parse: Parse, words: WordIndex, lang: str
) -> np.ndarray:
    """Find mentions that are all names, with a comma between some."""
    lexicon = get_lexicon(lang)
    is_comma = words.find(_COMMA)[window] & inside
    is_comma[:, 0] = False
    is_other = words.find(lexicon.determiners | lexicon.coordinators)[window]
    is_list = (parse.is_pos("PROPN")[window] | is_comma | is_other | ~inside).all(1)
    return is_list & is_comma.any(1)


def _find_roots(
    window: np.ndarray,
    inside: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    parse: Parse,
) -> Tuple[np.ndarray, np.ndarray]:
    above = parse.heads[window]
    is_root = inside & ((above < starts) | (above >= ends) | (above == window))
    heads = np.take_along_axis(window, is_root.argmax(1)[:, None], 1)[:, 0]
    first = parse.first_conjunct
    joined = inside & (window != heads[:, None])
    joined &= (first[window] == first[heads][:, None]) & parse.is_dep("conj")[window]
    return heads, joined.any(1)


def _find_by_position(
    window: np.ndarray,
    inside: np.ndarray,
    words: WordIndex,
    cuts: np.ndarray,
    opens: np.ndarray,
    lang: str,
) -> Tuple[np.ndarray, np.ndarray]:
    lexicon = get_lexicon(lang)
    is_clitic = words.find(lexicon.clitics)[window]
    is_joint = words.find(lexicon.coordinators)[window]
    is_mark = (words.map(is_sign) > 0) & ~words.find(_HYPHEN)
    is_mark = is_mark[window] & ~is_clitic & ~is_joint
    is_before = words.find(lexicon.determiners) | words.find(lexicon.possessives)
    is_before = is_before[window] | is_mark | opens
    leading = np.cumprod(inside & is_before, 1).astype(bool)
    # A word alone is its head, whatever it is.
    leading[inside.sum(1) == leading.sum(1)] = False
    cuts = cuts & ~leading
    is_first_part = inside & (np.cumsum(cuts, 1) == 0)
    joins = is_joint & is_first_part & ~leading
    joins[:, 0] = False
    ends_part = (cuts | is_joint | (is_mark & ~leading)) & inside
    in_part = inside & (np.cumsum(ends_part, 1) == 0) & ~leading
    in_part &= ~is_clitic
    columns = np.arange(window.shape[1])
    last = np.where(in_part, columns, -1).max(1, initial=-1)
    first = np.where(in_part, columns, window.shape[1]).min(1)
    heads = first if lexicon.head == "first" else last
    heads = np.where(last < 0, 0, heads)
    return np.take_along_axis(window, heads[:, None], 1)[:, 0], joins.any(1)
