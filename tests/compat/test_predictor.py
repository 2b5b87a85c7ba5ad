import json
import os
import pickle

import pytest

from spacy_fastcoref import CorefResult, FCoref
from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.encoders.pieces import TokenVectorsBlock
from spacy_fastcoref.registry import registry

from ..conftest import TEXT, blank, make_config

LAWYER = TEXT.index("a lawyer"), TEXT.index("a lawyer") + len("a lawyer")


@pytest.fixture(scope="module")
def model():
    return FCoref(device="cpu")


def test_results_in_order(model):
    texts = [TEXT, "", "Ann said she left.", TEXT * 2]
    results = model.predict(texts=texts)
    assert [result.text for result in results] == texts
    assert results[1].get_clusters() == []
    assert results[2].get_clusters() == [["Ann", "she"]]
    assert results[2].get_clusters(as_strings=False) == [[(0, 3), (9, 12)]]
    for result in results:
        for cluster in result.get_clusters(as_strings=False):
            assert all(result.text[a:z].strip() for a, z in cluster)


def test_single_text_and_no_texts(model):
    result = model.predict("Ann said she left.")
    assert isinstance(result, CorefResult) and result.get_clusters() == [["Ann", "she"]]
    assert model.predict([]) == [] and model.predict([], is_split_into_words=True) == []
    clusters = "clusters=[['Ann', 'she']]"
    assert repr(result) == f"CorefResult(text='Ann said she left.', {clusters})"
    long = model.predict("Ann said she left. " + "So. " * 99)
    shown = long.text[:50] + "..."
    assert repr(long) == f"CorefResult(text={shown!r}, {clusters})"


def test_words(model):
    words = ["Ann", "said", "she", "left", "."]
    result = model.predict(words, is_split_into_words=True)
    assert result.text == words
    assert result.get_clusters(as_strings=False) == [[(0, 1), (2, 3)]]
    assert result.get_clusters() == [["Ann", "she"]]
    many = model.predict([words, [], ["", *words]], is_split_into_words=True)
    assert [len(result.get_clusters()) for result in many] == [1, 0, 1]
    assert many[2].get_clusters(as_strings=False) == [[(1, 2), (3, 4)]]
    assert result.get_logit((0, 1), (2, 3)) > 0
    padded = model.predict([" Ann", "said\n", " she ", "left", "."], True)
    assert padded.get_clusters() == [[" Ann", " she "]]


def test_logits(model):
    result = model.predict(TEXT)
    (alice, she, *_), (tom, *_), _ = result.get_clusters(as_strings=False)
    logit = result.get_logit(span_i=alice, span_j=she)
    assert logit == result.get_logits(span_i=she, span_j=alice) > 0
    assert result.get_logit(alice, tom) < 0
    # A pair that was pruned is scored again, and does not change the others.
    assert result.get_logit(LAWYER, alice) < logit
    assert result.get_logit(alice, she) == pytest.approx(logit, abs=1e-4)


def test_pickled_results_do_without_the_weights(model):
    result = model.predict(TEXT)
    (alice, she, *_), *_ = result.get_clusters(as_strings=False)
    expected = result.get_logit(LAWYER, alice)
    data = pickle.dumps(result)
    assert len(data) < 1_000_000
    again = pickle.loads(data)
    assert again.to_dict() == result.to_dict() and repr(again) == repr(result)
    assert again.get_logit(alice, she) == result.get_logit(alice, she)
    with pytest.raises(ValueError, match="FC106.*was pickled"):
        again.get_logit(LAWYER, alice)
    assert result.get_logit(LAWYER, alice) == expected


@pytest.mark.parametrize(
    "one, two, says",
    [
        ((0, 1), (1, 2), "FC031"),
        ((0, 0), (0, 5), "FC031"),
        ((0, 5), (900, 905), "FC031"),
        ((0, 5), (0, 5), "FC031.*two different"),
        ((0, 5), (len(TEXT) + 1, len(TEXT) + 2), r"FC031.*'Alice', '\\n'"),
    ],
)
def test_invalid_pairs(model, one, two, says):
    with pytest.raises(ValueError, match=says):
        model.predict(f"{TEXT} \n").get_logit(one, two)


@pytest.mark.parametrize(
    "texts, is_split, says",
    [
        (3, False, "FC076.*int"),
        ([["a"]], False, "FC076.*list.*is_split_into_words=False"),
        (["a", 3], False, "FC076.*int, str"),
        ("a text", True, "FC076.*str"),
        ([["a"], "b"], True, "FC076"),
        (None, False, "FC076.*NoneType"),
    ],
)
def test_invalid_texts(model, texts, is_split, says):
    with pytest.raises(ValueError, match=says):
        model.predict(texts, is_split_into_words=is_split)


