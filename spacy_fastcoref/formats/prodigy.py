"""Read and write Prodigy's tasks: spans of a text, joined by relations."""

import json
from functools import partial
from typing import Any, Dict, Iterator

from spacy.language import Language

from ..types import Offsets
from .base import Document, Entry, Format, name_file
from .docs import list_clusters
from .parsing import check_text, parse_lines
from .spans import LinkedText

# The label of Prodigy's recipe coref.manual, and of spans that have none.
_RELATION, _SPAN = "COREF", "MENTION"


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the tasks of a file; what was rejected or ignored has no clusters.

    path (str): The file; "-" for standard input.
    nlp (Language): The pipeline, for its tokenizer.
    YIELDS (Union[Document, ValueError]): The document of each task, or an error.
    """
    parse = partial(_read_task, nlp=nlp, name=name_file(path))
    return parse_lines(path, parse, "a task of Prodigy")


def _read_task(line: str, number: int, *, nlp: Language, name: str) -> Document:
    task = json.loads(line)
    check_text(task["text"])
    is_done = task.get("answer", "accept") == "accept"
    key = str(task.get("meta", {}).get("doc_key", "")) or f"{name}-{number}"
    linked = LinkedText(key, task["text"])
    if is_done:
        for span in task.get("spans", ()):
            linked.mentions[_get_offsets(span)] = _get_offsets(span)
        for relation in task.get("relations", ()):
            if relation.get("label", _RELATION).upper() != _RELATION:
                continue
            ends = [_get_offsets(relation[key]) for key in ("head_span", "child_span")]
            linked.mentions.update((offsets, offsets) for offsets in ends)
            linked.links.append((ends[0], ends[1]))
    document = linked.make_document(nlp)
    return document._replace(line=number, has_clusters=is_done)


def _get_offsets(span: Dict[str, Any]) -> Offsets:
    return int(span["start"]), int(span["end"])


def dump(document: Document) -> bytes:
    """Write a document as a task, which the recipe coref.manual shows and corrects.

    document (Document): The document.
    RETURNS (bytes): A line of JSON.
    """
    doc = document.doc
    tokens = [
        {
            "text": token.text,
            "start": token.idx,
            "end": token.idx + len(token),
            "id": token.i,
            "ws": bool(token.whitespace_),
        }
        for token in doc
    ]
    spans: Dict[Offsets, Dict[str, Any]] = {}
    relations = []
    for cluster in list_clusters(doc):
        for i, (start, end) in enumerate(cluster):
            spans[start, end] = {
                "start": tokens[start]["start"],
                "end": tokens[end - 1]["end"],
                "token_start": start,
                "token_end": end - 1,
                "label": _SPAN,
            }
            if i:
                child, head = spans[start, end], spans[cluster[i - 1]]
                relations.append(
                    {
                        "head": head["token_end"],
                        "child": child["token_end"],
                        "head_span": head,
                        "child_span": child,
                        "label": _RELATION,
                    }
                )
    task = {
        "text": doc.text,
        "tokens": tokens,
        "spans": [spans[offsets] for offsets in sorted(spans)],
        "relations": relations,
        "meta": {"doc_key": document.key},
    }
    return (json.dumps(task, ensure_ascii=False) + "\n").encode()


make_prodigy_format = partial(
    Format,
    "prodigy",
    "Prodigy's JSONL, with spans and relations, as of coref.manual",
    (".prodigy.jsonl",),
    read,
    dump,
)
