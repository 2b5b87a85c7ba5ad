from inspect import signature
from pathlib import Path
from typing import Any, Dict, get_args

import pytest
import spacy
from spacy.util import RegistryError
from spacy.vocab import Vocab

from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.pipeline.component import FastCoref
from spacy_fastcoref.pipeline.fastcoref import make_fastcoref
from spacy_fastcoref.pipeline.settings import DEFAULTS

from ..conftest import TEXT, run_python


@pytest.mark.parametrize(
    "config, says",
    [
        ({"max_tokens_in_batch": 0}, "FC001.*'max_tokens_in_batch'.*fastcoref.*0"),
        ({"precision": "float8"}, "FC001.*'precision'.*'float8'.*bfloat16"),
        ({"device": "gpu"}, "FC001.*'device'.*'gpu'.*cuda:1"),
        ({"device": "cuda:"}, "FC001.*'device'"),
        ({"antecedent_weight": -1.0}, "FC001.*'antecedent_weight'.*0 or more"),
        ({"model_architecture": "LingMess"}, "FC004.*'LingMess'.*'FCoref'"),
    ],
)
def test_bad_settings(config, says):
    with pytest.raises(ValueError, match=says):
        spacy.blank("en").add_pipe("fastcoref", config=config)


def test_bad_settings_in_code():
    model = Pretrained(lang="en")
    # In float32 they would be infinite, and no link better than another.
    for value in (float("nan"), float("inf"), -float("inf"), -1e39, 10**400, 1.1e6):
        with pytest.raises(ValueError, match="FC001.*'threshold'.*-1e6 to 1e6"):
            FastCoref(Vocab(), model, threshold=value)
    with pytest.raises(ValueError, match="FC001.*'mention_weight'.*inf"):
        FastCoref(Vocab(), model, mention_weight=float("inf"))
    with pytest.raises(ValueError, match="FC001.*'max_tokens_in_batch'.*True"):
        FastCoref(Vocab(), model, max_tokens_in_batch=True)


def test_unknown_rules():
    config = {"rules": {"@coref_rules": "klingon.v1"}}
    with pytest.raises(RegistryError, match="klingon.v1"):
        spacy.blank("en").add_pipe("fastcoref", config=config)


def test_settings_of_a_type_that_configs_lack():
    """Annotate settings with plain types, so that spaCy refuses others in configs."""
    parameters = signature(make_fastcoref).parameters
    hints = {name: one.annotation for name, one in parameters.items()}
    assert hints.keys() > DEFAULTS.keys()
    for name in hints.keys() - {"nlp", "model", "rules", "scorer"}:
        kinds = set(get_args(hints[name]) or [hints[name]])
        plain = {bool, int, float, str, Dict[str, Any], type(None)}
        assert kinds <= plain, name
    path = Path("somewhere")
    with pytest.raises(ValueError, match="somewhere"):
        spacy.blank("en").add_pipe("fastcoref", config={"model_path": path})


def test_path_is_checked_at_first_use(tmp_path):
    nlp = spacy.blank("en")
    path = str(tmp_path / "nowhere")
    nlp.add_pipe("fastcoref", config={"model_path": path})
    for use in (lambda: nlp(TEXT), nlp.initialize):
        with pytest.raises(ValueError, match=f"FC010.*{path}"):
            use()


def test_unavailable_device():
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref", config={"device": "cuda:99"})
    with pytest.raises(ValueError, match="FC005.*cuda:99"):
        nlp(TEXT)


def test_language_without_weights():
    with pytest.raises(ValueError, match="FC002.*'it'.*en.*model_path"):
        spacy.blank("it").add_pipe("fastcoref")


def test_language_without_weights_takes_a_model_path(tiny_path):
    nlp = spacy.blank("de")
    nlp.add_pipe("fastcoref", config={"model_path": str(tiny_path)})
    assert isinstance(nlp("Sie sagte das.")._.coref_clusters, list)
    model = {"@architectures": "spacy_fastcoref.Pretrained.v1", "lang": "en"}
    spacy.blank("de").add_pipe("fastcoref", config={"model": model})


def test_a_component_of_another_language_can_be_saved(shipped_nlp, tmp_path):
    """Save a sourced component: its config names the language of the weights."""
    nlp = spacy.blank("de")
    nlp.add_pipe("fastcoref", source=shipped_nlp)
    nlp.to_disk(tmp_path / "de")
    found = spacy.load(tmp_path / "de")("Ann said she left.")
    assert found._.coref_clusters == [[(0, 3), (9, 12)]]


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


def test_rules_can_be_registered_after_the_import():
    done = run_python("""
        import spacy
        import spacy_fastcoref

        @spacy.registry.coref_rules("mine.v1")
        def make_rules():
            return None

        assert spacy.registry.coref_rules.get("mine.v1") is make_rules
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
    with pytest.raises(ValueError, match="FC003.*tiny"):
        spacy.blank("en").add_pipe("fastcoref", config=config)
