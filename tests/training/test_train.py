"""spacy train on a tiny model: training, resuming and evaluation."""

import json
import re
import signal
import time
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from thinc.api import Adam, fix_random_seed

from spacy_fastcoref import set_clusters
from spacy_fastcoref.training.readers.corpora import make_jsonl_corpus
from spacy_fastcoref.training.readers.pronouns import make_gap_corpus

from ..conftest import blank, run_spacy
from ..forking import fork_python, start_python
from ..models.test_architectures import compose, write_encoder
from .corpus import make_rows, write_rows
from .readers.test_corpora import write_gap
from .readers.test_partial import KNOWREF, write_json

SMALL = Path(__file__).parent.parent.parent / "configs" / "en_small.cfg"
# What makes the shipped recipe fit a tiny encoder and ten documents.
TINY = {
    "training.optimizer.learn_rate.initial_rate": 0.005,
    "training.optimizer.learn_rate.warmup_steps": 5,
    "training.optimizer.learn_rate.total_steps": 10_000,
    "training.eval_frequency": 5,
    "training.batcher.size": 150,
}
# The innermost of the antecedent scorers.
INNER = "components.fastcoref.model.antecedent_scorer" + 3 * ".scorer"
TINY_MODEL = {
    "components.fastcoref.device": "cpu",
    "components.fastcoref.model.max_segment_len": 32,
    "components.fastcoref.model.mention_scorer.hidden_size": 12,
    f"{INNER}.hidden_size": 12,
    "components.fastcoref.model.mention_types.hidden_size": 12,
    "components.fastcoref.model.encoder.dropout": 0.0,
    "components.fastcoref.model.encoder.word_dropout": 0.0,
    "components.fastcoref.model.mention_scorer.dropout": 0.0,
    f"{INNER}.dropout": 0.0,
}
GAP_ROW = "r1\tanna met boris and she ran\tshe\t19\tanna\t0\tTRUE\tboris\t9\tFALSE\tu"


@pytest.fixture
def tiny_encoder(tmp_path):
    (tmp_path / "encoder").mkdir()
    return write_encoder(tmp_path / "encoder", "bert")


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data") / "ontogum" / "train.jsonl"


def write_data(folder, n_dev=10):
    """Make a folder with the corpora of en_small.cfg."""
    for name in ("ontogum", "gum", "litbank", "craft", "fantasy", "written"):
        (folder / name).mkdir(parents=True)
        for part, n_rows in (("train", 10), ("dev", n_dev)):
            rows = make_rows(n_rows)
            for row in rows if name == "gum" else ():
                row["entity_types"] = ["person"] * len(row["clusters"])
            write_rows(folder / name / f"{part}.jsonl", rows)
    (folder / "gap").mkdir()
    write_gap(folder / "gap" / "gap-development.tsv", *[GAP_ROW] * 8)
    (folder / "knowref").mkdir()
    write_json(folder / "knowref" / "knowref.json", [KNOWREF])
    brackets = "# 1 | x\n[a anna] met boris and [a she] ran .\n# 2 | x\nthey left ."
    (folder / "brackets.txt").write_text(brackets)
    for part in ("train", "dev"):
        (folder / "real" / part).mkdir(parents=True)
        (folder / "real" / part / "web.txt").write_text(brackets)
    return folder


def list_paths(data):
    return {
        "paths.data": str(data),
        "paths.written": str(data / "written"),
        "paths.brackets": str(data / "brackets.txt"),
        "paths.real": str(data / "real"),
    }


@pytest.mark.slow
def test_overfits_ten_documents(tiny_encoder, data):
    fix_random_seed(1)
    nlp = compose(tiny_encoder)
    examples = list(make_jsonl_corpus(data)(nlp))
    nlp.initialize(lambda: examples)
    assert nlp.evaluate(examples)["coref_f"] < 0.5
    optimizer = Adam(0.005, L2=0.01)
    losses = []
    for _ in range(70):
        sums = {}
        for i in (0, 5):
            nlp.update(examples[i : i + 5], sgd=optimizer, losses=sums)
        losses.append(sums["fastcoref"])
    scores = nlp.evaluate(examples)
    assert scores["coref_f"] > 0.95 and losses[-1] < losses[0] / 10
    # And from bytes, in a pipeline that was never trained.
    again = blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert again.evaluate(examples)["coref_f"] == pytest.approx(scores["coref_f"])


