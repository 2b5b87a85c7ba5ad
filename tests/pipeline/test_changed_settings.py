"""Test that changed settings are passed to the model and saved with the component."""

import pickle

import pytest
import spacy

from spacy_fastcoref.grammar.auto import AutoRules

from ..conftest import TEXT, blank

CHANGES = {
    "threshold": 100.0,
    "device": "cpu",
    "precision": "float32",
    "runtime": "torch",
    "max_tokens_in_batch": 77,
    "scheme": None,
    "segment_overlap": 3,
    "antecedent_window": 5,
    "antecedent_cache": 0,
    "n_threads": 1,
    "mention_weight": 0.5,
    "enable_progress_bar": True,
}


@pytest.fixture
def saved(tmp_path):
    def save(nlp, way, **overrides):
        if way == "pickle":
            return pickle.loads(pickle.dumps(nlp)).get_pipe("fastcoref")
        if way == "bytes":
            again = blank("en").from_config(nlp.config)
            return again.from_bytes(nlp.to_bytes()).get_pipe("fastcoref")
        nlp.to_disk(tmp_path)
        config = {"components": {"fastcoref": overrides}}
        return spacy.load(tmp_path, config=config).get_pipe("fastcoref")

    return save


def test_changed_values_are_checked(tiny_nlp):
    pipe = tiny_nlp.get_pipe("fastcoref")
    before = pipe.threshold, pipe.device
    with pytest.raises(ValueError, match="FC076.*fastcoref.threshold'.*inf"):
        pipe.threshold = float("inf")
    with pytest.raises(ValueError, match="FC076.*fastcoref.device'.*'gpu'"):
        pipe.device = "gpu"
    assert (pipe.threshold, pipe.device) == before


@pytest.mark.parametrize("way", ["disk", "bytes", "pickle"])
def test_changes_are_saved(tiny_nlp, saved, way):
    pipe = tiny_nlp.get_pipe("fastcoref")
    for name, value in CHANGES.items():
        setattr(pipe, name, value)
    pipe.rules = None
    again = saved(tiny_nlp, way)
    assert {name: getattr(again, name) for name in CHANGES} == CHANGES
    assert again.rules is None
    assert again.model.runtime == pipe.model.runtime
    # And again, when they were changed in another process.
    assert saved(tiny_nlp, way).threshold == 100.0


@pytest.mark.parametrize("way", ["disk", "bytes", "pickle"])
def test_unchanged_settings_come_from_the_config(tiny_nlp, saved, way):
    again = saved(tiny_nlp, way)
    assert again.threshold == 0.0 and isinstance(again.rules, AutoRules)
    assert tiny_nlp(TEXT)._.coref_clusters


def test_overrides_at_loading_take_precedence(tiny_nlp, saved):
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.threshold, pipe.mention_weight, pipe.rules = 100.0, 0.5, None
    rules = {"@coref_rules": "spacy_fastcoref.en.v1"}
    again = saved(tiny_nlp, "disk", threshold=1.0, rules=rules)
    assert again.threshold == 1.0 and again.mention_weight == 0.5
    assert again.rules is not None


def test_reverted_change_is_not_saved(tiny_nlp, saved):
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.threshold = 100.0
    pipe.threshold = 0.0
    assert saved(tiny_nlp, "disk", threshold=2.0).threshold == 2.0


@pytest.mark.parametrize("way", ["disk", "bytes"])
def test_rules_that_cannot_be_saved(tiny_nlp, saved, way):
    def no_rules(doc, links):
        return None

    tiny_nlp.get_pipe("fastcoref").rules = no_rules
    with pytest.warns(UserWarning, match="FCW30.*no_rules.*@spacy.registry.coref_rule"):
        again = saved(tiny_nlp, way)
    assert isinstance(again.rules, AutoRules)
