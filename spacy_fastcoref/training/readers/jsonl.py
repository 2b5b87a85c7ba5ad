"""Read jsonlines files, with one document of tokens or of text per line."""

import json
from operator import index
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from ...errors import Errors
from .parsing import PARSE_ERRORS, check_text, open_lines
from .records import NO_SPEAKER, Record, find_sent_starts
from .text_record import TextRecord

AnyRecord = Union[Record, TextRecord]


def read_jsonl(
    path: Union[str, Path], *, needs_clusters: bool = True
) -> Iterator[Union[AnyRecord, ValueError]]:
    """Read documents from a jsonlines file.

    Each line has `sentences` or `tokens`, `clusters` of token offsets with inclusive
    ends, and optionally `speakers`, `doc_key` and `entity_types`, one for each cluster,
    if all mentions are annotated, singletons included. Alternatively, as in fastcoref's
    files, it has `text`, and `clusters` of character offsets with exclusive ends. With
    both text and tokens, the text has the spaces between the tokens.

    path (Union[str, Path]): The file.
    needs_clusters (bool): Whether a document without `clusters` is an error.
    YIELDS (Union[Record, TextRecord, ValueError]): The document of each line, or an
        error that names the file and the line.
    """
    with open_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield _read_line(line, str(path), number, needs_clusters)
            except ValueError as error:
                yield error


def _read_line(line: str, path: str, number: int, needs_clusters: bool) -> AnyRecord:
    try:
        check_text(line)
        data = json.loads(line)
        if not needs_clusters:
            data.setdefault("clusters", [])
        record = _make_record(data, path, number)
    except PARSE_ERRORS as error:
        reason = f"this is not a document: {type(error).__name__}: {error}"
        raise ValueError(
            Errors.FC051.format(path=path, line=number, reason=reason)
        ) from error
    record.check()
    return record


def _make_record(data: Dict[str, Any], path: str, number: int) -> AnyRecord:
    key = str(data.get("doc_key", ""))
    # fastcoref writes text, tokens and sentences to all lines; those that it doesn't
    # have are empty.
    if "text" in data and not (data.get("tokens") or data.get("sentences")):
        if not isinstance(data["text"], str):
            raise TypeError("text has to be a string")
        clusters = [[(index(a), index(z)) for a, z in c] for c in data["clusters"]]
        return TextRecord(data["text"], clusters, path, number, key)
    if data.get("sentences") or "tokens" not in data:
        sentences = data["sentences"]
    else:
        sentences = [data["tokens"]]
    if not _is_nested_strings(sentences):
        raise TypeError("sentences have to be lists of words")
    words = [word for sentence in sentences for word in sentence]
    speakers = data.get("speakers") or [NO_SPEAKER] * len(words)
    clusters = [[(index(a), index(z) + 1) for a, z in c] for c in data["clusters"]]
    return Record(
        words,
        find_sent_starts(sentences),
        [_name_speaker(speaker) for speaker in _flatten(speakers)],
        clusters,
        path,
        number,
        key,
        _read_types(data.get("entity_types") or [], clusters),
        find_spaces(words, data.get("text")),
    )


def find_spaces(words: List[str], text: Any) -> Optional[List[bool]]:
    """Find the words that a space follows in a text.

    words (List[str]): The words.
    text (Any): The text.
    RETURNS (Optional[List[bool]]): Whether a space follows each word; None if the words
        and single spaces do not make the text, or there is no text.
    """
    if not isinstance(text, str):
        return None
    spaces = []
    end = 0
    for word in words:
        if not text.startswith(word, end):
            return None
        end += len(word)
        spaces.append(text.startswith(" ", end))
        end += spaces[-1]
    return spaces if end == len(text) else None


def _read_types(
    types: List[str], clusters: List[List[Tuple[int, int]]]
) -> Dict[Tuple[int, int], str]:
    """Read the entity type of each cluster; there are types for all or for none."""
    if types and len(types) != len(clusters):
        raise ValueError(f"{len(types)} entity_types for {len(clusters)} clusters")
    return {
        mention: str(label)
        for label, cluster in zip(types, clusters, strict=False)
        for mention in cluster
    }


def _flatten(speakers: List[Any]) -> List[Any]:
    """Flatten speakers that are listed per sentence."""
    is_nested = any(isinstance(part, list) for part in speakers)
    parts = speakers if is_nested else [speakers]
    if not all(isinstance(part, list) for part in parts):
        raise TypeError("speakers have to be a list, or a list of lists")
    return [speaker for part in parts for speaker in part]


def _name_speaker(speaker: Any) -> str:
    if speaker is None:
        return NO_SPEAKER
    if not isinstance(speaker, (str, int, float)) or isinstance(speaker, bool):
        raise TypeError(f"a speaker is a name, a number or null, but not {speaker!r}")
    return str(speaker)


def _is_nested_strings(sentences: List[Any]) -> bool:
    return isinstance(sentences, list) and all(
        isinstance(words, list) and all(isinstance(word, str) for word in words)
        for words in sentences
    )
