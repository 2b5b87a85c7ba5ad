"""Score mentions and pairs by feed-forward networks in Thinc."""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from scipy.sparse import csr_matrix
from spacy.tokens import Doc
from thinc.api import Dropout, Linear, Model, Relu, chain
from thinc.types import Floats1d, Floats2d

from .annotation_values import AnnotationValues
from .candidates import Candidates
from .features import N_MENTION, N_PAIR, N_PLACES, Inputs, read_mentions, read_pairs
from .words import predict_words

# Word vectors of the positions and of the averages of a mention.
_N_VECTORS = N_PLACES + 3
# The numbers of mentions and of pairs that are scored at once.
_MENTIONS_AT_ONCE, _PAIRS_AT_ONCE = 4096, 16384


class Batch(NamedTuple):
    """Hold the inputs of several documents.

    later, earlier (numpy.ndarray): The mentions of each pair, counted over all
        documents.
    pairs (numpy.ndarray): What read_pairs returned for all documents.
    conversions (Dict[str, List[str]]): In predictions, the words whose vectors stand
        for those of rare words, which are in lower case.
    """

    docs: List[Doc]
    inputs: List[Inputs]
    later: np.ndarray
    earlier: np.ndarray
    pairs: np.ndarray
    conversions: Dict[str, List[str]]

    @classmethod
    def read(
        cls,
        found: Sequence[Candidates],
        values: AnnotationValues,
        conversions: Dict[str, List[str]],
    ) -> "Batch":
        """Compute the inputs of several documents."""
        sizes = [len(one.facts) for one in found]
        firsts = np.repeat(
            np.cumsum(sizes) - sizes, [len(one.later) for one in found]
        ).astype(np.int64)
        return cls(
            [one.doc for one in found],
            [read_mentions(one, values) for one in found],
            np.concatenate([one.later for one in found]) + firsts,
            np.concatenate([one.earlier for one in found]) + firsts,
            np.concatenate([read_pairs(one) for one in found]),
            conversions,
        )


# The scores of the pairs, and of no link for each mention.
Scores = Tuple[Floats1d, Floats1d]


def make_network(
    words: Mapping[str, Any],
    n_values: int,
    hidden: Sequence[int],
    dropout: float,
    ensemble: int,
) -> Model[Batch, Scores]:
    """Make the two networks of mention ranking.

    One scores pairs, and the other one that a mention has no antecedent. Each has a
    layer of ReLU units for every width in `hidden`. The first layer is linear in the
    vectors of both mentions, so it is computed once for each mention and added for
    pairs.

    words (Mapping[str, Any]): Blocks of the layers that compute vectors of words.
    n_values (int): The width of AnnotationValues.
    """
    members = []
    width = _N_VECTORS * sum(block.width for block in words.values())
    n_mention = width + N_MENTION + n_values
    for _ in range(ensemble):
        # For later and earlier mentions, pairs and single mentions.
        widths = n_mention, n_mention, N_PAIR, n_mention
        layers: List[Model] = [Linear(hidden[0], below) for below in widths]
        layers += [_make_rest(hidden, dropout), _make_rest(hidden, dropout)]
        members.append(Model("ranker_member", _forward_member, layers=layers))
    return Model(
        "ranker_network",
        _forward,
        init=_init,
        layers=[*(block.build() for block in words.values()), *members],
        attrs={"n_words": len(words)},
    )


def _make_rest(hidden: Sequence[int], dropout: float) -> Model:
    layers: List[Model] = [Model("relu", _forward_relu), Dropout(dropout)]
    for width, below in zip(hidden[1:], hidden[:-1], strict=True):
        layers += [Relu(width, below), Dropout(dropout)]
    return chain(*layers, Linear(1, hidden[-1], init_W=_init_small))


def _init_small(ops: Any, shape: Tuple[int, ...]) -> Floats2d:
    # Large scores at the beginning would be far from those of no link.
    limit = 0.1 / np.sqrt(shape[1])
    return ops.asarray(np.random.uniform(-limit, limit, shape).astype("float32"))


