"""Find the keys by which later turns look up earlier mentions."""

from typing import Hashable, List, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..grammar.features import FIRST
from ..grammar.heads import find_all_heads
from ..grammar.kinds import is_pronoun
from ..grammar.lexicon import get_lexicon
from ..grammar.pronouns import read_pronouns
from ..grammar.word_index import WordIndex, is_sign

# A word, or for a first person the speaker and the pronoun's agreement bits.
Key = Hashable


def find_keys(
    doc: Doc, mentions: Sequence[Tuple[int, int]], speaker: Optional[str]
) -> List[List[Key]]:
    """Find the keys of mentions.

    doc (Doc): The turn.
    mentions (Sequence[Tuple[int, int]]): The token offsets of the mentions.
    speaker (Optional[str]): The turn's speaker; None if unknown.
    RETURNS (List[List[Key]]): For each mention the keys of its heads.
    """
    keys = find_token_keys(doc, speaker)
    heads = find_all_heads(doc, np.array(mentions, dtype=np.int64).reshape(-1, 2))
    return [[keys[i] for i in found if keys[i] is not None] for found in heads]


def find_token_keys(doc: Doc, speaker: Optional[str]) -> List[Optional[Key]]:
    """Find the key of each token.

    doc (Doc): The turn.
    speaker (Optional[str]): The turn's speaker; None if unknown.
    RETURNS (List[Optional[Key]]): The word in lower case; for a first person its
        speaker and its agreement bits; None for other pronouns and for signs.
    """
    persons, masks = find_persons(doc)
    keys: List[Optional[Key]] = []
    for token, person, mask in zip(doc, persons, masks, strict=True):
        if person == FIRST:
            keys.append(None if speaker is None else (speaker, int(mask)))
        elif is_pronoun(token) or is_sign(token.text) or token.is_space:
            keys.append(None)
        else:
            keys.append(token.lower_)
    return keys


def find_persons(doc: Doc) -> Tuple[np.ndarray, np.ndarray]:
    """Find the grammatical person of each token that is a pronoun.

    doc (Doc): The document.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_tokens,): the person
        and the agreement bits; 0 for other words.
    """
    feats = np.zeros(len(doc), dtype=np.int64)
    lexicon = get_lexicon(doc.lang_)
    masks, persons, _ = read_pronouns(WordIndex(doc), lexicon, [""], feats)
    return persons, masks
