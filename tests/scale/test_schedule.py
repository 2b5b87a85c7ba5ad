"""Workers end, and each row is still written once."""

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.scale.schedule import Blocks

from .pools import ENDING, read_rows, write_all

ROWS = list(range(45))


@pytest.fixture
def manifest(tmp_path):
    with Blocks(tmp_path / "out", {}, ENDING).open() as manifest:
        yield manifest


@given(st.data())
def test_workers_that_end_at_random(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("random") / "out"
    size, batch = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 20))
    n_rows, n_lost = data.draw(st.integers(0, 60)), data.draw(st.integers(0, 12))
    left = [n_lost]

    def end(task):
        if left[0] and data.draw(st.booleans()):
            left[0] -= 1
            return RuntimeError("no reason")

    with Blocks(folder, {}, ENDING).open() as manifest:
        rows = list(range(n_rows))
        run, _ = write_all(manifest, rows, size=size, batch=batch, events=end)
        assert run.n_rows == n_rows == manifest.n_done
    assert [line["row"] for line in read_rows(folder)] == rows


def test_full_disk(manifest):
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="FC246.*No space left.* 25 rows are written"):
        write_all(
            manifest, ROWS, events=lambda task: full if task.start == 10 else None
        )
    assert len(read_rows(manifest.folder)) == 25
    write_all(manifest, ROWS)
    assert [line["row"] for line in read_rows(manifest.folder)] == ROWS


@pytest.mark.parametrize("where", ["worker", "driver"])
def test_a_folder_that_is_not_shared(manifest, where):
    missing = FileNotFoundError(errno.ENOENT, "No such file or directory", "x")
    event = missing if where == "worker" else {"size": 1, "sha256": "", "n_errors": 0}
    with pytest.raises(OSError, match="FC247"):
        write_all(manifest, ROWS, events=lambda task: event)
    assert not read_rows(manifest.folder)
