"""The benchmarks run and refuse unusable input; people read what they measure."""

import json
import re
import sys
from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.learning.loss import compute_loss
from spacy_fastcoref.pretrained import get_folder

from .conftest import blank, load_model, make_nlp, run_script
from .training.corpus import make_rows, write_rows

pytestmark = pytest.mark.slow
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


@pytest.fixture
def measure(tmp_path):
    """Run a benchmark on small files; return what it prints, and its JSON."""
    write_rows(tmp_path / "dev.jsonl", make_rows(3))
    (tmp_path / "gap.tsv").write_text(GAP)
    (tmp_path / "text.txt").write_text("Ann said that she left her house. " * 20)

    def run(name, *args, result=True):
        output = tmp_path / "results.json"
        settings = ["--json", output] if result else []
        # Files are named as they are in the folder.
        args = [
            tmp_path / arg if (tmp_path / str(arg)).exists() else arg for arg in args
        ]
        printed = run_script(BENCHMARKS / f"{name}.py", *settings, *args)
        return printed, json.loads(output.read_text()) if result else None

    return run


def test_accuracy(measure):
    printed, found = measure(
        "accuracy", "--precision", "float32", "dev.jsonl", "gap.tsv"
    )
    assert "CoNLL" in printed and "masculine" in printed
    documents, gap, given = found.values()
    assert 0 < documents["coref_f"] <= 1 and 0 <= documents["exact"] <= 1
    assert gap["gap_f"] == 1
    # With "said" as a mention, it may be taken for anything.
    assert 0 <= given["gap_f"] <= 1


def test_languages(measure, tmp_path):
    """The verb is in a cluster of gold, and in none that is predicted."""
    doc = Doc(
        blank("en").vocab,
        words="Ann said she left .".split(),
        pos="PROPN VERB PRON VERB PUNCT".split(),
    )
    set_clusters(doc, [[(0, 1), (2, 3), (3, 4)]])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "dev.spacy")
    printed, found = measure("languages", f"en={tmp_path / 'dev.spacy'}")
    (scores,) = found.values()
    assert "verbs" in printed and 0 < scores["CoNLL"] < 1
    assert scores["verbs"] == 0 and scores["anaphors"] == 1


def test_rules(measure, tmp_path):
    printed, found = measure("rules", "dev.jsonl", "gap.tsv")
    assert "without agreement" in printed and list(found)[:2] == ["default", "none"]
    columns = ["/".join([*tmp_path.parts[-2:], n]) for n in ("dev", "gap")]
    assert all(list(scores) == columns for scores in found.values())
    assert found["default"][columns[1]] == 1


def test_scaling(measure, forked):
    sizes = ["--lengths", "30", "--numbers", "2"]
    printed, rows = measure("scaling", "text.txt", *sizes)
    found = [(row["documents"], row["words each"]) for row in rows]
    assert "words/s" in printed and found == [(1, 30), (2, 450)]
    assert all(row["seconds"] > 0 and row["clusters"] > 0 for row in rows)


def test_server(measure, tmp_path, tiny_nlp):
    pytest.importorskip("uvicorn")
    tiny_nlp.batch_size = 8
    tiny_nlp.to_disk(tmp_path / "tiny")
    options = ["--words", "20", "--clients", "3", "--rounds", "2", "--seconds", "0.2"]
    _, found = measure("server", *options, "--model", "tiny", "text.txt")
    assert found["documents"] == 8 and found["errors"] == 0
    assert found["latency / nlp(text)"] > 0 < found["throughput / nlp.pipe"]


def test_ray_throughput(measure, cluster):
    options = ["--documents", 140, "--words", 8, "--block", 10, "--actors", 1]
    _, found = measure("ray_throughput", *options, "text.txt")
    assert found["documents"] == 140 and found["words"] == 140 * 8
    assert found["ratio"] == found["scale.annotate"] / found["nlp.pipe"] > 0


def test_conversation(measure, tmp_path):
    """With a window of the whole document, few decisions differ."""
    rows = make_rows(3)
    for row in rows:
        row["doc_key"] = f"talk_{row['doc_key']}"
        row["speakers"] = [
            [f"s{i % 2}"] * len(words) for i, words in enumerate(row["sentences"])
        ]
    write_rows(tmp_path / "dev.jsonl", rows)
    args = ("--turn-words", "1", "--window", "99", "dev.jsonl", "--name", "talk_1")
    printed, results = measure("conversation", *args)
    (found,) = results.values()
    assert found["documents"] == 1 and found["turns"] == len(rows[1]["sentences"])
    assert all(0 < score <= 1 for score in found["scores"])
    assert "too few to time" in printed


