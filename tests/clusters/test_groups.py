import warnings

import pytest
from spacy.tokens import Doc

from spacy_fastcoref import from_docs, get_clusters, set_clusters
from spacy_fastcoref.span_groups import read_group

KEYS = [
    "coref_seeds_1",
    "coref_apart",
    "coref_mentions",
    "coref_masked",
    "speakers",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("merged", [(0, 2), (2, 4)])
def test_groups_made_before_retokenising(tiny_nlp, key, merged):
    """Raise an error for offsets past the end of the Doc, and for other words."""
    doc = tiny_nlp.make_doc("Alice Walker met Tom Lee yesterday")
    doc.spans[key] = [doc[0:2], doc[3:5]]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[slice(*merged)])
    says = rf"FC110.*doc\.spans\['{key}'\] are not those of the Doc's 5 tokens"
    with pytest.raises(ValueError, match=says):
        tiny_nlp(doc)


def test_groups_before_the_merged_tokens_are_valid(en_vocab):
    doc = Doc(en_vocab, words="Alice Walker met Tom Lee".split())
    doc.spans["speakers"] = [doc[0:2], doc[2:2]]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
    assert read_group(doc, "speakers") == [doc[0:2], doc[2:2]]


VIEWS = {
    "coref_clusters": lambda doc: doc._.coref_clusters,
    "coref_chains": lambda doc: list(doc._.coref_chains),
    "coref_scores": lambda doc: doc._.coref_scores,
    "has_coref": lambda doc: doc._.has_coref,
    "in_coref": lambda doc: doc[0]._.in_coref,
    "coref_cluster": lambda doc: doc[0:1]._.coref_cluster,
    "get_clusters": get_clusters,
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("reads_before", [False, True])
def test_clusters_made_before_merging_are_ignored(en_vocab, name, reads_before):
    doc = Doc(en_vocab, words="Ann Lee met Tom , and she left him .".split())
    set_clusters(doc, [[(0, 2), (6, 7)], [(3, 4), (8, 9)]])
    if reads_before:
        assert VIEWS[name](doc) or name == "coref_cluster" or name == "coref_scores"
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    back = Doc(en_vocab).from_bytes(doc.to_bytes())
    for one in (doc, back):
        with pytest.warns(UserWarning, match=r"FCW07.*'coref_clusters_1'"):
            assert not VIEWS[name](one)


def test_concatenating_after_merging_is_an_error(en_vocab):
    docs = [Doc(en_vocab, words="Ann Lee met Tom .".split()) for _ in range(2)]
    set_clusters(docs[1], [[(0, 2), (3, 4)]])
    with docs[1].retokenize() as retokenizer:
        retokenizer.merge(docs[1][0:2])
    with pytest.raises(ValueError, match="FC110.*'coref_clusters_1'"):
        from_docs(docs)


def test_tokens_merged_and_split_again(en_vocab):
    """Warn even if the Doc has the same number of tokens as before."""
    doc = Doc(en_vocab, words="New York Tomlee left and he ran".split())
    set_clusters(doc, [[(2, 3), (5, 6)]])
    assert doc._.coref_clusters
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.split(doc[2], ["Tom", "lee"], [doc[3], doc[3]])
    with pytest.warns(UserWarning, match="FCW07"):
        assert not doc._.coref_clusters


def test_the_component_can_run_again_after_merging(tiny_nlp):
    doc = tiny_nlp.make_doc("Alice Walker left")
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[2:3]]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert tiny_nlp(doc) is doc
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        get_clusters(doc)
