"""Test that NeuralCoref's settings are converted, or explained in an error."""

import math

import numpy as np
import pytest
import spacy

from spacy_fastcoref.grammar.features import write_letters

from ..conftest import TEXT, blank, load_model


def make_pipe(tiny_path, **settings):
    nlp = load_model(tiny_path, **settings)
    return nlp, nlp.get_pipe("fastcoref")


@pytest.mark.parametrize(
    "greedyness, threshold",
    [(0.5, 0.0), (0.75, -math.log(3)), (0.25, math.log(3)), (0, 1e6), (1.0, -1e6)],
)
def test_greedyness(tiny_path, greedyness, threshold):
    _, pipe = make_pipe(tiny_path, greedyness=greedyness)
    assert pipe.threshold == pytest.approx(threshold)


def test_max_dist(tiny_path):
    _, pipe = make_pipe(tiny_path, max_dist=50)
    assert pipe.antecedent_window == 50


@pytest.mark.parametrize(
    "settings",
    [{"store_scores": True}, {"store_scores": False}, {"blacklist": False}],
)
def test_settings_without_effect(tiny_path, settings):
    nlp, _ = make_pipe(tiny_path, **settings)
    assert nlp(TEXT)._.coref_scores


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"greedyness": 1.5}, "FC076.*fastcoref.greedyness'.*1.5.*0 to 1"),
        ({"max_dist": 0}, "FC076.*fastcoref.max_dist'.*0"),
        ({"max_dist_match": 500}, "FC123.*max_dist_match=500.*antecedent_cache"),
        ({"blacklist": True}, "FC123.*blacklist=True.*blacklist=false"),
        ({"conv_dict": {"Ann": ["woman"]}, "rules": None}, "FC123.*conv_dict.*pieces"),
        ({"conv_dict": {"Ann": "woman"}}, "FC076.*conv_dict'.*lists of words"),
        ({"conv_dict": {"Ann": ["a woman"]}}, "FC076.*conv_dict'.*lists of words"),
        ({"max_dist_match": 0}, "FC076.*fastcoref.max_dist_match'.*0"),
        (
            {"greedyness": 0.7, "threshold": 1.0},
            "FC123.*greedyness=0.7.*'threshold'.*1.0",
        ),
        ({"max_dist": 5, "antecedent_window": 9}, "FC123.*max_dist=5.*antecedent_win"),
    ],
)
def test_settings_without_counterpart(tiny_path, settings, says):
    with pytest.raises(ValueError, match=says):
        make_pipe(tiny_path, **settings)


def test_converted_settings_are_saved(tiny_path, tmp_path):
    nlp, _ = make_pipe(tiny_path, greedyness=0.75)
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("fastcoref").threshold == -math.log(3)


def test_rare_words_get_the_gender_of_common_ones(tiny_path, tmp_path):
    doc = blank("en").make_doc("Deepika Quux met Zolt . He left .")
    she, he = (0, 2), (3, 4)

    def read(pipe):
        facts = pipe.rules.find("en").read(doc, np.array([she, he, (5, 6)]))
        return [write_letters(mask) for mask in facts.agreement]

    assert read(make_pipe(tiny_path)[1])[:2] == ["mfptgs"] * 2
    words = {"deepika": ["woman", "actress"], "Zolt": ["man", "woman"]}
    nlp, pipe = make_pipe(tiny_path, conv_dict=words)
    assert read(pipe) == ["f", "mf", "m"]
    nlp.to_disk(tmp_path)
    assert read(spacy.load(tmp_path).get_pipe("fastcoref")) == ["f", "mf", "m"]
