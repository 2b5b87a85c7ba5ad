"""Score mentions and pairs by feed-forward networks in Thinc."""

from functools import partial
from typing import Any, Callable, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from scipy.sparse import csr_matrix
from spacy.tokens import Doc
from thinc.api import Dropout, Linear, Model, Relu, chain, uniform_init
from thinc.types import Floats1d, Floats2d, Ints2d

from ...grammar.word_index import Rows
from .candidates import Candidates
from .features import N_MENTION, N_PAIR, N_PLACES, read_mentions, read_pairs
from .storage import Settings
from .words import convert_words

# Word vectors of the positions and of the averages of a mention.
_N_VECTORS = N_PLACES + 3
# The numbers of mentions and of pairs that are scored at once.
_MENTIONS_AT_ONCE, _PAIRS_AT_ONCE = 4096, 16384


class Batch(NamedTuple):
    """Hold the inputs of several documents, as if they were one.

    places (Ints2d): Shape (n_mentions, 8), token indexes: the head, the first and the
        last token, two before and two after, and the word that governs the head; -1
        beyond its document.
    spans (numpy.ndarray): Shape (n_mentions, 3, 2), token offsets of the mention, its
        sentence and the document, over which word vectors are averaged.
    features, pairs (numpy.ndarray): The features of each mention, and of each pair.
    later, earlier (numpy.ndarray): The mentions of each pair.
    conversions (Mapping[str, Sequence[str]]): See convert_words.
    """

    docs: List[Doc]
    places: Ints2d
    spans: np.ndarray
    features: Floats2d
    later: Rows
    earlier: Rows
    pairs: np.ndarray
    conversions: Mapping[str, Sequence[str]]


def read_batch(found: Sequence[Candidates], settings: Settings) -> Batch:
    """Compute the inputs of several documents."""
    parts = []
    n_tokens = n_mentions = 0
    for one in found:
        places, spans, features = read_mentions(one, settings.values)
        places = np.where(places < 0, -1, places + n_tokens)
        ends = one.later + n_mentions, one.earlier + n_mentions
        parts.append((places, spans + n_tokens, features, *ends, read_pairs(one)))
        n_tokens, n_mentions = n_tokens + len(one.doc), n_mentions + len(one.facts)
    arrays = map(np.concatenate, zip(*parts, strict=True))
    lowered = {word.lower(): kinds for word, kinds in settings.conv_dict.items()}
    return Batch([one.doc for one in found], *arrays, lowered)


# The scores of the pairs, and of no link for each mention.
Scores = Tuple[Floats1d, Floats1d]


def make_network(settings: Settings) -> Model[Batch, Scores]:
    """Make the two networks of mention ranking.

    One scores pairs, and the other one that a mention has no antecedent. The first
    layer is linear in the vectors of both mentions, so it is computed once for each
    mention and added for pairs.
    """
    hidden, words, members = settings.hidden, settings.words.values(), []
    width = _N_VECTORS * sum(block.width for block in words)
    n_mention = width + N_MENTION + sum(map(len, settings.values.values()))
    for _ in range(settings.ensemble):
        # For later and earlier mentions, pairs and single mentions.
        widths = n_mention, n_mention, N_PAIR, n_mention
        layers: List[Model] = [Linear(hidden[0], below) for below in widths]
        layers += [_make_rest(hidden, settings.dropout) for _ in range(2)]
        members.append(Model("ranker_member", _forward_member, layers=layers))
    return Model(
        "ranker_network",
        _forward,
        init=_init,
        layers=[*(block.build() for block in words), *members],
        attrs={"n_words": len(words)},
    )


def _make_rest(hidden: Sequence[int], dropout: float) -> Model:
    layers: List[Model] = [Model("relu", _forward_relu), Dropout(dropout)]
    for width, below in zip(hidden[1:], hidden[:-1], strict=True):
        layers += [Relu(width, below), Dropout(dropout)]
    # Large scores at the beginning would be far from those of no link.
    limit = 0.1 / np.sqrt(hidden[-1])
    init = partial(uniform_init, lo=-limit, hi=limit)
    return chain(*layers, Linear(1, hidden[-1], init_W=init))


def _forward_relu(
    model: Model, X: Floats2d, is_train: bool
) -> Tuple[Floats2d, Callable]:
    is_positive = X > 0
    return X * is_positive, lambda d_Y: d_Y * is_positive


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    n_words = model.attrs["n_words"]
    for layer in model.layers[:n_words]:
        layer.initialize(X=X.docs)
    for layer in (one for member in model.layers[n_words:] for one in member.layers):
        layer.initialize()


