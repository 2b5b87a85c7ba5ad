"""Read and write jsonlines: one document of tokens or of text a line."""

import json
from typing import Iterator

from spacy.language import Language

from ..training.readers.jsonl import read_jsonl
from ..training.readers.parsing import name_line
from ..training.readers.text_record import TextRecord
from .base import Document, Entry, Format, name_file
from .docs import (
    list_clusters,
    list_sentences,
    list_speakers,
    list_types,
    make_doc,
    make_doc_of_words,
)


def make_jsonl_format() -> Format:
    """Make the format of jsonlines, the field's own.

    RETURNS (Format): The format.
    """
    return Format(
        name="jsonl",
        description="jsonlines: a document of tokens or of text a line",
        endings=(".jsonl", ".jsonlines"),
        read=read,
        dump=dump,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file; those without clusters are read as well.

    path (str): The file; "-" for standard input.
    nlp (Language): The pipeline, for its tokenizer.
    YIELDS (Union[Document, ValueError]): The document of each line, or an error.
    """
    for record in read_jsonl(path, needs_clusters=False):
        if isinstance(record, ValueError):
            yield record
            continue
        key = record.key or f"{name_file(path)}-{record.line}"
        try:
            with name_line(path, record.line):
                if isinstance(record, TextRecord):
                    doc = make_doc(nlp, record.text, record.clusters)
                else:
                    doc = make_doc_of_words(nlp, record)
        except ValueError as error:
            yield error
            continue
        yield Document(key, doc)


def dump(document: Document) -> bytes:
    """Write a document as one line.

    document (Document): The document.
    RETURNS (bytes): The line: `text`, `sentences`, `clusters` of token offsets with
        inclusive ends, and `speakers` and `entity_types` if there are any.
    """
    doc = document.doc
    words = [token.text for token in doc]
    sentences = list_sentences(doc)
    clusters = list_clusters(doc)
    data = {
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
