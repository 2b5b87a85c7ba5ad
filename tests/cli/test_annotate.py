"""`spacy coref annotate`: order, failures, interrupted runs, and where output goes."""

import errno
import itertools
import json
import os
import subprocess
import sys
from functools import partial

import pytest
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_fastcoref import journal as journal_module
from spacy_fastcoref.cli import annotate as module
from spacy_fastcoref.cli.annotate import annotate_documents
from spacy_fastcoref.clusters.store import set_clusters
from spacy_fastcoref.formats import output as output_module
from spacy_fastcoref.formats.base import Document

from ..conftest import blank, invoke_coref
from ..forking import quicken_workers

TEXT = "She said that she saw her number {}."


@Language.component("test_feminine")
def link_feminine(doc):
    """Make one cluster of the female pronouns; some texts can't be annotated."""
    if "seven" in doc.text:
        raise RuntimeError("seven is bad luck")
    words = [(t.i, t.i + 1) for t in doc if t.lower_ in ("she", "her")]
    set_clusters(doc, [words])
    return doc


@pytest.fixture
def nlp(monkeypatch):
    nlp = blank("en")
    nlp.add_pipe("test_feminine")
    monkeypatch.setattr(module, "load_pipeline", lambda model, lang: nlp)
    return nlp


@pytest.fixture
def texts(tmp_path):
    """Five documents; the middle one fails."""
    names = ["five", "six", "seven", "eight", "nine"]
    lines = [{"doc_key": n, "text": TEXT.format(n)} for n in names]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


run = partial(invoke_coref, "annotate")


def read_keys(text):
    return [json.loads(line)["doc_key"] for line in text.splitlines()]


GOOD = ["five", "six", "eight", "nine"]


