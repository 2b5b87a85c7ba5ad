"""The ranker as a model of a pipeline."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
import safetensors.numpy
import srsly
import torch
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.folders import CONFIG, SUMS, WEIGHTS, add_sums, write_folder
from spacy_fastcoref.models.ranker.architecture import RankerModel
from spacy_fastcoref.models.ranker.storage import get_weights

from ...conftest import blank, reload_in_each_way, run_python
from ...grammar.docs import parse

NAME = "spacy_fastcoref.Ranker.v1"
SMALL = {
    "hidden": [16, 8],
    "words": {
        "hash": {
            "@coref_layers": "spacy_fastcoref.HashWords.v1",
            "width": 16,
            "rows": [200] * 4,
        }
    },
}
# Whether a pronoun is the subject or the object of the sentence before it depends on
# the verb.
SENTENCE = (
    "{0}/PROPN/nsubj/1 {2}/VERB/ROOT/- {1}/PROPN/dobj/1 ./PUNCT/punct/1 "
    "He/PRON/nsubj/5 slept/VERB/ROOT/- ./PUNCT/punct/5"
)
CASES = [
    ("Tom", "Ben", "woke", 1),
    ("Max", "Sam", "called", 0),
    ("Ian", "Leo", "woke", 1),
    ("Kai", "Tim", "called", 0),
    ("Jon", "Ned", "woke", 1),
]


def make_nlp(**settings):
    nlp = blank("en")
    model = {"@architectures": NAME, **SMALL, **settings}
    nlp.add_pipe("fastcoref", config={"model": model})
    return nlp


def make_example(nlp, first, second, verb, antecedent):
    text = SENTENCE.format(first, second, verb)
    gold = parse(nlp.vocab, text)
    token = 2 * antecedent
    set_clusters(gold, [[(token, token + 1), (4, 5)]])
    return Example(parse(nlp.vocab, text), gold)


@pytest.fixture(scope="module")
def nlp():
    return train(make_nlp())


def train(nlp, n_steps=60):
    examples = [make_example(nlp, *case) for case in CASES]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(n_steps):
        fresh = [make_example(nlp, *case) for case in CASES]
        nlp.update(fresh, sgd=optimizer)
    return nlp


def predict(nlp, case):
    doc = nlp.get_pipe("fastcoref")(make_example(nlp, *case).predicted)
    return doc._.coref_clusters


def expect(case):
    first, second, verb, antecedent = case
    start = [0, len(first) + len(verb) + 2][antecedent]
    end = start + len(case[antecedent])
    text = f"{first} {verb} {second} . He"
    return [[(start, end), (len(text) - 2, len(text))]]


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["all_pairs", "ranking", "top_pairs"])
def test_each_loss_learns(loss):
    block = {"@coref_losses": f"spacy_fastcoref.{loss}.v1"}
    nlp = train(make_nlp(loss=block))
    assert [predict(nlp, case) for case in CASES] == [expect(case) for case in CASES]


@pytest.mark.slow
def test_saved_pipelines(nlp, tmp_path):
    # The folder tells the sizes, and not the config.
    other_size = make_nlp(hidden=[4]).from_bytes(nlp.to_bytes())
    for other in (*reload_in_each_way(nlp, tmp_path), other_size):
        assert predict(other, CASES[0]) == expect(CASES[0])
    copy = nlp.get_pipe("fastcoref").model.copy()
    assert type(copy) is RankerModel


def test_batches_do_not_matter(nlp):
    pipe = nlp.get_pipe("fastcoref")
    docs = [make_example(nlp, *case).predicted for case in CASES]
    docs.insert(2, nlp.make_doc(""))
    found = [doc._.coref_clusters for doc in pipe.pipe(docs)]
    assert found.pop(2) == pipe(nlp.make_doc(""))._.coref_clusters == []
    assert found == [expect(case) for case in CASES]


def test_links_can_be_explained(nlp):
    pipe = nlp.get_pipe("fastcoref")
    doc = pipe(make_example(nlp, *CASES[0]).predicted)
    explained = pipe.explain(doc, (4, 5))
    assert [c.is_chosen for c in explained.candidates if c.mention.text == "Ben"] == [
        True
    ]
    later, links = (4, 5), pipe.predict([doc])[0]
    # A candidate's rank is a feature, so that the score depends on the others.
    for earlier in ((0, 1), (2, 3)):
        (score,) = pipe.model.score_pairs(doc, [(later, earlier)])
        assert score == pytest.approx(links.find_score(later, earlier), abs=1e-4)
    # The verb is no mention, and is scored, too.
    assert np.isfinite(pipe.model.score_pairs(doc, [(later, (1, 2))])).all()


def test_training_goes_on_in_its_phase(nlp):
    docs = [make_example(nlp, *CASES[0]).predicted]

    def copy_model():
        return make_nlp().from_bytes(nlp.to_bytes()).get_pipe("fastcoref").model

    model, resumed = copy_model(), copy_model()
    best = model.layers[0].layers[1].layers[0].get_param("W").copy()
    for score in [0.9] + [0.1] * model.loss.patience:
        model.begin_update(docs)
        model.observe_score(score)
    # The weights of later updates are not those to return to.
    later = resumed.layers[0].layers[1].layers[0]
    later.set_param("W", best + 1)
    state = model.get_training_state()
    resumed.set_training_state({k: torch.as_tensor(v) for k, v in state.items()})
    assert (resumed.loss.phase, resumed.loss.best) == (1, 0.9)
    resumed.begin_update(docs)
    np.testing.assert_array_equal(later.get_param("W"), best)


def test_missing_annotation_is_named(nlp):
    with pytest.raises(ValueError, match="FC190.*pos, dep"):
        nlp("Tom woke Ben.")


def test_another_language_is_refused(nlp):
    french = blank("fr")
    model = {"@architectures": NAME, **SMALL}
    pipe = french.add_pipe("fastcoref", config={"model": model})
    pipe.model.from_bytes(nlp.get_pipe("fastcoref").model.to_bytes())
    with pytest.raises(ValueError, match="FC195.*'en'.*'fr'"):
        pipe(parse(french.vocab, SENTENCE.format("Tom", "Ben", "woke")))


def test_packed_weights(nlp, tmp_path):
    model = nlp.get_pipe("fastcoref").model
    name, files = model.pack()
    assert name == "spacy_fastcoref.Float16.v1"
    write_folder(tmp_path / "packed", files)
    packed = make_nlp()
    packed.get_pipe("fastcoref").model.from_disk(tmp_path / "packed")
    assert predict(packed, CASES[0]) == expect(CASES[0])
    path = str(tmp_path / "packed")
    named = blank("en")
    config = {"model": {"@architectures": NAME}, "model_path": path}
    named.add_pipe("fastcoref", config=config)
    assert predict(named, CASES[0]) == expect(CASES[0])
    # They are as small in every copy, and are the same.
    again = packed.get_pipe("fastcoref").model
    again.to_disk(tmp_path / "again")
    for file in files:
        assert (tmp_path / "again" / file).read_bytes() == files[file]
    assert len(files["model.safetensors"]) < 0.6 * len(model.to_bytes())
    with pytest.raises(ValueError, match="FC024.*Int8"):
        model.pack("spacy_fastcoref.Int8Groups.v1")


def test_no_weights(nlp):
    with pytest.raises(ValueError, match="FC017"):
        make_nlp()("Ann left.")
    with pytest.raises(ValueError, match="FC024.*'xy'"):
        make_nlp(name="xy")("Ann left.")
    with pytest.raises(ValueError, match="FC192"):
        make_nlp().initialize(lambda: [])


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden": []},
        {"dropout": 1.0},
        {"ensemble": 0},
        {"max_dist": -1},
        {"words": {}},
    ],
    ids=str,
)
def test_settings_are_checked(settings):
    with pytest.raises(ValueError, match=f"FC076.*{next(iter(settings))}"):
        make_nlp(**settings)


def change_config(folder, **changes):
    path = folder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, **changes}))
    (folder / SUMS).unlink()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "another"}, "FC011.*format"),
        ({"values": {"head": ["x"]}}, "FC011"),
        ({"values": {"head foo": ["x"]}}, "FC011"),
        ({"values": {"head pos": []}}, "FC012"),
        ({"origin": {"lang": 1}}, "FC011"),
        ({"origin": {"lang": "en", "context": [[1.0]]}}, "FC011.*origin"),
        ({"origin": {"lang": "en", "context": [float("nan")]}}, "FC011.*origin"),
        ({"origin": {"lang": "en", "context": None, "more": 1}}, "FC011.*more"),
        ({"settings": {"words": {}}}, "FC011"),
        # No code but that of registered blocks runs.
        ({"settings": {"words": {"hash": {"@coref_layers": "os.system"}}}}, "FC024"),
    ],
    ids=str,
)
def test_broken_folders(nlp, tmp_path, changes, message):
    nlp.get_pipe("fastcoref").to_disk(tmp_path / "pipe")
    change_config(tmp_path / "pipe" / "model", **changes)
    other = make_nlp().get_pipe("fastcoref")
    with pytest.raises(ValueError, match=message):
        other.from_disk(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ensemble": 10**9}, "FC018.*more weights"),
        ({"hidden": [1] * 10**5}, "FC018.*more weights"),
        ({"hidden": [10**12, 8]}, "FC012"),
        ({"words": {"hash": {**SMALL["words"]["hash"], "width": 10**12}}}, "FC012"),
        ({"words": {"hash": {**SMALL["words"]["hash"], "rows": [0] * 4}}}, "FC012"),
    ],
    ids=range(5),
)
def test_settings_of_a_size_that_the_weights_do_not_have(nlp, changes, message):
    data = change_bytes(nlp.get_pipe("fastcoref").model, changes, {})
    with pytest.raises(ValueError, match=message):
        make_nlp().get_pipe("fastcoref").model.from_bytes(data)


def change_bytes(model, settings, tensors):
    files = model.make_files()
    config = json.loads(files[CONFIG])
    config["settings"].update(settings)
    weights = {**safetensors.numpy.load(files[WEIGHTS]), **tensors}
    changed = {CONFIG: json.dumps(config).encode()}
    changed[WEIGHTS] = safetensors.numpy.save(weights)
    return srsly.msgpack_dumps(add_sums(changed))


@pytest.mark.parametrize(
    "shape", [(), (0,), (1,), (16, 1, 7), (0, 16), (3, 3)], ids=str
)
def test_weights_of_another_shape(nlp, shape):
    model = nlp.get_pipe("fastcoref").model
    other = make_nlp().get_pipe("fastcoref").model
    for name, tensor in get_weights(model.layers[0]).items():
        if tensor.shape != shape:
            tensors = {name: np.ones(shape, dtype=np.float32)}
            with pytest.raises(ValueError, match="FC012"):
                other.from_bytes(change_bytes(model, {}, tensors))


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("spacy_transformers") is not None,
    reason="spaCy loads spacy-transformers, which imports torch",
)
def test_no_torch_is_needed(nlp, tmp_path):
    """Nor for the model without weights, and for questions about grammar."""
    nlp.to_disk(tmp_path / "nlp")
    docs = [make_example(nlp, *case).predicted for case in CASES]
    DocBin(docs=docs).to_disk(tmp_path / "docs.spacy")
    run_python(f"""
        import sys
        sys.modules["torch"] = sys.modules["transformers"] = None
        import spacy
        from spacy.tokens import DocBin
        from spacy_fastcoref import find_anaphors, judge
        doc = spacy.blank("en")("Ann said she left.")
        assert [span.text for span in find_anaphors(doc)] == ["she"]
        assert judge(doc, doc[2:3], doc[0:1]).verdict == 2
        nearest = spacy.blank("en")
        model = {{"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}}
        nearest.add_pipe("fastcoref", config={{"model": model}})
        (doc,) = nearest.pipe([doc.text])
        assert doc._.coref_clusters == [[(0, 3), (9, 12)]]
        nlp = spacy.load({str(tmp_path / "nlp")!r})
        docs = DocBin().from_disk({str(tmp_path / "docs.spacy")!r}).get_docs(nlp.vocab)
        found = list(nlp.pipe(docs, n_process=2, batch_size=2))
        assert [len(doc._.coref_clusters) for doc in found] == [1] * {len(CASES)}
    """)


def test_settings_of_the_component():
    config = {"model": {"@architectures": NAME, "max_dist": 7}}
    config |= {"max_dist": 3, "blacklist": True, "greedyness": 0.75}
    pipe = blank("en").add_pipe("fastcoref", config=config)
    assert pipe.model.given == {"max_dist": 3, "blacklist": True}
    assert pipe.threshold == pytest.approx(-np.log(3))
    # The window of other models is not changed.
    assert pipe.antecedent_window == 2048
