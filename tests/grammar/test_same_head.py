"""Test that the most likely of the mentions with one head gets the links of all."""

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.decoding.constraints import read_constraints
from spacy_fastcoref.grammar.rules import DISABLED
from spacy_fastcoref.languages.en.rules import EnglishRules

from ..conftest import blank
from ..languages.read import read_brackets
from .links import decode, link_all

NLP = blank("en")
RULES = EnglishRules(DISABLED)


def judge(text, rules=RULES, likely=(), **scores):
    """Judge bracketed mentions, linked as scores say: _2_0=1.0 for the third and first.

    Of the mentions in likely the scores are 1, of others 0.
    """
    words, mentions = read_brackets(text)
    links = link_all(np.array(sorted(mentions), dtype=np.int32))
    links.scores[:] = -np.inf
    for pair, score in scores.items():
        later, earlier = map(int, pair[1:].split("_"))
        links.scores[later, links.antecedents[later] == earlier] = score
    links.antecedents[links.scores == -np.inf] = -1
    order = np.argsort(-links.scores, axis=1, kind="stable")
    for name in ("antecedents", "scores"):
        values = np.take_along_axis(getattr(links, name), order, axis=1)
        setattr(links, name, values)
    links.mention_scores[list(likely)] = 1.0
    doc = Doc(NLP.vocab, words=words)
    return links, rules(doc, links), rules.describe(doc, links)


TEXT = "“ It hurts [me] , ” said [the old [Karim]] . [He] laughed ."


@pytest.mark.parametrize("likeliest", [1, 2])
def test_duplicates_leave_their_links_to_the_likeliest(likeliest):
    scores = {"_3_2": 2.0, "_1_0": 1.0}
    links, judged, _ = judge(TEXT, likely=[likeliest], **scores)
    other = 3 - likeliest
    assert judged.duplicate_of.tolist()[other] == likeliest
    (found,) = decode(links, judged, costs=RULES.costs)
    assert found.mentions == [*map(tuple, links.mentions[[0, likeliest, 3]].tolist())]
    off = EnglishRules((*DISABLED, "same_head", "narrator"))
    links, judged, _ = judge(TEXT, off, likely=[likeliest], **scores)
    assert len(decode(links, judged, costs=off.costs)) == 2


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        # What is linked with nothing takes nothing away.
        ("[the old [Karim]] sat . [He] left .", {"_2_1": 1.0}),
        # Another name inside: it may be a clause.
        ("[[Ann] told [Ben]] . [He] left .", {"_3_0": 1.0, "_3_1": 0.5, "_2_0": 2.0}),
        # Another head
        ("[[Ann] 's dog] sat . [It] left .", {"_2_0": 1.0, "_1_0": 1.0}),
        # Two people
        ("[[Ann] and Ben] sat . [They] left .", {"_2_0": 1.0, "_1_0": 1.0}),
    ],
)
def test_mentions_that_are_not_duplicates(text, scores):
    _, judged, _ = judge(text, **scores)
    assert (judged.duplicate_of < 0).all()


@pytest.mark.parametrize("key", ["coref_seeds_1", "coref_apart_1"])
@pytest.mark.parametrize("given", [0, 1])
def test_mentions_of_constraints_are_kept(key, given):
    words = "the old Karim sat . He left . Bob sang .".split()
    doc = Doc(NLP.vocab, words=words)
    links = link_all(np.array([(0, 3), (2, 3), (5, 6), (8, 9)], dtype=np.int32))
    links.scores[:] = -np.inf
    links.scores[2, links.antecedents[2] == 1 - given] = 1.0
    spans = [slice(*links.mentions[given]), slice(8, 9)]
    doc.spans[key] = [doc[span] for span in spans]
    links, constraints = read_constraints(doc, links)
    found = decode(links, RULES(doc, links), constraints, costs=RULES.costs)
    expected = [given, 2, 3] if "seeds" in key else [given, 2]
    assert [c.mentions for c in found] == [
        [*map(tuple, links.mentions[expected].tolist())]
    ]
