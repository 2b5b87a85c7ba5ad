"""The benchmarks run; what they measure is for people to read."""

import gzip
import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy import util

from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.encoders.encoder import Transformer, read_encoder_config
from spacy_fastcoref.pretrained import get_folder

from .conftest import run_script
from .models.test_architectures import ENCODERS
from .rules.links import link_all
from .training.corpus import make_rows, write_rows
from .training.test_train import tiny_encoder, write_data  # noqa: F401

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\n"
    "r1\tAnn said she left.\tshe\t9\tAnn\t0\tTRUE\tsaid\t4\tFALSE\n"
)

MPNET = {"model_type": "mpnet", **ENCODERS["mpnet"]}

STAND_IN = """
from spacy_fastcoref import FCoref as Predictor

def FCoref(path, nlp, **settings):
    return Predictor(path, **settings)
"""


def test_links_are_raised(tmp_path):
    config = {"precision": "float32", "rules": None}
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref", config=config)
    nlp.to_disk(tmp_path / "before")
    script, after = BENCHMARKS / "raise_links.py", tmp_path / "after"
    documents = write_rows(tmp_path / "train.jsonl", make_rows(12))
    by = ["--by", "same_pronouns.pronoun=2", "match.name=0"]
    run_script(script, tmp_path / "before", after, documents, *by)
    doc = nlp.make_doc("anna met boris and she said her dog ran .")
    (old,), (new,) = (
        spacy.load(path).get_pipe("fastcoref").predict([doc])
        for path in (tmp_path / "before", after)
    )
    name, she, her = (0, 1), (4, 5), (6, 7)
    change = new.find_score(her, she) - old.find_score(her, she)
    assert change == pytest.approx(2, abs=0.5)
    for other in (she, her):
        change = new.find_score(other, name) - old.find_score(other, name)
        assert change == pytest.approx(0, abs=1e-3)


def test_frozen_layers_are_remembered(monkeypatch):
    """The same vectors and gradients as computed anew, the second time from memory."""
    computed = Transformer.encode_padded
    monkeypatch.setattr(Transformer, "encode_padded", computed)
    remember = runpy.run_path(str(BENCHMARKS / "remember_frozen.py"))
    assert Transformer.encode_padded is not computed
    encoder = Transformer(read_encoder_config(MPNET, "a test")).eval()
    model = encoder.transformer
    for frozen in (model.embeddings, model.encoder.layer[0]):
        frozen.requires_grad_(False)
    assert remember["count_frozen"](model.encoder.layer) == 1
    ids = np.random.default_rng(0).integers(3, 50, (3, 9))
    mask = np.arange(9) < np.array([[9], [5], [2]])
    last = model.encoder.layer[-1].output.dense.weight
    expected = computed(encoder, ids, mask, torch.from_numpy)
    (grad,) = torch.autograd.grad(expected.pow(3).sum(), last)
    for _ in range(2):
        found = encoder.encode_padded(ids, mask, torch.from_numpy)
        torch.testing.assert_close(found, expected, atol=0.05, rtol=0)
        (other,) = torch.autograd.grad(found.pow(3).sum(), last)
        assert (other - grad).norm() < 0.05 * grad.norm()
        assert len(remember["_known"]) == 3
        # What is computed from now on has no part in it any more.
        model.embeddings.word_embeddings.weight.data.zero_()


