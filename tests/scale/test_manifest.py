"""The manifest lists what is whole, whatever has happened to the folder."""

import json
import os
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.journal import MANIFEST
from spacy_fastcoref.scale.schedule import Blocks

from ..killing import iter_kills, needs_fork
from .pools import ENDING, read_rows, write_all

SETTINGS = {"pipeline": "en", "columns": ["clusters"]}
ROWS = list(range(45))


def open_manifest(folder, **settings):
    return Blocks(folder, {**SETTINGS, **settings}, ENDING).open()


def write(folder, rows=ROWS, **changes):
    with open_manifest(folder) as manifest:
        return write_all(manifest, rows, **changes)


def check(folder, rows=ROWS):
    """Check that each row is there once, and nothing else is."""
    assert sorted(line["row"] for line in read_rows(folder)) == list(rows)
    entries = [json.loads(line) for line in (folder / MANIFEST).open()]
    listed = {entry["file"] for entry in entries if "file" in entry}
    assert set(os.listdir(folder)) <= {MANIFEST, *listed}


def test_a_second_run_writes_nothing(tmp_path):
    run, pool = write(tmp_path)
    assert (run.n_rows, run.n_old, pool.n_submitted) == (45, 0, 5)
    check(tmp_path)
    files = sorted(os.listdir(tmp_path))
    assert files[1:3] == [f"rows-{a:012}-{a + 10:012}.jsonl" for a in (0, 10)]
    run, pool = write(tmp_path, batch=4, size=3)
    assert (run.n_rows, run.n_old, pool.n_submitted) == (45, 45, 0)
    assert sorted(os.listdir(tmp_path)) == files


@pytest.mark.parametrize("rows", [ROWS[:44], ROWS[:20], [], [*ROWS[:12], 7, *ROWS]])
def test_another_dataset(tmp_path, rows):
    """It does not destroy what is there."""
    write(tmp_path)
    with pytest.raises(ValueError, match="FC244"):
        write(tmp_path, rows)
    check(tmp_path)


@pytest.mark.parametrize("change", ["missing", "cut", "changed"])
def test_files_that_are_not_whole(tmp_path, change):
    write(tmp_path)
    path = tmp_path / f"rows-{10:012}-{20:012}.jsonl"
    text = path.read_text()
    if change == "missing":
        path.unlink()
    else:
        path.write_text(text[:-5] if change == "cut" else text.replace("19", "18"))
    for n_submitted in (1, 0):
        with pytest.warns(match="FCW21") if n_submitted else nullcontext():
            _, pool = write(tmp_path)
        assert pool.n_submitted == n_submitted and path.read_text() == text
    check(tmp_path)


def test_a_folder_with_other_files(tmp_path):
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(ValueError, match="FC081"), open_manifest(tmp_path):
        pass
    assert os.listdir(tmp_path) == ["thesis.txt"]
    with pytest.raises(ValueError, match="FC103"):
        write(tmp_path / "thesis.txt")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*FCW21")
@given(st.data())
def test_a_manifest_that_is_cut(tmp_path_factory, data):
    """As by a machine that stops: what comes after the last whole line is redone.

    So are files that are gone. Rows are cut where the earlier run has cut them.
    """
    folder = tmp_path_factory.mktemp("cut")
    write(folder)
    path = folder / MANIFEST
    size = data.draw(st.integers(0, path.stat().st_size))
    os.truncate(path, size)
    lines = path.read_text().split("\n")[:-1]
    for file in data.draw(st.sets(st.sampled_from(sorted(folder.glob("rows-*"))))):
        file.unlink()
    entries = [json.loads(line) for line in lines if '"file"' in line]
    kept = [one for one in entries if (folder / one["file"]).exists()]
    sizes = {name: data.draw(st.integers(1, 15)) for name in ("size", "batch")}
    run, _ = write(folder, **sizes)
    assert run.n_old == sum(one["stop"] - one["start"] for one in kept)
    assert [line["row"] for line in read_rows(folder)] == ROWS
    check(folder)


@pytest.mark.parametrize("change", [{}, {"start": 11}, {"start": 41, "stop": 42}])
@pytest.mark.parametrize("line", ["{", "[]", '{"file": "x"}', '{"dropped": 7}', None])
def test_a_manifest_that_is_broken(tmp_path, line, change):
    """Rows that are listed twice are no guess of this program."""
    write(tmp_path)
    path = tmp_path / MANIFEST
    first, run, entry, *others = path.read_text().splitlines()
    line = line or json.dumps({**json.loads(entry), **change})
    path.write_text("\n".join([first, run, entry, line, *others, ""]))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="FC081.*broken"):
        write(tmp_path)
    assert path.read_bytes() == before


def test_two_runs(tmp_path):
    """The second one is refused, and disturbs nothing."""
    with open_manifest(tmp_path) as first:
        write_all(first, ROWS[:20])
        other = f"process {os.getpid()} on"
        with pytest.raises(ValueError, match=f"FC242.*{other}"):
            write(tmp_path)
        write_all(first, ROWS)
    check(tmp_path)


def test_two_runs_where_files_cannot_be_locked(tmp_path, monkeypatch):
    """The first one notices that the second one has begun."""
    module = "spacy_fastcoref.journal.lock_file"
    monkeypatch.setattr(module, lambda path, file, wait: None)
    with open_manifest(tmp_path) as first:
        write(tmp_path)
        with pytest.raises(ValueError, match="FC242"):
            write_all(first, [*ROWS, 45])
    check(tmp_path)


@pytest.mark.slow
@needs_fork
def test_killed_at_each_step(tmp_path):
    """Before or after each change of a file, and in the middle of a file."""
    for i, kill in enumerate(iter_kills(lambda: write(tmp_path / "a"), tmp_path / "a")):
        folder = tmp_path / f"{i}"
        if (tmp_path / "a").exists():
            os.rename(tmp_path / "a", folder)
        if kill != "done":
            write(folder)
        check(folder)
    assert i > 20
