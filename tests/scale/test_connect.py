"""Clusters that are not there, and files that can't be read."""

import sys

import pytest

from spacy_fastcoref.scale.connect import connect, read_files
from spacy_fastcoref.scale.run import import_ray


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "auto"])
def test_an_address_without_a_cluster(monkeypatch, address):
    """It is said at once, while Ray tries for two minutes and ends the process."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    if address == "auto":

        def fail(address):
            raise ConnectionError("Could not find any running Ray instance.")

        monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(ConnectionError, match=f"FC257.*{address}"):
        connect(address)


def test_ray_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"FC253.*spacy-fastcoref\[ray\]"):
        import_ray()


def test_files_that_cannot_be_read(tmp_path):
    pytest.importorskip("ray.data")
    (tmp_path / "a.txt").touch()
    with pytest.raises(ValueError, match="FC258.*a.txt"):
        read_files([str(tmp_path / "a.txt")], None)
    with pytest.raises(ValueError, match="FC258"):
        read_files([str(tmp_path)], None)
    with pytest.raises(ValueError, match="FC052"):
        read_files([str(tmp_path / "b.jsonl")], None)
