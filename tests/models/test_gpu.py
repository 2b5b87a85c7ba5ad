"""What runs on a GPU: the same answers and steps as on the CPU."""

import numpy as np
import pytest
import torch
from spacy.tokens import Span
from spacy.training import Example
from thinc.api import Adam

from spacy_fastcoref import set_clusters
from spacy_fastcoref.clusters.soft_labels import write_links
from spacy_fastcoref.models.blocks import describe_block, make_block
from spacy_fastcoref.models.encoders.word_features import SchemeBlock, WordShapeBlock
from spacy_fastcoref.models.network import network as network_module
from spacy_fastcoref.models.scorers.lingmess import LingMessBlock
from spacy_fastcoref.models.scorers.refinement import EntityEqualizationBlock
from spacy_fastcoref.models.scorers.wrappers import (
    DistanceScorerBlock,
    SpeakerScorerBlock,
)

from ..conftest import TEXT, make_config, make_network, make_nlp
from .encoders.test_longformer import CONFIG as LONGFORMER
from .test_architectures import ENCODERS
from .test_tok2vec import make_nlp as make_listener

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
TEXTS = [
    TEXT,
    "",
    "They left and she saw the cat that he had. He said she read it. " * 4,
    "\n\n",
    "Tom said that he left.",
]
INNER = make_block(make_config()["antecedent_scorer"], "a test")
EXPERTS = DistanceScorerBlock(SpeakerScorerBlock(LingMessBlock(hidden_size=12), rank=4))
WHOLE = {
    "antecedent_scorer": describe_block(EXPERTS),
    "word_features": {
        "shape": describe_block(WordShapeBlock()),
        "scheme": describe_block(SchemeBlock(names=("ontogum", "litbank"))),
    },
}
WINDOWED = {"longformer": {**LONGFORMER, "vocab_size": 200}}
NETWORKS = {
    "s2e": {},
    "experts": WHOLE,
    "equalized": {
        "antecedent_scorer": describe_block(DistanceScorerBlock(INNER)),
        "refinement": describe_block(EntityEqualizationBlock(n_rounds=2)),
    },
    "context at cuts": {"segment_overlap": 3},
    **{
        kind: {"encoder_config": {**settings, "model_type": kind}}
        for kind, settings in {**ENCODERS, **WINDOWED}.items()
        if kind != "bert"
    },
}
# Those that differ in what has gradients.
LEARNERS = "experts", "equalized", "mpnet", "longformer"


def build(folder, changes, seed=0):
    network = make_network(seed, **changes)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            # What says nothing before it has learned something.
            if not parameter.any() and not name.startswith("encoder"):
                parameter.normal_(std=0.3)
    nlp = make_nlp(folder, network, **changes)
    get_model(nlp).set_runtime(precision="float32", max_tokens_in_batch=64)
    return nlp


def get_model(nlp):
    return nlp.get_pipe("fastcoref").model


def make_docs(nlp):
    docs = [nlp.make_doc(text) for text in TEXTS]
    docs[0].spans["speakers"] = [
        Span(docs[0], 0, 9, label="ann"),
        Span(docs[0], 9, len(docs[0]), label="tom"),
    ]
    # One whose mentions the user has chosen.
    docs[4].spans["coref_mentions"] = [Span(docs[4], 0, 1), Span(docs[4], 3, 4)]
    return docs


def make_examples(nlp):
    """Make one example of each kind that there is something to learn from."""
    gold, partial = nlp.make_doc(TEXTS[2]), nlp.make_doc(TEXT)
    set_clusters(gold, [[(2, 3), (3, 4)], [(7, 8), (11, 12)]])
    partial.spans["coref_annotated"] = [Span(partial, 0, 2), Span(partial, 8, 9)]
    set_clusters(partial, [[(0, 2), (8, 9)]])
    soft = nlp.make_doc(TEXT)
    write_links(soft, get_model(nlp)([nlp.make_doc(TEXT)], False)[0][0])
    docs = gold, partial, soft
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    return [*examples, Example(nlp.make_doc(""), nlp.make_doc(""))]


