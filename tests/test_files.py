"""Files and folders are replaced whole, or not at all."""

import os
import stat
import tempfile
from pathlib import Path

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


def test_others_may_read_what_is_written(tmp_path):
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


def test_leftovers_of_the_killed_are_removed(tmp_path):
    (tmp_path / "a-1.txt").write_text("whole")
    (tmp_path / ".other").mkdir()
    for _ in range(2):
        # As after a SIGKILL: nobody has cleaned up.
        place = Path(tempfile.mkdtemp(prefix=".a-1.txt-", dir=tmp_path))
        (place / "a-1.txt").write_text("half")
    remove_leftovers(tmp_path / "b.txt")
    assert len(os.listdir(tmp_path)) == 4
    remove_leftovers(tmp_path / "a-*.txt")
    assert sorted(os.listdir(tmp_path)) == [".other", "a-1.txt"]
