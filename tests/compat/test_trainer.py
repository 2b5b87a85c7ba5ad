"""Test fastcoref's trainer: its arguments, its files and the trained pipeline."""

import json
from dataclasses import fields, replace

import pytest
import spacy

from spacy_fastcoref import CorefTrainer, FCoref, TrainingArgs
from spacy_fastcoref.compat.trainer import make_config

from ..conftest import blank
from ..training.corpus import make_rows, write_rows
from ..training.test_train import tiny_encoder  # noqa: F401

SIZES = {"ffnn_size": 12, "max_segment_len": 32, "max_tokens_in_batch": 150}
TEXT = "anna saw boris and she said her dog ran ."


def write_texts(path, n, seed=0):
    """Write documents in fastcoref's format: texts and character offsets."""
    rows = []
    for row in make_rows(n, seed):
        words = [word for sentence in row["sentences"] for word in sentence]
        starts = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
        clusters = [
            [[starts[a], starts[z] + len(words[z])] for a, z in cluster]
            for cluster in row["clusters"]
        ]
        rows.append({"text": " ".join(words), "clusters": clusters})
    return write_rows(path, rows)


@pytest.mark.slow
def test_train_evaluate_predict(tiny_encoder, tmp_path):  # noqa: F811
    train = write_texts(tmp_path / "train.jsonl", 10)
    dev = write_rows(tmp_path / "dev.jsonl", make_rows(10))
    args = TrainingArgs(
        model_name_or_path=str(tiny_encoder),
        output_dir=str(tmp_path / "out"),
        learning_rate=0.001,
        epochs=3,
        eval_steps=4,
        device="cpu",
        **SIZES,
    )
    trainer = CorefTrainer(args, train, dev, test_file=train)
    before = trainer.evaluate()
    assert set(before) == {
        *("precision", "recall", "f1"),
        *("mention precision", "mention recall", "mention f1"),
    }
    path = trainer.train()
    # The best of all that were seen, also of that after the last step.
    best = spacy.util.load_meta(tmp_path / "out" / "model-best" / "meta.json")
    after = trainer.evaluate()
    assert path == tmp_path / "out" / "model"
    assert after["f1"] >= best["performance"]["coref_f"] - 1e-6
    assert trainer.evaluate(test=True) == pytest.approx(after)
    nlp = spacy.load(path)
    # The name of the factory that no other package has.
    assert nlp.get_pipe_meta("fastcoref").factory == "spacy_fastcoref"
    doc = nlp(TEXT)
    model = FCoref(model_name_or_path=str(path), device="cpu")
    result = model.predict(texts=[TEXT])[0]
    (links,) = spacy.load(path).get_pipe("fastcoref").predict([doc])
    assert result.links.scores.tolist() == links.scores.tolist()
    # And it can be trained on, at rates of its own.
    output = str(path.parent)
    again = TrainingArgs(str(path), output, overwrite_output_dir=True, epochs=1)
    trainer = CorefTrainer(again, train)
    assert trainer.evaluate() == {} and trainer.evaluate(test=True) == {}
    checkpoint = trainer.nlp.get_pipe("fastcoref").model.get_checkpoint()
    assert checkpoint.config["encoder"]["learn_rate"] == pytest.approx(1e-5 / 3e-4)
    assert checkpoint.config["mention_scorer"]["hidden_size"] == 12
    assert trainer.train() == path
    trained = spacy.load(path).get_pipe("fastcoref").model.get_checkpoint().tensors
    changed = [
        key for key, t in checkpoint.tensors.items() if (t != trained[key]).any()
    ]
    assert any(key.startswith("encoder.") for key in changed)
    assert any(key.startswith("mention_scorer.") for key in changed)


def test_every_argument_changes_the_config(tiny_encoder):  # noqa: F811
    """Change the config for every argument that is not ignored."""
    changes = {
        "learning_rate": 2e-5,
        "head_learning_rate": 0.0,
        "dropout_prob": 0.1,
        "weight_decay": 0.1,
        "adam_beta1": 0.8,
        "adam_beta2": 0.9,
        "adam_epsilon": 1e-8,
        "epochs": 2,
        "ffnn_size": 8,
        "eval_steps": 7,
        "seed": 1,
        "max_span_length": 9,
        "top_lambda": 0.1,
        "max_segment_len": 16,
        "max_tokens_in_batch": 60,
        "device": "cpu",
    }
    where = {"model_name_or_path": tiny_encoder, "output_dir": "out"}
    default = make_config(TrainingArgs(**where), "a", None, 20)
    # A path is written as what a config takes.
    encoder = default["components"]["fastcoref"]["model"]["encoder"]
    assert encoder["name"] == str(tiny_encoder)
    for name, value in changes.items():
        args = TrainingArgs(**where, **{name: value})
        assert make_config(args, "a", None, 20) != default, name
    ignored = {"logging_steps", "cache_dir", "max_doc_len"}
    others = {*ignored, *where, "overwrite_output_dir"}
    assert {field.name for field in fields(TrainingArgs)} == {*changes, *others}
    # fastcoref's schedule: a tenth of the steps to warm up, then down to 0.
    rate = default["training"]["optimizer"]["learn_rate"]
    assert (rate["warmup_steps"], rate["total_steps"]) == (6, 60)


