import gzip
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.training.pretraining.passages import (
    Passage,
    read_passages,
    shuffle,
)
from spacy_fastcoref.training.text_files import find_texts

TEXT = """\
=== DOC one
A TITLE

Mr. Lee met Ann
in town. She
was late! "He left."

A new one.
=== DOC two
The end"""


def read(path, **settings):
    return list(read_passages(path, **{"max_words": 200, **settings}))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


def test_passages_end_with_sentences_and_documents(path):
    found = read(path, max_words=9, separator="=== DOC")
    assert [passage.text for passage in found] == [
        "A TITLE Mr. Lee met Ann in town.",
        'She was late! "He left." A new one.',
        "The end",
    ]
    assert [(p.path, p.number) for p in found] == [(path, i) for i in range(3)]
    # Without a separator, a file is one document.
    assert read(path)[0].text.count("===") == 2


def test_gzip_and_byte_order_marks(tmp_path):
    with gzip.open(tmp_path / "a.txt.gz", "wt", encoding="utf-8-sig") as file:
        file.write(TEXT)
    (passage,) = read(tmp_path / "a.txt.gz")
    assert passage.text.startswith("=== DOC one A TITLE")


@given(st.text(st.characters(exclude_characters="\0", codec="utf8")), st.integers(1, 9))
def test_no_word_is_lost(tmp_path_factory, text, max_words):
    path = tmp_path_factory.getbasetemp() / "property.txt"
    path.write_text(text, encoding="utf8", newline="")
    words = text.removeprefix("\ufeff").split()
    found = read(path, max_words=max_words)
    assert [word for passage in found for word in passage.text.split()] == words
    assert all(0 < len(passage.text.split()) <= max_words for passage in found)


def test_words_of_a_long_line_are_whole(path):
    words = "Elizabeth walked.".split() * 8000
    path.write_text(" ".join(words))
    found = [word for passage in read(path) for word in passage.text.split()]
    assert found == words
    # What is no word may be cut.
    path.write_text("a" * 200_000)
    assert "".join(passage.text for passage in read(path, max_words=1)) == "a" * 200_000


def test_folders(tmp_path):
    for name in ("b.txt", "a.txt.gz", "c.json"):
        (tmp_path / name).write_text("")
    names = [path.name for path in find_texts([tmp_path, tmp_path / "c.json"])]
    assert names == ["a.txt.gz", "b.txt", "c.json"]
    (tmp_path / "empty").mkdir()
    for name, says in (("empty", "no files that end"), ("nowhere", "no such file")):
        with pytest.raises(ValueError, match=f"FC052.*{name}.*{says}"):
            find_texts([tmp_path / name])


@given(st.integers(0, 30), st.integers(0, 40), st.integers(0, 9))
def test_shuffle(n, size, seed):
    passages = [Passage(None, i, "") for i in range(n)]
    found = list(shuffle(iter(passages), size, random.Random(seed)))
    assert Counter(found) == Counter(passages)
    assert found == list(shuffle(passages, size, random.Random(seed)))
    if size < 2:
        assert found == passages
