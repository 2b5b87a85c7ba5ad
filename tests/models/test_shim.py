import copy
import pickle

import pytest
import spacy
import torch
from thinc.api import Model

from spacy_fastcoref.batching import Pieces
from spacy_fastcoref.decoding.links import Links
from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.shim import score_documents

TEXTS = ["She said that he ate.", "", "They left and she saw the cat that he had."]


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    return [nlp(text) for text in TEXTS]


@pytest.fixture
def model(tiny_path) -> Model:
    model = Pretrained(str(tiny_path))
    model.shims[0].set_runtime(device="cpu", precision="float32")
    return model


def read(all_links):
    return [
        (links.mentions.tolist(), links.antecedents.tolist(), links.scores.tolist())
        for links in all_links
    ]


def test_loads_at_first_use_only(model, docs):
    assert model.shims[0].checkpoint is None
    model.predict(docs)
    checkpoint = model.shims[0].checkpoint
    model.initialize()
    model.predict(docs)
    assert model.shims[0].checkpoint is checkpoint


def test_bytes_fill_it_for_good(model, docs):
    other = Pretrained("no/such-folder").from_bytes(model.to_bytes())
    assert read(other.predict(docs)) == read(model.predict(docs))
    assert other.to_bytes() == model.to_bytes()


def test_disk_fills_it_for_good(model, docs, tmp_path):
    expected = read(model.predict(docs))
    model.shims[0].to_disk(tmp_path / "m")
    other = Pretrained("no/such-folder")
    other.shims[0].from_disk(tmp_path / "m")
    assert read(other.predict(docs)) == expected


def test_half_a_file_leaves_it_as_it_was(model, docs, tmp_path):
    expected = read(model.predict(docs))
    data = model.shims[0].to_bytes()
    with pytest.raises(ValueError, match="FC018"):
        model.shims[0].from_bytes(data[:-50])
    assert read(model.predict(docs)) == expected


@pytest.mark.parametrize("used", [False, True])
def test_pickle_and_copy(model, docs, used):
    if used:
        model.predict(docs)
    again = pickle.loads(pickle.dumps(model))
    assert (again.shims[0].checkpoint is not None) == used
    assert read(again.predict(docs)) == read(model.predict(docs))
    assert read(copy.deepcopy(model).predict(docs)) == read(model.predict(docs))
    assert read(model.copy().predict(docs)) == read(model.predict(docs))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_precision_is_that_of_products(model, docs, precision):
    exact = model.predict(docs)
    model.shims[0].set_runtime(precision=precision)
    rough = model.predict(docs)
    network, _ = model.shims[0].get_network()
    assert next(network.encoder.parameters()).dtype == getattr(torch, precision)
    scorer = network.mention_scorer
    assert scorer.start_mlp.dense.weight.dtype == getattr(torch, precision)
    assert scorer.start_mlp.layer_norm.weight.dtype == getattr(torch, precision)
    assert scorer.start_score.weight.dtype == torch.float32
    assert read(rough) != read(exact)
    assert [len(links) for links in rough] == [len(links) for links in exact]
    # What is saved is what was loaded, whatever it is computed in.
    assert (
        model.shims[0].checkpoint.tensors["mention_scorer.start_mlp.dense.bias"].dtype
        == torch.float32
    )


def test_loading_leaves_random_numbers_alone(model, docs):
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    model.predict(docs)
    assert torch.equal(torch.rand(3), expected)


class FakeNetwork:
    """Runs out of memory for more than a number of pieces at once."""

    max_segment_len = 8

    def __init__(self, memory):
        self.memory = memory
        self.calls = []

    def __call__(self, batch, runtime):
        size = min(len(batch.ids), runtime.max_tokens_in_batch)
        self.calls.append(size)
        if size > self.memory:
            raise torch.OutOfMemoryError("simulated")
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
    # Every document's own answer, in order.
    found = [answer.mention_scores.tolist() for answer in answers]
    assert found == [list(range(10 * i, 11 * i)) for i in (1, 4, 9, 40, 2)]
    assert (len(network.calls) == 1) == (memory >= 56)


def test_out_of_memory_for_one_segment_is_an_error():
    docs = [Pieces.from_words(range(20), range(20))]
    with pytest.raises(torch.OutOfMemoryError):
        score_documents(FakeNetwork(3), docs, Runtime())


def test_model_without_weights_says_so():
    with pytest.raises(ValueError, match="FC002.*'None'"):
        Pretrained().initialize()
