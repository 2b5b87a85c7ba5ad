"""Every command of docs/cli.md is run, and prints what the page says."""

import doctest
import re
import shlex
import shutil
from pathlib import Path

from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.formats.base import list_formats

from .models.test_architectures import write_encoder

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "cli.md").read_text("utf8")
# Scores differ with the precision that a machine computes in.
SCORE = re.compile(r"\d+\.\d+\b")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)


def read_commands(block):
    """Split a block into the commands and what each prints."""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    return [(command, "".join(f"{w}\n" for w in want)) for command, want in commands]


def run(command):
    """Run `echo TEXT`, `cat FILE` or a command of spaCy, with or without a redirect."""
    *before, last = [part.strip() for part in command.split(" | ")]
    text = echo(*shlex.split(before[0])) if before else None
    words = shlex.split(last)
    if words[0] in ("echo", "cat"):
        return echo(*words)
    python, option, module, *args = words
    assert [python, option, module] == ["python", "-m", "spacy"]
    return CliRunner().invoke(app, args, input=text).output


def echo(name, *words):
    if name == "cat":
        return Path(words[0]).read_text("utf8")
    *words, mark, file = words if set(words) & {">", ">>"} else (*words, None, None)
    text = f"{' '.join(words)}\n"
    if file is None:
        return text
    with open(file, {">": "w", ">>": "a"}[mark], encoding="utf8") as target:
        target.write(text)
    return ""


# These need what "make test" installs.
ON_CLUSTER = [block for block in BLOCKS if "--engine ray" in block]


def test_commands(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    (tmp_path / "encoder").mkdir()
    write_encoder(tmp_path / "encoder", "bert")
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        if block not in ON_CLUSTER:
            check(block)


def test_commands_on_a_cluster(tmp_path, monkeypatch, cluster):
    monkeypatch.chdir(tmp_path)
    assert ON_CLUSTER
    for block in ON_CLUSTER:
        check(block)


def check(block):
    """Check that the commands of a block print what the page says."""
    checker = doctest.OutputChecker()
    for command, want in read_commands(block):
        got = "\n".join(line.rstrip() for line in run(command).split("\n"))
        compared = (SCORE.sub("0.00", text) for text in (want, got))
        is_same = checker.check_output(*compared, doctest.ELLIPSIS)
        assert is_same, f"{command}\nexpected:\n{want}\ngot:\n{got}"


def test_every_command_is_there():
    # It runs until it is stopped.
    assert "\npython -m spacy coref serve\n" in PAGE
    for command in coref_cli.registered_commands:
        if command.name == "serve":
            continue
        assert f"$ python -m spacy coref {command.name} " in PAGE or (
            f"| python -m spacy coref {command.name}" in PAGE
        ), command.name


def test_every_format_is_there():
    for one in list_formats().values():
        endings = ", ".join(f"`{ending}`" for ending in one.endings)
        use = f"{'yes' if one.read else ''} | {'yes' if one.dump else ''}"
        row = f"| `{one.name}` | {one.description} | {endings} | {use} |"
        assert " ".join(row.split()) in [" ".join(r.split()) for r in PAGE.split("\n")]
