"""Clusters that are not there, and files that can't be read."""

import sys

import pytest

from spacy_fastcoref.scale.ray_source import choose_reader, connect, import_ray


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
    with pytest.raises(ImportError, match=r"FC200.*spacy-fastcoref\[ray\]"):
        import_ray()


@pytest.mark.parametrize(
    "names, reader",
    [
        ("a.parquet b.v1.parquet", "parquet"),
        ("a.jsonl.gz", "jsonl"),
        ("found", "csv"),
        ("a.txt", "FC258.*a.txt"),
        ("a.jsonl a.parquet", "FC258"),
        ("mixed", "FC258.*mixed"),
        ("missing.jsonl", "FC052.*missing"),
    ],
)
def test_readers_are_chosen_by_endings(tmp_path, monkeypatch, names, reader):
    monkeypatch.chdir(tmp_path)
    for folder, files in {
        ".": "a.parquet b.v1.parquet a.jsonl.gz a.jsonl a.txt",
        # As annotate leaves it.
        "found": "_manifest.jsonl rows-0.csv rows-1.csv",
        "mixed": "a.jsonl a.csv",
    }.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        for file in files.split():
            (tmp_path / folder / file).touch()
    if reader.startswith("FC"):
        with pytest.raises(ValueError, match=reader):
            choose_reader(names.split(), None)
    else:
        assert choose_reader(names.split(), None) == reader
    if "missing" not in names:
        assert choose_reader(names.split(), "lines") == "lines"
