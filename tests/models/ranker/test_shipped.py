"""The rankers that ship with the package."""

import json

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import pretrained
from spacy_fastcoref.models.folders import SUMS

from ...conftest import blank

RANKERS = sorted(path.name for path in pretrained.RANKERS.iterdir() if path.is_dir())


@pytest.fixture(params=RANKERS)
def name(request):
    return request.param


def test_each_is_small_and_has_a_card_and_a_licence(name):
    folder = pretrained.find_ranker(name)
    names = {"LICENSE", "README.md", "config.json", "model.safetensors", SUMS}
    assert {path.name for path in folder.iterdir()} == names
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000


def test_each_is_for_one_language_and_scores_mentions(name, tmp_path):
    config = json.loads(
        (pretrained.find_ranker(name) / "config.json").read_text("utf8")
    )
    assert config["origin"]["lang"] == name
    nlp = blank(name)
    model = {"@architectures": "spacy_fastcoref.Ranker.v1", "name": name}
    nlp.add_pipe("fastcoref", config={"model": model})
    doc = make_doc(nlp.vocab, config)
    (links,) = nlp.get_pipe("fastcoref").predict([doc])
    assert len(links) and np.isfinite(links.scores).any()
    nlp.to_disk(tmp_path)
    saved = spacy.load(tmp_path).get_pipe("fastcoref").predict([doc])[0]
    np.testing.assert_array_equal(saved.scores, links.scores)


def make_doc(vocab, config):
    """Make a Doc that says that somebody slept and somebody left, with annotation."""

    def choose(slot, wanted):
        known = config["values"].get(f"head {slot}", [])
        return wanted if wanted in known or not known else known[0]

    doc = Doc(
        vocab,
        words=["Anna", "x", ".", "Anna", "y", "."],
        pos=["PROPN", "VERB", "PUNCT"] * 2,
        tags=[choose("tag", "NNP"), "VBD", "."] * 2,
        deps=[choose("dep", "nsubj"), "ROOT", "punct"] * 2,
        heads=[1, 1, 1, 4, 4, 4],
        morphs=["Number=Sing", "Tense=Past", ""] * 2,
    )
    context = config["origin"]["context"]
    if context is not None:
        doc.tensor = np.tile(np.array(context, dtype=np.float32), (len(doc), 1))
    return doc
