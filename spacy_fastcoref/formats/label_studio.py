"""Read Label Studio's JSON export: labelled regions of a text, joined by relations.

What is written is a file to import, with the clusters as predictions to correct.
"""

import json
from functools import partial
from typing import Any, BinaryIO, Dict

from spacy.language import Language

from ..types import Offsets
from .base import Document, Format, reader
from .docs import find_utf16_offsets, link_doc, list_clusters, make_doc
from .parsing import parse_json


@reader(parse_json, "a task of Label Studio")
def read(task: Dict[str, Any], *, nlp: Language, name: str) -> Document:
    """Read the tasks of a project."""
    text = _find_text(task["data"])
    doc = make_doc(nlp, text)
    key = f"{name}-{task['id']}" if "id" in task else name
    key = str(task["data"].get("doc_key") or key)
    # Somebody may have skipped the task; the last annotation is the newest one.
    given = task["annotations"] if "annotations" in task else task["predictions"]
    done = [one for one in given if not one.get("was_cancelled")]
    mentions, links = {}, []
    for region in done[-1]["result"] if done else []:
        if region["type"] == "relation":
            links.append((region["from_id"], region["to_id"]))
        elif "start" in region.get("value", {}):
            mentions[region["id"]] = _find_offsets(text, region["value"])
    return link_doc(doc, key, mentions, links)


def _find_text(data: Dict[str, Any]) -> str:
    """Find the text of a task, whose name depends on the project."""
    texts = [value for value in data.values() if isinstance(value, str)]
    text = data["text"] if "text" in data else max(texts, key=len, default=None)
    if not isinstance(text, str):
        raise ValueError("there is no text in its data")
    return text


def _find_offsets(text: str, value: Dict[str, Any]) -> Offsets:
    """Find the characters of a region, whose offsets are those of JavaScript."""
    start, end = int(value["start"]), int(value["end"])
    shown = value.get("text", text[start:end])
    if end <= len(text) and text[start:end] == shown:
        return start, end
    offsets = find_utf16_offsets(text)
    start, end = offsets.get(start, -1), offsets.get(end, -1)
    if start < 0 or text[start:end] != shown:
        raise ValueError(f"the region {shown!r} is not where its offsets are")
    return start, end


def dump(document: Document) -> bytes:
    """Write a document as a task with predictions, a line of JSON."""
    doc, text = document.doc, document.doc.text
    # Offsets are those of JavaScript.
    units = {offset: unit for unit, offset in find_utf16_offsets(text).items()}
    result = []
    for i, cluster in enumerate(list_clusters(doc)):
        for j, (start, end) in enumerate(cluster):
            span = doc[start:end]
            ends = {"start": units[span.start_char], "end": units[span.end_char]}
            shown = {"from_name": "label", "to_name": "text", "type": "labels"}
            value = {**ends, "text": span.text, "labels": ["Mention"]}
            result.append({"id": f"{i}-{j}", **shown, "value": value})
            if j:
                ids = {"from_id": f"{i}-{j}", "to_id": f"{i}-{j - 1}"}
                result.append({"type": "relation", "direction": "right", **ids})
    task = {
        "data": {"text": text, "doc_key": document.key},
        "predictions": [{"model_version": "spacy-fastcoref", "result": result}],
    }
    return (json.dumps(task) + "\n").encode()


def _join(dumped: BinaryIO, target: BinaryIO) -> None:
    """Join the tasks to one list, which Label Studio imports."""
    target.write(b"[" + b",\n".join(line.rstrip() for line in dumped) + b"]\n")


make_label_studio_format = partial(
    Format,
    "label-studio",
    "Label Studio's JSON, with relations between regions",
    (".json",),
    read,
    dump,
    finish=_join,
)
