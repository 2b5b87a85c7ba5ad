"""What was written is on the disk before anything relies on it."""

import os

import pytest
from spacy.tokens import DocBin

from spacy_fastcoref.files import replace_file, replace_folder
from spacy_fastcoref.formats.base import Document, get_format
from spacy_fastcoref.formats.output import Output
from spacy_fastcoref.journal import MANIFEST
from spacy_fastcoref.training.shards import Shards

from .conftest import blank
from .power import Disk

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/fd"), reason="needs the names of open files"
)
LINES = get_format("jsonl", reads=False)


@pytest.fixture
def cuts(tmp_path, monkeypatch):
    """What a power cut would leave after each sync, and at the end."""
    found, disks = [], []

    def watch(disk):
        found.extend(disk.cut(keeps_names=keeps) for keeps in (True, False))

    def start():
        disks.append(Disk(tmp_path, monkeypatch, watch))
        return found

    yield start
    for disk in disks:
        disk.close()


def check_replaced(found, name, old, new):
    """Check that there is always the old one or the new one, and in the end the new."""
    assert {cut.get(name) for cut in found} == {old, new}
    assert found[-1][name] == found[-2][name] == new


@pytest.mark.parametrize("is_old", [True, False])
def test_a_file(tmp_path, cuts, is_old):
    path = tmp_path / "made" / "file"
    if is_old:
        path.parent.mkdir()
        path.write_text("old")
    found = cuts()
    with replace_file(path) as new:
        new.write_text("new")
    check_replaced(found, "made/file", b"old" if is_old else None, b"new")


def test_a_folder(tmp_path, cuts):
    path = tmp_path / "folder"
    path.mkdir()
    (path / "file").write_text("old")
    found = cuts()
    with replace_folder(path) as new:
        (new / "inner").mkdir()
        (new / "inner" / "file").write_text("new")
        (new / "file").write_text("new")
    check_replaced(found, "folder/file", b"old", b"new")
    check_replaced(found, "folder/inner/file", None, b"new")


def test_shards(tmp_path, cuts):
    """A shard that is listed is whole, and what was written is listed."""
    found = cuts()
    docs = DocBin(docs=[blank("en")("Ann left.")])
    with Shards(tmp_path / "out", {}).open() as shards:
        for i in range(2):
            shards.add(i, docs, n_passages=1, n_clusters=0)
            listed = found[-1][f"out/{MANIFEST}"]
            assert listed.count(b"shard-") == i + 1
    for cut in found:
        listed = cut.get(f"out/{MANIFEST}", b"")
        for i in range(listed.count(b"shard-")):
            assert cut[f"out/shard-{i:06}.spacy"] == docs.to_bytes()


@pytest.mark.parametrize("is_old", [True, False])
def test_documents(tmp_path, cuts, monkeypatch, is_old):
    """All that the journal has is in the part, and the file is there at the end."""
    monkeypatch.setattr("spacy_fastcoref.formats.output._SECONDS", 0.0)
    if is_old:
        (tmp_path / "out").write_text("old")
    found = cuts()
    doc = blank("en")("Ann left.")
    with Output(str(tmp_path / "out"), LINES, {}).open() as output:
        for i in range(3):
            output.write(i, Document(f"{i}", doc))
            assert found[-1]["out.journal"].count(b"document") == i + 1
            assert found[-1]["out.part"].count(b"\n") == i + 1
    whole = (tmp_path / "out").read_bytes()
    check_replaced(found, "out", b"old" if is_old else None, whole)
    for cut in found:
        if "out" not in cut or cut["out"] == b"old":
            n_noted = cut.get("out.journal", b"").count(b"document")
            assert cut.get("out.part", b"").count(b"\n") >= n_noted