def _forward(
    model: Model, batch: Batch, is_train: bool
) -> Tuple[Scores, Callable[[Scores], Batch]]:
    if not len(batch.places):
        none = np.zeros(0, dtype=np.float32)
        return (none, none), lambda d_scores: batch
    docs, n_words = batch.docs, model.attrs["n_words"]
    words, members = model.layers[:n_words], model.layers[n_words:]
    found, backprops = zip(*(layer(docs, is_train) for layer in words), strict=True)
    if not is_train:
        for layer, of_docs in zip(words, found, strict=True):
            convert_words(layer, docs, of_docs, batch.conversions)
    blocks = [np.concatenate(one) for one in found]
    vectors = np.concatenate(blocks, axis=1)
    first = np.zeros((1, vectors.shape[1]))
    sums = np.concatenate([first, np.cumsum(vectors, axis=0, dtype=np.float64)])
    gather = partial(_gather, vectors, sums, batch)
    outputs = [member((batch, gather), is_train) for member in members]
    links, alone = (
        sum(scores) / len(members)
        for scores in zip(*(scores for scores, _ in outputs), strict=True)
    )

    def finish(d_scores: Scores) -> Batch:
        d_member = tuple(d / len(members) for d in d_scores)
        d_mentions = sum(backprop(d_member) for _, backprop in outputs)
        d_vectors = _scatter(d_mentions, batch, vectors.shape)
        columns = np.cumsum([block.shape[1] for block in blocks])[:-1]
        ends = np.cumsum([len(doc) for doc in docs])[:-1]
        d_blocks = np.split(d_vectors, columns, axis=1)
        for backprop, d_block in zip(backprops, d_blocks, strict=True):
            backprop(np.split(np.ascontiguousarray(d_block), ends))
        return batch

    return (links, alone), finish


def _iter_blocks(n_rows: int, is_train: bool, size: int) -> Iterator[slice]:
    """Iterate over blocks of rows, which need little memory; over all in training."""
    size = max(n_rows, 1) if is_train else size
    return (slice(i, i + size) for i in range(0, max(n_rows, 1), size))


def _forward_member(
    model: Model, X: Tuple[Batch, Callable[[slice], Floats2d]], is_train: bool
) -> Tuple[Scores, Callable[[Scores], Floats2d]]:
    batch, gather = X
    later, earlier, n_mentions = batch.later, batch.earlier, len(batch.places)
    by_later, by_earlier, by_pair, by_single, pair_rest, single_rest = model.layers
    parts = []
    # In training there is one block, whose callbacks are those of all rows.
    for rows in _iter_blocks(n_mentions, is_train, _MENTIONS_AT_ONCE):
        mentions = gather(rows)
        of_later, backprop_later = by_later(mentions, is_train)
        of_earlier, backprop_earlier = by_earlier(mentions, is_train)
        of_single, backprop_single = by_single(mentions, is_train)
        alone, backprop_alone = single_rest(of_single, is_train)
        parts.append((of_later, of_earlier, alone[:, 0]))
    of_later, of_earlier, alone = map(np.concatenate, zip(*parts, strict=True))
    links = np.zeros(len(later), dtype=np.float32)
    for rows in _iter_blocks(len(links), is_train, _PAIRS_AT_ONCE):
        summed, backprop_pair = by_pair(batch.pairs[rows].astype(np.float32), is_train)
        summed += of_later[later[rows]]
        summed += of_earlier[earlier[rows]]
        scores, backprop_links = pair_rest(summed, is_train)
        links[rows] = scores[:, 0]

    def finish(d_scores: Scores) -> Floats2d:
        d_links, d_alone = d_scores
        d_summed = backprop_links(d_links[:, None])
        backprop_pair(d_summed)
        d_mentions = backprop_later(_sum_rows(d_summed, later, n_mentions))
        d_mentions += backprop_earlier(_sum_rows(d_summed, earlier, n_mentions))
        d_mentions += backprop_single(backprop_alone(d_alone[:, None]))
        return d_mentions

    return (links, alone), finish


def _sum_rows(values: Floats2d, rows: np.ndarray, n_rows: int) -> Floats2d:
    """Sum values by row; a product with a sparse matrix is faster than np.add.at."""
    ones = np.ones(len(rows), dtype=np.float32)
    table = csr_matrix((ones, (rows, np.arange(len(rows)))), shape=(n_rows, len(rows)))
    return np.ascontiguousarray(table @ values)


def _gather(vectors: Floats2d, sums: np.ndarray, batch: Batch, rows: slice) -> Floats2d:
    places, spans = batch.places[rows], batch.spans[rows]
    # A place beyond the document has no vector.
    at_places = np.where((places >= 0)[..., None], vectors[places], np.float32(0))
    starts, ends = spans[..., 0], spans[..., 1]
    sizes = np.maximum(ends - starts, 1)[..., None]
    averages = ((sums[ends] - sums[starts]) / sizes).astype(np.float32)
    found = np.concatenate([at_places, averages], axis=1)
    found = found.reshape(len(places), _N_VECTORS * vectors.shape[1])
    return np.concatenate([found, batch.features[rows]], axis=1)


def _scatter(d_found: Floats2d, batch: Batch, shape: Tuple[int, int]) -> Floats2d:
    """Compute the gradient of word vectors from that of what _gather returned."""
    n_tokens, width = shape
    d_found = d_found[:, : _N_VECTORS * width].reshape(-1, _N_VECTORS, width)
    places = np.where(batch.places < 0, n_tokens, batch.places)
    d_places = np.ascontiguousarray(d_found[:, :N_PLACES]).reshape(-1, width)
    d_vectors = _sum_rows(d_places, places.reshape(-1), n_tokens + 1)[:-1]
    starts, ends = batch.spans[..., 0], batch.spans[..., 1]
    sizes = np.maximum(ends - starts, 1)[..., None]
    d_means = (d_found[:, N_PLACES:] / sizes).reshape(-1, width)
    steps = _sum_rows(d_means, starts.reshape(-1), n_tokens + 1)
    steps -= _sum_rows(d_means, ends.reshape(-1), n_tokens + 1)
    return (d_vectors + np.cumsum(steps, axis=0)[:-1]).astype(np.float32)
