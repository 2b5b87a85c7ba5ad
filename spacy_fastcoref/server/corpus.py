"""Write a corrected document as a file to train on."""

import json
from enum import Enum
from typing import Any, Dict, Sequence

from spacy.tokens import Doc, DocBin

from ..span_keys import CANDIDATES, SPEAKERS
from ..tokens.groups import read_group
from ..tokens.index import check_index
from ..training.readers.records import NO_SPEAKER
from .pipelines import Pipeline


class Format(str, Enum):
    """Name the formats of a corpus."""

    spacy = "spacy"
    jsonl = "jsonl"

    def __str__(self) -> str:
        return self.value


def make_corpus(pipeline: Pipeline, docs: Sequence[Doc], kind: Format) -> bytes:
    """Write documents with their clusters.

    pipeline (Pipeline): The pipeline that resolved them.
    docs (Sequence[Doc]): The documents.
    kind (Format): The format.
    RETURNS (bytes): A DocBin, for spacy_fastcoref.DocBinCorpus.v1, which has the
        corrections as well; or lines of JSON, for spacy_fastcoref.JsonlCorpus.v1.
    """
    if kind is Format.jsonl:
        lines = (json.dumps(_make_row(doc), ensure_ascii=False) for doc in docs)
        return "".join(f"{line}\n" for line in lines).encode("utf8")
    for doc in docs:
        # What was a candidate here would be the only candidate in training.
        doc.spans.pop(CANDIDATES, None)
    return DocBin(docs=docs, store_user_data=False).to_bytes()


def _make_row(doc: Doc) -> Dict[str, Any]:
    speakers = [NO_SPEAKER] * len(doc)
    for turn in read_group(doc, SPEAKERS):
        speakers[turn.start : turn.end] = [turn.label_] * len(turn)
    sentences = [[token.text for token in doc]]
    if doc.has_annotation("SENT_START"):
        sentences = [[token.text for token in sent] for sent in doc.sents]
    return {
        "doc_key": "",
        "sentences": sentences,
        "speakers": speakers,
        "clusters": [
            [[start, end - 1] for start, end in cluster.mentions]
            for cluster in check_index(doc).clusters
        ],
    }
