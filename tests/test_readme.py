"""Every block of the README is run, from top to bottom, in an empty folder."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from .conftest import run_python

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text("utf8"), re.M | re.S)
# What sets up the environment that this runs in.
SET_UP = {"pip install ."}


def test_every_block_has_a_language_that_is_run():
    assert {language for language, _ in BLOCKS} == {"python", "bash"}


def test_readme(tmp_path, monkeypatch):
    shutil.copytree(README.parent / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, code in BLOCKS:
        if language == "python":
            exec(compile(code, "README.md", "exec"), names)
            continue
        for command in code.strip().splitlines():
            if command not in SET_UP:
                program, *args = shlex.split(command, comments=True)
                assert program == "python"
                run_python(args=args)


@pytest.mark.parametrize("path", sorted((README.parent / "configs").glob("*.cfg")))
def test_configs_are_complete(path, tmp_path):
    run_python(args=["-m", "spacy", "assemble", str(path), str(tmp_path / "pipeline")])
    code = f"""
        import spacy
        doc = spacy.load({str(tmp_path / "pipeline")!r})("Ann said she left.")
        assert doc._.coref_clusters == [[(0, 3), (9, 12)]]
    """
    run_python(code)