def test_rules_are_used_with_shipped_weights(model, tiny_path):
    text = "She greeted her."
    free = FCoref(device="cpu", rules=None)
    assert free.predict(text).get_clusters() == [["She", "her"]]
    assert model.predict(text).get_clusters() == []
    # fastcoref's models answer as they do there, unless rules are asked for.
    assert FCoref(str(tiny_path)).component.rules is None
    rules = registry.coref_rules.get("spacy_fastcoref.en.v1")()
    assert FCoref(str(tiny_path), rules=rules).component.rules is rules


def test_threshold(model):
    strict = FCoref(device="cpu", threshold=99.0)
    assert strict.predict("Ann said she left.").get_clusters() == []
    with pytest.raises(ValueError, match="threshold"):
        FCoref(threshold="high")


def test_output_file(model, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    texts = ["Ann said she left.", "Zoë\n"]
    model.predict(texts, output_file=path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
    assert rows[0] == {
        "text": texts[0],
        "clusters": [[[0, 3], [9, 12]]],
        "clusters_strings": [["Ann", "she"]],
    }
    assert rows[1]["text"] == texts[1]
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_a_folder_is_refused_before_anything_is_predicted(model, tmp_path):
    with pytest.raises(ValueError, match="FC103.*it is a folder"):
        model.predict(3, output_file=tmp_path)


def test_max_tokens_in_batch(model):
    texts = [TEXT, "Ann said she left."] * 3
    expected = [result.get_clusters() for result in model.predict(texts)]
    results = model.predict(texts, max_tokens_in_batch=10)
    assert [result.get_clusters() for result in results] == expected
    with pytest.raises(ValueError, match="FC076.*max_tokens_in_batch"):
        model.predict(texts, max_tokens_in_batch=0)


def test_other_models_and_tokenizers(tiny_path, tmp_path):
    model = FCoref(tiny_path, nlp=blank("de"), precision="float32")
    assert len(model.predict(["Sie sagte das."])) == 1
    blank("en").to_disk(tmp_path)
    assert FCoref(str(tiny_path), nlp=str(tmp_path)).predict(["She left."])
    with pytest.raises(ValueError, match="FC010.*no/such-model"):
        FCoref("no/such-model")
    with pytest.raises(ValueError, match="FC076.*precision"):
        FCoref(precision="half")
    with pytest.raises(ValueError, match="FC002.*'it'"):
        FCoref(nlp=blank("it"))
    with pytest.raises(ValueError, match="FC076"):
        FCoref(nlp=3)


def test_progress_bar_only_when_asked(tiny_path, capsys):
    for enabled in (False, True):
        model = FCoref(tiny_path, enable_progress_bar=enabled)
        capsys.readouterr()
        model.predict(["She left."] * 2)
        assert ("2/2" in capsys.readouterr().err) == enabled


def test_model_from_a_pipeline_folder(tiny_nlp, tmp_path):
    """Load the only coreference component of a pipeline's folder."""
    tiny_nlp.to_disk(tmp_path / "one")
    model = FCoref(model_name_or_path=str(tmp_path / "one"), device="cpu")
    (expected,) = tiny_nlp.get_pipe("fastcoref").predict([tiny_nlp.make_doc(TEXT)])
    links = model.predict(TEXT).links
    assert links.scores.tolist() == expected.scores.tolist()
    # By either name of the factory, whatever the component is called.
    config = {"model_path": str(tmp_path / "one")}
    renamed = blank("en")
    renamed.add_pipe("spacy_fastcoref", name="who", config=config)
    renamed.to_disk(tmp_path / "renamed")
    model = FCoref(model_name_or_path=str(tmp_path / "renamed"), device="cpu")
    assert model.predict(TEXT).links.scores.tolist() == expected.scores.tolist()
    blank("en").to_disk(tmp_path / "none")
    tiny_nlp.add_pipe("fastcoref", name="other")
    tiny_nlp.to_disk(tmp_path / "two")
    for name, n_found in (("none", 0), ("two", 2)):
        with pytest.raises(ValueError, match=f"FC084.*{name}' has {n_found}"):
            FCoref(model_name_or_path=str(tmp_path / name))
    path = tmp_path / "two" / "fastcoref" / "model"
    assert FCoref(model_name_or_path=str(path), device="cpu").predict(TEXT).links


def test_model_with_listener_cannot_be_used_alone(tmp_path):
    config = {**make_config(), "encoder": describe_block(TokenVectorsBlock(16))}
    del config["encoder_config"]
    Checkpoint(config, {}, "").to_disk(tmp_path)
    with pytest.raises(ValueError, match="FC085.*spacy.load"):
        FCoref(model_name_or_path=str(tmp_path))
