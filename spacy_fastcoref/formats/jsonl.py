"""Read and write jsonlines: one document of tokens or of text a line."""

import json
from functools import partial
from operator import index
from typing import Any, Dict, List, Optional

from spacy.language import Language

from .base import Document, Format, reader
from .docs import (
    NO_SPEAKER,
    list_clusters,
    list_sentences,
    list_speakers,
    list_types,
    make_doc,
    make_document_of_words,
    mark_doc,
)
from .parsing import parse_lines


@reader(parse_lines, "a document")
def read(line: str, number: int, *, nlp: Language, name: str) -> Document:
    """Read the documents of a file; those without clusters are read as well.

    Each line has `sentences` or `tokens`, `clusters` of token offsets with inclusive
    ends, and optionally `speakers`, `doc_key` and `entity_types`, one for each cluster,
    if all mentions are annotated, singletons included. Alternatively, as in fastcoref's
    files, it has `text`, and `clusters` of character offsets with exclusive ends. With
    both text and tokens, the text has the spaces between the tokens.
    """
    data = json.loads(line)
    if not isinstance(data, dict):
        raise ValueError("a line has to hold an object")
    key = str(data.get("doc_key", "")) or f"{name}-{number}"
    has_clusters = "clusters" in data
    clusters = data.get("clusters", [])
    # fastcoref writes text, tokens and sentences to all lines; those that it doesn't
    # have are empty.
    if "text" in data and not (data.get("tokens") or data.get("sentences")):
        if not isinstance(data["text"], str):
            raise TypeError("text has to be a string")
        offsets = [[(index(a), index(z)) for a, z in c] for c in clusters]
        settings = {"line": number, "has_clusters": has_clusters}
        return mark_doc(make_doc(nlp, data["text"]), key, offsets, **settings)
    has_tokens = "tokens" in data and not data.get("sentences")
    sentences = [data["tokens"]] if has_tokens else data["sentences"]
    if not (
        isinstance(sentences, list)
        and all(isinstance(words, list) for words in sentences)
        and all(isinstance(word, str) for words in sentences for word in words)
    ):
        raise TypeError("sentences have to be lists of words")
    offsets = [[(index(a), index(z) + 1) for a, z in c] for c in clusters]
    types = data.get("entity_types") or []
    if types and len(types) != len(offsets):
        raise ValueError(f"{len(types)} entity_types for {len(offsets)} clusters")
    labelled = zip(types, offsets, strict=False)
    words = [word for sentence in sentences for word in sentence]
    return make_document_of_words(
        nlp,
        key,
        words,
        offsets,
        line=number,
        sent_starts=[not i for sentence in sentences for i in range(len(sentence))],
        spaces=_find_spaces(words, data.get("text")),
        speakers=_read_speakers(data.get("speakers")),
        types={mention: str(label) for label, c in labelled for mention in c},
        has_clusters=has_clusters,
    )


def _find_spaces(words: List[str], text: Any) -> Optional[List[bool]]:
    """Find the words that a space follows in a text; None if it has other words."""
    if not isinstance(text, str):
        return None
    spaces, end = [], 0
    # Not get_words_and_spaces of spaCy, whose time is quadratic.
    for word in words:
        if not text.startswith(word, end):
            return None
        end += len(word)
        spaces.append(text.startswith(" ", end))
        end += spaces[-1]
    return spaces if end == len(text) else None


def _read_speakers(speakers: Any) -> Optional[List[str]]:
    """Read the speakers of the words, which can be listed per sentence."""
    if not speakers:
        return None
    is_nested = any(isinstance(part, list) for part in speakers)
    parts = speakers if is_nested else [speakers]
    if not all(isinstance(part, list) for part in parts):
        raise TypeError("speakers have to be a list, or a list of lists")
    names = [speaker for part in parts for speaker in part]
    for name in names:
        if type(name) not in (str, int, float, type(None)):
            raise TypeError(f"a speaker is a name, a number or null, but not {name!r}")
    return [NO_SPEAKER if name is None else str(name) for name in names]


def dump(document: Document) -> bytes:
    """Write a document as a line, with `speakers` and `entity_types` if it has any."""
    doc = document.doc
    words = [token.text for token in doc]
    sentences = list_sentences(doc)
    clusters = list_clusters(doc)
    data: Dict[str, Any] = {
        "doc_key": document.key,
        "text": doc.text,
        "sentences": [words[start:end] for start, end in sentences],
        "clusters": [[[start, end - 1] for start, end in c] for c in clusters],
    }
    speakers = list_speakers(doc)
    if speakers is not None:
        data["speakers"] = [speakers[start:end] for start, end in sentences]
    types = list_types(doc)
    if any(types):
        data["entity_types"] = types
    return f"{json.dumps(data, ensure_ascii=False)}\n".encode()


make_jsonl_format = partial(
    Format,
    "jsonl",
    "jsonlines: a document of tokens or of text a line",
    (".jsonl", ".jsonlines"),
    read,
    dump,
)