def assert_same_links(found, expected):
    assert sum(map(len, expected)) > 10
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.mentions.tolist() == theirs.mentions.tolist()
        assert ours.antecedents.tolist() == theirs.antecedents.tolist()
        for name in ("mention_scores", "scores", "log_norms"):
            pair = getattr(ours, name), getattr(theirs, name)
            np.testing.assert_allclose(*pair, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", NETWORKS)
def test_the_same_answers(tmp_path, kind):
    nlp = build(tmp_path / "model", NETWORKS[kind])
    model, docs = get_model(nlp), make_docs(nlp)
    expected, _ = model(docs, False)
    model.set_runtime(device="cuda")
    found, _ = model(docs, False)
    assert model.get_network()[0].device.type == "cuda"
    assert_same_links(found, expected)


@pytest.mark.parametrize("cache", [0, 3])
def test_long_documents(tmp_path, monkeypatch, cache):
    monkeypatch.setattr(network_module, "MAX_SPANS", 20)
    nlp = build(tmp_path / "model", WHOLE)
    model, docs = get_model(nlp), [nlp.make_doc(TEXTS[2] * 3)]
    model.set_runtime(antecedent_window=8, antecedent_cache=cache)
    expected, _ = model(docs, False)
    model.set_runtime(device="cuda")
    found, _ = model(docs, False)
    assert_same_links(found, expected)


def test_half_precision_is_chosen(tmp_path):
    nlp = build(tmp_path / "model", WHOLE)
    model, docs = get_model(nlp), make_docs(nlp)
    model.set_runtime(device="auto", precision="auto")
    network, _ = model.get_network()
    assert network.device.type == "cuda"
    assert network.encoder.weight.dtype in (torch.bfloat16, torch.float16)
    found, _ = model(docs, False)
    assert sum(map(len, found)) > 10
    assert all(np.isfinite(links.log_norms).all() for links in found)


def test_explain(tmp_path):
    nlp = build(tmp_path / "model", WHOLE)
    pairs = [((8, 9), (0, 2)), ((13, 14), (10, 12))]
    expected = get_model(nlp).score_pairs(nlp.make_doc(TEXT), pairs)
    get_model(nlp).set_runtime(device="cuda")
    found = get_model(nlp).score_pairs(nlp.make_doc(TEXT), pairs)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def learn(nlp, examples, optimizer, n_steps=2):
    pipe = nlp.get_pipe("fastcoref")
    learner, _ = get_model(nlp).get_learner()
    for module in learner.network.modules():
        # Each device has random numbers of its own.
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return [
        pipe.update(examples, sgd=optimizer, losses={})["fastcoref"]
        for _ in range(n_steps)
    ]


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_same_steps(tmp_path, kind):
    nlp = build(tmp_path / "model", NETWORKS[kind])
    model, examples = get_model(nlp), make_examples(nlp)
    data = nlp.to_bytes()
    expected = learn(nlp, examples, Adam(0.003))
    nlp.from_bytes(data)
    model.set_runtime(precision="float32", max_tokens_in_batch=64)
    optimizer = Adam(0.003)
    model.set_runtime(device="cuda")
    found = learn(nlp, examples, optimizer)
    assert model.get_network()[0].device.type == "cuda"
    # What is kept of it is on the CPU, and goes on.
    state = model.get_training_state()
    assert all(type(t) is torch.Tensor and t.is_cpu for t in state.values())
    with nlp.use_params(optimizer.averages):
        averaged = nlp.to_bytes()
    latest = nlp.to_bytes()
    expected += learn(nlp, examples, optimizer, 1)
    nlp.from_bytes(latest)
    model.set_runtime(device="cuda", precision="float32", max_tokens_in_batch=64)
    model.set_training_state(state)
    found += learn(nlp, examples, optimizer, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert found[-1] != pytest.approx(found[0], rel=1e-2)
    assert averaged != latest
    # Another machine has no GPU.
    nlp.from_bytes(latest)
    model.set_runtime(device="cpu")
    assert sum(map(len, model(make_docs(nlp), False)[0])) > 10


def test_vectors_of_another_component():
    """Which are on the CPU, unless spaCy's own arrays are on the GPU."""
    nlp = make_listener()
    reference = nlp.make_doc(TEXT)
    set_clusters(reference, [[(0, 2), (8, 9)]])
    examples = [Example(nlp.make_doc(TEXT), reference)]
    optimizer = nlp.initialize(lambda: examples)
    get_model(nlp).set_runtime(device="cuda", precision="float32")
    losses = [nlp.update(examples, sgd=optimizer, losses={}) for _ in range(5)]
    on_gpu, _ = nlp.get_pipe("fastcoref").model([nlp(TEXT)], False)
    assert losses[-1]["fastcoref"] < losses[0]["fastcoref"]
    data = nlp.to_bytes()
    again = make_listener()
    again.from_bytes(data)
    get_model(again).set_runtime(device="cpu", precision="float32")
    on_cpu, _ = again.get_pipe("fastcoref").model([again(TEXT)], False)
    assert_same_links(on_gpu, on_cpu)
