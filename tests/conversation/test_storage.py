"""Bytes that are broken or hostile end in one error, and run no code."""

import pickle

import pytest
import srsly
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import DocBin

from spacy_fastcoref import Conversation

from ..conftest import load_model


@pytest.fixture(scope="module")
def conv(tiny_path):
    conv = Conversation(load_model(tiny_path))
    for speaker in ("Ann", "Bob", None):
        conv.add("she said that he and the dog left", speaker=speaker)
    assert conv.doc._.has_coref
    return conv


def change(conv, *keys, to):
    """Change one value of the bytes."""
    fields = srsly.msgpack_loads(conv.to_bytes())
    *path, last = keys
    place = fields
    for key in path:
        place = place[key]
    place[last] = to
    return srsly.msgpack_dumps(fields)


def make_docs(conv, **changes):
    docs = DocBin(store_user_data=True)
    for turn in conv.turns:
        docs.add(turn)
    for name, value in changes.items():
        setattr(docs, name, value)
    return docs.to_bytes()


def test_hostile_bytes(conv):
    before = conv.to_bytes()
    hostile = [
        b"",
        b"\x80",
        pickle.dumps({"format": "spacy_fastcoref.Conversation.v1"}),
        srsly.msgpack_dumps([]),
        change(conv, "format", to="spacy_fastcoref.Conversation.v9"),
        change(conv, "settings", to={"window": -5, "reminders": 1}),
        change(conv, "settings", to={}),
        change(conv, "docs", to=b"abc"),
        # Groups of spans could name tokens that there are not.
        change(conv, "docs", to=make_docs(conv)),
        change(conv, "turns", to=[]),
        change(conv, "turns", 0, 0, to=7),
        change(conv, "turns", 0, 1, to=[[0, 99, "Ann"]]),
        change(conv, "turns", 0, 1, to=[[-3, 2, "Ann"]]),
        change(conv, "turns", 0, 2, to=[["0", 1]]),
        change(conv, "clusters", 0, to={}),
        change(conv, "clusters", to=2 * srsly.msgpack_loads(before)["clusters"]),
        change(conv, "clusters", 0, "mentions", to=[]),
        change(conv, "clusters", 0, "mentions", 0, 0, to=-1),
        change(conv, "clusters", 0, "mentions", 0, 1, to=1.5),
        # In two turns, or in none.
        change(conv, "clusters", 0, "mentions", 0, 1, to=len(conv.turns[0]) + 1),
        change(conv, "clusters", 0, "mentions", -1, 1, to=10**6),
        change(conv, "clusters", 0, "antecedents", 1, to=5),
        change(conv, "clusters", 0, "scores", 1, to="high"),
        change(conv, "clusters", 0, "probs", to=[1.0]),
        change(conv, "clusters", 0, "candidates", 1, to=[[0, 10**6, 1.0]]),
        change(conv, "clusters", 0, "types", to=7),
        change(conv, "clusters", 0, "heads", 0, to=[10**6]),
    ]
    for data in hostile:
        with pytest.raises(ValueError, match="FC018|FC076"):
            conv.from_bytes(data)
        assert conv.to_bytes() == before


@given(st.data())
def test_changed_bytes(conv, data):
    """Any bytes are an error, or a conversation that can go on."""
    whole = bytearray(conv.to_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] = data.draw(st.integers(0, 255))
    again = Conversation(conv.nlp)
    try:
        again.from_bytes(bytes(whole))
    except ValueError as error:
        assert "FC018" in str(error) or "FC076" in str(error)
        return
    again.add("she left", speaker="Ann")
    assert again.doc.text.startswith("she said")
