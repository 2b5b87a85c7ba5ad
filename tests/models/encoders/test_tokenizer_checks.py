"""Tokenizers that would end the process, or fail at a text, are refused."""

import base64
import json

import pytest

from spacy_fastcoref.models.encoders.pieces import PieceTokenizer

from ...conftest import make_tokenizer


def make(**changes):
    data = json.loads(make_tokenizer().to_str())
    data["model"].update(changes.pop("model", {}))
    return PieceTokenizer(json.dumps({**data, **changes}))


def replace(text, content):
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def match(regex, content):
    return {"type": "Replace", "pattern": {"Regex": regex}, "content": content}


def join(*steps):
    return {"normalizer": {"type": "Sequence", "normalizers": list(steps)}}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
BYTES["use_regex"] = False
LONG_FORM = b"\0\0\0\0" + b"x" * 2000 + b"\0"


@pytest.mark.parametrize(
    "changes",
    [
        join(*[replace("a", "aa")] * 60),
        join(*[replace("a", "b" * 50), replace("b", "a" * 50)] * 10),
        join(join(*[replace("a", "aa")] * 30)["normalizer"], *[match(".", "bb")] * 30),
        join(replace("a", "b" * 2000)),
        join(replace("", "b" * 2000)),
        join(*[match("x*", "y")] * 20),
        join(*[{"type": "Prepend", "prepend": "aa"}, match("a", "aaaaaaaa")] * 10),
        join(*[{"type": "ByteLevel"}] * 20),
        join(
            {
                "type": "Precompiled",
                "precompiled_charsmap": base64.b64encode(LONG_FORM).decode(),
            }
        ),
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTES] * 20}},
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_texts_that_grow(changes):
    with pytest.raises(ValueError, match="FC093.*characters of one"):
        make(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        # As XLNet and ALBERT have them.
        join(replace("``", '"'), replace("''", '"'), match(" {2,}", " ")),
        # One letter after another is written otherwise.
        join(*[replace(letter, "++") for letter in "abcdefghijklmnopqrstuvwxyz"]),
        join(replace("ä", "ae"), replace("ö", "oe"), replace("ß", "ss")),
        join({"type": "Prepend", "prepend": "_"}, replace(" ", "_")),
        {"pre_tokenizer": BYTES},
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_texts_that_grow_a_little(changes):
    assert len(make(**changes).encode(["she", "said"] * 10))


@pytest.mark.parametrize("n_copies", [0, 2, 1000])
def test_a_text_more_than_once(n_copies):
    data = json.loads(make_tokenizer().to_str())["post_processor"]
    begin, text, end = data["single"]
    once = {**data, "single": [begin, *[text] * n_copies, end]}
    for post_processor in (once, {"type": "Sequence", "processors": [data, once]}):
        with pytest.raises(ValueError, match=f"FC093.*the text {n_copies} times"):
            make(post_processor=post_processor)


def test_panics_are_errors():
    """The library ends with a panic, which is no Exception, for a token without ids."""
    data = json.loads(make_tokenizer().to_str())["post_processor"]
    token = {"SpecialToken": {"id": "[NONE]", "type_id": 0}}
    with pytest.raises(ValueError, match="FC093"):
        make(post_processor={**data, "single": [token, *data["single"]]})


@pytest.mark.parametrize(
    "model",
    [
        {"unk_token": "[NONE]"},
        {"type": "WordLevel", "unk_token": "[NONE]"},
        {"type": "BPE", "unk_token": "[NONE]", "merges": []},
        {"type": "Unigram", "unk_id": None, "vocab": [["a", 0.0]]},
    ],
    ids=lambda model: model.get("type", "WordPiece"),
)
def test_unknown_words(model):
    with pytest.raises(ValueError, match="FC093.*(NONE.*not in the voc|no unk_id)"):
        make(model=model)


def test_errors_of_the_library():
    tokenizer = make()
    with pytest.raises(ValueError, match="FC093.*'tokenizer.json'"):
        tokenizer.encode([1])