@pytest.mark.parametrize(
    "name, value, says",
    [
        ("epochs", 0.5, "FC076.*epochs.*0.5.*1 or more"),
        ("epochs", float("inf"), "FC076.*epochs.*inf"),
        ("learning_rate", 0, "FC076.*learning_rate.*0"),
        ("learning_rate", "1e-5", "FC076.*learning_rate.*'1e-5'.*a number above 0"),
        ("head_learning_rate", -1, "FC076.*head_learning_rate.*-1.*0 or more"),
        ("weight_decay", -0.1, "FC076.*weight_decay.*-0.1"),
        ("output_dir", __file__, "FC103.*test_trainer.py.*it is a file"),
        ("model_name_or_path", "no/such", "FC010.*no/such"),
    ],
)
def test_bad_arguments(tmp_path, name, value, says):
    args = {"model_name_or_path": "none", "output_dir": str(tmp_path / "out")}
    path = write_rows(tmp_path / "a.jsonl", make_rows(1))
    with pytest.raises(ValueError, match=says):
        CorefTrainer(TrainingArgs(**{**args, name: value}), path)


def test_bad_files_and_folders(tmp_path):
    args = TrainingArgs("none", str(tmp_path))
    path = write_rows(tmp_path / "a.jsonl", [])
    with pytest.raises(ValueError, match="FC103.*overwrite_output_dir"):
        CorefTrainer(args, path)
    args = TrainingArgs("none", str(tmp_path / "out"))
    with pytest.raises(ValueError, match="FC052.*a.jsonl.*no documents in it"):
        CorefTrainer(args, path)
    path.write_text(json.dumps({"text": "ann", "clusters": [[[0, 9]]]}))
    with pytest.raises(ValueError, match="FC051.*line 1.*characters 0 to 9"):
        CorefTrainer(args, path)


@pytest.mark.parametrize("name", ["dev_file", "test_file"])
def test_files_that_are_read_later_are_checked_first(tmp_path, name):
    args = TrainingArgs("none", str(tmp_path / "out"))
    path = write_rows(tmp_path / "a.jsonl", make_rows(1))
    bad = write_rows(tmp_path / "bad.jsonl", [{"text": "ann"}])
    with pytest.raises(ValueError, match="FC051.*bad.jsonl, line 1"):
        CorefTrainer(args, path, **{name: bad})


def test_ignored_arguments_are_warned_of(tmp_path):
    args = TrainingArgs("none", str(tmp_path / "out"), max_doc_len=4096)
    with (
        pytest.warns(UserWarning, match="FCW23.*max_doc_len=4096.*no document"),
        pytest.raises(ValueError, match="FC052"),
    ):
        CorefTrainer(args, tmp_path / "nowhere.jsonl")


def test_tokenizer_and_language(tiny_encoder, tmp_path):  # noqa: F811
    nlp = blank("de")
    nlp.tokenizer.add_special_case("dasda", [{"ORTH": "das"}, {"ORTH": "da"}])
    path = write_rows(tmp_path / "a.jsonl", [{"text": "dasda", "clusters": []}])
    args = TrainingArgs(str(tiny_encoder), str(tmp_path / "out"), epochs=1, **SIZES)
    trained = spacy.load(CorefTrainer(args, path, nlp=nlp).train())
    assert trained.lang == "de"
    assert [token.text for token in trained.make_doc("dasda")] == ["das", "da"]
    # A pipeline's name will do.
    nlp.to_disk(tmp_path / "nlp")
    args = replace(args, overwrite_output_dir=True)
    trainer = CorefTrainer(args, path, nlp=str(tmp_path / "nlp"))
    assert [token.text for token in trainer.nlp.make_doc("dasda")] == ["das", "da"]


def test_invalid_pipelines(tmp_path):
    args = TrainingArgs("none", str(tmp_path / "out"))
    with pytest.raises(OSError, match="E050.*nowhere"):
        CorefTrainer(args, tmp_path / "a.jsonl", nlp="nowhere")
    with pytest.raises(ValueError, match="FC076.* 3"):
        CorefTrainer(args, tmp_path / "a.jsonl", nlp=3)