def test_winobias(measure, tmp_path):
    for kind, pronoun in (("pro", "she"), ("anti", "he")):
        for name in ("type1", "type2"):
            line = f"1 [Ann] told the man that [{pronoun}] left.\n"
            (tmp_path / f"{kind}_stereotyped_{name}.txt.dev").write_text(line)
    for found in measure("winobias", tmp_path)[1].values():
        assert found["pro_f"] == 1.0 and found["anti_f"] < 0.5
        assert found["gap_f"] == found["pro_f"] - found["anti_f"]
        assert (found["pro_linked"], found["anti_linked"]) == (1, 0)


def test_resolution(measure, tmp_path):
    documents = f"en={tmp_path / 'dev.jsonl'}"
    printed, _ = measure("resolution", documents, result=False)
    assert "replaced %" in printed and "calibration error" in printed
    printed, _ = measure("resolution", "--fit", documents, result=False)
    assert '"calibration": ' in printed and str(get_folder("en")) in printed


def test_the_calibration_is_stored_with_its_checksum(tmp_path, scripts, tiny_network):
    from resolution import store_calibration

    make_nlp(tmp_path / "m", tiny_network)
    for calibration in ([1.5, 0.1], {"default": [1.5, 0.1], "en": [1.2, 0]}):
        store_calibration(tmp_path / "m", calibration)
        pipe = load_model(tmp_path / "m").get_pipe("fastcoref")
        assert pipe.model.get_checkpoint().config["calibration"] == calibration


def test_steps(measure):
    options = ["--words", "4", "--rounds", "1"]
    printed, seconds = measure("steps", *options, "dev.jsonl")
    assert "words/s" in printed
    assert list(seconds) == ["tokenise", "encode", "score", "decode", "write", "alone"]
    assert all(value > 0 for value in seconds.values())


def test_gpu(measure):
    options = ["--device", "cpu", "--docs", "4", "--novel", "60"]
    options += ["dev.jsonl", "--precisions", "float32", "bfloat16"]
    exact, half = measure("gpu", *options)[1].values()
    assert exact["F1 against the CPU"] == 100 and half["F1 against the CPU"] > 80
    assert exact["documents, words/s"] > 0 and exact["novel, MiB"] > 0


TRAINING = Path(__file__).parent / "fixtures" / "gpu_training.cfg"
LOSSES = {"mention_weight": 0.3, "partial_mention_weight": 0.3, "partial_weight": 2.0}


def test_gpu_training(tmp_path, capsys, scripts, tiny_network):
    """Documents are prepared, and training lowers their loss."""
    import gpu_training

    write_rows(tmp_path / "train.jsonl", make_rows(6))
    (tmp_path / "gap.tsv").write_text(GAP)
    text = TRAINING.read_text("utf8").format(path=tmp_path)
    (tmp_path / "train.cfg").write_text(text)
    start, end = tmp_path / "start", tmp_path / "end"
    nlp = make_nlp(start, tiny_network)
    script, file = BENCHMARKS / "gpu_training.py", tmp_path / "docs.gz"
    run_script(script, "prepare", tmp_path / "train.cfg", file, start)
    docs = gpu_training.Docs(file)
    chosen = [i for i, is_changed in enumerate(docs.are_changed) if not is_changed]
    network, _ = nlp.get_pipe("fastcoref").model.get_network()
    found = compute_loss(*docs.score(network, chosen), **LOSSES).item()
    options = ["--device", "cpu", "--max-steps", "30", "--words", "100"]
    options += ["--learn-rate", "0.003"]
    printed = run_script(script, "train", file, start, end, *options)
    losses = [float(x) for x in re.findall(r"loss ([\d.]+)", printed)]
    assert losses[-1] < found
    pipe = load_model(end).get_pipe("fastcoref")
    assert pipe.model.get_checkpoint().stored


def test_peer_against_itself(measure, tmp_path, forked):
    """What stands in for fastcoref is this package: the same clusters, no errors."""
    stand_in = tmp_path / "fastcoref"
    stand_in.mkdir()
    (stand_in / "__init__.py").write_text(STAND_IN)
    (stand_in / "spacy_component.py").write_text("")
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    options = ["--peer", python, "--rounds", "1", "--model", get_folder("en")]
    _, found = measure("peer", *options, "dev.jsonl")
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
