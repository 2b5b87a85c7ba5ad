import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref import resolve_chunks

from .test_resolve import make

STORY = (
    "[Ann Lee]1 has [a dog]2. [She]1 walks [it]2. [It]2 likes [her]1 and [her]1 "
    "friends. [Lee]1 feeds [the dog]2. [It]2 eats."
)


def cut(text, *args, **kwargs):
    return [chunk.text for chunk in resolve_chunks(make(text), *args, **kwargs)]


@pytest.mark.parametrize(
    "size, overlap, expected",
    [
        (
            6,
            0,
            [
                "Ann Lee has a dog.",
                "Ann Lee walks the dog.",
                "The dog likes Ann Lee and",
                "Ann Lee's friends.",
                "Ann Lee feeds the dog.",
                "The dog eats.",
            ],
        ),
        (
            10,
            0,
            [
                "Ann Lee has a dog. She walks it.",
                "The dog likes Ann Lee and her friends.",
                "Ann Lee feeds the dog. It eats.",
            ],
        ),
        (
            12,
            6,
            [
                "Ann Lee has a dog. She walks it.",
                "Ann Lee walks the dog. It likes her and her friends.",
                "Ann Lee feeds the dog. It eats.",
            ],
        ),
    ],
)
def test_the_first_mention_in_a_chunk_is_named(size, overlap, expected):
    assert cut(STORY, size, overlap=overlap) == expected


def test_a_policy_can_be_given():
    policy = "spacy_fastcoref.pronouns.v1"
    assert cut(STORY, 6, policy=policy)[4] == "Lee feeds the dog."


def test_chunks_map_to_the_source():
    doc = make("  [Ann]1 left.\n\n[She]1 ran home. [Her]1 dog slept.\n")
    chunks = resolve_chunks(doc, 4)
    assert [c.text for c in chunks] == [
        "Ann left.",
        "Ann ran home.",
        "Ann's dog slept.",
    ]
    found = [doc.text[slice(*c.to_source(0, len(c.text)))] for c in chunks]
    assert found == ["Ann left.", "She ran home.", "Her dog slept."]
    (start, end), last = chunks[2].to_source(0, 5), chunks[2]
    assert doc.text[start:end] == "Her"
    assert doc.text[slice(*last.to_source(6, 9))] == "dog"


@given(
    st.lists(
        st.sampled_from(["Ann ran", ".", "\n", "!", "you", " ", "’"]), max_size=30
    ),
    st.integers(1, 7),
    st.integers(0, 6),
)
def test_no_word_is_left_out(words, size, overlap):
    doc = make(" ".join(words))
    if overlap >= size:
        with pytest.raises(ValueError, match="FC076"):
            resolve_chunks(doc, size, overlap=overlap)
        return
    covered, last = set(), (-1, -1)
    for chunk in resolve_chunks(doc, size, overlap=overlap):
        start, end = chunk.to_source(0, len(chunk.text))
        assert doc.text[start:end] == chunk.text
        assert start >= last[0] and end > last[1]
        span = doc.char_span(start, end)
        assert len(span) <= size
        covered.update(token.i for token in span)
        last = start, end
    assert covered >= {token.i for token in doc if not token.is_space}
