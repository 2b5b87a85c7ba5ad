"""Tables have each row of the dataset, and can be read by others."""

import base64
import json

import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from spacy_fastcoref.pipeline.processes import dump_pipeline  # noqa: E402
from spacy_fastcoref.scale.ray_pool import Worker  # noqa: E402
from spacy_fastcoref.scale.tables import (  # noqa: E402
    FORMATS,
    join_tables,
)

from .conftest import make_nlp  # noqa: E402

TEXTS = ["a b a", None, b"\xff", 5, "no"]


def make_table():
    parts = [
        pa.table({"text": pa.array([text]), "n": pa.array([i or None])})
        for i, text in enumerate(TEXTS)
    ]
    parts[-1] = parts[-1].drop_columns(["text"])
    schema = pa.schema([("n", pa.int64()), ("only", pa.string())])
    return join_tables(parts, "text", schema)


def make_worker(format="jsonl", act=None):
    from ray import cloudpickle

    data = dump_pipeline(make_nlp(act), cloudpickle.dumps)
    settings = {
        "columns": ["clusters", "resolved_text", "docbin"],
        "policy": "spacy_fastcoref.all.v1",
        "text_column": "text",
        "format": format,
        "max_tokens": 100,
    }
    return Worker(data, **settings, n_threads=1, uses_gpu=False)


def test_texts_are_checked():
    rows = make_table().to_pylist()
    assert [row["text"] for row in rows] == ["a b a", None, "\\xff", "5", None]
    assert [row["n"] for row in rows] == [None, 1, 2, 3, 4]
    assert [row["only"] for row in rows] == [None] * 5
    assert rows[0]["error"] is None
    for row, found in zip(rows[1:], ("null", "bytes", "int: 5", "null"), strict=True):
        assert "FC251" in row["error"] and found in row["error"]


def test_columns_of_different_types():
    parts = [pa.table({"n": pa.array([1])}), pa.table({"n": pa.array(["x"])})]
    with pytest.raises(ValueError, match="FC249"):
        join_tables(parts, "text", pa.schema([]))


@pytest.mark.parametrize("format", FORMATS)
def test_formats(tmp_path, format):
    pytest.importorskip("ray")
    path = tmp_path / f"x.{format}"
    written = make_worker(format).write(make_table(), path, None)
    assert (written["size"], written["n_errors"]) == (path.stat().st_size, 4)
    if format == "jsonl":
        rows = [json.loads(line) for line in path.read_text("utf8").splitlines()]
        assert base64.b64decode(rows[0]["docbin"])
    elif format == "parquet":
        rows = parquet.read_table(path).to_pylist()
    else:
        rows = pa.ipc.open_file(path).read_all().to_pylist()
    names = "n only text clusters resolved_text docbin error"
    assert " ".join(rows[0]) == names
    assert rows[0]["clusters"] == [[[0, 1], [4, 5]]]
    assert [row["clusters"] for row in rows[1:]] == [None] * 4


def test_what_happens_to_a_worker(tmp_path):
    pytest.importorskip("ray")

    def fill(text):
        raise MemoryError("too much")

    rows = make_table()
    worker = make_worker(act=fill)
    with pytest.raises(MemoryError, match="too much"):
        worker.write(rows, tmp_path / "a", None)
    # What is not annotated can't fill it.
    assert worker.write(rows[:1], tmp_path / "b", "a reason")["n_errors"] == 1
    assert "a reason" in (tmp_path / "b").read_text()
    with pytest.raises(FileNotFoundError):
        worker.write(rows[1:], tmp_path / "no" / "c", None)
