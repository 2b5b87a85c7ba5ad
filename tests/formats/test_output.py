"""Files that are written: by one run at a time, and never over another's work."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_fastcoref.formats.base import Document, get_format
from spacy_fastcoref.formats.output import Output, check_output_file

from ..conftest import blank

LINES = get_format("jsonl", reads=False)
SETTINGS = {"inputs": "files"}


def write(path, key, settings, *, is_stopped=False, is_seen=lambda: None):
    output = Output(str(path), LINES, settings)
    doc = blank("en")("Ann left.")
    with output.open():
        n_done = output.n_done
        is_seen()
        for index in range(n_done, 3):
            if is_stopped and index == 2:
                raise KeyboardInterrupt
            output.write(index, Document(f"{key}{index}", doc))
    return n_done


def read_keys(path):
    return [line[len('{"doc_key": "') :][:2] for line in path.read_text().splitlines()]


@pytest.mark.parametrize("first", [SETTINGS, None])
def test_a_run_does_not_overwrite_the_work_of_another_one(tmp_path, first):
    """None is that of standard input, for example, which can't be resumed."""
    path = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        write(path, "a", first, is_stopped=True)
    left = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(left) == 2
    for settings in ({"inputs": "others"}, None):
        with pytest.raises(ValueError, match="FC163.*out.jsonl.* 2 documents of a run"):
            write(path, "b", settings)
    assert left == {file: file.read_bytes() for file in tmp_path.iterdir()}
    if first:
        assert write(path, "a", first) == 2
        assert read_keys(path) == ["a0", "a1", "a2"]
        assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


def test_work_without_a_journal_stays(tmp_path):
    part = tmp_path / "out.jsonl.part"
    part.write_text("ten years of work")
    with pytest.raises(ValueError, match="FC103.*out.jsonl.part"):
        write(tmp_path / "out.jsonl", "a", SETTINGS)
    assert part.read_text() == "ten years of work"


def test_a_second_run_is_refused(tmp_path):
    """Whatever it reads, and until the first has ended."""
    path = tmp_path / "out.jsonl"

    def start_second():
        for settings in (SETTINGS, None):
            with pytest.raises(ValueError, match=f"FC242.*out.*{os.getpid()} on"):
                write(path, "b", settings)

    write(path, "a", SETTINGS, is_seen=start_second)
    assert read_keys(path) == ["a0", "a1", "a2"]
    assert write(path, "b", None) == 0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_lock_ends_with_its_process(tmp_path):
    """Also if a process that it has forked lives on."""
    code = f"""
import os, time
from tests.formats.test_output import write, SETTINGS
def wait():
    child = os.fork()
    if child:
        print(child, flush=True)
    time.sleep(60)
write({str(tmp_path / "out.jsonl")!r}, "a", SETTINGS, is_seen=wait)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    child = int(process.stdout.readline())
    try:
        with pytest.raises(ValueError, match="FC242"):
            write(tmp_path / "out.jsonl", "b", SETTINGS)
        process.kill()
        process.wait()
        write(tmp_path / "out.jsonl", "b", SETTINGS)
    finally:
        os.kill(child, signal.SIGKILL)
    assert read_keys(tmp_path / "out.jsonl") == ["b0", "b1", "b2"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.part", "out.jsonl.journal"])
@pytest.mark.parametrize("kind", ["same", "link", "hard link", "other spelling"])
def test_what_is_written_is_not_what_is_read(tmp_path, monkeypatch, name, kind):
    file, read = tmp_path / name, tmp_path / "read"
    file.write_text("")
    if kind == "link":
        read.symlink_to(file)
    elif kind == "hard link":
        read.hardlink_to(file)
    elif kind == "other spelling":
        monkeypatch.chdir(tmp_path)
        read = f"../{tmp_path.name}/{name}"
    else:
        read = file
    with pytest.raises(ValueError, match="FC103.*read"):
        check_output_file(str(tmp_path / "out.jsonl"), [str(read)])
    check_output_file(str(tmp_path / "other.jsonl"), [str(read)])
