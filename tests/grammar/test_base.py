import json
import os
import textwrap

import numpy as np
import pytest

from spacy_fastcoref.grammar.auto import AutoRules
from spacy_fastcoref.grammar.features import ANYTHING
from spacy_fastcoref.grammar.resources import list_languages
from spacy_fastcoref.grammar.rules import PairRule, Rules
from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.types import Links

from ..conftest import blank, run_python

PACKAGE = """
    import spacy
    from spacy_fastcoref.grammar.rules import PairRule
    from spacy_fastcoref.languages.en.rules import EnglishRules


    def is_far(facts, later, earlier):
        return later - earlier > 1


    class NearRules(EnglishRules):
        pair_rules = (PairRule("near", is_far, reason="it is too far away"),)


    @spacy.registry.coref_rules("near_rules.v1")
    def make_rules():
        return NearRules()
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make an installed package with rules."""
    folder = tmp_path / "site"
    info = folder / "near_rules-1.2.dist-info"
    info.mkdir(parents=True)
    (folder / "near_rules.py").write_text(textwrap.dedent(PACKAGE))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: near-rules\n")
    (info / "top_level.txt").write_text("near_rules\n")
    (info / "entry_points.txt").write_text(
        "[spacy_coref_rules]\nnear_rules.v1 = near_rules:make_rules\n"
    )
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: near-rules\nVersion: 1.2\n"
    )
    path = [str(folder), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
    return folder


@pytest.mark.slow
def test_rules_of_another_package(package, tiny_path, tmp_path):
    (tmp_path / "out").mkdir()
    done = run_python(f"""
        import pathlib, spacy
        nlp = spacy.blank("en")
        config = {{"model_path": {str(tiny_path)!r}}}
        config["rules"] = {{"@coref_rules": "near_rules.v1"}}
        pipe = nlp.add_pipe("fastcoref", config=config)
        doc = nlp("Ann saw Ben . She waved . He smiled .")
        found = [
            one
            for group in doc.spans.values()
            for mention in group
            for one in pipe.explain(doc, mention).candidates
        ]
        assert {{one.verdict for one in found if one.is_chosen}} == {{"allowed"}}
        forbidden = [one.reasons for one in found if one.verdict == "forbidden"]
        assert forbidden and all(why == ["it is too far away"] for why in forbidden)
        nlp.to_disk({str(tmp_path / "pipeline")!r})
        from spacy.cli import package
        folders = {str(tmp_path / "pipeline")!r}, {str(tmp_path / "out")!r}
        package(*map(pathlib.Path, folders), name="near", create_sdist=False)
    """)
    assert not done.stderr
    (folder,) = (tmp_path / "out").iterdir()
    requirements = json.loads((folder / "meta.json").read_text())["requirements"]
    assert any(line.startswith("near-rules") for line in requirements)
    assert any(line.startswith("spacy-fastcoref") for line in requirements)


def test_language_without_a_lexicon():
    """Leave unknown features open."""
    nlp = blank("xx")
    facts = Rules().read(nlp("Xyx saw it"), np.array([[0, 1], [2, 3]]))
    assert (facts.agreement == ANYTHING).all() and not facts.is_pronoun.any()


def test_cannot_links_are_local():
    class Everything(EnglishRules):
        pair_rules = (
            PairRule(
                "all", lambda facts, later, earlier: later > 0, is_cluster_wide=True
            ),
        )

    nlp = blank("en")
    doc = nlp(" ".join(["x"] * 100))
    mentions = np.stack([np.arange(100), np.arange(1, 101)], 1)
    links = Links(
        mentions,
        np.zeros(100),
        # Every other one continues the one two places before.
        np.where(np.arange(100) % 2, -1, np.maximum(np.arange(100) - 2, -1))[:, None],
        np.zeros((100, 1)),
        np.zeros(100),
    )
    conflicts = Everything()(doc, links).conflicts
    distances = conflicts[:, 1] - conflicts[:, 0]
    # Those without links are in no cluster, whatever is said of them.
    assert set(conflicts.reshape(-1).tolist()) == set(range(0, 100, 2))
    assert distances.min() == 2 and distances.max() == 24


@pytest.mark.parametrize("lang", list_languages())
def test_each_rule_has_a_reason(lang):
    rules = AutoRules().find(lang)
    assert {rule.name for rule in rules.pair_rules} <= rules.reasons.keys()