def test_silver_texts(tmp_path):
    """Of all kinds, but none with a dev set's words or of a novel not to be read."""
    data, text = tmp_path / "data", tmp_path / "text"
    for folder in ("litbank", "ontogum", "gap", "entity-coref"):
        (data / folder).mkdir(parents=True)
    text.mkdir()
    dev = "these eight words are in a dev set"
    row = {"sentences": [dev.split()], "doc_key": "book"}
    for name in ("litbank/train", "litbank/dev", "ontogum/dev"):
        (data / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    for name in ("development", "validation"):
        (data / "gap" / f"gap-{name}.tsv").write_text(GAP)
    for name in ("wiki", "news"):
        (data / f"entity-coref/{name}-fair-v2.benchmark.jsonl").write_text("")
    talk = " ".join(["she told him that"] * 40)
    novels = f"=== DOC book.txt\n\n{talk} one .\n\n{talk} {talk} two . {dev} .\n"
    novels += f"=== DOC other.txt\n\n{talk} three .\n"
    files = {
        "novels": novels,
        "openstax": f"=== DOC m1\n{talk} four .\n{'plain words ' * 60}\n",
        "onestopenglish": f"=== DOC n1\n{talk} five .\n",
    }
    for name, content in files.items():
        (text / f"{name}.txt.gz").write_bytes(gzip.compress(content.encode()))

    def choose():
        output = tmp_path / "silver.jsonl"
        script = BENCHMARKS / "silver_texts.py"
        run_script(script, data, text, output, "--book-words", 100, "--seed", 1)
        lines = output.read_text("utf8").splitlines()
        return " ".join(json.loads(line)["text"] for line in lines)

    found = choose()
    assert "four" in found and "five" in found and "Ann said she left." in found
    assert "three" not in found and dev not in found
    row["sentences"] = [["another", "text"]]
    for name in ("litbank/dev", "ontogum/dev"):
        (data / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    assert f"two . {dev}" in choose()


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
    assert results[files[1]]["gap_f"] == 1
    # With "said" as a mention, it may be taken for anything.
    assert 0 <= results[f"{files[1]}, mentions given"]["gap_f"] <= 1


def test_scaling(tmp_path):
    (tmp_path / "text.txt").write_text("Ann said that she left her house. " * 20)
    sizes = ["--lengths", "30", "--numbers", "2"]
    files = ["--json", tmp_path / "sizes.json", tmp_path / "text.txt"]
    assert "words/s" in run_script(BENCHMARKS / "scaling.py", *sizes, *files)
    rows = json.loads((tmp_path / "sizes.json").read_text())
    found = [(row["documents"], row["words each"]) for row in rows]
    assert found == [(1, 30), (2, 450)]
    assert all(row["seconds"] > 0 and row["clusters"] > 0 for row in rows)


def test_compare(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(2))
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref")
    nlp.to_disk(tmp_path / "pipeline")
    report = tmp_path / "report.json"
    options = ["--rounds", "2", "--json", report, "--pipelines"]
    pipelines = [tmp_path / "pipeline"] * 2
    run_script(BENCHMARKS / "compare.py", documents, *options, *pipelines)
    first, second = json.loads(report.read_text())
    assert first["times as long"] == 1.0 and first["words/s"] > 0
    assert second["from"] <= second["times as long"] <= second["to"]


def test_winobias(tmp_path):
    for kind, pronoun in (("pro", "she"), ("anti", "he")):
        for name in ("type1", "type2"):
            line = f"1 [Ann] told the man that [{pronoun}] left.\n"
            (tmp_path / f"{kind}_stereotyped_{name}.txt.dev").write_text(line)
    scores = tmp_path / "scores.json"
    run_script(BENCHMARKS / "winobias.py", "--json", scores, tmp_path)
    for found in json.loads(scores.read_text()).values():
        assert found["pro"] == 1.0 and found["anti"] < 0.5
        assert found["gap"] == found["pro"] - found["anti"]


def test_clauses(tmp_path):
    text = "Ann said she left her old red house."
    (tmp_path / "gap.tsv").write_text(GAP.replace("Ann said she left.", text))
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("span_ruler", config={"spans_key": "coref_clusters_1"})
    patterns = ("Ann", "her old red house", "left her old red")
    ruler.add_patterns([{"label": "m", "pattern": pattern} for pattern in patterns])
    nlp.to_disk(tmp_path / "pipeline")
    parser = spacy.blank("en")
    ruler = parser.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "left"}]], {"POS": "VERB"})
    parser.to_disk(tmp_path / "parser")
    names = ["--pipeline", tmp_path / "pipeline", "--parser", tmp_path / "parser"]
    files = ["--json", tmp_path / "counts.json", tmp_path / "gap.tsv"]
    run_script(BENCHMARKS / "clauses.py", *names, *files)
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts == {"mentions": 3, "long": 2, "clauses": 1}


def test_names(tmp_path, monkeypatch):
    """A model that links nothing, and names that grammar ties."""
    script = runpy.run_path(str(BENCHMARKS / "names.py"))
    nlp = spacy.blank("en")
    component = nlp.add_pipe("fastcoref")

    def predict(docs):
        return [link_all(np.array([(0, 2), (5, 6), (7, 9)])) for doc in docs]

    monkeypatch.setattr(component, "predict", predict)
    (tmp_path / "text.txt").write_text("Elon Musk sat .\nMusk saw Ann Lee .\n")
    (doc,) = script["read_docs"](nlp, tmp_path / "text.txt", 100, 1)
    assert list(script["find_ties"](nlp, doc)) == []
    unlinked = predict([doc])[0]
    unlinked.scores[:] = -np.inf
    monkeypatch.setattr(component, "predict", lambda docs: [unlinked])
    (tie,) = script["find_ties"](nlp, doc)
    assert tie == ("Musk", "Elon Musk", "Elon Musk sat . Musk saw Ann Lee .")
    assert "ties in" in run_script(BENCHMARKS / "names.py", "--words", 1, tmp_path)


