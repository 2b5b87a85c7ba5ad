import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.grammar.word_index import list_words
from spacy_fastcoref.training.augmentation.genders import get_gendered_words, swap_words

from ...conftest import blank

NLP = blank("en")


def swap(text, seed=0):
    return " ".join(swap_words(NLP(text), random.Random(seed)))


@pytest.mark.parametrize(
    "text, swapped",
    [
        ("He saw her yesterday .", "She saw him yesterday ."),
        ("She lost her book .", "He lost his book ."),
        ("His sister said it was his .", "Her brother said it was hers ."),
        ("It is hers , he said himself .", "It is his , she said herself ."),
        ("We met her but left .", "We met him but left ."),
        ("The QUEEN and her sons", "The KING and his daughters"),
        ("Miss Brooke missed the ladies .", "Master Brooke missed the gentlemen ."),
        ("I miss the old man .", "I miss the old woman ."),
        ("Mrs. Dashwood and my aunt", "Mr. Dashwood and my uncle"),
        ("The report was late , they said .", "The report was late , they said ."),
    ],
)
def test_swapped_words(text, swapped):
    assert swap(text) == swapped


def test_each_name_is_replaced_by_one_name():
    text = "Emma Stone met Peter . EMMA liked Peter 's house ; Mr. Peter Hill left ."
    gendered = get_gendered_words("en")
    male, female = gendered.names
    assert "emma" in female and "peter" in male
    for seed in range(20):
        words = swap(text, seed).split()
        emma, peter = words[0], words[3]
        assert emma.lower() in male and peter.lower() in female
        assert [emma, peter] == [emma.title(), peter.title()]
        expected = f"{emma} Stone met {peter} . {emma.upper()} liked {peter} 's house ;"
        assert " ".join(words).startswith(f"{expected} Mrs. {peter} Hill left")
    assert len({swap(text, seed) for seed in range(20)}) > 10


@pytest.mark.parametrize("text", ["Henry James wrote . James slept .", "Mr. James sat"])
def test_family_names_are_kept(text):
    assert "James" in swap(text).split()


def test_language_without_pairs():
    doc = blank("de")("Sie sah ihn.")
    with pytest.raises(ValueError, match="FC024.*'de'.*en"):
        swap_words(doc, random.Random(0))


@given(st.text(max_size=80))
def test_any_text(text):
    doc = NLP(text)
    assert len(swap_words(doc, random.Random(0))) == len(list_words(doc))
