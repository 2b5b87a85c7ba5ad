"""The documentation names what there is, and links to files that exist."""

import json
import re
from pathlib import Path

import pytest
import spacy

import spacy_fastcoref
from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.pipeline.fastcoref import make_fastcoref  # noqa: F401 (registers)
from spacy_fastcoref.tokens.extensions import GETTERS, VALUES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
API = (ROOT / "docs" / "api.md").read_text("utf8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links(path):
    text = path.read_text("utf8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (path.parent / target).is_file(), target
    for name in re.findall(r"configs/\w+\.cfg|benchmarks/\w+\.py", text):
        assert (ROOT / name).is_file(), name


def test_api_has_registered_names():
    path = Path(__file__).parent / "registry_contents.json"
    contents = json.loads(path.read_text("utf8"))
    missing = {name for names in contents.values() for name in names}
    assert not {name for name in missing if f"`{name}`" not in API}


def test_api_has_settings():
    settings = spacy.blank("en").get_factory_meta("fastcoref").default_config
    assert not {name for name in settings if f"| `{name}` |" not in API}


def test_api_has_extension_attributes():
    names = {f"{o.__name__}._.{n}" for o, getters in GETTERS.items() for n in getters}
    names |= {f"Doc._.{name}" for name in VALUES}
    assert set(re.findall(r"\| `(\w+\._\.\w+)` \|", API)) == names


def test_api_has_public_names_and_commands():
    for name in spacy_fastcoref.__all__:
        assert name == "__version__" or re.search(rf"`{name}\b", API), name
    for command in coref_cli.registered_commands:
        assert re.search(rf"\| `{command.name}[ `]", API), command.name


def test_training_has_every_config():
    text = (ROOT / "docs" / "training.md").read_text("utf8")
    assert not {p.name for p in (ROOT / "configs").glob("*.cfg") if p.name not in text}


def test_pages_stay_short():
    lines = (ROOT / "docs" / "results.md").read_text("utf8").splitlines()
    assert len(lines) < 200
    assert len((ROOT / "README.md").read_text("utf8").splitlines()) < 250