def test_costs(tmp_path):
    row = {
        "original_sentence": "Anna thanked Peter because he was kind.",
        "sentence_with_pronoun": "Anna thanked Peter because [he] was kind.",
        "candidate0": ["Anna"],
        "candidate1": ["Peter"],
        "correct_candidate": ["Peter"],
        "correct_candidate_idx": 1,
    }
    rows = tmp_path / "knowref.json"
    rows.write_text(json.dumps([row, {**row, "correct_candidate_idx": 0}]))
    scores = tmp_path / "scores.json"
    with pytest.warns(UserWarning, match="FCW02.*knowref.json, item 2"):
        run_script(BENCHMARKS / "costs.py", "--json", scores, "--knowref", rows)
    results = json.loads(scores.read_text())
    assert len(results) > 4
    assert all(found == {"knowref": 1.0} for found in results.values())


def test_steps(tmp_path):
    documents = write_rows(tmp_path / "dev.jsonl", make_rows(3))
    steps = tmp_path / "steps.json"
    run_script(BENCHMARKS / "steps.py", "--json", steps, documents)
    seconds = json.loads(steps.read_text())
    assert list(seconds) == ["tokenise", "encode", "score", "decode", "write"]
    assert all(value > 0 for value in seconds.values())


def test_ablation(tiny_encoder, tmp_path):  # noqa: F811
    """A row that changes the model, and two with text before their labels."""
    data, text = write_data(tmp_path / "data"), tmp_path / "text.txt"
    text.write_text("Ann said that she left her house. Tom saw Ann there. " * 200)
    scores, output = tmp_path / "scores.json", tmp_path / "output"
    files = {"--encoder": tiny_encoder, "--data": data, "--text": text}
    settings = {
        **files,
        **{"--output": output, "--json": scores, "--steps": 2, "--first-steps": 1},
        "--training.eval_frequency": 2,
        "--components.fastcoref.model.max_segment_len": 32,
        "--components.fastcoref.model.mention_scorer.hidden_size": 12,
        "--components.fastcoref.model.antecedent_scorer.hidden_size": 12,
    }
    args = [arg for setting in settings.items() for arg in setting]
    rows = ["averaging", "masked", "silver"]
    printed = run_script(BENCHMARKS / "ablation.py", *args, "--rows", *rows)
    assert "averaging" in printed
    found = json.loads(scores.read_text())
    assert list(found) == rows
    assert all(0 <= value <= 1 for row in found.values() for value in row.values())
    for name in rows:
        pipeline = output / name / "model-last"
        config = util.load_config(pipeline / "config.cfg")
        start = config["components"]["fastcoref"]["model"].get("start_from")
        # Steps so few change too little for weights to show where they come from.
        first = output / f"{name}_first" / "model-last" / "fastcoref" / "model"
        assert start == (None if name == "averaging" else str(first))
        tensors = Checkpoint.from_disk(pipeline / "fastcoref" / "model").tensors
        is_refined = any(key.startswith("refinement.") for key in tensors)
        assert is_refined == (name == "averaging")
        log = (output / f"{name}.log").read_text()
        assert "coref train" in log and "COREF_F" in log and "seconds" in log
    masked = Checkpoint.from_disk(output / "masked_first/model-last/fastcoref/model")
    assert "pronoun_head" in masked.config
    assert "annotate" in (output / "shards.log").read_text()


def test_ablation_that_fails(tmp_path):
    """A training that fails ends it, and says why in its log."""
    output = tmp_path / "output"
    args = ["--rows", "plain", "--data", tmp_path, "--text", tmp_path]
    args += ["--encoder", "x", "--output", output]
    args += ["--components.fastcoref.nonsense", "1"]
    with pytest.raises(SystemExit):
        run_script(BENCHMARKS / "ablation.py", *args)
    assert "nonsense" in (output / "plain.log").read_text()


def test_peer_against_itself(tmp_path):
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
