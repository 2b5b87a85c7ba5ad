"""Files and folders are replaced atomically."""

import os
import stat
import threading

import pytest

from spacy_fastcoref import files
from spacy_fastcoref.files import remove_leftovers, replace_file, replace_folder

from .killing import iter_kills, needs_fork


def write_folder(path, text):
    with replace_folder(path) as new:
        for name in ("one", "two"):
            (new / name).write_text(text)


def read_folder(path):
    return {file.name: file.read_text() for file in path.iterdir()}


@pytest.fixture(params=["one step", "two steps"])
def steps(request, monkeypatch):
    """Exchange folders as this system can, and as one that can't."""
    if request.param == "two steps":
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    return request.param


def test_a_file_is_replaced_when_it_is_whole(tmp_path):
    path = tmp_path / "folder" / "file.txt"
    for text in ("old", "new"):
        with replace_file(path) as new:
            new.write_text(text)
            assert not path.exists() or path.read_text() == "old"
        assert path.read_text() == text
    with pytest.raises(OSError, match="full"), replace_file(path) as new:
        new.write_text("half")
        raise OSError("full")
    assert path.read_text() == "new" and os.listdir(path.parent) == ["file.txt"]


def test_file_mode(tmp_path):
    (tmp_path / "plain").write_text("")
    with replace_file(tmp_path / "file") as new:
        new.write_text("")
    with replace_folder(tmp_path / "folder") as new:
        (new / "file").write_text("")
    modes = [
        stat.S_IMODE((tmp_path / name).stat().st_mode)
        for name in ("plain", "file", "folder/file")
    ]
    assert len(set(modes)) == 1
    (tmp_path / "made").mkdir()
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "folder").stat().st_mode


@pytest.mark.parametrize("fails", ["block", "move"])
def test_a_folder_that_fails_leaves_the_old_one(tmp_path, monkeypatch, fails):
    path = tmp_path / "folder"
    with replace_folder(path) as new:
        (new / "old").write_text("")
    replace, calls = os.replace, []

    def fail_once(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError("full")
        replace(source, target)

    if fails == "move":
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="full"), replace_folder(path) as new:
        (new / "new").write_text("")
        if fails == "block":
            raise OSError("full")
    assert os.listdir(path) == ["old"] and os.listdir(tmp_path) == ["folder"]


def test_links_are_followed(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder", "nothing"):
        (tmp_path / f"to_{name}").symlink_to(tmp_path / name)
    for name in ("to_file", "to_nothing"):
        with replace_file(tmp_path / name) as new:
            new.write_text("new")
    with replace_folder(tmp_path / "to_folder") as new:
        (new / "file").write_text("new")
    assert all(path.is_symlink() for path in tmp_path.glob("to_*"))
    for name in ("file", "nothing", "folder/file"):
        assert (tmp_path / name).read_text() == "new"
    assert len(os.listdir(tmp_path)) == 6


def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with replace_file(path) as new, new.open("w") as file:
        file.write("text")
    assert os.read(reader, 9) == b"text" and path.is_fifo()
    os.close(reader)


@pytest.mark.slow
@needs_fork
def test_a_killed_process_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "file[1].txt"
    path.write_text("old")

    def save():
        with replace_file(path) as new:
            new.write_text("new")

    found = []
    for kill in iter_kills(save, tmp_path):
        found.append(path.read_text())
        if kill != "done":
            path.write_text("old")
    assert found[-1] == "new" and set(found) == {"old", "new"}
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("is_there", [True, False])
def test_a_killed_process_leaves_the_old_folder_or_the_new_one(
    tmp_path, steps, is_there
):
    path = tmp_path / "model[1]"
    old, new = ({"one": text, "two": text} for text in ("old", "new"))
    found, n_missing = [], 0
    if is_there:
        write_folder(path, "old")
    for kill in iter_kills(lambda: write_folder(path, "new"), tmp_path):
        n_missing += not path.exists()
        remove_leftovers(path)
        assert os.listdir(tmp_path) == [path.name] * path.exists()
        found.append(read_folder(path) if path.exists() else {})
        if kill != "done" and is_there:
            write_folder(path, "old")
        elif kill != "done" and path.exists():
            (path / "one").unlink()
            (path / "two").unlink()
            path.rmdir()
    assert found[-1] == new
    assert {str(folder) for folder in found} == {str(old if is_there else {}), str(new)}
    if is_there and steps == "one step" and files._exchange(path, path):
        assert not n_missing


def test_what_is_being_written_stays(tmp_path):
    """Whoever else saves in the same place, the last one to finish counts."""
    path = tmp_path / "model"
    with replace_folder(path) as first:
        (first / "one").write_text("first")
        remove_leftovers(path)
        assert first.exists()
        other = threading.Thread(target=write_folder, args=(path, "second"))
        other.start()
        other.join()
        assert read_folder(path) == {"one": "second", "two": "second"}
    assert read_folder(path) == {"one": "first"}
    assert os.listdir(tmp_path) == ["model"]


def test_leftovers_by_age_where_folders_are_not_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    ages = {"old_1234": 25, "young_12": 1}
    now = files.time.time()
    for name, hours in ages.items():
        place = tmp_path / f".spacy_fastcoref-model-{name}"
        place.mkdir()
        os.utime(place, (now - hours * 3600,) * 2)
    write_folder(tmp_path / "model", "new")
    left = [".spacy_fastcoref-model-young_12", "model"]
    assert sorted(os.listdir(tmp_path)) == left


@pytest.mark.parametrize(
    "path, says",
    [("/dev/zero", "not a regular"), ("/no/such", "No such"), ("/", "not a regular")],
)
def test_what_is_no_file_is_not_opened(path, says):
    with pytest.raises(OSError, match=says):
        files.check_file(files.Path(path))


def test_what_is_too_large_is_not_opened(tmp_path):
    (tmp_path / "a").write_text("four")
    files.check_file(tmp_path / "a", most=4)
    with pytest.raises(OSError, match="a has 4 bytes, more than 3"):
        files.check_file(tmp_path / "a", most=3)
