import pickle

import numpy as np
import pytest
import spacy
import srsly
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.architectures import Ensemble, Pretrained
from spacy_fastcoref.models.scorers.refinement import EntityEqualizationBlock
from spacy_fastcoref.types import Links

from ...conftest import (
    TEXT,
    blank,
    describe_block,
    load_model,
    make_network,
    make_nlp,
    read_links,
)
from ..conftest import make_model

TEXTS = [TEXT, "", "They left and she saw the cat that he had. He said she read it."]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("members")
    changes = {
        "max_span_length": 4,
        "max_segment_len": 24,
        "top_lambda": 0.5,
        "refinement": describe_block(EntityEqualizationBlock()),
    }
    make_nlp(folder / "one", make_network(0))
    make_nlp(folder / "two", make_network(1, **changes), **changes)
    return [str(folder / "one"), str(folder / "two")]


@pytest.fixture
def docs():
    nlp = blank("en")
    return [nlp(text) for text in TEXTS]


def make_ensemble(*folders):
    models = {f"m{i}": Pretrained(path) for i, path in enumerate(folders)}
    model = Ensemble(models)
    model.set_runtime(device="cpu", precision="float32")
    return model


def make_pipeline(folders):
    models = {
        f"m{i}": {
            "@architectures": "spacy_fastcoref.Pretrained.v1",
            "name_or_path": path,
        }
        for i, path in enumerate(folders)
    }
    block = {"@architectures": "spacy_fastcoref.Ensemble.v1", "models": models}
    return load_model(model=block)


def test_same_model_twice_gives_its_links(folders, docs):
    alone = make_model(folders[1])
    both = make_ensemble(folders[1], folders[1]).predict(docs)
    for links, expected in zip(both, alone.predict(docs), strict=True):
        assert links.mentions.tolist() == expected.mentions.tolist()
        assert links.antecedents.tolist() == expected.antecedents.tolist()
        np.testing.assert_allclose(links.scores, expected.scores, atol=1e-4)


def test_scores_are_mean_of_models(folders, docs):
    model = make_ensemble(*folders)
    links: Links = model(docs[:1], False)[0][0]
    pairs = [
        (tuple(links.mentions[i].tolist()), tuple(links.mentions[j].tolist()))
        for i, row in enumerate(links.antecedents)
        for j in row[row >= 0]
    ]
    assert len(pairs) > 20
    read = model.score_pairs(docs[0], pairs)
    one, two = (m.score_pairs(docs[0], pairs) for m in model.members.values())
    np.testing.assert_allclose(read, (one + two) / 2, rtol=1e-5)
    # The models differ.
    assert not np.allclose(read, one, atol=0.1)


def test_saving_with_pipeline(folders, tmp_path):
    nlp = make_pipeline(folders)
    expected = [doc._.coref_clusters for doc in nlp.pipe(TEXTS)]
    assert any(expected)
    nlp.to_disk(tmp_path / "nlp")
    found = {path.name for path in (tmp_path / "nlp/fastcoref/model").iterdir()}
    assert found == {"m0", "m1", "SHA256SUMS"}
    config = spacy.util.load_config(tmp_path / "nlp/config.cfg")
    for block in config["components"]["fastcoref"]["model"]["models"].values():
        block["name_or_path"] = "no/such-folder"
    config.to_disk(tmp_path / "nlp/config.cfg")
    again = spacy.load(tmp_path / "nlp")
    assert [doc._.coref_clusters for doc in again.pipe(TEXTS)] == expected
    other = make_pipeline(folders[::-1]).from_bytes(nlp.to_bytes())
    assert [doc._.coref_clusters for doc in other.pipe(TEXTS)] == expected
    copy = pickle.loads(pickle.dumps(nlp))
    assert [doc._.coref_clusters for doc in copy.pipe(TEXTS)] == expected


def test_broken_folder_or_bytes_change_nothing(folders, docs, tmp_path):
    model = make_ensemble(*folders)
    expected = read_links(model.predict(docs))
    other = make_ensemble(*folders[::-1])
    other.to_disk(tmp_path / "m")
    (tmp_path / "m/m1/model.safetensors").write_bytes(b"half a file")
    with pytest.raises(ValueError, match="FC011.*m1"):
        model.from_disk(tmp_path / "m")
    with pytest.raises(ValueError, match="FC018"):
        model.from_bytes(other.to_bytes()[:-50])
    parts = {**srsly.msgpack_loads(other.to_bytes()), "m1": b"no model"}
    with pytest.raises(ValueError, match="FC018") as caught:
        model.from_bytes(srsly.msgpack_dumps(parts))
    assert str(caught.value).count("FC018") == 1
    assert read_links(model.predict(docs)) == expected


def test_rejects_training_averaging_and_export(folders):
    nlp = make_pipeline(folders)
    nlp.initialize()
    reference = nlp.make_doc("She left.")
    set_clusters(reference, [])
    with pytest.raises(NotImplementedError, match="FC108.*trained"):
        nlp.update([Example(nlp.make_doc("She left."), reference)])
    with pytest.raises(NotImplementedError, match="FC121"):
        nlp.get_pipe("fastcoref").model.get_checkpoint()


def test_requires_two_models_with_encoders(folders):
    with pytest.raises(ValueError, match="FC076.*'one'"):
        Ensemble({"one": Pretrained(folders[0])})
    with pytest.raises(ValueError, match="FC076.*'../one'"):
        Ensemble({"../one": Pretrained(folders[0]), "b": Pretrained(folders[1])})
    both = make_ensemble(*folders)
    with pytest.raises(ValueError, match="FC076.*'both'"):
        Ensemble({"one": Pretrained(folders[0]), "both": both})
