"""Read and write .spacy files, which keep all annotation."""

import struct
from functools import partial
from typing import BinaryIO, Iterator

import srsly
from spacy.language import Language
from spacy.tokens import DocBin

from ..files import check_packed
from .base import Document, Entry, Format, name_file
from .parsing import name_in_errors, open_bytes

# The key of a Doc's user data for the document's name.
KEY = "doc_key"
_SIZE = struct.Struct(">Q")


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file."""
    with name_in_errors(path, "this is not a DocBin: "), open_bytes(path) as file:
        docs = DocBin().from_bytes(check_packed(file.read()))
    for number, doc in enumerate(docs.get_docs(nlp.vocab), start=1):
        key = doc.user_data.get(KEY) or f"{name_file(path)}-{number}"
        yield Document(str(key), doc)


def dump(document: Document) -> bytes:
    """Write a document as a file of its own, after the size of this file."""
    docs = DocBin(docs=[document.doc])
    # Any object can be in the user data, also some that can't be saved.
    kept = {k: v for k, v in document.doc.user_data.items() if "coref_scheme" in str(k)}
    docs.store_user_data = True
    docs.user_data = [srsly.msgpack_dumps({**kept, KEY: document.key})]
    data = docs.to_bytes()
    return _SIZE.pack(len(data)) + data


def finish(dumped: BinaryIO, file: BinaryIO) -> None:
    """Join the dumped documents in one file."""
    docs = DocBin(store_user_data=True)
    while size := dumped.read(_SIZE.size):
        (length,) = _SIZE.unpack(size)
        one = DocBin(store_user_data=True).from_bytes(dumped.read(length))
        docs.merge(one)
    file.write(docs.to_bytes())


make_docbin_format = partial(
    Format,
    "spacy",
    "spaCy's DocBin, with all annotation",
    (".spacy",),
    read,
    dump,
    finish=finish,
)
