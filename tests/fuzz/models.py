"""A model that answers anything anywhere, without PyTorch."""

from zlib import crc32

import numpy as np
import spacy
from thinc.api import Model

from spacy_fastcoref.types import CorefModel, Links

from ..conftest import blank

WIDTH, N_BEST, WINDOW = 3, 4, 8
_PRIME = 10_007


class HashModel(Model, CorefModel):
    """Find mentions and score links by what their texts hash to."""

    def __init__(self):
        super().__init__("hash", forward)

    def score_pairs(self, doc, pairs):
        hashes = hash_tokens(doc)
        scores = [
            score(hashes, *pair)
            if all(hashes[start] and hashes[end - 1] for start, end in pair)
            else np.nan
            for pair in pairs
        ]
        return np.array(scores, dtype=np.float32)

    def get_loss(self, golds, scores, **weights):
        raise NotImplementedError


def forward(model, docs, is_train):
    return [predict(doc) for doc in docs], lambda gradients: []


def hash_tokens(doc):
    """Hash each token; white space is 0, and no mention begins or ends with it."""
    return [
        0 if token.is_space else crc32(token.text.encode("utf8")) or 1 for token in doc
    ]


def draw(*numbers):
    """Draw a number from 0 to 1, the same for the same numbers."""
    value = 0
    for number in numbers:
        value = (value * 31 + number) % _PRIME
    return value / _PRIME


def score(hashes, later, earlier):
    return 10 * draw(*hashes[slice(*later)], 1, *hashes[slice(*earlier)]) - 4


def predict(doc):
    hashes = hash_tokens(doc)
    mentions = [
        (start, end)
        for start in range(len(doc))
        for end in range(start + 1, min(start + WIDTH, len(doc)) + 1)
        if hashes[start]
        and hashes[end - 1]
        # One word in two places is a mention here, and none there.
        and draw(start % 3, *hashes[start:end]) < 0.5
    ]
    if not mentions:
        return Links.empty()
    antecedents = np.full((len(mentions), N_BEST), -1, dtype=np.int32)
    scores = np.full((len(mentions), N_BEST), -np.inf, dtype=np.float32)
    for i, later in enumerate(mentions):
        before = range(max(0, i - WINDOW), i)
        ranked = sorted((-score(hashes, later, mentions[j]), j) for j in before)
        for column, (value, j) in enumerate(ranked[:N_BEST]):
            antecedents[i, column], scores[i, column] = j, -value
    none = np.zeros((len(mentions), 1))
    return Links(
        np.array(mentions, dtype=np.int32),
        np.array([4 * draw(*hashes[a:z]) - 2 for a, z in mentions], dtype=np.float32),
        antecedents,
        scores,
        np.logaddexp.reduce(np.concatenate([scores, none], axis=1), axis=1),
    )


@spacy.registry.architectures("fuzz_models.Hash.v1")
def make_hash_model():
    return HashModel()


def make_nlp(lang):
    """Make a pipeline that answers every text, by the rules of its language."""
    nlp = blank(lang)
    nlp.max_length = 10**9
    model = {"@architectures": "fuzz_models.Hash.v1"}
    nlp.add_pipe("fastcoref", config={"model": model})
    return nlp
