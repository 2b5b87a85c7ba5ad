"""Test the network against a direct implementation with n x n matrices and loops."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.encoders.pieces import PieceTokenizer
from spacy_fastcoref.models.network import antecedents
from spacy_fastcoref.models.network import network as network_module
from spacy_fastcoref.models.network.pair_scorer import PairScorer
from spacy_fastcoref.models.network.train_scores import score_for_training
from spacy_fastcoref.models.runtime import Runtime

from ...conftest import make_network, make_tokenizer
from ..test_architectures import ENCODERS, SMALL

TOKENIZER = PieceTokenizer(make_tokenizer().to_str())
TEXTS = [
    "she said that her cat and his dog ran , and he saw it",
    "a",
    "",
    "the " * 50,
    "\n \n",
    "unusually longwinded words make pieces galore , she said , and they ate her cake",
]


def encode_naively(network, pieces):
    """Encode segment by segment, without padding."""
    encoder = network.encoder
    encode = encoder.encode_packed if encoder.is_packed else encoder.encode_padded
    vectors = []
    for begin in range(0, len(pieces), network.max_segment_len):
        ids = pieces.ids[None, begin : begin + network.max_segment_len]
        mask = np.ones(ids.shape, dtype=bool)
        encoded, is_piece = encode(ids, mask, torch.from_numpy)
        vectors.append(encoded[is_piece.ravel()])
    return torch.cat(vectors)


def score_naively(network, pieces):
    """Score every span and pair of one document, span by span."""
    vectors = encode_naively(network, pieces)
    scorer, pair_scorer = network.mention_scorer, network.antecedent_scorer
    start, end = scorer.start_mlp(vectors), scorer.end_mlp(vectors)
    scores = {}
    for a, z in itertools.product(range(len(pieces.first)), repeat=2):
        i, j = int(pieces.first[a]), int(pieces.last[z])
        if i <= j < i + network.max_span_length and a <= z:
            scores[a, z] = (
                scorer.start_score(start[i])
                + scorer.end_score(end[j])
                + scorer.span_score(start[i]) @ end[j]
            ).item()
    n_mentions = int(len(pieces) * network.top_lambda)
    kept = sorted(sorted(scores, key=scores.get, reverse=True)[:n_mentions])
    start, end = pair_scorer.start_mlp(vectors), pair_scorer.end_mlp(vectors)
    pairs = np.full((len(kept), len(kept)), -np.inf)
    for row, column in itertools.product(range(len(kept)), repeat=2):
        if column < row:
            (a, z), (b, y) = kept[row], kept[column]
            si, ei = start[pieces.first[a]], end[pieces.last[z]]
            sj, ej = start[pieces.first[b]], end[pieces.last[y]]
            pairs[row, column] = (
                scores[a, z]
                + scores[b, y]
                + float(
                    pair_scorer.start_to_start(si) @ sj
                    + pair_scorer.end_to_end(ei) @ ej
                    + pair_scorer.start_to_end(si) @ ej
                    + pair_scorer.end_to_start(ei) @ sj
                )
            )
    tokens = pieces.tokens
    spans = [(int(tokens[a]), int(tokens[z]) + 1) for a, z in kept]
    return spans, pairs


def check_links(links, spans, pairs):
    assert [tuple(span) for span in links.mentions.tolist()] == spans
    for row in range(len(spans)):
        antecedents = links.antecedents[row]
        is_real = antecedents >= 0
        assert is_real.sum() == min(row, len(antecedents))
        best = np.sort(pairs[row, :row])[::-1][: is_real.sum()]
        np.testing.assert_allclose(links.scores[row, is_real], best, atol=1e-4)
        np.testing.assert_allclose(
            links.scores[row, is_real], pairs[row, antecedents[is_real]], atol=1e-4
        )
        norm = np.logaddexp.reduce(np.append(pairs[row, :row], 0.0))
        assert links.log_norms[row] == pytest.approx(norm, abs=1e-4)


@pytest.mark.parametrize("max_tokens", [1, 40, 10_000])
@pytest.mark.parametrize("max_pairs", [1, 50, 1 << 22])
@pytest.mark.parametrize("max_spans", [7, 1 << 14])
def test_batch_matches_direct_implementation(
    tiny_network, monkeypatch, max_tokens, max_pairs, max_spans
):
    monkeypatch.setattr(antecedents, "MAX_PAIRS", max_pairs)
    monkeypatch.setattr(network_module, "MAX_SPANS", max_spans)
    docs = [TOKENIZER.encode(text.split(" ")) for text in TEXTS]
    runtime = Runtime(max_tokens_in_batch=max_tokens)
    with torch.inference_mode():
        answers = tiny_network.predict(docs, runtime)
        for answer, doc in zip(answers, docs, strict=True):
            check_links(answer, *score_naively(tiny_network, doc))
    assert sum(len(answer) for answer in answers) > 30


def test_scores_on_demand(tiny_network):
    words = ["\n", *TEXTS[0].split()]
    pieces = TOKENIZER.encode(words)
    with torch.inference_mode():
        spans, pairs = score_naively(tiny_network, pieces)
    asked = [(row, column) for row in range(len(spans)) for column in range(row)]
    scorer = PairScorer(tiny_network, pieces, Runtime())
    found = scorer([(spans[row], spans[column]) for row, column in asked])
    np.testing.assert_allclose(found, [pairs[pair] for pair in asked], atol=1e-4)
    assert scorer([]).shape == (0,)
    # The first token is white space.
    known = ((2, 3), (1, 2))
    found = scorer([((2, 3), (0, 2)), known, ((1, 2), (0, 1))])
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == pytest.approx(scorer([known])[0])


@pytest.mark.parametrize(
    "key, value",
    [
        ("top_lambda", 0),
        ("min_mentions", -1),
        ("max_span_length", "6"),
        ("max_segment_len", 2),
        ("max_segment_len", True),
        ("top_lambda", True),
        # More mentions per piece than spans start there, or longer than a segment.
        ("top_lambda", 6.1),
        ("max_span_length", 33),
        ("max_span_length", 10**9),
        ("calibration", 1),
        ("calibration", [0, 0]),
        ("calibration", [1, 10**400]),
        ("calibration", [1]),
        ("calibration", {"de": [1, float("nan")]}),
        ("calibration", {"default": [True, 0]}),
    ],
)
def test_error_names_invalid_size(key, value):
    with pytest.raises(ValueError, match=f"FC015.*{key}"):
        make_network(**{key: value})


LONGEST = {
    "bert": 64,
    # Their positions start after that of the padding token, as in Longformer.
    "roberta": 62,
    "mpnet": 62,
    "longformer": 62,
    "deberta-v2": 64,
    "distilbert": 512,
    # Rotary embeddings have no maximum.
    "modernbert": None,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("model_type, longest", LONGEST.items())
def test_segment_length_is_limited_by_positions(model_type, longest, dtype):
    settings = {**ENCODERS.get(model_type, SMALL), "model_type": model_type}
    if model_type == "longformer":
        settings.update(attention_window=[8, 8], pad_token_id=1)
    if model_type == "modernbert":
        settings.update(dict.fromkeys(["cls_token_id", "sep_token_id"], 3))
    if longest is not None:
        with pytest.raises(ValueError, match=f"FC015.*max_segment_len.*{longest} or"):
            make_network(encoder_config=settings, max_segment_len=longest + 1)
    size = longest or 80
    network = make_network(encoder_config=settings, max_segment_len=size)
    # Half precision rounds lengths up to a multiple, but not above the maximum.
    network.encoder.to(dtype)
    network = network.eval()
    pieces = TOKENIZER.encode(["she"] * (size + 5))
    with torch.inference_mode():
        (links,) = network.predict([pieces], Runtime())
    assert len(links)


@pytest.mark.parametrize("min_mentions, expected", [(0, 2), (1, 2), (5, 5), (99, 10)])
def test_min_mentions_of_short_texts(min_mentions, expected):
    """For a few pieces, top_lambda alone keeps fewer mentions than min_mentions."""
    network = make_network(min_mentions=min_mentions, max_span_length=2)
    band = torch.arange(10.0).reshape(5, 2)
    pieces = Pieces.from_words(range(7), [-1, 0, 1, 2, 3, 4, -1])
    (found,) = network.choose_mentions(Batch.from_pieces([pieces]), band)
    assert len(found.starts) == expected
    # The best spans are kept.
    assert found.scores.tolist() == [float(i) for i in range(10 - expected, 10)]
    # Those that are given are all kept.
    pieces = replace(pieces, candidates=[])
    (found,) = network.choose_mentions(Batch.from_pieces([pieces]), band)
    assert len(found.starts) == 10


def test_training_uses_segment_overlap():
    """The overlap of the model's segments is the same in training and prediction."""
    pieces = TOKENIZER.encode(TEXTS[3].split(" "))
    batch = Batch.from_pieces([pieces])
    bands = []
    for overlap in (0, 8):
        network = make_network(segment_overlap=overlap)
        with torch.inference_mode():
            (links,) = network.predict([pieces], Runtime())
        (scores,) = score_for_training(network, batch, Runtime())
        found = scores.band[scores.starts, scores.ends - scores.starts].detach()
        np.testing.assert_allclose(found, links.mention_scores, atol=1e-5)
        bands.append(scores.band.detach())
    assert not torch.allclose(*bands, atol=1e-3)
