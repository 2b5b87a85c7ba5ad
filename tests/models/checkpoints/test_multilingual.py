"""The weights that are chosen for a language: its own, those for several, or none."""

import warnings

import pytest

from spacy_fastcoref import pretrained
from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.encoders.word_features import LanguageBlock
from spacy_fastcoref.models.scorers.lingmess import LingMessBlock

from ...conftest import blank, make_network, make_nlp

SEVERAL = {
    "word_features": {"language": describe_block(LanguageBlock(langs=["en", "pl"]))},
    "antecedent_scorer": describe_block(
        LingMessBlock(lang=None, hidden_size=5, dropout=0.0)
    ),
}


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Weights for English, and for English and Polish together."""
    make_nlp(tmp_path / "en", make_network())
    make_nlp(tmp_path / "xx", make_network(**SEVERAL), **SEVERAL)
    for folder in (tmp_path / "en", tmp_path / "xx"):
        (folder / "LICENSE").write_text("written  CC0\n")
        (folder / "README.md").write_text("| CoNLL F1 | 60.0 |\n")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    return tmp_path


def load(language, **model):
    nlp = blank(language)
    block = {"@architectures": "spacy_fastcoref.Pretrained.v1", "lang": None, **model}
    config = {"model": block, "device": "cpu"}
    pipe = nlp.add_pipe("spacy_fastcoref", config=config)
    assert len(pipe.predict([nlp("ann said that she left .")])) == 1
    return "word_features" in pipe.model.get_checkpoint().config


def test_a_language_has_its_own_weights_first(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not load("en") and load("pl")
        assert load("en", lang="xx")
    assert pretrained.list_languages() == ["en", "pl"]
    assert pretrained.get_folder("pl").name == "xx"


def test_other_languages_have_to_ask(weights):
    with pytest.raises(ValueError, match="FC002.*'it'.*: en, pl"):
        load("it")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert load("it", lang="xx")
    found = [str(one.message) for one in caught if "FCW34" in str(one.message)]
    assert len(found) == 1 and "'it'" in found[0] and ": en, pl." in found[0]


def test_without_weights_for_several(weights, monkeypatch):
    monkeypatch.setattr(pretrained, "MULTILINGUAL", "none")
    assert pretrained.list_languages() == ["en", "xx"]
    with pytest.raises(ValueError, match="FC002.*'pl'"):
        load("pl")
