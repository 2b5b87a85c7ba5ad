"""Write a corrected document as a file to train on."""

from enum import Enum
from typing import Sequence

from spacy.tokens import Doc, DocBin

from ..formats.base import Document
from ..formats.jsonl import dump
from ..span_keys import CANDIDATES
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
        return b"".join(dump(Document("", doc)) for doc in docs)
    for doc in docs:
        # What was a candidate here would be the only candidate in training.
        doc.spans.pop(CANDIDATES, None)
    return DocBin(docs=docs, store_user_data=False).to_bytes()
