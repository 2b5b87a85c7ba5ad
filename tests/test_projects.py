"""A project runs from its data to a package that spaCy loads."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import spacy
from weasel.cli.assets import project_assets
from weasel.cli.run import project_run

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
HERE = Path(__file__).parent


def make_repository(folder, n_novels=10):
    """Make a repository like LitBank's, with copies of the beginning of a novel."""
    novel = (HERE / "formats" / "excerpts" / "litbank.conll").read_text("utf8")
    (folder / "coref" / "conll").mkdir(parents=True)
    for number in range(n_novels):
        path = folder / "coref" / "conll" / f"{number}_novel_brat.conll"
        path.write_text(novel.replace("105_persuasion", f"{number}_novel"), "utf8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for args in (["init", "-b", "master"], ["add", "."], ["commit", "-m", "novels"]):
        subprocess.run([*git, *args], cwd=folder, check=True, capture_output=True)
    return folder


def test_litbank(tmp_path, forked):
    project = tmp_path / "projects" / "litbank"
    shutil.copytree(ROOT / "projects" / "litbank", project)
    (tmp_path / "configs").mkdir()
    shutil.copy(ROOT / "configs" / "en_finetune.cfg", tmp_path / "configs")
    overrides = {
        "vars.repo": str(make_repository(tmp_path / "litbank")),
        "vars.start": str(HERE / "fixtures" / "fcoref_tiny"),
        "vars.max_steps": 2,
        "vars.build": "none",
    }
    project_assets(project, overrides=overrides)
    project_run(project, "all", overrides=overrides)
    lines = {
        path.stem: len(path.read_text("utf8").splitlines())
        for path in (project / "corpus").iterdir()
    }
    assert lines == {"train": 8, "dev": 1, "test": 1}
    scores = json.loads((project / "metrics" / "test.json").read_text("utf8"))
    assert scores["n_documents"] == 1 and scores["n_words"] == 137
    (package,) = (project / "packages").glob("en_litbank_coref-0.1.0/*/en_*-0.1.0")
    assert spacy.load(package).pipe_names == ["fastcoref"]
