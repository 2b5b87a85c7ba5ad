import math
from dataclasses import replace

import numpy as np
import pytest
from thinc.api import Model

from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.pipeline.component import FastCoref
from spacy_fastcoref.types import CorefModel, Links, RuleOutput

from ..conftest import TEXT, blank


class OwnModel(Model, CorefModel):
    """Score only pairs that are among the links."""

    def score_pairs(self, doc, pairs):
        return np.full(len(pairs), np.nan)

    def get_loss(self, golds, scores, **weights):
        raise NotImplementedError


@pytest.fixture
def doc(tiny_nlp):
    return tiny_nlp(TEXT)


def test_candidates_of_a_mention(tiny_nlp, doc):
    pipe = tiny_nlp.get_pipe("fastcoref")
    group = next(iter(doc.spans.values()))
    explanation = pipe.explain(doc, group[1])
    assert explanation.mention == group[1]
    chosen = [one.mention for one in explanation.candidates if one.is_chosen]
    assert chosen == [group[group.attrs["antecedents"][1]]]
    scores = [one.score for one in explanation.candidates]
    assert scores == sorted(scores, reverse=True)
    table = str(explanation)
    for one in explanation.candidates:
        assert one.mention.text[:40] in table and f"{one.score:.2f}" in table


def test_explain_pair(tiny_nlp, doc):
    """Explain any pair of spans, in any order, whether they are mentions or not."""
    pipe = tiny_nlp.get_pipe("fastcoref")
    explanation = pipe.explain(doc, (0, 1), doc[4:6])
    (candidate,) = explanation.candidates
    assert explanation.mention == doc[4:6] and candidate.mention == doc[0:1]
    assert math.isfinite(candidate.score) and not candidate.is_chosen
    same = pipe.explain(doc, doc[4:6], doc[0:1]).candidates[0]
    assert same.score == candidate.score


def test_reasons_of_rules(tiny_nlp):
    doc = tiny_nlp("The woman met him .")
    explanation = tiny_nlp.get_pipe("fastcoref").explain(doc, (3, 4), (0, 2))
    (candidate,) = explanation.candidates
    assert candidate.verdict == "forbidden" and candidate.rules[0] == "gender"
    assert candidate.reasons[0] == "one is a man, the other a woman"


def test_part_of_a_name():
    """Explain links to a part of a name as links to the whole name."""
    nlp = blank("en")
    doc = nlp("David Cameron left. He smiled.")
    links = Links(
        np.array([(0, 2), (1, 2), (4, 5)], dtype=np.int32),
        np.array([1.0, 0.0, 1.0], dtype=np.float32),
        np.array([[-1, -1], [-1, -1], [1, 0]], dtype=np.int32),
        np.array([[-np.inf, -np.inf], [-np.inf, -np.inf], [3.0, 1.0]]),
        np.array([0.0, 0.0, 3.2]),
    )
    own = OwnModel("own", lambda model, docs, is_train: ([links for _ in docs], None))
    pipe = FastCoref(nlp.vocab, own, rules=EnglishRules())
    (whole,) = pipe.explain(doc, doc[4:5]).candidates
    assert (whole.mention.text, whole.score) == ("David Cameron", 3.0)
    assert whole.is_chosen and not whole.reasons
    (part,) = pipe.explain(doc, doc[4:5], doc[1:2]).candidates
    assert part.rules == ["name_part"] and not part.is_chosen


def test_user_constraints_are_reasons(shipped_nlp):
    pipe = shipped_nlp.get_pipe("fastcoref")
    doc = shipped_nlp.make_doc("Alice met Beth in town. The weather was late.")
    doc.spans["coref_seeds_1"] = [doc[0:1], doc[4:5], doc[6:8]]
    chosen = [one for one in pipe.explain(doc, doc[6:8]).candidates if one.is_chosen]
    assert [one.mention.text for one in chosen] == ["town"]
    assert chosen[0].verdict == "allowed" and chosen[0].rules == ["seeds"]
    assert "coref_seeds" in chosen[0].reasons[0]
    # So are all of the group, by whatever link, and what rules say is still said.
    doc.spans["coref_seeds_1"] = [doc[0:1], doc[4:5], doc[6:8]]
    (alice,) = pipe.explain(doc, doc[6:8], doc[0:1]).candidates
    assert alice.rules[0] == "seeds" and not alice.is_chosen
    doc.spans["coref_seeds_1"] = [doc[2:8], doc[6:8]]
    (whole,) = pipe.explain(doc, doc[6:8], doc[2:8]).candidates
    assert whole.is_chosen and whole.verdict == "allowed"
    assert whole.rules[:2] == ["seeds", "within"]
    doc = shipped_nlp.make_doc("Alice met Beth in town. She was late.")
    doc.spans["coref_apart_1"] = [doc[0:1], doc[6:7]]
    (alice,) = pipe.explain(doc, doc[6:7], doc[0:1]).candidates
    assert alice.verdict == "forbidden" and alice.rules == ["apart"]
    assert "coref_apart" in alice.reasons[0] and not alice.is_chosen


def test_speaker_is_a_reason(shipped_nlp):
    """Explain a must-link to the speaker."""
    pipe = shipped_nlp.get_pipe("fastcoref")
    doc = shipped_nlp('Emma met Anna. "I am tired," said Emma.')
    i = doc[5:6]
    assert [doc[0:1].text, i.text, "Emma"] in [
        [doc.text[start:end] for start, end in cluster]
        for cluster in doc._.coref_clusters
    ]
    candidates = {one.mention.text: one for one in pipe.explain(doc, i).candidates}
    assert candidates["Emma"].is_chosen and candidates["Emma"].rules == ["must_link"]


