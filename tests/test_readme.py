"""Every block of the README is run, from top to bottom, in an empty folder."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import spacy
from spacy import registry, util
from thinc.api import Optimizer

from .conftest import blank, run_spacy

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text("utf8"), re.M | re.S)


def test_readme(tmp_path, monkeypatch):
    shutil.copytree(README.parent / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, code in BLOCKS:
        if "--engine ray" in code:
            continue
        if language == "python":
            exec(compile(code, "README.md", "exec"), names)
            continue
        assert language == "bash"
        for command in code.strip().splitlines():
            if command != "pip install .":
                python, option, module, *args = shlex.split(command, comments=True)
                assert [python, option, module] == ["python", "-m", "spacy"]
                run_spacy(*args)


@pytest.mark.slow
def test_what_needs_a_cluster(tmp_path, monkeypatch, cluster):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.jsonl").write_text('{"text": "Ann said she left."}\n')
    (command,) = (code for _, code in BLOCKS if "--engine ray" in code)
    assert "1 rows in annotated" in run_spacy(*shlex.split(command)[3:])


def test_pretrained_config(tmp_path):
    """It is what add_pipe makes, with every setting."""
    path = README.parent / "configs" / "en_pretrained.cfg"
    nlp = blank("en")
    nlp.add_pipe("fastcoref")
    components = nlp.config["components"]
    assert util.load_config(path)["components"] == components
    run_spacy("assemble", path, tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.config["components"] == components
    doc = again("Ann said she left.")
    assert doc._.coref_clusters == [[(0, 3), (9, 12)]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", sorted((README.parent / "configs").glob("*.cfg")), ids=lambda p: p.stem
)
def test_configs_name_what_is_there(path):
    """Every block of every config resolves, without its files."""
    config = util.load_config(path)
    if "transformer" in config["components"]:
        pytest.importorskip("spacy_transformers")
    nlp = util.load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names[-1] == "fastcoref"
    if "corpora" in config:
        registry.resolve(config.interpolate()["corpora"])
    # Initialized in Python, as `spacy debug data` does: the variables of the optimizer
    # are interpolated. Only the tokenizer, whatever is to be trained.
    config["nlp"]["pipeline"], config["components"] = [], {}
    nlp = util.load_model_from_config(config, auto_fill=True)
    assert isinstance(nlp.initialize(), Optimizer)
    assert "${" not in str(nlp.config["training"]["optimizer"])
