"""Files and folders are replaced atomically."""

import os
import stat
import tempfile

import pytest

from spacy_fastcoref.files import remove_leftovers, replace_file, replace_folder


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


def test_leftovers_of_the_killed_are_removed(tmp_path, monkeypatch):
    mine = [".a-1.txt-backup", ".a-1.txt-x", ".other"]
    for name in mine:
        (tmp_path / name).mkdir()
    (tmp_path / ".a-1.txt-notes").write_text("")
    (tmp_path / "a-1.txt").write_text("whole")
    with monkeypatch.context() as patch:
        # As after a SIGKILL: nobody cleans up.
        patch.setattr(tempfile.TemporaryDirectory, "__exit__", lambda *args: None)
        patch.setattr(tempfile.TemporaryDirectory, "_cleanup", lambda *args, **_: None)
        for _ in range(2):
            with pytest.raises(OSError), replace_file(tmp_path / "a-1.txt") as new:
                new.write_text("half")
                raise OSError
    remove_leftovers(tmp_path / "b.txt")
    assert len(os.listdir(tmp_path)) == 7
    remove_leftovers(tmp_path / "a-*.txt")
    assert sorted(os.listdir(tmp_path)) == [
        *sorted([*mine, ".a-1.txt-notes"]),
        "a-1.txt",
    ]
