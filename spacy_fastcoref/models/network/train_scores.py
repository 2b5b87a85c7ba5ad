"""The scores of a network in training."""

from dataclasses import dataclass
from typing import Optional, Sequence

import numpy as np
from torch import Tensor

# The tokens of the n-th document of a batch are counted from n times this number.
DOC_TOKENS = 1 << 32


@dataclass
class TrainScores:
    """Hold a network's scores of adjacent documents of a batch in training.

    band (Tensor): Shape (n_words, max_span_length): at [i, d] the mention score of
        the span of words i to i + d; -inf if it is not a candidate.
    pairs (Tensor): Shape (n_terms, n_mentions, n_mentions), the score of each
        mention with each earlier one of the same document, -inf elsewhere; one matrix
        for each term of the loss, see AntecedentScorer.score_for_training.
    starts, ends (Tensor): Shape (n_mentions,), each mention's first and last word.
    tokens (numpy.ndarray): Shape (n_words,), the token index of each word, plus
        DOC_TOKENS for each document before.
    sizes (Sequence[int]): The number of mentions of each document.
    pronouns, types (Optional[Tensor]): Shape (n_mentions, n_classes), the logits of
        the head of pronouns, and of that of entity types; None if the model has none.
    pronoun_names, type_names (Sequence[str]): Their classes; "" for no mention.
    """

    band: Tensor
    pairs: Tensor
    starts: Tensor
    ends: Tensor
    tokens: np.ndarray
    sizes: Sequence[int]
    pronouns: Optional[Tensor] = None
    pronoun_names: Sequence[str] = ()
    types: Optional[Tensor] = None
    type_names: Sequence[str] = ()
