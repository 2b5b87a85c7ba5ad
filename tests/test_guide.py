"""Run docs/adding-a-language.md: write its files and run its code, step by step."""

import configparser
import contextlib
import io
import json
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import catalogue
import pytest

from spacy_fastcoref.grammar import auto
from spacy_fastcoref.grammar.lexicon import Lexicon, get_lexicon
from spacy_fastcoref.grammar.resources import find_folder, read_table, read_words

GUIDE = Path(__file__).parent.parent / "docs" / "adding-a-language.md"
TEXT = GUIDE.read_text("utf8")
# The name of a file, if the block is one; the kind of the block; its text.
BLOCK = re.compile(r"(?:`([\w./]+)`[^`\n]*:\n\n)?```(\w*)\n(.*?)```", re.DOTALL)


def forget(lang):
    """Forget what has been read of a language, as in a new process."""
    for function in (get_lexicon, find_folder, read_words, read_table):
        function.cache_clear()
    auto._RULES._by_lang.pop(lang, None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for path in ("my_package/sv/data", "tests"):
        (tmp_path / path).mkdir(parents=True)
    for path in ("my_package", "my_package/sv"):
        (tmp_path / path / "__init__.py").touch()
    yield tmp_path
    for key in [key for key in catalogue.REGISTRY if key[-1] in NAMES]:
        del catalogue.REGISTRY[key]
    for name in [name for name in sys.modules if name.startswith("my_package")]:
        del sys.modules[name]
    forget("sv")


NAMES = ("sv", "my_package.sv.v1")


def write(path, code):
    """Write a file of the guide; JSON is added to what the file has."""
    if path.suffix == ".json":
        old = json.loads(path.read_text("utf8")) if path.is_file() else {}
        code = json.dumps({**old, **json.loads(code)})
    path.write_text(code, encoding="utf8")


def run(code, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, GUIDE.name, "exec"), namespace)
    return [line.rstrip() for line in printed.getvalue().splitlines()]


def test_steps(folder):
    namespace, lines, n_checked = {}, [], 0
    for name, kind, code in BLOCK.findall(TEXT):
        if name.startswith("tests/"):
            run(code, namespace)
            test = namespace["test_objects"]
            rows = test.pytestmark[0].args[1]
            assert len(rows) > 2 and not any(test(*row) for row in rows)
        elif name:
            write(folder / name, code)
            forget("sv")
        elif kind == "python":
            lines = run(code, namespace)
        elif kind == "text":
            assert [line.rstrip() for line in code.splitlines()] == lines
            n_checked += 1
    assert n_checked == TEXT.count("```text") - 1
    config = configparser.ConfigParser()
    config.read(folder / "setup.cfg", encoding="utf8")
    for group, points in config["options.entry_points"].items():
        assert group in ("spacy_coref_languages", "spacy_coref_rules")
        for point in points.strip().splitlines():
            name, value = map(str.strip, point.split("="))
            assert name in NAMES and EntryPoint(name, value, group).load()


def test_fields_of_the_lexicon():
    known = set(Lexicon.__dataclass_fields__)
    begin, end = TEXT.index("| field |"), TEXT.index("after the pronouns")
    cells = re.findall(r"^\| (`.*?) \|", TEXT[begin:end], re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", " ".join(cells)))
    assert len(named) > 20 and named <= known
