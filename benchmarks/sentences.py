"""Split texts into sentences, where nothing but their words is known."""

from typing import List, Optional

from spacy.tokens import Doc

_MAX_WORDS = 150
_ENDS = frozenset((".", "!", "?", "…", "..."))
# The marks that can come between the end of a sentence and the next one.
_CLOSING = frozenset("“ ” ’ ‘ ) ]".split())
_OPENING = frozenset("„ ‚ ( [ – — -".split())
# The marks that open and close.
_QUOTES = frozenset('" « »'.split())


def split_sentences(doc: Doc, is_split: bool) -> List[List[int]]:
    """Split a document into sentences.

    doc (Doc): The document.
    is_split (bool): Whether to keep the document's own boundaries.
    RETURNS (List[List[int]]): The tokens of each sentence, without white space. Long
        sentences are cut.
    """
    starts = [t.i for t in doc if t.is_sent_start] if is_split else find_starts(doc)
    sentences: List[List[int]] = []
    for start, end in zip([0, *starts], [*starts, len(doc)], strict=True):
        tokens = [token.i for token in doc[start:end] if not token.is_space]
        for i in range(0, len(tokens), _MAX_WORDS):
            sentences.append(tokens[i : i + _MAX_WORDS])
    return sentences


def find_starts(doc: Doc) -> List[int]:
    """Find where sentences start: in capitals, after an end mark or a line break.

    doc (Doc): The document.
    RETURNS (List[int]): The first token of each sentence.
    """
    starts = []
    is_ended, is_quoted = True, False
    # The first of the opening marks before the word that tells.
    opening: Optional[int] = None
    for token in doc:
        text = token.text
        if token.is_space:
            if "\n" in text:
                is_ended, is_quoted = True, False
            continue
        closes = text in _CLOSING or (text in _QUOTES and is_quoted)
        opens = text in _OPENING or (text in _QUOTES and not is_quoted)
        if text in _QUOTES:
            is_quoted = not is_quoted
        if text in _ENDS:
            is_ended, opening = True, None
        elif opens and is_ended:
            opening = token.i if opening is None else opening
        elif is_ended and not closes:
            if text[0].isupper() or text[0].isdigit():
                starts.append(token.i if opening is None else opening)
            is_ended, opening = False, None
    return starts
