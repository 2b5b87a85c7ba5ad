"""The benchmarks run and refuse unusable input; people read what they measure."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.learning.loss import compute_loss
from spacy_fastcoref.pretrained import get_folder

from .conftest import make_nlp, run_script
from .forking import fork_python
from .training.corpus import make_rows, write_rows

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\n"
    "r1\tAnn said she left.\tshe\t9\tAnn\t0\tTRUE\tsaid\t4\tFALSE\n"
)

STAND_IN = """
from spacy_fastcoref import FCoref as Predictor

def FCoref(path, nlp, **settings):
    return Predictor(path, **settings)
"""


def test_accuracy(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(2))
    (tmp_path / "gap.tsv").write_text(GAP)
    scores = tmp_path / "scores.json"
    files = [str(documents), str(tmp_path / "gap.tsv")]
    settings = ("--precision", "float32", "--json", scores)
    printed = run_script(BENCHMARKS / "accuracy.py", *settings, *files)
    assert "CoNLL" in printed and "masculine" in printed
    results = json.loads(scores.read_text())
    assert 0 < results[files[0]]["coref_f"] <= 1
    assert 0 <= results[files[0]]["exact"] <= 1
    assert results[files[1]]["gap_f"] == 1
    # With "said" as a mention, it may be taken for anything.
    assert 0 <= results[f"{files[1]}, mentions given"]["gap_f"] <= 1


def test_languages(tmp_path):
    """The verb is in a cluster of gold, and in none that is predicted."""
    doc = Doc(
        spacy.blank("en").vocab,
        words="Ann said she left .".split(),
        pos="PROPN VERB PRON VERB PUNCT".split(),
    )
    set_clusters(doc, [[(0, 1), (2, 3), (3, 4)]])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "dev.spacy")
    scores = tmp_path / "scores.json"
    file = f"en={tmp_path / 'dev.spacy'}"
    printed = run_script(BENCHMARKS / "languages.py", "--json", scores, file)
    found = json.loads(scores.read_text())[file]
    assert "verbs" in printed and 0 < found["CoNLL"] < 1
    assert found["verbs"] == 0 and found["anaphors"] == 1


def test_rules(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(2))
    (tmp_path / "gap.tsv").write_text(GAP)
    scores = tmp_path / "scores.json"
    files = ["--json", scores, documents, tmp_path / "gap.tsv"]
    printed = run_script(BENCHMARKS / "rules.py", *files)
    assert "without agreement" in printed
    results = json.loads(scores.read_text())
    assert list(results)[:2] == ["default", "none"]
    folder = tmp_path.name
    columns = [f"{folder}/dev", f"{folder}/dev, all right", f"{folder}/gap"]
    assert all(list(found) == columns for found in results.values())
    assert results["default"][columns[2]] == 1


@pytest.fixture
def forked(monkeypatch):
    """Let the processes that a script runs, with this Python, be forked."""
    run = subprocess.run

    def run_or_fork(command, cwd=None, env=None, **settings):
        python, *args = map(str, command)
        if python != sys.executable:
            return run(command, cwd=cwd, env=env, **settings)
        if args[:2] == ["-W", "ignore"]:
            del args[:2]
        with monkeypatch.context() as patch:
            patch.chdir(cwd or ".")
            return fork_python(args=args, env=env)

    monkeypatch.setattr(subprocess, "run", run_or_fork)


def test_scaling(tmp_path, forked):
    (tmp_path / "text.txt").write_text("Ann said that she left her house. " * 20)
    sizes = ["--lengths", "30", "--numbers", "2"]
    files = ["--json", tmp_path / "sizes.json", tmp_path / "text.txt"]
    assert "words/s" in run_script(BENCHMARKS / "scaling.py", *sizes, *files)
    rows = json.loads((tmp_path / "sizes.json").read_text())
    found = [(row["documents"], row["words each"]) for row in rows]
    assert found == [(1, 30), (2, 450)]
    assert all(row["seconds"] > 0 and row["clusters"] > 0 for row in rows)


def test_server(tmp_path, tiny_nlp):
    pytest.importorskip("uvicorn")
    tiny_nlp.batch_size = 8
    tiny_nlp.to_disk(tmp_path / "tiny")
    (tmp_path / "text.txt").write_text("Ann said that she left her house. " * 20)
    options = ["--words", "20", "--clients", "3", "--rounds", "2", "--seconds", "0.2"]
    options += ["--model", tmp_path / "tiny"]
    files = ["--json", tmp_path / "ratios.json", tmp_path / "text.txt"]
    printed = run_script(BENCHMARKS / "server.py", *options, *files)
    assert "throughput / nlp.pipe" in printed
    results = json.loads((tmp_path / "ratios.json").read_text())
    assert results["documents"] == 8 and results["errors"] == 0
    assert results["latency / nlp(text)"] > 0 < results["throughput / nlp.pipe"]


def test_ray_throughput(tmp_path, cluster):
    (tmp_path / "text.txt").write_text("Ann said that she left her house. " * 20)
    options = ["--documents", 140, "--words", 8, "--block", 10, "--actors", 1]
    files = ["--json", tmp_path / "ratio.json", tmp_path / "text.txt"]
    run_script(BENCHMARKS / "ray_throughput.py", *options, *files)
    found = json.loads((tmp_path / "ratio.json").read_text())
    assert found["documents"] == 140 and found["words"] == 140 * 8
    assert found["ratio"] == found["scale.annotate"] / found["nlp.pipe"] > 0


def test_conversation(tmp_path):
    """With a window of the whole document, few decisions differ."""
    rows = make_rows(3)
    for row in rows:
        row["doc_key"] = f"talk_{row['doc_key']}"
        row["speakers"] = [
            [f"s{i % 2}"] * len(words) for i, words in enumerate(row["sentences"])
        ]
    documents = write_rows(tmp_path / "dev.jsonl", rows)
    scores = tmp_path / "scores.json"
    args = ("--turn-words", "1", "--window", "99", "--json", scores, documents)
    printed = run_script(BENCHMARKS / "conversation.py", *args, "--name", "talk_1")
    found = json.loads(scores.read_text())[str(documents)]
    assert found["documents"] == 1
    assert found["turns"] == len(rows[1]["sentences"])
    assert all(0 < score <= 1 for score in found["scores"])
    assert "too few to time" in printed


def test_winobias(tmp_path):
    for kind, pronoun in (("pro", "she"), ("anti", "he")):
        for name in ("type1", "type2"):
            line = f"1 [Ann] told the man that [{pronoun}] left.\n"
            (tmp_path / f"{kind}_stereotyped_{name}.txt.dev").write_text(line)
    scores = tmp_path / "scores.json"
    run_script(BENCHMARKS / "winobias.py", "--json", scores, tmp_path)
    for found in json.loads(scores.read_text()).values():
        assert found["pro_f"] == 1.0 and found["anti_f"] < 0.5
        assert found["gap_f"] == found["pro_f"] - found["anti_f"]
        assert (found["pro_linked"], found["anti_linked"]) == (1, 0)


def test_resolution(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(4))
    printed = run_script(BENCHMARKS / "resolution.py", f"en={documents}")
    assert "replaced %" in printed and "calibration error" in printed
    printed = run_script(BENCHMARKS / "resolution.py", "--fit", f"en={documents}")
    assert '"calibration": ' in printed and str(get_folder("en")) in printed


def test_the_calibration_is_stored_with_its_checksum(tmp_path, scripts, tiny_network):
    from resolution import store_calibration

    make_nlp(tmp_path / "m", tiny_network)
    for calibration in ([1.5, 0.1], {"default": [1.5, 0.1], "en": [1.2, 0]}):
        store_calibration(tmp_path / "m", calibration)
        nlp = spacy.blank("en")
        pipe = nlp.add_pipe("fastcoref", config={"model_path": str(tmp_path / "m")})
        assert pipe.model.get_checkpoint().config["calibration"] == calibration


def test_steps(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(3))
    steps = tmp_path / "steps.json"
    options = ["--words", "4", "--rounds", "1", "--json", steps]
    assert "words/s" in run_script(BENCHMARKS / "steps.py", *options, documents)
    seconds = json.loads(steps.read_text())
    assert list(seconds) == ["tokenise", "encode", "score", "decode", "write", "alone"]
    assert all(value > 0 for value in seconds.values())


def test_gpu(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(3))
    path = tmp_path / "gpu.json"
    options = ["--device", "cpu", "--docs", "4", "--novel", "60"]
    options += ["--precisions", "float32", "bfloat16", "--json", path]
    run_script(BENCHMARKS / "gpu.py", *options, documents)
    exact, half = json.loads(path.read_text()).values()
    assert exact["F1 against the CPU"] == 100 and half["F1 against the CPU"] > 80
    assert exact["documents, words/s"] > 0 and exact["novel, MiB"] > 0


TRAINING = """
[nlp]
lang = "en"
[corpora]
[corpora.train]
@readers = "spacy_fastcoref.MixedCorpus.v1"
[corpora.train.corpora]
[corpora.train.corpora.whole]
@readers = "spacy_fastcoref.JsonlCorpus.v1"
path = "{path}/train.jsonl"
[corpora.train.corpora.gap]
@readers = "spacy_fastcoref.GapCorpus.v1"
path = "{path}/gap.tsv"
[corpora.train.weights]
gap = 0.5
[corpora.train.augmenter]
@augmenters = "spacy_fastcoref.combine_augmenters.v1"
[corpora.train.augmenter.augmenters]
[corpora.train.augmenter.augmenters.genders]
@augmenters = "spacy_fastcoref.swap_genders.v1"
[corpora.dev]
@readers = "spacy_fastcoref.JsonlCorpus.v1"
path = "{path}/train.jsonl"
"""
LOSSES = {"mention_weight": 0.3, "partial_mention_weight": 0.3, "partial_weight": 2.0}


def test_gpu_training(tmp_path, capsys, scripts, tiny_network):
    """Documents are prepared, and training lowers their loss."""
    import gpu_training

    write_rows(tmp_path / "train.jsonl", make_rows(6))
    (tmp_path / "gap.tsv").write_text(GAP)
    (tmp_path / "train.cfg").write_text(TRAINING.format(path=tmp_path))
    start, end = tmp_path / "start", tmp_path / "end"
    nlp = make_nlp(start, tiny_network)
    script, file = BENCHMARKS / "gpu_training.py", tmp_path / "docs.gz"
    run_script(script, "prepare", tmp_path / "train.cfg", file, start)
    docs = gpu_training.Docs(file)
    chosen = [i for i, doc in enumerate(docs.docs) if not doc.is_changed]
    network, _ = nlp.get_pipe("fastcoref").model.get_network()
    found = compute_loss(*docs.score(network, chosen), **LOSSES).item()
    options = ["--device", "cpu", "--max-steps", "30", "--words", "100"]
    options += ["--learn-rate", "0.003"]
    printed = run_script(script, "train", file, start, end, *options)
    losses = [float(x) for x in re.findall(r"loss ([\d.]+)", printed)]
    assert losses[-1] < found
    pipe = spacy.blank("en").add_pipe("fastcoref", config={"model_path": str(end)})
    assert pipe.model.get_checkpoint().stored


def test_peer_against_itself(tmp_path, forked):
    """What stands in for fastcoref is this package: the same clusters, no errors."""
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(3))
    stand_in = tmp_path / "fastcoref"
    stand_in.mkdir()
    (stand_in / "__init__.py").write_text(STAND_IN)
    (stand_in / "spacy_component.py").write_text("")
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    report = tmp_path / "report.json"
    options = ["--rounds", "1", "--json", report, "--model", get_folder("en")]
    run_script(BENCHMARKS / "peer.py", "--peer", python, *options, documents)
    found = json.loads(report.read_text())
    assert found["documents"] == 3 and found["predictor: times faster"] > 0
    assert found["agreement, float32: CoNLL F1"] == 100


@pytest.fixture
def scripts(monkeypatch):
    """Let a test import the modules of the benchmarks."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("name", ["accuracy", "gpu", "rules", "scaling", "steps"])
@pytest.mark.parametrize("content", ["", "\n", "{}\n"])
def test_unusable_documents(tmp_path, capsys, name, content):
    """One line, and no traceback."""
    path = tmp_path / "dev.jsonl"
    path.write_text(content)
    with pytest.raises(SystemExit) as error:
        run_script(BENCHMARKS / f"{name}.py", path)
    message = capsys.readouterr().err or error.value.code
    assert message.startswith(f"{name}.py: ") and str(path) in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    "name, args, problem",
    [
        ("accuracy", ["--json", "missing/scores.json", "dev.jsonl"], "written"),
        ("accuracy", ["dev.txt"], "readable"),
        ("accuracy", ["--json"], "expected one argument"),
        ("languages", ["dev.jsonl"], "LANG=FILE"),
        ("scaling", ["--lengths", "0", "--", "dev.jsonl"], "above 0"),
        ("peer", ["--peer", "dev.jsonl", "--model", ".", "dev.jsonl"], "--model"),
    ],
)
def test_unusable_arguments(tmp_path, monkeypatch, capsys, name, args, problem):
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "dev.jsonl", make_rows(1))
    with pytest.raises(SystemExit) as error:
        run_script(BENCHMARKS / f"{name}.py", *args)
    assert error.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert problem in line
