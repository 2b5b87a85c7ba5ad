from pathlib import Path
from unittest.mock import Mock

import pytest
import spacy
import srsly
from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError
from spacy.vocab import Vocab

from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.pipeline.component import FastCoref

from ..conftest import TEXT, blank, run_python


@pytest.mark.parametrize(
    "config, says",
    [
        ({"max_tokens_in_batch": 0}, "FC076.*fastcoref.max_tokens_in_batch'.*0"),
        ({"precision": "float8"}, "FC076.*fastcoref.precision'.*'float8'.*bfloat16"),
        ({"device": "gpu"}, "FC076.*fastcoref.device'.*'gpu'.*cuda:1"),
        ({"device": "cuda:"}, "FC076.*fastcoref.device'"),
        ({"antecedent_weight": -1.0}, "FC076.*fastcoref.antecedent_weight'.*0 or more"),
        ({"model_architecture": "LingMess"}, "FC024.*'LingMess'.*FCoref"),
    ],
)
def test_bad_settings(config, says):
    with pytest.raises(ValueError, match=says):
        blank("en").add_pipe("fastcoref", config=config)


def test_bad_settings_in_code():
    model = Pretrained(lang="en")
    # In float32 they would be infinite, and no link better than another.
    for value in (float("nan"), float("inf"), -float("inf"), -1e39, 10**400, 1.1e6):
        with pytest.raises(ValueError, match="FC076.*threshold'.*-1e6 to 1e6"):
            FastCoref(Vocab(), model, threshold=value)
    with pytest.raises(ValueError, match="FC076.*fastcoref.mention_weight'.*inf"):
        FastCoref(Vocab(), model, mention_weight=float("inf"))
    with pytest.raises(ValueError, match="FC076.*fastcoref.max_tokens_in_batch'.*True"):
        FastCoref(Vocab(), model, max_tokens_in_batch=True)


def test_settings_of_a_type_that_configs_lack():
    path = Path("somewhere")
    with pytest.raises(ValueError, match="somewhere"):
        blank("en").add_pipe("fastcoref", config={"model_path": path})


@pytest.mark.parametrize(
    "config, says",
    [
        ({"model_path": "/no/where"}, "FC010.*/no/where.*no such folder.*OWNER/NAME"),
        ({"model_path": str(Path(__file__).parent)}, "FC011.*neither.*config.json"),
        ({"device": "cuda:99"}, "FC005.*cuda:99"),
        (
            {"model": {"@architectures": "spacy_fastcoref.Ranker.v1", "name": "xy"}},
            "FC024.*xy",
        ),
    ],
)
def test_what_cannot_work_fails_when_it_is_added(config, says):
    """But not when a pipeline is loaded, whose own weights and settings follow."""
    nlp = blank("en")
    with pytest.raises(ValueError, match=says):
        nlp.add_pipe("fastcoref", config=config)
    components = {"fastcoref": {"factory": "fastcoref", **config}}
    loaded = blank("en").from_config(
        {"nlp": {"lang": "en", "pipeline": ["fastcoref"]}, "components": components}
    )
    with pytest.raises(ValueError, match=says):
        loaded(TEXT)


@pytest.mark.parametrize(
    "error, says",
    [
        (OSError("no route"), "hub can't be reached .no route"),
        (LocalEntryNotFoundError("no route"), "hub can't be reached .no route"),
        (RepositoryNotFoundError("404", response=Mock()), "has no model of this name"),
    ],
)
def test_what_the_hub_says(error, says, monkeypatch):
    monkeypatch.setattr("huggingface_hub.snapshot_download", Mock(side_effect=error))
    nlp = blank("en")
    nlp.add_pipe("fastcoref", config={"model_path": "some/model"})
    for use in (lambda: nlp(TEXT), nlp.initialize):
        with pytest.raises(ValueError, match=f"FC010.*some/model.*{says}"):
            use()


def test_meta_describes_weights_that_ship(tiny_path, tmp_path):
    nlp = blank("en")
    nlp.meta["license"] = "CC0"
    nlp.add_pipe("fastcoref")
    nlp.to_disk(tmp_path)
    meta = srsly.read_json(tmp_path / "meta.json")
    assert meta["license"] == "CC0" and "spacy-fastcoref" in meta["description"]
    assert {"name": "LitBank", "license": "CC BY 4.0"} in meta["sources"]
    assert 0.5 < meta["performance"]["coref_f"] < 1
    assert spacy.load(tmp_path).meta["sources"] == meta["sources"]
    nlp = blank("en")
    nlp.add_pipe("fastcoref", config={"model_path": str(tiny_path)})
    assert "performance" not in nlp.meta


def test_language_without_weights():
    with pytest.raises(ValueError, match="FC002.*'it'.*en.*model_path"):
        blank("it").add_pipe("fastcoref")


def test_language_without_weights_takes_a_model_path(tiny_path):
    nlp = blank("de")
    nlp.add_pipe("fastcoref", config={"model_path": str(tiny_path)})
    assert isinstance(nlp("Sie sagte das.")._.coref_clusters, list)
    model = {"@architectures": "spacy_fastcoref.Pretrained.v1", "lang": "en"}
    blank("de").add_pipe("fastcoref", config={"model": model})


def test_a_component_of_another_language_can_be_saved(shipped_nlp, tmp_path):
    """Save a sourced component: its config names the language of the weights."""
    nlp = blank("de")
    nlp.add_pipe("fastcoref", source=shipped_nlp)
    nlp.to_disk(tmp_path / "de")
    found = spacy.load(tmp_path / "de")("Ann said she left.")
    assert found._.coref_clusters == [[(0, 3), (9, 12)]]


@pytest.mark.slow
def test_factory_name_of_another_package():
    """Warn instead of raising an error, which would stop every spaCy program."""
    done = run_python("""
        import warnings
        import spacy
        from spacy.language import Language

        @Language.factory("fastcoref")
        def make_other(nlp, name):
            return lambda doc: doc

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nlp = spacy.blank("en")
        assert ["FCW06" in str(w.message) for w in caught] == [True], caught
        nlp.add_pipe("fastcoref")
        assert not nlp("Ann said she left.").spans
        nlp.add_pipe("spacy_fastcoref")
        assert nlp("Ann said she left.")._.coref_clusters == [[(0, 3), (9, 12)]]
    """)
    assert done.stderr == ""


def test_two_models_at_once(tiny_path):
    model = {
        "@architectures": "spacy_fastcoref.CorefModel.v1",
        "encoder": {"@coref_layers": "spacy_fastcoref.Transformer.v1"},
        "mention_scorer": {"@coref_layers": "spacy_fastcoref.S2EMentionScorer.v1"},
        "antecedent_scorer": {
            "@coref_layers": "spacy_fastcoref.S2EAntecedentScorer.v1"
        },
    }
    config = {"model": model, "model_path": str(tiny_path)}
    with pytest.raises(ValueError, match="FC076.*tiny"):
        blank("en").add_pipe("fastcoref", config=config)
