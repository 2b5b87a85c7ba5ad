import json

import pytest

from spacy_fastcoref.grammar import resources
from spacy_fastcoref.grammar.lexicon import Lexicon, get_lexicon
from spacy_fastcoref.grammar.pronouns import list_pronouns
from spacy_fastcoref.grammar.resources import (
    list_languages,
    read_table,
    read_words,
)


@pytest.fixture(autouse=True)
def forget():
    """Clear the caches, so that each test searches folders again."""
    yield
    for function in (get_lexicon, resources.find_folder, read_words, read_table):
        function.cache_clear()


@pytest.mark.parametrize("lang", list_languages())
def test_lexicons_are_lower_case(lang):
    lexicon = get_lexicon(lang)
    assert lexicon.lang == lang and lexicon.pronouns
    assert lexicon.head in {"first", "last"}
    for words in vars(lexicon).values():
        if isinstance(words, frozenset):
            assert all(word == word.lower() for word in words)


def test_language_without_a_folder_is_warned_of_once():
    with pytest.warns(UserWarning, match="FCW31.*'qq'") as caught:
        assert get_lexicon("qq").pronouns == frozenset()
        get_lexicon("qq")
    assert len(caught) == 1
    assert not read_words("qq", "nouns")
    assert read_table("qq", "nouns") == {}


def test_paths_are_not_languages(recwarn):
    assert resources.find_folder("../en") is None
    assert resources.find_folder("en/data") is None


def test_unknown_field_of_a_lexicon(tmp_path, monkeypatch):
    (tmp_path / "qq").mkdir()
    (tmp_path / "qq" / "lexicon.json").write_text(json.dumps({"verbes": "a b"}))
    monkeypatch.setattr(resources, "LANGUAGES", tmp_path)
    with pytest.raises(ValueError, match="FC024.*lexicon.json.*verbes"):
        get_lexicon("qq")


def test_pronouns_by_their_features():
    lexicon = Lexicon(
        features={
            "Animacy=Anim|Gender=Fem|Number=Sing|Person=3": "si",
            "Number=Plur|Person=3": "si",
            "Number=Sing|PronType=Ind": "ni",
        }
    )
    assert list_pronouns(lexicon) == {"si": ("fgs", 3)}