def test_rules_that_give_no_reasons(tiny_nlp, doc):
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.rules = lambda doc, links: RuleOutput(np.full(links.scores.shape, 1))
    group = next(iter(doc.spans.values()))
    found = pipe.explain(doc, group[1]).candidates
    assert {one.verdict for one in found} == {"doubtful"}
    assert all(one.reasons == [] for one in found)
    pipe.rules = None
    found = pipe.explain(doc, group[1]).candidates
    assert {one.verdict for one in found} == {"allowed"}


def test_a_model_that_cannot_score_any_pair(tiny_nlp, doc):
    pipe = tiny_nlp.get_pipe("fastcoref")
    (links,) = pipe.predict([doc])
    row = int(np.argmax(links.antecedents[:, 0] > 0))
    later, other = (doc[slice(*links.mentions[i])] for i in (row, 0))
    few = replace(
        links, antecedents=links.antecedents[:, :1], scores=links.scores[:, :1]
    )

    own = OwnModel("own", lambda model, docs, is_train: ([few for _ in docs], None))
    pipe = FastCoref(tiny_nlp.vocab, own, rules=None)
    (candidate,) = pipe.explain(doc, later, other).candidates
    assert math.isnan(candidate.score) and not candidate.is_chosen


def test_contradiction_within_a_cluster(tiny_nlp):
    """Explain a contradiction within the cluster where no rule forbids the link."""
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.rules = None
    doc = tiny_nlp(TEXT)
    group = next(iter(doc.spans.values()))
    pair = [(group[i].start, group[i].end) for i in (0, 1)]

    def keep_apart(doc, links):
        rows = [[links.rows[offsets] for offsets in pair]]
        verdicts = np.full(links.scores.shape, 2)
        return RuleOutput(verdicts, conflicts=np.array(rows))

    (before,) = (one for one in pipe.explain(doc, pair[1]).candidates if one.is_chosen)
    assert before.mention == doc[slice(*pair[0])] and not before.rules
    pipe.rules = keep_apart
    for asked in (None, pair[0]):
        found = {
            (one.mention.start, one.mention.end): one
            for one in pipe.explain(doc, pair[1], asked).candidates
        }
        assert not found[pair[0]].is_chosen and found[pair[0]].verdict == "allowed"
        assert found[pair[0]].rules == ["cluster"]
        assert all(not one.rules for pos, one in found.items() if pos != pair[0])


def read(explanation):
    return explanation.mention, [
        (one.mention, one.verdict, one.rules, one.reasons, one.is_chosen)
        for one in explanation.candidates
    ]


def test_all_mentions_at_once(tiny_nlp):
    """The model and the rules say what they say of each alone."""
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.rules = EnglishRules()
    doc = tiny_nlp.make_doc(f"{TEXT} \n She met him.")
    (blank,) = (token.i for token in doc if token.is_space)
    doc.spans["coref_seeds_1"] = [doc[0:2], doc[8:9], doc[blank : blank + 1]]
    doc.spans["coref_apart_1"] = [doc[0:2], doc[10:12]]
    whole = pipe.explain_all(doc)
    mentions = [one.mention for one in whole]
    assert len(mentions) > 10 and doc[blank : blank + 1] in mentions
    for one in whole:
        alone = pipe.explain(doc, one.mention)
        assert read(one) == read(alone)
        scores = [candidate.score for candidate in one.candidates]
        expected = [candidate.score for candidate in alone.candidates]
        assert scores == pytest.approx(expected, abs=1e-4, nan_ok=True)
    some = [mentions[5], mentions[2], (0, 7)]
    found = pipe.explain_all(doc, some)
    assert [one.mention for one in found] == [*some[:2], doc[0:7]]
    assert list(map(read, found[:2])) == [read(whole[5]), read(whole[2])]
    assert pipe.explain_all(doc, []) == []
    assert pipe.explain_all(tiny_nlp.make_doc("")) == []
    with pytest.raises(ValueError, match="FC044"):
        pipe.explain_all(doc, [mentions[0], (3, 3)])


def test_a_mention_of_white_space(tiny_nlp):
    """The model cannot score it, and still it is in a cluster if the user says so."""
    doc = tiny_nlp.make_doc("She \n ran.")
    doc.spans["coref_seeds_1"] = [doc[0:1], doc[1:2]]
    explanation = tiny_nlp.get_pipe("fastcoref").explain(doc, doc[1:2])
    (candidate,) = explanation.candidates
    assert math.isnan(candidate.score) and candidate.is_chosen
    assert candidate.rules[0] == "seeds" and "nan" in str(explanation)


def test_invalid_mentions(tiny_nlp, doc):
    explain = tiny_nlp.get_pipe("fastcoref").explain
    outside = (3, 3), (-1, 2), (0, len(doc) + 1), tiny_nlp(TEXT)[0:1]
    for mention in (*outside, None, (0,), (0, 1, 2), doc[0], doc, "ab", 3):
        with pytest.raises(ValueError, match="FC044"):
            explain(doc, mention)
    with pytest.raises(ValueError, match="FC044"):
        explain(doc, (0, 1), doc[0:1])


def test_document_of_one_mention(tiny_nlp):
    doc = tiny_nlp("Hello")
    explanation = tiny_nlp.get_pipe("fastcoref").explain(doc, doc[0:1])
    assert explanation.candidates == [] and "no candidates" in str(explanation)