@pytest.mark.slow
def test_train_kill_resume_evaluate(tiny_encoder, tmp_path):
    data = write_data(tmp_path / "data")
    output = tmp_path / "output"
    settings = {**TINY, **TINY_MODEL, "paths.encoder": tiny_encoder, **list_paths(data)}
    settings.update({"training.max_steps": 100, "training.eval_frequency": 20})
    args = ["-m", "spacy", "coref", "train", str(SMALL), "--output", str(output)]
    for name, value in settings.items():
        args += [f"--{name}", str(value)]
    # spaCy's command, made to be killed.
    log = tmp_path / "log.txt"
    process = start_python(*args, stdout=log)
    # The first one is written before the first step.
    written = set()
    while len(written) < 2 and process.is_alive():
        written.update(path.stat().st_mtime_ns for path in output.glob("*.msgpack"))
        time.sleep(0.05)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL, log.read_text()
    done = fork_python(args=[*args, "--resume"])
    first, *_, last = re.findall(r"^ +\d+ +(\d+) +[\d.]+", done.stdout, re.MULTILINE)
    assert int(first) >= 20 and int(last) == 100
    after = spacy.load(output / "model-best").meta["performance"]["coref_f"]
    assert after > 0.1
    # spaCy's own command, on its own kind of file.
    model = str(output / "model-best")
    examples = make_jsonl_corpus(data / "ontogum" / "dev.jsonl")(spacy.load(model))
    DocBin(docs=[eg.reference for eg in examples]).to_disk(tmp_path / "dev.spacy")
    report = tmp_path / "scores.json"
    run_spacy("evaluate", model, tmp_path / "dev.spacy", "--output", report)
    scores = json.loads(report.read_text())
    assert scores["coref_f"] == pytest.approx(after, abs=0.05)
    assert {"coref_muc_f", "coref_lea_f", "coref_mentions_r"} <= set(scores)


def test_misaligned_mentions_are_warned_of_once(tiny_nlp):
    words, spaces = ["Ann", "s", "she"], [False, True, False]
    reference = Doc(tiny_nlp.vocab, words=words, spaces=spaces)
    set_clusters(reference, [[(0, 1), (2, 3)]])
    predicted = Doc(tiny_nlp.vocab, words=["Anns", "she"])
    pipe = tiny_nlp.get_pipe("fastcoref")
    with pytest.warns(UserWarning, match="FCW03.*1 gold.*n_misaligned"):
        pipe.update([Example(predicted, reference)])
    pipe.update([Example(predicted, reference)])
    assert pipe.n_misaligned == 2


@pytest.mark.slow
def test_partial_labels(tiny_nlp, tmp_path):
    """Train on partly labelled documents without the mention loss."""
    fix_random_seed(0)
    path = write_gap(tmp_path / "gap.tsv", GAP_ROW)
    examples = list(make_gap_corpus(path)(tiny_nlp))
    pipe = tiny_nlp.get_pipe("fastcoref")
    optimizer = Adam(0.003)
    for _ in range(40):
        tiny_nlp.update(examples, sgd=optimizer)
    doc = tiny_nlp.make_doc(examples[0].text)
    doc.spans["coref_mentions"] = [doc[0:1], doc[2:3], doc[4:5]]
    (links,) = pipe.predict([doc])
    assert links.mentions.tolist() == [[0, 1], [2, 3], [4, 5]]
    (anna, boris) = links.antecedents[2, :2]
    assert (anna, boris) == (0, 1) and links.scores[2, 0] > 0 > links.scores[2, 1]
    # The examples themselves are as they were.
    assert not examples[0].predicted.spans


def test_update_without_an_optimizer_changes_nothing(tiny_nlp, data):
    examples = list(make_jsonl_corpus(data)(tiny_nlp))
    pipe = tiny_nlp.get_pipe("fastcoref")
    before = pipe.to_bytes()
    losses = pipe.update(examples[:2])
    assert losses["fastcoref"] > 0 and pipe.to_bytes() == before
    (loss, gradients) = pipe.get_loss(
        examples[:2], pipe.model.begin_update([eg.predicted for eg in examples[:2]])[0]
    )
    assert loss > 0 and gradients
