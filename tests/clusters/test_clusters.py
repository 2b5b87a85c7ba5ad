import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_fastcoref import set_clusters
from spacy_fastcoref.types import Cluster


def make_doc(n=12):
    return Doc(Vocab(), words=[f"w{i}" for i in range(n)])


def read(doc):
    return {key: [(s.start, s.end) for s in group] for key, group in doc.spans.items()}


@pytest.mark.parametrize(
    "mention, says",
    [
        (None, "None can't be a mention: Doc.char_span returns None"),
        (3, "3 can't be a mention: it is neither a Span nor"),
        ("w0", "'w0' can't be a mention: it is neither a Span nor"),
    ],
)
def test_invalid_mentions(mention, says):
    doc = make_doc()
    set_clusters(doc, [[(0, 1), (2, 3)]])
    before = read(doc)
    with pytest.raises(ValueError, match=f"FC105.*{says}"):
        set_clusters(doc, [[(4, 5), mention]])
    assert read(doc) == before


def test_spans_of_other_docs():
    doc, other = make_doc(), Doc(Vocab(), words=[f"v{i}" for i in range(12)])
    with pytest.raises(ValueError, match="FC105.*v3 can't be .*another Doc"):
        set_clusters(doc, [[doc[0:1], other[3:4]]])
    # A copy has the same tokens, whatever its vocabulary.
    again = make_doc()
    set_clusters(doc, [[doc[0:1], doc.copy()[3:4], again[5:6]]])
    assert read(doc) == {"coref_clusters_1": [(0, 1), (3, 4), (5, 6)]}


def test_replaces_only_clusters():
    doc = make_doc()
    doc.spans["coref_clusters_7"] = [doc[0:1], doc[1:2]]
    doc.spans["coref_clusters_extra"] = [doc[0:1]]
    doc.spans["speakers"] = [doc[0:5]]
    set_clusters(doc, [[(3, 4), (6, 7)]])
    assert set(doc.spans) == {"coref_clusters_1", "coref_clusters_extra", "speakers"}
    set_clusters(doc, [])
    assert set(doc.spans) == {"coref_clusters_extra", "speakers"}


@pytest.mark.parametrize(
    "key",
    ["coref_clusters_007", "coref_clusters_0", "coref_clusters_٣", "coref_clusters_1a"],
)
def test_other_groups_with_a_similar_name_are_kept(key):
    doc = make_doc()
    doc.spans[key] = [doc[0:1], doc[1:2]]
    assert not doc._.has_coref and not doc._.coref_clusters
    set_clusters(doc, [[(3, 4), (6, 7)]])
    assert set(doc.spans) == {"coref_clusters_1", key}


@pytest.mark.parametrize(
    "clusters, says",
    [
        ([[(0, 13), (2, 3)]], r"FC105.*\(0, 13\).*12 tokens"),
        ([[(3, 3), (2, 3)]], r"FC105.*\(3, 3\)"),
        ([[(-1, 3), (2, 3)]], r"FC105.*\(-1, 3\)"),
        ([[(0, 1), (2, 3)], [(2, 3), (4, 5)]], r"FC105.*\(2, 3\)"),
        ([Cluster([(0, 1), (2, 3)], [-1])], "FC210.*1 antecedents for 2"),
        ([Cluster([(0, 1), (2, 3)], scores=[0.0])], "FC210.*1 scores for 2"),
        ([Cluster([(0, 1), (2, 3)], [-1, 1])], r"FC076.*antecedents.1.\' is 1,"),
        ([Cluster([(0, 1), (2, 3)], [-1, 7])], r"FC076.*antecedents.1.\' is 7,"),
        ([Cluster([(0, 1), (2, 3)], [-2, 0])], r"FC076.*antecedents.0.\' is -2,"),
        ([Cluster([(2, 3), (0, 1)], [-1, 0])], r"FC076.*antecedents.1.\' is 0,"),
    ],
)
def test_bad_clusters_change_nothing(clusters, says):
    doc = make_doc()
    set_clusters(doc, [[(0, 1), (5, 6)]])
    before = read(doc)
    with pytest.raises(ValueError, match=says):
        set_clusters(doc, clusters)
    assert read(doc) == before
