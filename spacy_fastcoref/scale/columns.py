"""Define the columns that the output has beside those of the dataset."""

import base64
import functools
from typing import Any, Callable, Dict, NamedTuple, Sequence

from spacy.tokens import Doc, DocBin

from ..errors import check_setting
from ..resolution.resolve import get_policy, resolve_text

# Each row has its error here, or null.
ERROR = "error"
CLUSTERS, RESOLVED, DOCBIN = "clusters", "resolved_text", "docbin"


class Column(NamedTuple):
    """Define a column.

    make_type (Callable[[Any], Any]): Makes the type of its values from the module
        pyarrow.
    read (Callable[[Doc], Any]): Reads the value from a Doc.
    """

    make_type: Callable[[Any], Any]
    read: Callable[[Doc], Any]


def make_columns(names: Sequence[str], policy: str) -> Dict[str, Column]:
    """Make columns by their names."""
    resolve = functools.partial(resolve_text, policy=get_policy(policy))
    known = {
        CLUSTERS: Column(lambda pa: _list(pa, pa.int32(), 3), _list_clusters),
        RESOLVED: Column(lambda pa: pa.string(), resolve),
        DOCBIN: Column(lambda pa: pa.binary(), _dump_doc),
    }
    is_valid = names and len({*names} & {*known}) == len(names)
    expected = f"names, each once, from: {', '.join(known)}"
    check_setting("columns", list(names), is_valid, expected)
    return {name: known[name] for name in names}


def _list(pa: Any, inner: Any, depth: int) -> Any:
    return pa.list_(_list(pa, inner, depth - 1)) if depth else inner


def _list_clusters(doc: Doc) -> Any:
    """List the clusters of a Doc in characters."""
    return [[list(span) for span in cluster] for cluster in doc._.coref_clusters]


def _dump_doc(doc: Doc) -> bytes:
    """Serialize a Doc with all its annotation."""
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


def load_doc(data: Any, vocab: Any) -> Doc:
    """Load a Doc from a value of the column "docbin".

    data (Union[bytes, str]): The value; text where it is from JSON.
    vocab (Vocab): The vocabulary.
    RETURNS (Doc): The document.
    """
    data = base64.b64decode(data) if isinstance(data, str) else data
    (doc,) = DocBin().from_bytes(data).get_docs(vocab)
    return doc
