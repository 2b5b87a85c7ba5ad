"""Read and write Prodigy's tasks: spans of a text, joined by relations."""

import json
from functools import partial
from typing import Any, Dict, List

from spacy.language import Language

from ..types import Offsets
from .base import Document, Format, reader
from .docs import link_doc, list_clusters, make_doc
from .parsing import parse_lines

# The label of Prodigy's recipe coref.manual, and of spans that have none.
_RELATION, _SPAN = "COREF", "MENTION"
_ENDS = ("head_span", "child_span")


@reader(parse_lines, "a task of Prodigy")
def read(line: str, number: int, *, nlp: Language, name: str) -> Document:
    """Read the tasks of a file; what was rejected or ignored has no clusters."""
    task = json.loads(line)
    doc = make_doc(nlp, task["text"])
    is_done = task.get("answer", "accept") == "accept"
    key = str(task.get("meta", {}).get("doc_key", "")) or f"{name}-{number}"
    spans: List[Offsets] = []
    links = []
    if is_done:
        spans += map(_get_offsets, task.get("spans", ()))
        for relation in task.get("relations", ()):
            if relation.get("label", _RELATION).upper() == _RELATION:
                one, two = (_get_offsets(relation[key]) for key in _ENDS)
                spans += [one, two]
                links.append((one, two))
    document = link_doc(doc, key, dict(zip(spans, spans, strict=True)), links)
    return document._replace(line=number, has_clusters=is_done)


def _get_offsets(span: Dict[str, Any]) -> Offsets:
    return int(span["start"]), int(span["end"])


def dump(document: Document) -> bytes:
    """Write a document as a task, which the recipe coref.manual shows and corrects."""
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
                ends = {"head": head["token_end"], "child": child["token_end"]}
                both = {"head_span": head, "child_span": child}
                relations.append({**ends, **both, "label": _RELATION})
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