def _forward_relu(
    model: Model, X: Floats2d, is_train: bool
) -> Tuple[Floats2d, Callable]:
    is_positive = X > 0
    return X * is_positive, lambda d_Y: d_Y * is_positive


def _split_layers(model: Model) -> Tuple[List[Model], List[Model]]:
    n_words = model.attrs["n_words"]
    return model.layers[:n_words], model.layers[n_words:]


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    words, members = _split_layers(model)
    for layer in words:
        layer.initialize(X=X.docs)
    for layer in (layer for member in members for layer in member.layers):
        layer.initialize()


def _forward(
    model: Model, batch: Batch, is_train: bool
) -> Tuple[Scores, Callable[[Scores], Batch]]:
    if not is_train:
        return _predict(model, batch), lambda d_scores: batch
    words, members = _split_layers(model)
    blocks, backprops = zip(*(layer(batch.docs, True) for layer in words), strict=True)
    bounds = np.cumsum([block[0].shape[1] if block else 0 for block in blocks])
    vectors = [np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True)]
    gathered = [
        np.concatenate([_gather(one, _sum_up(one), inputs), inputs.features], axis=1)
        for one, inputs in zip(vectors, batch.inputs, strict=True)
    ]
    inputs = np.concatenate(gathered), batch, batch.pairs.astype(np.float32)
    outputs = [member(inputs, True) for member in members]
    links = sum(scores[0] for scores, _ in outputs) / len(members)
    alone = sum(scores[1] for scores, _ in outputs) / len(members)

    def finish(d_scores: Scores) -> Batch:
        d_member = tuple(d / len(members) for d in d_scores)
        d_mentions = sum(backprop(d_member) for _, backprop in outputs)
        ends = np.cumsum([len(one.places) for one in batch.inputs])[:-1]
        parts = np.split(d_mentions[:, : bounds[-1] * _N_VECTORS], ends)
        d_vectors = [
            np.split(_scatter(part, one, len(doc)), bounds[:-1], axis=1)
            for part, one, doc in zip(parts, batch.inputs, batch.docs, strict=True)
        ]
        d_blocks = zip(*d_vectors, strict=True)
        for backprop, d_block in zip(backprops, d_blocks, strict=False):
            backprop([np.ascontiguousarray(d_one) for d_one in d_block])
        return batch

    return (links, alone), finish


def _predict(model: Model, batch: Batch) -> Scores:
    """Score the pairs of a batch in blocks, in memory that does not depend on them."""
    words, members = _split_layers(model)
    blocks = [predict_words(one, batch.docs, batch.conversions) for one in words]
    # Of each member, the outputs of the layers that read mentions, in blocks of them.
    found: List[List[Tuple[Floats2d, ...]]] = [[] for _ in members]
    for *parts, inputs in zip(*blocks, batch.inputs, strict=True):
        vectors = np.concatenate(parts, axis=1)
        sums = _sum_up(vectors)
        for begin in range(0, max(len(inputs.places), 1), _MENTIONS_AT_ONCE):
            some = inputs[begin : begin + _MENTIONS_AT_ONCE]
            gathered = _gather(vectors, sums, some)
            mentions = np.concatenate([gathered, some.features], axis=1)
            for member, outputs in zip(members, found, strict=True):
                later, earlier, _, single, _, rest = member.layers
                alone = rest.predict(single.predict(mentions))
                both = later.predict(mentions), earlier.predict(mentions)
                outputs.append((*both, alone))
    links = np.zeros(len(batch.later), dtype=np.float32)
    alone = np.zeros(sum(len(one.places) for one in batch.inputs), dtype=np.float32)
    for member, outputs in zip(members, found, strict=True):
        parts = zip(*outputs, strict=True)
        of_later, of_earlier, of_single = map(np.concatenate, parts)
        _, _, by_pair, _, rest, _ = member.layers
        alone += of_single[:, 0] / len(members)
        for begin in range(0, len(links), _PAIRS_AT_ONCE):
            rows = slice(begin, begin + _PAIRS_AT_ONCE)
            summed = by_pair.predict(batch.pairs[rows].astype(np.float32))
            summed += of_later[batch.later[rows]]
            summed += of_earlier[batch.earlier[rows]]
            links[rows] += rest.predict(summed)[:, 0] / len(members)
    return links, alone


