import threading

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.models import workers
from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.checkpoints.building import build_network
from spacy_fastcoref.models.network import links
from spacy_fastcoref.models.network.prediction import score_documents
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.types import Links

from ...conftest import read_links

TEXTS = ["She said that he ate.", "They left and she saw the cat that he had.", ""]


def check_each_alone(model, docs, found):
    torch.set_num_threads(1)
    try:
        for doc, (*own, scores) in zip(docs, found, strict=True):
            ((*alone, expected),) = read_links(model([doc], False)[0])
            assert own == alone
            torch.testing.assert_close(scores, expected, atol=1e-4, rtol=1e-4)
    finally:
        torch.set_num_threads(2)


@pytest.mark.slow
@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.integers(1, 40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_workers_give_same_links_as_one_thread(
    two_threads, model, en_vocab, sizes, most
):
    words = [" ".join(TEXTS[: i % 3] * i).split() for i in sizes]
    docs = [Doc(en_vocab, words=one) for one in words]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "MIN_SHARE", 1)
        # Longer documents are not given to a worker.
        patch.setattr(workers, "MAX_SHARE", most)
        found = read_links(model(docs, False)[0])
    check_each_alone(model, docs, found)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_short_documents_give_same_links_together(model, en_vocab, sizes, window):
    # Many have the same number of mentions, and some have none.
    words = f"{TEXTS[1]} {TEXTS[0]}".split()
    docs = [Doc(en_vocab, words=words[i % 3 :][:i]) for i in sizes]
    model.set_runtime(antecedent_window=window)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "MAX_MENTIONS", 10)
        found = read_links(model(docs, False)[0])
    check_each_alone(model, docs, found)


@pytest.mark.parametrize("n_docs", [1, 3])
def test_torch_never_has_two_threads(two_threads, model, en_vocab, n_docs, monkeypatch):
    """On a busy machine, each operation would wait for a thread that is late."""
    seen = []

    def build(*args, **settings):
        seen.append((torch.get_num_threads(), threading.get_ident()))
        return build_network(*args, **settings)

    monkeypatch.setattr("spacy_fastcoref.models.model.build_network", build)
    network, _ = model.get_network()
    assert len(seen) == 1
    embeddings = network.encoder.transformer.embeddings
    for layer in (embeddings, network.mention_scorer, network.antecedent_scorer):
        layer.register_forward_pre_hook(
            lambda *_: seen.append((torch.get_num_threads(), threading.get_ident()))
        )
    docs = [Doc(en_vocab, words=TEXTS[1].split()) for _ in range(n_docs)]
    model(docs, False)
    model.score_pairs(docs[0], [((1, 2), (0, 1))])
    assert seen and {n_threads for n_threads, _ in seen} == {1}
    assert threading.get_ident() not in {thread for _, thread in seen}
    # What the user has set is as it was.
    assert torch.get_num_threads() == 2


class FakeNetwork:
    """Run out of memory if a batch has more than a number of word pieces."""

    max_segment_len = 8

    def __init__(self, memory, error=None):
        self.memory = memory
        self.error = error or torch.OutOfMemoryError("simulated")
        self.calls = []

    def predict(self, docs, runtime):
        batch = Batch.from_pieces(docs)
        size = min(len(batch.ids), runtime.max_tokens_in_batch)
        self.calls.append(size)
        if size > self.memory:
            raise self.error
        links = []
        for i in range(len(batch.word_ends)):
            answer = Links.empty()
            begin = batch.word_ends[i - 1] if i else 0
            answer.mention_scores = batch.ids[batch.first[begin : batch.word_ends[i]]]
            links.append(answer)
        return links


@pytest.mark.parametrize("memory", [8, 13, 50, 1000])
def test_out_of_memory_halves_the_batch(memory):
    docs = [
        Pieces.from_words(range(10 * i, 11 * i), range(i)) for i in (1, 4, 9, 40, 2)
    ]
    network = FakeNetwork(memory)
    answers = score_documents(network, docs, Runtime(max_tokens_in_batch=1000))
    # The links of each document, in order.
    found = [answer.mention_scores.tolist() for answer in answers]
    assert found == [list(range(10 * i, 11 * i)) for i in (1, 4, 9, 40, 2)]
    assert (len(network.calls) == 1) == (memory >= 56)


@pytest.mark.parametrize(
    ("message", "is_halved"),
    [
        ("CUDA error: out of memory", True),
        ("CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", True),
        ("CUDA error: device-side assert triggered", False),
    ],
)
def test_out_of_memory_is_known_by_message(message, is_halved):
    docs = [Pieces.from_words(range(8), range(8)) for _ in range(4)]
    network = FakeNetwork(16, RuntimeError(message))
    if is_halved:
        assert len(score_documents(network, docs, Runtime())) == 4
        return
    with pytest.raises(RuntimeError, match="assert"):
        score_documents(network, docs, Runtime())
