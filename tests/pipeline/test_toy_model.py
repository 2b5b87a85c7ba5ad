"""Test that the component works with any CorefModel, here one without PyTorch."""

import pickle

import numpy as np
import pytest
import spacy
from spacy.tokens import Span
from spacy.training import Example
from thinc.api import Adam, Model

from spacy_fastcoref import set_clusters
from spacy_fastcoref.cli.models import average
from spacy_fastcoref.types import CorefModel, Links

TEXT = "Ann said that she had seen Bob before he left , and she knew him ."
WORDS = ("Ann", "she", "Bob", "he", "him")


class ToyModel(Model, CorefModel):
    """Score a link by the distance of two mentions, which are words of a list.

    The score is w - d, with w the only weight and d the distance in tokens.
    """

    def __init__(self):
        params = {"w": np.asarray([2.5], dtype="f")}
        super().__init__("toy", forward, params=params)
        self.runtime = {}

    def score_pairs(self, doc, pairs):
        distances = [later[0] - earlier[0] for later, earlier in pairs]
        return (self.get_param("w") - np.asarray(distances)).astype("f")

    def get_loss(self, golds, scores, **weights):
        """Learn that mentions of one cluster score above 0, others below."""
        loss, n_pairs, gradients = 0.0, 0, []
        for gold, (pairs, values) in zip(golds, scores, strict=True):
            clusters = {m: i for i, c in enumerate(gold.clusters) for m in c}
            truth = [clusters.get(a, -1) == clusters.get(b, -2) for a, b in pairs]
            probs = 1 / (1 + np.exp(-values))
            loss -= np.log(np.where(truth, probs, 1 - probs)).sum()
            gradients.append(probs - truth)
            n_pairs += len(pairs)
        return loss / n_pairs, [gradient / n_pairs for gradient in gradients]

    def set_runtime(self, **settings):
        self.runtime.update(settings)


def forward(model, docs, is_train):
    mentions = [[(t.i, t.i + 1) for t in doc if t.text in WORDS] for doc in docs]
    pairs = [[(a, b) for a in found for b in found if b < a] for found in mentions]
    scores = [model.score_pairs(*pair) for pair in zip(docs, pairs, strict=True)]

    def backprop(gradients):
        total = sum(float(gradient.sum()) for gradient in gradients)
        model.inc_grad("w", np.asarray([total], dtype="f"))
        return []

    if is_train:
        return list(zip(pairs, scores, strict=True)), backprop
    return [
        make_links(*parts) for parts in zip(mentions, pairs, scores, strict=True)
    ], backprop


def make_links(mentions, pairs, scores):
    """Keep only the nearest antecedent in the links."""
    found = dict(zip(pairs, scores.tolist(), strict=True))
    rows = range(1, len(mentions))
    best = [found[mentions[i], mentions[i - 1]] for i in rows]
    if not mentions:
        return Links.empty()
    return Links(
        np.asarray(mentions, dtype=np.int32),
        np.zeros(len(mentions), dtype="f"),
        np.asarray([[-1], *([i - 1] for i in rows)], dtype=np.int32),
        np.asarray([[-np.inf], *([score] for score in best)], dtype="f"),
        np.asarray([0.0, *(np.logaddexp(0, score) for score in best)], dtype="f"),
    )


@spacy.registry.architectures("test_toy_model.Toy.v1")
def make_toy():
    return ToyModel()


def make_nlp(**settings):
    nlp = spacy.blank("en")
    model = {"@architectures": "test_toy_model.Toy.v1"}
    config = {"model": model, "rules": None, **settings}
    return nlp, nlp.add_pipe("fastcoref", config=config)


def make_example(nlp):
    reference = nlp.make_doc(TEXT)
    set_clusters(reference, [[(0, 1), (3, 4), (11, 12)], [(6, 7), (8, 9), (13, 14)]])
    return Example(nlp.make_doc(TEXT), reference)


def test_toy_model_is_a_coref_model():
    _, pipe = make_nlp(threshold=0.5, device="cpu")
    assert isinstance(pipe.model, CorefModel)
    assert pipe.model.runtime["device"] == "cpu"
    pipe.max_tokens_in_batch = 77
    assert pipe.model.runtime["max_tokens_in_batch"] == 77


def test_toy_model_predicts():
    nlp, pipe = make_nlp()
    # "Bob" and "he", and wrongly "she" and "him", are close enough.
    assert nlp(TEXT)._.coref_clusters == [[(27, 30), (38, 40)], [(52, 55), (61, 64)]]
    assert nlp("")._.coref_clusters == []
    docs = list(nlp.pipe([TEXT, "Nobody.", TEXT], batch_size=2))
    assert [len(doc.spans) for doc in docs] == [2, 0, 2]
    docs = list(nlp.pipe([TEXT, "Nobody."] * 2, n_process=2, batch_size=1))
    assert [len(doc.spans) for doc in docs] == [2, 0, 2, 0]


def test_toy_model_trains():
    nlp, pipe = make_nlp()
    nlp.initialize()
    assert pipe.model.get_param("w").tolist() == [2.5]
    losses = []
    for _ in range(20):
        step = {}
        nlp.update([make_example(nlp)], sgd=Adam(0.1), losses=step)
        losses.append(step["fastcoref"])
    assert losses[-1] < losses[0]
    assert pipe.model.get_param("w").tolist() != [2.5]
    loss, _ = pipe.get_loss(
        [make_example(nlp)], pipe.model.begin_update([nlp.make_doc(TEXT)])[0]
    )
    assert loss < losses[0]


def test_toy_model_explains_any_pair():
    nlp, pipe = make_nlp()
    doc = nlp(TEXT)
    (candidate,) = pipe.explain(doc, doc[3:4]).candidates
    assert candidate.mention.text == "Ann" and candidate.score == -0.5
    # The model's links do not have this one.
    (candidate,) = pipe.explain(doc, doc[13:14], Span(doc, 0, 1)).candidates
    assert candidate.score == 2.5 - 13


@pytest.mark.parametrize("way", ["disk", "bytes", "pickle"])
def test_toy_model_is_saved(way, tmp_path):
    nlp, pipe = make_nlp()
    pipe.model.set_param("w", np.asarray([-9.0], dtype="f"))
    assert nlp(TEXT)._.coref_clusters == []
    if way == "disk":
        nlp.to_disk(tmp_path)
        again = spacy.load(tmp_path)
    elif way == "bytes":
        again = make_nlp()[0].from_bytes(nlp.to_bytes())
    else:
        again = pickle.loads(pickle.dumps(nlp))
    assert again.get_pipe("fastcoref").model.get_param("w").tolist() == [-9.0]
    assert again(TEXT)._.coref_clusters == []


def test_missing_checkpoint_is_an_error():
    nlp, pipe = make_nlp()
    with pytest.raises(NotImplementedError, match="FC121.*ToyModel"):
        pipe.model.get_checkpoint()
    with pytest.raises(NotImplementedError, match="FC121.*ToyModel"):
        average([nlp, make_nlp()[0]], ["one", "two"])
    with pytest.raises(ValueError, match="FC003.*somewhere"):
        make_nlp(model_path="somewhere")


def test_incomplete_model_is_an_error():
    @spacy.registry.architectures("test_toy_model.Plain.v1")
    def make_plain():
        return Model("plain", forward)

    model = {"@architectures": "test_toy_model.Plain.v1"}
    with pytest.raises(ValueError, match="FC120.*'fastcoref'.*score_pairs, get_loss"):
        spacy.blank("en").add_pipe("fastcoref", config={"model": model})
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Model, CorefModel), {})("half", forward)
