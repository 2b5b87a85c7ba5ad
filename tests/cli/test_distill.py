"""`spacy coref distill`: resumed runs and errors."""

import os
import re
import signal
import time

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.journal import MANIFEST
from spacy_fastcoref.training.distill import distill
from spacy_fastcoref.training.readers.corpora import make_docbin_corpus

from ..conftest import blank, make_network, make_nlp
from ..forking import start_python

TEXT = "She said that he saw her and that they ate his cake number {} .\n\n"
OLD = "Shards kept from earlier runs"
SMALL = {"max_words": 20, "shard_size": 6, "batch_size": 4}


@Language.component("test_dialogue")
def add_dialogue(doc):
    """Set speakers, a scheme, and user data that can't be saved."""
    doc._.coref_scheme = "litbank"
    doc.spans["speakers"] = [Span(doc, 0, 2, label="Ann")]
    doc.user_data["object"] = object()
    return doc


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    folder = tmp_path_factory.mktemp("teacher")
    make_nlp(folder / "model", make_network()).to_disk(folder / "auto")
    settings = {"components.fastcoref.precision": "float32"}
    spacy.load(folder / "auto", config=settings).to_disk(folder / "pipeline")
    return folder / "pipeline"


@pytest.fixture(scope="module")
def nlp(teacher):
    return spacy.load(teacher)


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text").mkdir()
    lines = [TEXT.format(i) for i in range(20)]
    (tmp_path / "text" / "a.txt").write_text("".join(lines[:9]))
    (tmp_path / "text" / "b.txt").write_text("".join(lines[9:]))
    return tmp_path / "text"


def read_bytes(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix == ".spacy"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default:.*FCW20")
def test_command(teacher, text, tmp_path):
    output = tmp_path / "silver"
    (text / "c.txt").write_text("")
    args = ["distill", str(teacher), str(text), str(output), "-w", "20", "-s", "6"]
    result = CliRunner().invoke(coref_cli, [*args, "--lang", "en"])
    assert result.exit_code == 0, result.output
    assert re.search("FCW20.*c.txt.*empty", result.output, re.DOTALL)
    rows = dict(
        line.rsplit(maxsplit=1) for line in result.output.splitlines() if "  " in line
    )
    rows = {name.strip(): value for name, value in rows.items()}
    assert rows["Files skipped"] == "1" and rows["Passages"] == "20"
    assert rows["Shards"] == "4" and rows[OLD] == "0"
    nlp = spacy.load(teacher)
    examples = list(make_docbin_corpus(output)(nlp))
    assert [eg.text.split()[-2] for eg in examples] == [str(i) for i in range(20)]
    assert not any(eg.predicted.spans for eg in examples)
    found = [eg.reference._.coref_clusters for eg in examples]
    assert any(found)
    assert found == [nlp(eg.text)._.coref_clusters for eg in examples]
    shuffled = make_docbin_corpus(output, seed=1)
    one, two = ([eg.text for eg in shuffled(nlp)] for _ in range(2))
    assert sorted(one) == sorted(two) == sorted(eg.text for eg in examples)
    assert one != two != [eg.text for eg in examples]


@pytest.mark.slow
def test_as_a_user_calls_it_killed_and_resumed(teacher, nlp, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(TEXT.format(i) for i in range(300)))
    output = tmp_path / "killed"
    args = ["-m", "spacy", "coref", "distill", str(teacher), str(path), str(output)]
    args += ["-w", "20", "-s", "6", "-b", "4"]
    printed, progress = tmp_path / "stdout", tmp_path / "stderr"
    process = start_python(*args, stdout=printed, stderr=progress)
    while process.is_alive() and not (output / "shard-000001.spacy").exists():
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    # There is no terminal to show a progress bar on.
    assert process.exitcode == -signal.SIGKILL and not progress.read_text()
    n_done = (output / MANIFEST).read_text().count('"file"')
    assert 1 <= n_done < 50
    report = distill(nlp, path, output, **SMALL)
    assert [report[name] for name in ("Shards", OLD)] == [50, n_done]
    distill(nlp, path, tmp_path / "whole", **SMALL)
    assert read_bytes(output) == read_bytes(tmp_path / "whole")
    assert len(list(output.iterdir())) == 51


def test_other_settings(nlp, text, tmp_path, shipped_nlp):
    output = tmp_path / "silver"
    distill(nlp, text, output, **SMALL)
    before = read_bytes(output)
    with pytest.raises(ValueError, match="FC163.*max_words was 20 and is 30"):
        distill(nlp, text, output, **{**SMALL, "max_words": 30})
    with pytest.raises(ValueError, match="FC163.*teacher was 'en_"):
        distill(shipped_nlp, text, output, **SMALL)
    # What only decides on how fast it is may change.
    distill(nlp, text, output, **{**SMALL, "batch_size": 3})
    # Another text of the same size.
    a_text = (text / "a.txt").read_text()
    (text / "a.txt").write_text(a_text[::-1])
    with pytest.raises(ValueError, match="FC163.*inputs was"):
        distill(nlp, text, output, **SMALL)
    (output / MANIFEST).write_text("{\n")
    with pytest.raises(ValueError, match="FC081.*_manifest.jsonl is broken: .*Exp"):
        distill(nlp, text, output, **SMALL)
    (output / MANIFEST).unlink()
    with pytest.raises(ValueError, match="FC081.*no _manifest.jsonl"):
        distill(nlp, text, output, **SMALL)
    assert read_bytes(output) == before


def test_what_is_refused_before_anything_is_written(nlp, text, tmp_path):
    with pytest.raises(ValueError, match="FC076.*'de'.*'en'"):
        distill(nlp, text, tmp_path / "silver", lang="de")
    with pytest.raises(ValueError, match="FC076.*n_process.*-2,.* -1 for"):
        distill(nlp, text, tmp_path / "silver", n_process=-2)
    assert not (tmp_path / "silver").exists()


def test_speakers_and_scheme_are_kept(teacher, text, tmp_path):
    nlp = spacy.load(teacher)
    nlp.add_pipe("test_dialogue", first=True)
    distill(nlp, text, tmp_path / "silver", **SMALL)
    eg, *_ = make_docbin_corpus(tmp_path / "silver")(nlp)
    assert eg.predicted._.coref_scheme == "litbank"
    assert [(s.text, s.label_) for s in eg.predicted.spans["speakers"]] == [
        ("She said", "Ann")
    ]
    eg, *_ = make_docbin_corpus(tmp_path / "silver", scheme="ontogum")(nlp)
    assert eg.predicted._.coref_scheme == "ontogum"


def test_passages_without_clusters(nlp, text, tmp_path):
    (text / "c.txt").write_text("Yes")
    kept = distill(nlp, text, tmp_path / "kept", **SMALL)
    assert kept["Documents written"] == kept["Passages"]
    some = distill(nlp, text, tmp_path / "some", skip_empty=True, **SMALL)
    examples = list(make_docbin_corpus(tmp_path / "some")(nlp))
    assert len(examples) == some["Documents written"] < some["Passages"]
    assert some["Passages"] == kept["Passages"]
    assert all(eg.reference._.has_coref for eg in examples)
    with pytest.warns(UserWarning, match="FCW22.*21 passages"):
        distill(blank("en"), text, tmp_path / "none", **SMALL)
