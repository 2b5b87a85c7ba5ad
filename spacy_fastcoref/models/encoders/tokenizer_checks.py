"""Check that a tokenizer.json is safe to use for any text."""

import base64
import json
import math
import re
from typing import Any, Dict, Iterator

# The most characters that a tokenizer may make from one character of a text.
_MAX_GROWTH = 1 << 10
# The largest number, the longest string or the most entries of each part. A word is
# compared with pieces of every length at every place, or split again at every step.
_MOST = {
    "model.max_input_chars_per_word": 256,
    "model.continuing_subword_prefix": 16,
    "model.end_of_word_suffix": 16,
    "model.unk_token": 256,
    "model.dropout": 0,
    "model.vocab": 256,
    "added_tokens": 1 << 14,
    "normalizer": 128,
    "pre_tokenizer": 128,
    "post_processor": 16,
}
# The parts of a tokenizer that have steps, and the keys of steps within steps.
_PARTS = "normalizer", "pre_tokenizer", "post_processor"
_INNER = "normalizers", "pretokenizers", "processors"
# What these do to a text is known to take time linear in its length.
_KINDS = frozenset(
    "BertNormalizer BertPreTokenizer BertProcessing ByteLevel CharDelimiterSplit "
    "Digits Lowercase Metaspace NFC NFD NFKC NFKD Nmt Precompiled Prepend Punctuation "
    "Replace RobertaProcessing Sequence Split Strip StripAccents TemplateProcessing "
    "UnicodeScripts Whitespace WhitespaceSplit".split()
)
# Characters and classes of characters of which only the last is repeated: whatever
# comes after it, nothing has to be tried again.
_ESCAPE = r"\\[pP]\{\w{1,30}\}|\\[^pPgkKXRyYN\d]"
_CLASS = rf"(?:{_ESCAPE}|\[(?:[^\[\]\\]|\\.)+\]|[^\\\[\]{{}}()|*+?^$])"
_REGEX = re.compile(rf"{_CLASS}{{1,64}}(?:[*+?]|\{{\d\d?(?:,\d?\d?)?\}})?", re.DOTALL)


def check_tokenizer(serialized: str) -> None:
    """Check that a tokenizer takes any text, in time and memory linear in its length.

    The tokenizers library ends the process if it runs out of memory, and callers can't
    prevent this. It raises an error for a word without a word piece.

    RAISES (Exception): The tokenizer makes a text much longer, repeats it, may take
        more than linear time, or has no word piece for unknown words; or a part of it
        is not of the type that the library reads.
    """
    data = json.loads(serialized)
    parts = {key: list(_iter_steps(data.get(key))) for key in _PARTS}
    model = data.get("model", {})
    vocab = model.get("vocab", {})
    # Unigram has pairs of a piece and a score.
    pieces = vocab if isinstance(vocab, dict) else [piece for piece, _ in vocab]
    sizes = {
        f"model.{key}": len(value) if hasattr(value, "__len__") else value or 0
        for key, value in model.items()
    }
    sizes["model.vocab"] = max(map(len, pieces), default=0)
    sizes["added_tokens"] = len(data.get("added_tokens") or ())
    growth = 1
    for key, steps in parts.items():
        sizes[key] = max(len(steps), sum(map(_count_ids, steps)))
    for key, size in sizes.items():
        if size > _MOST.get(key, math.inf):
            raise ValueError(f"{key} has the size {size:g}, and may have {_MOST[key]}")
    for key, steps in parts.items():
        for step in steps:
            growth *= _check_step(key, step)
    if growth > _MAX_GROWTH:
        raise ValueError(
            f"it can make {growth} characters of one, and may make {_MAX_GROWTH}"
        )
    kind, token = model.get("type"), model.get("unk_token")
    if kind == "Unigram" and model.get("unk_id") is None:
        raise ValueError("it has no unk_id, which stands for unknown words")
    # BPE without a token for unknown words drops them, and raises no error.
    is_needed = token or kind in ("WordPiece", "WordLevel")
    if kind != "Unigram" and is_needed and token not in vocab:
        raise ValueError(
            f"the token for unknown words, {token!r}, is not in the vocabulary"
        )


def _iter_steps(step: Any) -> Iterator[Dict[str, Any]]:
    # Not recursive: a file may be nested more deeply than Python's recursion limit.
    steps = [] if step is None else [step]
    while steps:
        step = steps.pop()
        yield step
        for key in _INNER:
            steps += reversed(step.get(key, []))


def _count_ids(step: Dict[str, Any]) -> int:
    """Count the pieces that a template adds to a text."""
    added = (piece.get("SpecialToken") for piece in step.get("single", []))
    return sum(len(step["special_tokens"][one["id"]]["ids"]) for one in added if one)


def _check_step(key: str, step: Dict[str, Any]) -> int:
    """Check a step, and compute how many characters it may make from one."""
    kind = step.get("type")
    if kind not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        raise ValueError(f"{key} has the type {kind!r}, and may have one of {known}")
    pattern = step.get("pattern") or {}
    regex = pattern.get("Regex")
    if regex is not None and not _REGEX.fullmatch(regex):
        raise ValueError(
            f"{key} has the regular expression {regex[:99]!r}; it may have characters "
            "and classes of them, of which the last may be repeated"
        )
    if kind == "TemplateProcessing":
        n_copies = sum("Sequence" in piece for piece in step["single"])
        if n_copies != 1:
            raise ValueError(f"its template has the text {n_copies} times")
    if kind == "Replace":
        # A regular expression may match between any two characters.
        n_between = 0 if pattern.get("String") else 1
        return max(1, len(step["content"]) + n_between)
    if kind == "Prepend":
        return len(step["prepend"]) + 1
    if kind == "Precompiled":
        # SentencePiece's table of normal forms, of which the longest counts.
        table = base64.b64decode(step["precompiled_charsmap"])
        start = 4 + int.from_bytes(table[:4], "little")
        return max(1, *map(len, table[start:].split(b"\0")))
    # A character has up to four bytes. Other steps change case or remove accents, and
    # make few characters from one.
    return {"ByteLevel": 4, "Metaspace": 2}.get(kind, 1)
