"""Define the columns of the output, and check, join and write tables of Arrow."""

import base64
import functools
import hashlib
import json
import os
import reprlib
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, Tuple

from spacy.tokens import Doc, DocBin

from ..errors import Errors, check_setting
from ..files import check_packed
from ..journal import Row, describe_file
from ..resolution.resolve import get_policy, resolve_text

# Each row has its error here, or null.
ERROR = "error"
CLUSTERS, RESOLVED, DOCBIN = "clusters", "resolved_text", "docbin"


# How to read a column from a Doc, and how to make its type of pyarrow.
Column = Tuple[Callable[[Doc], Any], Callable[[Any], Any]]


def make_columns(names: Sequence[str], policy: str) -> Dict[str, Column]:
    """Make columns by their names."""
    resolve = functools.partial(resolve_text, policy=get_policy(policy))
    known: Dict[str, Column] = {
        CLUSTERS: (_list_clusters, lambda pa: pa.list_(pa.list_(pa.list_(pa.int32())))),
        RESOLVED: (resolve, lambda pa: pa.string()),
        DOCBIN: (_dump_doc, lambda pa: pa.binary()),
    }
    is_valid = names and len({*names} & {*known}) == len(names)
    expected = f"names, each once, from: {', '.join(known)}"
    check_setting("columns", list(names), is_valid, expected)
    return {name: known[name] for name in names}


def _list_clusters(doc: Doc) -> Any:
    return [[list(span) for span in cluster] for cluster in doc._.coref_clusters]


def _dump_doc(doc: Doc) -> bytes:
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


def load_doc(data: Any, vocab: Any) -> Doc:
    """Load a Doc from a value of the column "docbin".

    data (Union[bytes, str]): The value; text where it is from JSON.
    vocab (Vocab): The vocabulary.
    RETURNS (Doc): The document.
    """
    data = base64.b64decode(data) if isinstance(data, str) else data
    (doc,) = DocBin().from_bytes(check_packed(data)).get_docs(vocab)
    return doc


def join_tables(parts: List[Any], text_column: str, schema: Any) -> Any:
    """Join slices of a dataset, and check their texts. Columns of the schema that a
    slice lacks are null in it."""
    import pyarrow as pa

    parts = [_check_texts(part, text_column) for part in parts]
    wanted = [field for field in schema if field.name != text_column]
    try:
        return pa.concat_tables(
            [pa.schema(wanted).empty_table(), *parts], promote_options="permissive"
        )
    except pa.ArrowException as error:
        raise ValueError(Errors.FC249.format(reason=error)) from error


def _check_texts(table: Any, text_column: str) -> Any:
    import pyarrow as pa

    values = [None] * len(table)
    if text_column in table.column_names:
        values = table[text_column].to_pylist()
        table = table.drop_columns([text_column])
    columns = zip(*map(_check_text, values), strict=True)
    for name, column in zip((text_column, ERROR), columns, strict=True):
        table = table.append_column(name, pa.array(column, pa.string()))
    return table


def _check_text(value: Any) -> Tuple[Optional[str], Optional[str]]:
    """Make a text of a value, and an error if it is none."""
    if isinstance(value, str):
        return value, None
    if value is None:
        return None, Errors.FC251.format(found="null")
    found = f"{type(value).__name__}: {reprlib.repr(value)}"
    if isinstance(value, bytes):
        value = value.decode("utf8", errors="backslashreplace")
    return str(value), Errors.FC251.format(found=found)


def digest_texts(table: Any, text_column: str) -> str:
    """Compute the digest of texts."""
    digest = hashlib.sha256()
    for text in table[text_column].to_pylist():
        data = b"" if text is None else text.encode()
        digest.update(f"{-1 if text is None else len(data)} ".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def write_table(table: Any, path: Path, format: str) -> Row:
    """Write a table to a new file, wait until it is on the disk, and describe it."""
    with path.open("xb") as file:
        FORMATS[format](table, file)
        file.flush()
        os.fsync(file.fileno())
    return {**describe_file(path), "n_errors": len(table) - table[ERROR].null_count}


def _write_parquet(table: Any, file: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(table, file)


def _write_arrow(table: Any, file: BinaryIO) -> None:
    from pyarrow import feather

    feather.write_feather(table, file, compression="uncompressed")


def _write_jsonl(table: Any, file: BinaryIO) -> None:
    for batch in table.to_batches(max_chunksize=100):
        for row in batch.to_pylist():
            line = json.dumps(row, ensure_ascii=False, default=_dump_value)
            file.write(f"{line}\n".encode())


def _dump_value(value: Any) -> str:
    """Write what JSON has no type for: bytes as base64, and times as text."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


# How a table is written, by the ending of the file.
FORMATS: Dict[str, Callable[[Any, BinaryIO], None]] = {
    "parquet": _write_parquet,
    "jsonl": _write_jsonl,
    "arrow": _write_arrow,
}
