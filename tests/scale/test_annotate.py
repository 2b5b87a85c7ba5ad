"""Annotate datasets on a cluster of several nodes, parts of which end."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from pyarrow import parquet  # noqa: E402

from spacy_fastcoref.journal import MANIFEST  # noqa: E402
from spacy_fastcoref.scale import annotate  # noqa: E402

from .conftest import make_nlp  # noqa: E402

# What has the folder of the tests. The package may be somewhere else.
ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.usefixtures("cluster"), pytest.mark.slow]


def make_dataset(n_rows, **changes):
    """Make a dataset of rows that can be told apart."""
    rows = [{"text": f"{i} a {i}", "n": i} for i in range(n_rows)]
    for key, text in changes.items():
        rows[int(key.removeprefix("at_"))]["text"] = text
    return ray.data.from_items(rows, override_num_blocks=3)


def write(dataset, folder, nlp, **changes):
    settings = {"format": "jsonl", "concurrency": 1, "block_size": 5, **changes}
    return annotate(dataset, nlp, output=folder, **settings)


def read(folder):
    files = sorted(folder.glob("rows-*"))
    return [json.loads(line) for path in files for line in path.open()]


def check(folder, n_rows, errors=()):
    """Check that each row is there once, with its own answer or with an error."""
    rows = read(folder)
    assert [row["n"] for row in rows] == list(range(n_rows))
    assert [row["n"] for row in rows if row["error"]] == list(errors)
    for row in rows:
        if not row["error"]:
            n = str(row["n"])
            spans = [[0, len(n)], [len(n) + 3, 2 * len(n) + 3]]
            assert row["clusters"] == [spans]
    return rows


def count_blocks(folder):
    path = folder / MANIFEST
    return path.read_text().count('"file"') if path.exists() else 0


def wait_for(condition):
    """Wait until something is so."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_bad_rows_and_a_second_run(tmp_path):
    nlp = make_nlp()
    nlp.max_length = 100_000
    rows = [{"text": "a b a", "n": 0}, {"n": 1}, {"text": None, "n": 2}]
    rows += [{"text": b"\xff\x00", "n": 3}, {"text": "x" * 5_000_000, "n": 4}]
    rows += [{"text": "", "n": 5}, {"text": "7 7", "n": 6}]
    dataset = ray.data.from_items(rows)
    columns = ["clusters", "resolved_text"]
    settings = {"format": "parquet", "block_size": 3, "columns": columns}
    done = write(dataset, tmp_path, nlp, **settings)
    assert (done.n_rows, done.n_old, done.n_errors) == (7, 0, 4)
    found = parquet.read_table(tmp_path).to_pylist()
    assert [row["n"] for row in found] == list(range(7))
    errors = [row["error"] or "" for row in found]
    for error, part in zip(
        errors, ["", "null", "null", "bytes", "E088", "", ""], strict=True
    ):
        assert part in error and bool(part) == bool(error)
    assert found[6]["clusters"] == [[[0, 1], [2, 3]]]
    assert len(found[4]["text"]) == 5_000_000
    done = write(dataset, tmp_path, nlp, **settings)
    assert (done.n_rows, done.n_old, done.n_errors) == (7, 7, 4)


def test_actors_that_end(tmp_path):
    """One that is killed, one out of memory, and a text that ends each."""
    flag = str(tmp_path / "flag")

    def act(text):
        if text == "poison" or (text.startswith("3 ") and not os.path.exists(flag)):
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("7 ") and not os.path.exists(flag + "2"):
            open(flag + "2", "w").close()
            raise MemoryError

    dataset = make_dataset(9, at_6="poison")
    folder = tmp_path / "out"
    done = write(dataset, folder, make_nlp(act), block_size=2, concurrency=2)
    assert done.n_errors == 1
    rows = check(folder, 9, errors=[6])
    assert "FC250" in rows[6]["error"] and "died" in rows[6]["error"]
    # Blocks that were lost were halved.
    assert count_blocks(folder) > 5


def test_a_node_that_ends(tmp_path, cluster):
    node = cluster.add_node(num_cpus=2, object_store_memory=80 * 1024**2)
    cluster.wait_for_nodes()
    here = ray.get_runtime_context().get_node_id()

    def act(text):
        # Only what is on the other node takes so long that it is killed meanwhile.
        if ray.get_runtime_context().get_node_id() != here:
            open(flag, "w").close()
            time.sleep(60)

    flag = str(tmp_path / "flag")

    def kill():
        wait_for(lambda: os.path.exists(flag))
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=kill)
    thread.start()
    folder = tmp_path / "out"
    write(make_dataset(40), folder, make_nlp(act), concurrency=2)
    thread.join()
    check(folder, 40)


def test_a_driver_that_is_killed(tmp_path, cluster):
    """And two runs into one folder."""
    folder, flag = tmp_path / "out", str(tmp_path / "flag")
    code = f"""
        import os, sys, time
        sys.path.insert(0, {str(ROOT)!r})
        import ray
        from tests.scale import test_annotate as tests
        ray.init(address={cluster.address!r}, log_to_driver=False)
        def act(text):
            while text.startswith("12 ") and not os.path.exists({flag!r}):
                time.sleep(0.05)
        tests.write(tests.make_dataset(30), {str(folder)!r}, tests.make_nlp(act))
    """
    args = [sys.executable, "-c", textwrap.dedent(code)]
    log = tmp_path / "driver.log"
    driver = subprocess.Popen(args, stderr=log.open("wb"))
    nlp = make_nlp()
    try:
        wait_for(lambda: count_blocks(folder) == 2 or driver.poll() is not None)
        assert driver.poll() is None, log.read_text()
        with pytest.raises(ValueError, match="FC242"):
            write(make_dataset(30), folder, nlp)
    finally:
        driver.kill()
        driver.wait()
    assert count_blocks(folder) == 2

    done = write(make_dataset(30), folder, nlp)
    assert (done.n_rows, done.n_old) == (30, 10)
    check(folder, 30)


def test_what_is_not_valid(tmp_path):
    nlp = make_nlp()
    dataset = make_dataset(3)
    with pytest.raises(ValueError, match="FC024.*'body'.*(n, text|text, n)"):
        write(dataset, tmp_path / "a", nlp, text_column="body")
    with pytest.raises(ValueError, match="FC256.*error"):
        write(dataset.add_column("error", lambda b: b["n"]), tmp_path / "b", nlp)
    with pytest.raises(ValueError, match="FC052.*no such luck"):

        def fail(batch):
            raise KeyError("no such luck")

        write(dataset.map_batches(fail), tmp_path / "c", nlp)
    with pytest.raises(ValueError, match="FC254.*9 GPUs"):
        write(dataset, tmp_path / "d", nlp, concurrency=None, num_gpus=9)
    with pytest.raises(ValueError, match="FC076.*block_size"):
        write(dataset, tmp_path / "e", nlp, block_size=0)
    with pytest.raises(ValueError, match="FC095"):
        nlp.remove_pipe("fastcoref")
        write(dataset, tmp_path / "f", nlp)


def test_an_empty_dataset(tmp_path):
    assert write(make_dataset(1).limit(0), tmp_path, make_nlp()).n_rows == 0
