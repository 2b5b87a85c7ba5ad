"""Tokenizers that would end the process, or fail at a text, are refused."""

import base64
import json

import pytest
from transformers import BertConfig

from spacy_fastcoref.models.checkpoints.fastcoref_format import read_tokenizer
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


def add_ids(n_ids, n_times=1):
    data = json.loads(make_tokenizer().to_str())["post_processor"]
    token = {"id": "[CLS]", "ids": [2] * n_ids, "tokens": ["[CLS]"] * n_ids}
    single = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}] * n_times
    tokens = {**data["special_tokens"], "[CLS]": token}
    data = {**data, "single": [*single, *data["single"]], "special_tokens": tokens}
    return {"post_processor": {"type": "Sequence", "processors": [data]}}


def split(regex):
    step = {"pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    return {"pre_tokenizer": {"type": "Split", **step}}


ADDED = json.loads(make_tokenizer().to_str())["added_tokens"][0]
BOMBS = {
    "model.max_input_chars_per_word": {"model": {"max_input_chars_per_word": 10**9}},
    "model.continuing_subword_prefix": {
        "model": {"continuing_subword_prefix": "#" * 99_999}
    },
    "model.unk_token": {"model": {"unk_token": "a" * 9_999, "vocab": {"a" * 9_999: 0}}},
    "model.vocab": {"model": {"vocab": {"[UNK]": 0, "a" * 9_999: 1}}},
    "model.dropout": {"model": {"type": "BPE", "merges": [], "dropout": 0.5}},
    "model.end_of_word_suffix": {
        "model": {"type": "BPE", "merges": [], "end_of_word_suffix": "a" * 99_999}
    },
    "added_tokens": {
        "added_tokens": [{**ADDED, "id": i, "content": str(i)} for i in range(20_000)]
    },
    "post_processor": add_ids(10**6),
    "post_processor ": add_ids(1000, 1000),
    "normalizer": join(*[{"type": "Lowercase"}] * 1000),
    "normalizer.*type 'Other'": join({"type": "Other"}),
    "pre_tokenizer.*type 'FixedLength'": {
        "pre_tokenizer": {"type": "FixedLength", "length": 1}
    },
    "pre_tokenizer": {
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Whitespace"}] * 1000,
        }
    },
    "normalizer.*regular": join(match("(a+)+b", "")),
    "normalizer.*regular ": join(match("a*a*a*b", "")),
    "pre_tokenizer.*regular": split(r"(x|xx)*y"),
    "pre_tokenizer.*regular ": split(r"a{99999}"),
    "pre_tokenizer.*regular  ": split(r"(.)\1+b"),
}


@pytest.mark.parametrize("key", BOMBS)
def test_bombs(key):
    """What multiplies work is refused before anything is made of it."""
    with pytest.raises(ValueError, match=f"FC093.*{key.strip()}"):
        make(**BOMBS[key])


@pytest.mark.parametrize("regex", [r"\s+", r"[^\s\p{L}]+", r"\p{N}{1,3}", ".", "``"])
def test_regular_expressions_of_known_tokenizers(regex):
    assert len(make(**split(regex)).encode(["she", "said"]))


def test_a_bomb_in_a_folder_of_fastcoref(tmp_path):
    """It is refused before transformers reads it."""
    data = json.loads(make_tokenizer().to_str())
    (tmp_path / "tokenizer.json").write_text(json.dumps({**data, **add_ids(10**6)}))
    with pytest.raises(ValueError, match="FC093.*post_processor has the size"):
        read_tokenizer(str(tmp_path), BertConfig())


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
