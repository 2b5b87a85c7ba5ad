"""What a user got wrong is one line, and what we got wrong has its traceback."""

import errno
import json
from pathlib import Path

import pytest
import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_fastcoref.cli import export

CONFIG = Path(__file__).parent.parent.parent / "configs" / "en_finetune.cfg"


def run(*args):
    return CliRunner().invoke(app, ["coref", *map(str, args)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    spacy.blank("en").to_disk(folder / "blank")
    (folder / "empty").mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tagger").add_label("NN")
    nlp.initialize()
    nlp.to_disk(folder / "others")
    (folder / "latin.cfg").write_bytes(b"# caf\xe9")
    (folder / "a.txt").write_text("Ann said that Bob Smith had seen her.")
    row = {"text": "Ann said she left.", "clusters": [[[0, 3], [9, 12]]]}
    (folder / "a.jsonl").write_text(json.dumps(row))
    return folder


MISTAKES = {
    "resolve Text --model nowhere": "[E050] Can't find model 'nowhere'",
    "resolve Text --model {0}/empty": "[E053] Could not read meta.json",
    "export {0}/blank {0}/out": "[E001] No component 'fastcoref'",
    "average {0}/out {0}/blank {0}/blank": "[E001] No component 'fastcoref'",
    "mask {0}/a.txt --lang qq": "[E048] Can't import language qq",
    "mask {0}/a.txt --output {0}/a.txt/out": "[FC103] Nothing is written to",
    "mask {0}/a.txt --output {0}/a.txt": "[FC103] Nothing is written to",
    "annotate {0}/blank {0}/a.txt {0}/a.txt/out": "[FC103] Nothing is written to",
    "export {0}/others {0}/out -c tagger": "[FC095] There is no coreference component",
    "export {0}/others {0}/out -c sentencizer": "among ['sentencizer'].",
    "average {0}/out {0}/others {0}/others -c tagger": "[FC095]",
    "fit-distances {1} {0}/others {0}/out -c tagger": "[FC095]",
    "fit-distances {0}/latin.cfg {0}/others {0}/out": "[FC080] Can't read a text from",
    "train {0}/nowhere.cfg --output {0}/out": "[E053] Could not read config file",
    "train {0}/latin.cfg --output {0}/out": "[FC080] Can't read a text from",
    "train {1} --output {0}/a.txt": "[FC103] Nothing is written to",
    "train {1} --output {0}/a.txt/out": "[FC103] Nothing is written to",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_mistakes_are_one_line(command, folder):
    found = run(*(word.format(folder, CONFIG) for word in command.split()))
    assert found.exit_code == 1 and isinstance(found.exception, SystemExit)
    (line,) = found.stdout.splitlines()
    assert MISTAKES[command] in line and "Traceback" not in found.output


def test_a_config_from_standard_input(folder):
    args = ["coref", "train", "-", "--output-path", str(folder / "read")]
    found = CliRunner().invoke(
        app, [*args, "--nlp.lang", "qq"], input=CONFIG.read_text()
    )
    assert found.exit_code == 1 and "[E048]" in found.stdout


def test_a_gpu_that_is_not_there(folder, monkeypatch):
    def fail(gpu_id):
        raise ValueError("no CuPy")

    monkeypatch.setattr("spacy.cli._util.require_gpu", fail)
    found = run("train", CONFIG, "--output", folder / "gpu", "--gpu-id", "1")
    assert found.exit_code == 1 and not (folder / "gpu").exists()
    assert "[FC104] The GPU 1 can't be used: no CuPy." in found.stdout


def test_a_number_that_is_none(folder):
    found = run("check", folder / "a.jsonl", "--max-span-words", "0")
    assert found.exit_code == 2 and "--max-span-words" in found.output


@pytest.mark.parametrize("error", [KeyError("a"), ValueError("b"), OSError("c")])
def test_bugs_keep_their_traceback(error, folder, monkeypatch):
    def fail(name):
        raise error

    monkeypatch.setattr(export.spacy, "load", fail)
    assert run("export", folder / "blank", folder / "out").exception is error


def test_a_full_disk_is_no_bug(folder, monkeypatch):
    def fail(name):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(export.spacy, "load", fail)
    found = run("export", folder / "blank", folder / "out")
    assert found.exit_code == 1 and "No space left on device" in found.stdout