def _forward_member(
    model: Model, X: Tuple[Floats2d, Batch, Floats2d], is_train: bool
) -> Tuple[Scores, Callable[[Scores], Floats2d]]:
    mentions, (_, _, later, earlier, *_), pairs = X
    by_later, by_earlier, by_pair, by_single, pair_rest, single_rest = model.layers
    of_later, backprop_later = by_later(mentions, is_train)
    of_earlier, backprop_earlier = by_earlier(mentions, is_train)
    of_pairs, backprop_pair = by_pair(pairs, is_train)
    of_single, backprop_single = by_single(mentions, is_train)
    summed = of_later[later] + of_earlier[earlier] + of_pairs
    links, backprop_links = pair_rest(summed, is_train)
    alone, backprop_alone = single_rest(of_single, is_train)

    def finish(d_scores: Scores) -> Floats2d:
        d_links, d_alone = d_scores
        d_summed = backprop_links(d_links[:, None])
        backprop_pair(d_summed)
        d_mentions = backprop_later(_sum_rows(d_summed, later, len(mentions)))
        d_mentions += backprop_earlier(_sum_rows(d_summed, earlier, len(mentions)))
        d_mentions += backprop_single(backprop_alone(d_alone[:, None]))
        return d_mentions

    return (links[:, 0], alone[:, 0]), finish


def _sum_rows(values: Floats2d, rows: np.ndarray, n_rows: int) -> Floats2d:
    """Sum values by row; a product with a sparse matrix is faster than np.add.at."""
    ones = np.ones(len(rows), dtype=np.float32)
    table = csr_matrix((ones, (rows, np.arange(len(rows)))), shape=(n_rows, len(rows)))
    return np.ascontiguousarray(table @ values)


def _sum_up(vectors: Floats2d) -> np.ndarray:
    first = np.zeros((1, vectors.shape[1]))
    return np.concatenate([first, np.cumsum(vectors, axis=0, dtype=np.float64)])


def _gather(vectors: Floats2d, sums: np.ndarray, inputs: Inputs) -> Floats2d:
    # A place beyond the document has no vector.
    is_inside = (inputs.places >= 0)[..., None]
    places = np.where(is_inside, vectors[inputs.places], np.float32(0))
    starts, ends = inputs.spans[..., 0], inputs.spans[..., 1]
    sizes = np.maximum(ends - starts, 1)[..., None]
    averages = ((sums[ends] - sums[starts]) / sizes).astype(np.float32)
    found = np.concatenate([places, averages], axis=1)
    return found.reshape(len(places), _N_VECTORS * vectors.shape[1])


def _scatter(d_found: Floats2d, inputs: Inputs, n_tokens: int) -> Floats2d:
    width = d_found.shape[1] // _N_VECTORS
    d_found = d_found.reshape(-1, _N_VECTORS, width)
    places = np.where(inputs.places < 0, n_tokens, inputs.places)
    d_places = np.ascontiguousarray(d_found[:, :N_PLACES]).reshape(-1, width)
    d_vectors = _sum_rows(d_places, places.reshape(-1), n_tokens + 1)[:-1]
    starts, ends = inputs.spans[..., 0], inputs.spans[..., 1]
    sizes = np.maximum(ends - starts, 1)[..., None]
    d_means = (d_found[:, N_PLACES:] / sizes).reshape(-1, width)
    steps = _sum_rows(d_means, starts.reshape(-1), n_tokens + 1)
    steps -= _sum_rows(d_means, ends.reshape(-1), n_tokens + 1)
    return (d_vectors + np.cumsum(steps, axis=0)[:-1]).astype(np.float32)
