"""Models on a pipeline's own vectors: one encoder for all components."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam, Config, fix_random_seed

from spacy_fastcoref.models.checkpoints.sources import TrainedSource
from spacy_fastcoref.models.model import NetworkModel
from spacy_fastcoref.training.readers.corpora import make_jsonl_corpus

from ..conftest import blank
from ..training.corpus import make_rows, write_rows

LISTENER = Path(__file__).with_name("listener.cfg")
TOK2VEC = Path(__file__).with_name("tok2vec.cfg")


def make_nlp(upstream=True):
    nlp = blank("en")
    if upstream:
        nlp.add_pipe("tok2vec", config=Config().from_disk(TOK2VEC))
    nlp.add_pipe("fastcoref", config=Config().from_disk(LISTENER))
    return nlp


def test_the_rate_of_the_scorers_is_a_setting():
    config = Config().from_disk(LISTENER)
    config["model"]["learn_rate"] = 8.0
    nlp = make_nlp()
    nlp.add_pipe("fastcoref", name="faster", config=config)
    nlp.initialize()
    for name, rate in (("fastcoref", 0.5), ("faster", 4.0)):
        learner, _ = nlp.get_pipe(name).model.get_learner()
        learner.finish_update(Adam(0.5))
        assert max(g["lr"] for g in learner.optimizer.param_groups) == rate


@pytest.fixture
def examples(tmp_path):
    path = write_rows(tmp_path / "rows.jsonl", make_rows(10))
    return list(make_jsonl_corpus(path)(blank("en")))


def read_weights(model):
    return [
        node.get_param(name).copy()
        for node in model.walk()
        for name in node.param_names
        if node.has_param(name)
    ]


def train(nlp, examples, n_steps):
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    sgd = Adam(0.01, L2=0.0, grad_clip=1.0)
    return [nlp.update(examples, sgd=sgd)["fastcoref"] for _ in range(n_steps)]


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_loss_that_is_not_finite_changes_nothing(examples, value, monkeypatch):
    """The next batch is learned, and the pipeline's own vectors stay finite."""
    nlp = make_nlp()
    sgd = nlp.initialize(lambda: examples)
    component = nlp.get_pipe("fastcoref")
    for _ in range(2):
        nlp.update(examples, sgd=sgd)
    before = component.model.to_bytes()
    get_loss = component.model.get_loss

    def break_loss(*args, **weights):
        return tuple(one * value for one in get_loss(*args, **weights))

    with monkeypatch.context() as patch:
        patch.setattr(component.model, "get_loss", break_loss)
        with pytest.warns(UserWarning, match=f"FCW24.*its loss is {value}"):
            losses = nlp.update(examples, sgd=sgd)
    # spaCy writes them to a meta.json, which has no NaN.
    assert losses["fastcoref"] == 0.0
    assert component.model.to_bytes() == before
    weights = read_weights(nlp.get_pipe("tok2vec").model)
    assert all(np.isfinite(weight).all() for weight in weights)
    assert nlp.update(examples, sgd=sgd)["fastcoref"] > 0.0
    assert component.model.to_bytes() != before


@pytest.mark.slow
def test_it_learns_through_the_pipelines_own_vectors(examples, tmp_path):
    nlp = make_nlp()
    nlp.initialize(lambda: examples)
    tok2vec = nlp.get_pipe("tok2vec").model
    before = read_weights(tok2vec)
    losses = train(nlp, examples, 60)
    assert losses[-1] < losses[0] / 3
    # The gradient came through.
    changed = zip(before, read_weights(tok2vec), strict=True)
    assert any(not np.allclose(one, other) for one, other in changed)
    scores = nlp.evaluate(examples)
    assert scores["coref_f"] > 0.6
    nlp.to_disk(tmp_path / "nlp")
    texts = [eg.reference.text for eg in examples]
    expected = [doc._.coref_clusters for doc in nlp.pipe(texts)]
    again = spacy.load(tmp_path / "nlp")
    assert [doc._.coref_clusters for doc in again.pipe(texts)] == expected
    copy = make_nlp().from_bytes(nlp.to_bytes())
    assert [doc._.coref_clusters for doc in copy.pipe(texts)] == expected
    assert any(expected)


def make_own():
    config = Config().from_disk(LISTENER)
    config["model"]["tok2vec"] = Config().from_disk(TOK2VEC)["model"]
    nlp = blank("en")
    nlp.add_pipe("fastcoref", config=config)
    return nlp


def test_changes_of_the_layers_weights_are_noticed(examples, tmp_path):
    nlp = make_own()
    nlp.initialize(lambda: examples)
    model = nlp.get_pipe("fastcoref").model
    model.to_disk(tmp_path / "m")
    weights = bytearray((tmp_path / "m" / "tok2vec").read_bytes())
    data = model.to_bytes()
    assert bytes(weights) in data
    broken = weights[:-1]
    weights[len(weights) // 2] ^= 1
    (tmp_path / "m" / "tok2vec").write_bytes(weights)
    with pytest.raises(ValueError, match="FC011.*checksum of tok2vec"):
        model.from_disk(tmp_path / "m")
    with pytest.raises(ValueError, match="FC018.*checksum of tok2vec"):
        model.from_bytes(data.replace(model.tok2vec.to_bytes(), bytes(weights)))
    (tmp_path / "m" / "SHA256SUMS").unlink()
    model.from_disk(tmp_path / "m")
    (tmp_path / "m" / "tok2vec").write_bytes(broken)
    with pytest.raises(ValueError, match=f"FC011.*'{tmp_path / 'm'}'"):
        model.from_disk(tmp_path / "m")
    with pytest.raises(ValueError, match="FC018.*tok2vec is of another model"):
        NetworkModel(TrainedSource("no/such")).from_bytes(data)


def test_white_space_is_no_mention(examples):
    nlp = make_nlp()
    train(nlp, examples, 1)
    doc = nlp("anna \n\n saw  boris")
    (links,) = nlp.get_pipe("fastcoref").predict([doc])
    spaces = {token.i for token in doc if token.is_space}
    assert len(links) and spaces
    assert not spaces & {
        int(i) for start, end in links.mentions for i in (start, end - 1)
    }
    assert nlp("")._.coref_clusters == []


def test_nothing_to_listen_to(examples):
    nlp = make_nlp(upstream=False)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match="FC007.*has to come before it"):
        nlp("anna saw boris")
    with pytest.raises(ValueError, match="FC007"):
        nlp.update(examples, sgd=Adam(0.01))


def test_frozen_the_wrong_way(examples):
    nlp = make_nlp()
    nlp.initialize(lambda: examples)
    nlp.disable_pipe("tok2vec")
    other = Example(Doc(nlp.vocab, words=["a"]), Doc(nlp.vocab, words=["a"]))
    with pytest.raises(ValueError, match="FC007.*annotating_components"):
        nlp.update([other], sgd=Adam(0.01))


def test_frozen_the_right_way(examples):
    nlp = make_nlp()
    nlp.initialize(lambda: examples)
    before = read_weights(nlp.get_pipe("tok2vec").model)
    for _ in range(3):
        nlp.update(
            examples,
            sgd=Adam(0.01),
            exclude=["tok2vec"],
            annotates=["tok2vec"],
        )
    after = read_weights(nlp.get_pipe("tok2vec").model)
    assert all(map(np.array_equal, before, after))