def test_one_that_fails_is_listed_and_stops_nothing(nlp, texts, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "She saw her."}\n{"text": "She\n')
    found = run(texts, broken, "-b", "2")
    assert found.exit_code == 1
    assert read_keys(found.stdout) == [*GOOD, "broken-1"]
    assert [len(json.loads(line)["clusters"][0]) for line in found.stdout.splitlines()]
    seven, line, summary = found.stderr.splitlines()
    assert "[FC165]" in seven and "'seven'" in seven and "bad luck" in seven
    assert "[FC051]" in line and "broken.jsonl, line 2" in line
    assert "2 of 7 documents failed" in summary


@pytest.mark.slow
def test_processes(monkeypatch):
    quicken_workers(monkeypatch)
    words = "one two three".split()
    nlp = blank("en")
    nlp.add_pipe("sentencizer")
    documents = [
        (i, Document(w, nlp.make_doc(f"{w}. {w}."))) for i, w in enumerate(words)
    ]
    found = annotate_documents(nlp, iter(documents), n_process=2, batch_size=1)
    assert [(i, key, len(list(doc.sents))) for i, key, doc in found] == [
        (i, word, 2) for i, word in enumerate(words)
    ]


@pytest.mark.parametrize("name", ["jsonl", "conll", "corefud", "spacy", "html"])
def test_files_and_standard_output_are_the_same(nlp, texts, tmp_path, name):
    file = tmp_path / "new" / "out"
    found = run(texts, "--to", name, "--output", file)
    assert found.exit_code == 1 and not found.stdout
    assert os.listdir(file.parent) == ["out"]
    piped = run(texts, "--to", name)
    if name == "spacy":
        for data in (file.read_bytes(), piped.stdout_bytes):
            docs = DocBin().from_bytes(data).get_docs(nlp.vocab)
            assert [doc.user_data["doc_key"] for doc in docs] == GOOD
    else:
        assert file.read_bytes() == piped.stdout_bytes
        assert all(key.encode() in piped.stdout_bytes for key in GOOD)
    again = run(file, "--from", name) if name != "html" else None
    if again is not None:
        assert read_keys(again.stdout) == GOOD and not again.stderr


def test_the_gold_clusters_of_the_input_are_replaced(nlp, tmp_path):
    line = {"text": "She saw Ann.", "clusters": [[[4, 7], [8, 11]]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    found = run(tmp_path / "a.jsonl")
    assert json.loads(found.stdout)["clusters"] == [[[0, 0]]]


USAGE = {
    "nowhere.txt": "[FC052]",
    "{} --to nothing": "[FC024]",
    "{} --to brat": "[FC024]",
    "{} --from html": "[FC024]",
    "{} -o out.unknown": "[FC161]",
    "{} -o {}": "it is a file that is read",
    "{} -n 0": "[FC076]",
}


@pytest.mark.parametrize("args", USAGE)
def test_usage(nlp, texts, args):
    found = run(*args.format(texts, texts).split())
    assert found.exit_code == 2 and not found.stdout
    (line,) = found.stderr.splitlines()
    assert USAGE[args] in line


@pytest.mark.slow
def test_as_a_user_calls_it():
    """UTF-8 whatever the locale, and no progress bar where there is no terminal."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "spacy", "coref", "annotate", "--to", "resolved"]
    text = "Zoë said she left.".encode()
    done = subprocess.run(command, input=text, capture_output=True, env=env)
    found = done.stdout.decode(), done.stderr, done.returncode
    assert found == ("Zoë said Zoë left.\n", b"", 0)


def fail_without(left, function):
    """Let a function fail once nothing is left to be taken of a list."""

    def call(*args):
        if not left:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        left.pop()
        return function(*args)

    return call


@pytest.mark.slow
def test_a_disk_that_turns_read_only(nlp, texts, tmp_path, monkeypatch):
    """At whatever step, nothing is lost and nothing is there twice."""
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run(texts, "-b", "1", "-o", whole)
    steps = [(os, "fsync"), (os, "replace"), (os, "truncate")]
    steps += [(module, "write_whole") for module in (output_module, journal_module)]
    n_steps = n_failed = 0
    while n_failed == n_steps:
        left = [0] * n_steps
        with monkeypatch.context() as patch:
            for place, name in steps:
                patch.setattr(place, name, fail_without(left, getattr(place, name)))
            found = run(texts, "-b", "1", "-o", out)
        n_failed += "[FC246]" in found.stderr and "Read-only" in found.stderr
        assert found.exit_code == 1 and "Traceback" not in found.stderr
        run(texts, "-b", "1", "-o", out)
        assert out.read_bytes() == whole.read_bytes()
        assert sorted(os.listdir(tmp_path)) == ["out.jsonl", "texts.jsonl", whole.name]
        out.unlink()
        n_steps += 1
    assert n_steps > 6


@pytest.mark.parametrize(
    "name, n_seen", [("jsonl", 0), ("jsonl", 1), ("jsonl", 3), ("spacy", 3)]
)
def test_interrupted_and_resumed(nlp, texts, tmp_path, monkeypatch, name, n_seen):
    """A run with the same settings goes on where the other one stopped."""
    whole, half = tmp_path / "whole", tmp_path / "half"
    args = [texts, "--to", name, "-b", "1", "-o"]
    run(*args, whole)
    real, seen = module.annotate_documents, []

    def interrupt(*given, **settings):
        for pair in real(*given, **settings):
            if len(seen) == n_seen:
                raise KeyboardInterrupt
            seen.append(pair[0])
            yield pair

    monkeypatch.setattr(module, "annotate_documents", interrupt)
    found = run(*args, half)
    assert found.exit_code != 0 and "Run the same command again" in found.stderr
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["half.journal", "half.part", "texts.jsonl", "whole"]
    )
    if name == "jsonl":
        keys = read_keys((tmp_path / "half.part").read_text())
        assert keys == ["five", "six"][:n_seen]
        # What a kill would leave: half of a document, and half of a line.
        with (tmp_path / "half.part").open("a") as file:
            file.write('{"doc_key": "ei')
        with (tmp_path / "half.journal").open("a") as file:
            file.write("[3, 1")
    annotated = []

    def count(*given, **settings):
        for pair in real(*given, **settings):
            annotated.append(pair[0])
            yield pair

    monkeypatch.setattr(module, "annotate_documents", count)
    found = run(*args, half, "--resume")
    assert f"{min(n_seen, 2)} documents are there" in found.stderr
    # The error of a document that failed before is listed again.
    assert found.exit_code == 1 and "'seven'" in found.stderr
    assert annotated == list(range(5))[n_seen:]
    assert sorted(os.listdir(tmp_path)) == ["half", "texts.jsonl", "whole"]
    if name == "jsonl":
        assert half.read_bytes() == whole.read_bytes()
    else:
        docs = DocBin().from_bytes(half.read_bytes()).get_docs(nlp.vocab)
        assert [doc.user_data["doc_key"] for doc in docs] == GOOD


@pytest.mark.parametrize("change", ["longer", "shorter", "as long"])
def test_an_input_that_changed_since(nlp, texts, tmp_path, monkeypatch, change):
    def interrupt(*given, **settings):
        yield from itertools.islice(real(*given, **settings), 2)
        raise KeyboardInterrupt

    real = module.annotate_documents
    monkeypatch.setattr(module, "annotate_documents", interrupt)
    args = [texts, "-b", "1", "-o", tmp_path / "out.jsonl"]
    assert run(*args).exit_code
    before = (tmp_path / "out.jsonl.part").read_bytes()
    data = texts.read_bytes()
    changed = {"longer": data + b"\n", "shorter": data[:-1]}
    texts.write_bytes(changed.get(change, data.replace(b"five", b"nine")))
    # The clock of a file system may be as coarse as this.
    status = texts.stat()
    os.utime(texts, ns=(status.st_atime_ns, status.st_mtime_ns + 10**7))
    found = run(*args, "--resume")
    assert found.exit_code == 1 and "[FC163]" in found.stderr
    assert (tmp_path / "out.jsonl.part").read_bytes() == before
