"""Entity types: the head, and what they add to the score of a pair."""

import numpy as np
import pytest
import torch

from spacy_fastcoref.models.blocks import describe_block, make_block
from spacy_fastcoref.models.scorers.heads import TypeHeadBlock
from spacy_fastcoref.models.scorers.wrappers import TypeScorerBlock

from ...conftest import TEXT, make_config, make_network, make_nlp

TYPES = ["person", "place"]
HEAD = TypeHeadBlock(hidden_size=8, types=TYPES, dropout=0.0)


def make_changes(head=HEAD):
    inner = make_block(make_config()["antecedent_scorer"], "a test")
    scorer = describe_block(TypeScorerBlock(inner, n_types=2))
    return {"antecedent_scorer": scorer, "mention_types": describe_block(head)}


def make_typed_network():
    network = make_network(**make_changes())
    torch.manual_seed(0)
    torch.nn.init.normal_(network.mention_types.score.weight)
    return network


def test_links_have_types(tmp_path):
    network = make_typed_network()
    nlp = make_nlp(tmp_path, network, **make_changes())
    pipe = nlp.get_pipe("fastcoref")
    docs = [nlp.make_doc(text) for text in (TEXT, "", "She left.")]
    links = pipe.predict(docs)
    assert [len(one.types) for one in links] == [len(one) for one in links]
    assert set(links[0].types) <= {"", *TYPES} and len(set(links[0].types)) > 1
    # Whatever else is in the batch.
    (alone,) = pipe.predict([docs[2]])
    assert np.array_equal(alone.types, links[2].types)
    assert make_network().eval().mention_types is None


def test_pair_scores_depend_on_types(tmp_path):
    network = make_typed_network()
    nlp = make_nlp(tmp_path / "plain", network, **make_changes())
    (before,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(TEXT)])
    torch.nn.init.normal_(network.antecedent_scorer.table)
    nlp = make_nlp(tmp_path / "typed", network, **make_changes())
    (after,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(TEXT)])
    assert np.array_equal(before.mentions, after.mentions)
    is_link = np.isfinite(after.scores) & np.isfinite(before.scores)
    assert np.abs(before.scores[is_link] - after.scores[is_link]).max() > 0.1


def test_head_and_scorer_know_the_same_types():
    changes = make_changes(TypeHeadBlock(hidden_size=8, types=["person"]))
    with pytest.raises(ValueError, match=r"FC076.*'n_types' is 2"):
        make_network(**changes)
    del changes["mention_types"]
    with pytest.raises(ValueError, match=r"FC076.*to be 0"):
        make_network(**changes)
