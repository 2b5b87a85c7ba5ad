"""`spacy coref annotate --engine ray`: what it reads, writes and refuses."""

import gzip
import json

import pytest

from ..conftest import invoke_coref

TEXTS = ["Ann said she left.", "Bob lost his keys.", None]
CLUSTERS = [[[[0, 3], [9, 12]]], [[[0, 3], [9, 12]]], None]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl.gz"
    lines = [{"body": text, "id": i} for i, text in enumerate(TEXTS)]
    with gzip.open(path, "wt") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)
    return path


def run(*args):
    return invoke_coref("annotate", *args, "--engine", "ray")


@pytest.mark.slow
def test_from_files_to_a_folder_and_on(tmp_path, texts, cluster):
    """And again; and what a run has written is what another one reads."""
    from pyarrow import parquet

    first, second = tmp_path / "first", tmp_path / "second"
    options = ["--address", "auto", "-n", 1, "--text-column", "body", "--output"]
    columns = ["--columns", "resolved_text, clusters"]
    for n_old in (0, 3):
        done = run(texts, *options, first, "--block-size", 2, *columns)
        assert done.stdout == f"✔ 3 rows in {first}, {n_old} of an earlier run\n"
        assert done.exit_code == 1 and "1 rows have an error" in done.stderr
    rows = parquet.read_table(first).to_pylist()
    assert [row["clusters"] for row in rows] == CLUSTERS
    assert [row["id"] for row in rows] == [0, 1, 2]
    assert [bool(row["error"]) for row in rows] == [False, False, True]
    # What is read has a column of errors already.
    done = run(first, *options, second)
    assert done.exit_code == 1 and "[FC256]" in done.stderr and "error" in done.stderr


USAGE = {
    "{texts}": "[FC076] The setting '--output'",
    "--output out": "[FC076] The setting 'INPUT'",
    "- --output out": "[FC076] The setting 'INPUT'",
    "{texts} --output out --to conll": "[FC076] The setting '--to'",
    "{texts} --output out --from spacy": "[FC258]",
    "{texts} --output out --columns heads": "[FC076] The setting 'columns'",
    "{texts} --output out -n 0": "[FC076] The setting 'n_process'",
    "{texts} --output out -b 2": "[FC259] --batch-size",
    "{texts}.none --output out": "[FC052]",
    "{texts} --engine spark": "[FC076] The setting '--engine'",
    "{texts} --engine local --num-gpus 1 --columns docbin": (
        "[FC259] --columns, --num-gpus"
    ),
}


@pytest.mark.parametrize("args, problem", USAGE.items())
def test_usage(texts, args, problem):
    """Nothing is connected to, so Ray need not be installed."""
    args = args.format(texts=texts).split()
    command = args if "--engine" in args else [*args, "--engine", "ray"]
    done = invoke_coref("annotate", *command)
    assert done.exit_code == 2 and not done.stdout
    (line,) = done.stderr.splitlines()
    assert problem in line
