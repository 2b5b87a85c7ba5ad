"""Check that a tokenizer.json is safe to use for any text."""

import base64
import json
import math
import re
from typing import Any, Dict, Iterator, List, Tuple

# The most characters that a tokenizer may make from one character of a text.
_MAX_GROWTH = 1 << 10
# The most characters that ByteLevel makes from one character.
_BYTES = 4
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
# What these do to a text is known to take time linear in its length.
_STEPS = {
    "normalizer": frozenset(
        "BertNormalizer ByteLevel Lowercase NFC NFD NFKC NFKD Nmt Precompiled Prepend "
        "Replace Sequence Strip StripAccents".split()
    ),
    "pre_tokenizer": frozenset(
        "BertPreTokenizer ByteLevel CharDelimiterSplit Digits Metaspace Punctuation "
        "Sequence Split UnicodeScripts Whitespace WhitespaceSplit".split()
    ),
    "post_processor": frozenset(
        "BertProcessing ByteLevel RobertaProcessing Sequence TemplateProcessing".split()
    ),
}
_INNER = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
}
# Characters and classes of characters of which only the last is repeated: whatever
# comes after it, nothing has to be tried again.
_ESCAPE = r"\\[pP]\{\w{1,30}\}|\\[^pPgkKXRyYN\d]"
_CLASS = rf"(?:{_ESCAPE}|\[(?:[^\[\]\\]|\\.)+\]|[^\\\[\]{{}}()|*+?^$])"
_REGEX = re.compile(rf"{_CLASS}{{1,64}}(?:[*+?]|\{{\d\d?(?:,\d?\d?)?\}})?", re.DOTALL)


def check_tokenizer(serialized: str) -> None:
    """Check that a tokenizer takes any text, in time and memory linear in its length.

    The tokenizers library ends the process if it runs out of memory, and callers can't
    prevent this. It raises an error for a word without a word piece.

    RAISES (ValueError): The tokenizer makes a text much longer, repeats it, may take
        more than linear time, or has no word piece for unknown words.
    """
    data = json.loads(serialized)
    if not isinstance(data, dict):
        raise ValueError("it is no object")
    parts = {key: list(_iter_steps(data.get(key), _INNER[key])) for key in _INNER}
    for key, size in _list_sizes(data, parts):
        if size > _MOST[key]:
            raise ValueError(f"{key} has the size {size:g}, and may have {_MOST[key]}")
    for key, steps in parts.items():
        for step in steps:
            _check_step(key, step)
    growth = math.prod(_compute_growth(step) for key in _STEPS for step in parts[key])
    if growth > _MAX_GROWTH:
        raise ValueError(
            f"it can make {growth} characters of one, and may make {_MAX_GROWTH}"
        )
    for step in parts["post_processor"]:
        pieces = step.get("single")
        if isinstance(pieces, list):
            n_copies = sum("Sequence" in piece for piece in pieces)
            if n_copies != 1:
                raise ValueError(f"its template has the text {n_copies} times")
    model = data.get("model")
    if isinstance(model, dict):
        _check_unknown(model)


def _list_sizes(
    data: Dict[str, Any], parts: Dict[str, List[Dict[str, Any]]]
) -> Iterator[Tuple[str, float]]:
    for key, steps in parts.items():
        yield key, len(steps)
    yield "post_processor", sum(map(_count_ids, parts["post_processor"]))
    yield "added_tokens", _measure(data.get("added_tokens"))
    model = data.get("model")
    for key, value in model.items() if isinstance(model, dict) else ():
        if key == "vocab" and isinstance(value, (dict, list)):
            # Unigram has pairs of a piece and a score.
            pieces = value if isinstance(value, dict) else (e[0] for e in value if e)
            yield "model.vocab", max(map(_measure, pieces), default=0)
        elif f"model.{key}" in _MOST:
            yield f"model.{key}", _measure(value)


def _measure(value: Any) -> float:
    if isinstance(value, (str, list, dict)):
        return len(value)
    return value if isinstance(value, (int, float)) else 0


def _count_ids(step: Dict[str, Any]) -> int:
    """Count the pieces that a template adds to a text."""
    tokens, single = step.get("special_tokens"), step.get("single")
    sizes = {
        name: len(token["ids"])
        for name, token in (tokens.items() if isinstance(tokens, dict) else ())
        if isinstance(token, dict) and isinstance(token.get("ids"), list)
    }
    added = (one.get("SpecialToken") for one in single or () if isinstance(one, dict))
    return sum(sizes.get(str(a.get("id")), 0) for a in added if isinstance(a, dict))


def _check_step(key: str, step: Dict[str, Any]) -> None:
    kind = step.get("type")
    if kind not in _STEPS[key]:
        known = ", ".join(sorted(_STEPS[key]))
        raise ValueError(f"{key} has the type {kind!r}, and may have one of {known}")
    pattern = step.get("pattern")
    regex = pattern.get("Regex") if isinstance(pattern, dict) else None
    if isinstance(regex, str) and not _REGEX.fullmatch(regex):
        raise ValueError(
            f"{key} has the regular expression {regex[:99]!r}; it may have characters "
            "and classes of them, of which the last may be repeated"
        )


def _check_unknown(model: Dict[str, Any]) -> None:
    kind, token, vocab = (model.get(key) for key in ("type", "unk_token", "vocab"))
    if kind == "Unigram" and model.get("unk_id") is None:
        raise ValueError("it has no unk_id, which stands for unknown words")
    # BPE without a token for unknown words drops them, and raises no error.
    is_needed = kind in ("WordPiece", "WordLevel") or (kind == "BPE" and token)
    if is_needed and isinstance(vocab, dict) and token not in vocab:
        raise ValueError(
            f"the token for unknown words, {token!r}, is not in the vocabulary"
        )


def _iter_steps(step: Any, key: str) -> Iterator[Dict[str, Any]]:
    # Not recursive: a file may be nested more deeply than Python's recursion limit.
    steps = [step]
    while steps:
        step = steps.pop()
        if isinstance(step, dict):
            yield step
            inner = step.get(key)
            steps += reversed(inner) if isinstance(inner, list) else []


def _compute_growth(step: Dict[str, Any]) -> int:
    kind, content = step.get("type"), step.get("content")
    if kind == "Replace" and isinstance(content, str):
        pattern = step.get("pattern")
        text = pattern.get("String") if isinstance(pattern, dict) else None
        # A regular expression may match between any two characters.
        return max(
            1, len(content) if isinstance(text, str) and text else len(content) + 1
        )
    if kind == "Prepend" and isinstance(step.get("prepend"), str):
        return len(step["prepend"]) + 1
    if kind == "Precompiled":
        return max(1, _find_longest(step.get("precompiled_charsmap")))
    # Other steps change case or remove accents, and make few characters from one.
    return {"ByteLevel": _BYTES, "Metaspace": 2}.get(str(kind), 1)


def _find_longest(charsmap: Any) -> int:
    """Find the length of the longest entry in SentencePiece's table of normal forms."""
    data = base64.b64decode(charsmap) if isinstance(charsmap, str) else b""
    start = 4 + int.from_bytes(data[:4], "little")
    return max(len(text) for text in data[start:].split(b"\0"))
