"""Errors of the user are one line on standard error; bugs have their traceback."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_fastcoref.cli import models
from spacy_fastcoref.cli.console import print_message

from ..conftest import NEAREST, blank, load_model
from ..conftest import invoke_coref as run
from ..languages.read import read_table

CONFIG = Path(__file__).parent.parent.parent / "configs" / "en_finetune.cfg"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    blank("en").to_disk(folder / "blank")
    (folder / "empty").mkdir()
    nlp = blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tagger").add_label("NN")
    nlp.initialize()
    nlp.to_disk(folder / "others")
    (folder / "empty.cfg").write_text("")
    (folder / "latin.cfg").write_bytes(b"# caf\xe9")
    (folder / "twice.cfg").write_text("[nlp]\n[nlp]\n")
    (folder / "words.cfg").write_text("no config")
    (folder / "a.txt").write_text("Ann said that Bob Smith had seen her.")
    row = {"text": "Ann said she left.", "clusters": [[[0, 3], [9, 12]]]}
    (folder / "a.jsonl").write_text(json.dumps(row))
    (folder / "text.jsonl").write_text(json.dumps({"text": "Ann said she left."}))
    (folder / "none.jsonl").write_text(json.dumps({**row, "clusters": []}))
    return folder


# {0} is a folder of files, {1} a config.
USER_ERRORS = {
    row["command"]: row["message"] for row in read_table("../cli/user_errors.tsv")
}


@pytest.mark.parametrize("command", USER_ERRORS)
def test_user_errors_are_one_line(command, folder):
    found = run(*(word.format(folder, CONFIG) for word in command.split()))
    assert found.exit_code == 1 and isinstance(found.exception, SystemExit)
    assert not found.stdout
    (line,) = found.stderr.splitlines()
    assert USER_ERRORS[command] in line and "\x1b" not in line


# The exit code, and what is printed, of errors that spaCy prints by itself.
SPACY_ERRORS = {
    "train {0}/words.cfg --output {0}/out": (1, "Config validation error"),
    "train {1} --output {0}/out --code {0}/no.py": (1, "Python code not found"),
    "train {1} --output {0}/out --training.max_steps x": (1, "'x' is not <class 'int"),
    "train {1} --output {0}/out --nothing 3": (2, "No such option '--nothing'"),
    "train {1} --output {0}/out nothing": (2, "Invalid config override 'nothing'"),
}


@pytest.mark.parametrize("command", SPACY_ERRORS)
def test_errors_of_spacy_are_on_standard_error(command, folder):
    """Without colour, as it is no terminal."""
    found = run(*(word.format(folder, CONFIG) for word in command.split()))
    code, message = SPACY_ERRORS[command]
    assert found.exit_code == code and isinstance(found.exception, SystemExit)
    assert not found.stdout
    assert message in found.stderr and "\x1b" not in found.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf8"])
@pytest.mark.parametrize("kind", ["good", "warn", "fail"])
def test_messages_in_any_encoding(encoding, kind):
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding)
    print_message(kind, "Written to Zoë/\udce9,\nas asked", file=file)
    file.flush()
    (line,) = written.getvalue().decode(encoding).splitlines()
    assert "\\udce9, as asked" in line
    assert line.isascii() == (encoding == "ascii") == ("Zo\\xeb" in line)


def test_a_config_from_standard_input(folder):
    args = ["coref", "train", "-", "--output-path", str(folder / "read")]
    found = CliRunner().invoke(
        app, [*args, "--nlp.lang", "qq"], input=CONFIG.read_text()
    )
    assert found.exit_code == 1 and "[E048]" in found.stderr


def test_a_gpu_that_is_not_there(folder, monkeypatch):
    def fail(gpu_id):
        raise ValueError("no CuPy")

    monkeypatch.setattr("spacy.cli._util.require_gpu", fail)
    found = run("train", CONFIG, "--output", folder / "gpu", "--gpu-id", "1")
    assert found.exit_code == 1 and not (folder / "gpu").exists()
    assert "[FC104] The GPU 1 can't be used: no CuPy." in found.stderr


@pytest.mark.slow
def test_mentions_without_candidates(folder):
    """Only mentions with candidates are listed, and none is no empty answer."""
    found = run("explain", "Ann left.")
    assert found.exit_code == 0 and not found.stdout
    assert "No mention has a candidate" in found.stderr
    found = run("explain", "Ann said she left.")
    assert "she (2)" in found.stdout and "no candidates" not in found.stdout


@pytest.mark.parametrize("error", [KeyError("a"), ValueError("b"), OSError("c")])
def test_bugs_keep_their_traceback(error, folder, monkeypatch):
    def fail(name):
        raise error

    monkeypatch.setattr(models.spacy, "load", fail)
    assert run("export", folder / "blank", folder / "out").exception is error


@pytest.fixture(scope="module")
def nearest(tmp_path_factory):
    """Save a pipeline that loads quickly."""
    folder = tmp_path_factory.mktemp("pipelines") / "nearest"
    load_model(model=NEAREST).to_disk(folder)
    return folder


def resolve(nearest, stdout, **environment):
    """Run a command as a shell does, and return its exit code and its errors."""
    command = "coref", "resolve", "Zoë said she left.", "--model", str(nearest)
    done = subprocess.run(
        # It warns of words without parts of speech.
        [sys.executable, "-W", "ignore", "-m", "spacy", *command],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_is_full(nearest):
    with open("/dev/full", "wb") as full:
        code, said = resolve(nearest, full)
    (line,) = said.splitlines()
    assert code == 1 and "No space left on device" in line


@pytest.mark.slow
def test_output_that_nobody_reads(nearest):
    """As by `| head -1`."""
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as closed:
        code, said = resolve(nearest, closed)
    assert code == 1 and not said
