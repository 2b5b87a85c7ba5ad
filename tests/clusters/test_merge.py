import pytest
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import from_docs, set_clusters
from spacy_fastcoref.types import Cluster


def test_clusters_are_renumbered(en_vocab):
    one = Doc(en_vocab, words=["Ann", "said", "she", "left", "."])
    set_clusters(one, [Cluster([(0, 1), (2, 3)], [-1, 0], [0, 1.5], [0.9, 0.8])])
    none = Doc(en_vocab, words=["Nothing", "."])
    two = Doc(en_vocab, words="He and Tom : he is Tom , and him".split())
    set_clusters(two, [[(0, 1), (8, 9)], [(2, 3), (4, 5), (6, 7)]])
    merged = from_docs([one, none, two])
    assert [[span.text for span in group] for group in merged.spans.values()] == [
        ["Ann", "she"],
        ["He", "and"],
        ["Tom", "he", "Tom"],
    ]
    assert list(merged.spans) == [f"coref_clusters_{i}" for i in (1, 2, 3)]
    assert merged.spans["coref_clusters_1"].attrs["scores"] == [0, 1.5]
    assert merged.spans["coref_clusters_3"].attrs["heads"] == [[9], [11], [13]]
    assert "scores" not in merged.spans["coref_clusters_3"].attrs


def test_what_doc_from_docs_merges_is_noticed(en_vocab):
    """By any view, after serialisation too; until clusters are stored again."""
    doc = Doc(en_vocab, words=["Ann", "said", "she"])
    set_clusters(doc, [[(0, 1), (2, 3)]])
    none = Doc(en_vocab, words=["Nothing", "."])
    merged = Doc(en_vocab).from_bytes(Doc.from_docs([doc, none, doc]).to_bytes())
    with pytest.warns(UserWarning, match="FCW37.*2 Docs"):
        assert len(merged._.coref_clusters) == 1
    set_clusters(merged, [[(0, 1), (2, 3)]])
    for good in (doc, merged, from_docs([doc, none, doc]), Doc.from_docs([doc, none])):
        assert good._.has_coref


def test_attrs_are_what_a_file_gives_back(en_vocab):
    """Plain lists, whatever was given."""
    doc = Doc(en_vocab, words=["Ann", "said", "she"])
    scored = Cluster([(0, 1), (2, 3)], candidates=[(), ((0, 1, 2.5),)])
    set_clusters(doc, [scored])
    merged = from_docs([doc, doc])
    for i, one in enumerate((doc, merged, merged), start=0):
        (again,) = DocBin(docs=[one]).get_docs(en_vocab)
        key = f"coref_clusters_{max(i, 1)}"
        shift = 3 if i == 2 else 0
        expected = [[], [[shift, shift + 1, 2.5]]]
        assert one.spans[key].attrs["candidates"] == expected
        assert again.spans[key].attrs == one.spans[key].attrs


def test_constraints_are_renumbered(en_vocab):
    docs = [Doc(en_vocab, words=["Ann", "said", "she", "left"]) for _ in range(2)]
    for doc in docs:
        doc.spans["coref_seeds_a"] = [doc[0:1], doc[2:3]]
    docs[1].spans["coref_apart_x"] = [docs[1][0:1], docs[1][1:2]]
    merged = from_docs(docs)
    found = {key: [span.start for span in group] for key, group in merged.spans.items()}
    assert found == {
        "coref_seeds_1": [0, 2],
        "coref_seeds_2": [4, 6],
        "coref_apart_1": [4, 5],
    }


def test_candidates_are_kept_if_all_docs_have_them(en_vocab):
    docs = [Doc(en_vocab, words=["Ann", "said", "she", "left"]) for _ in range(3)]
    docs[0].spans["coref_mentions"] = [docs[0][0:1], docs[0][2:3]]
    docs[1].spans["coref_mentions"] = [docs[1][0:1]]
    merged = from_docs(docs[:2])
    assert [s.start for s in merged.spans["coref_mentions"]] == [0, 2, 4]
    assert not from_docs(docs).spans and not from_docs(docs[::-1]).spans
    assert "coref_mentions" in docs[0].spans


def test_nothing_to_merge(en_vocab):
    assert from_docs([]) is None
    assert len(from_docs([Doc(en_vocab)])) == 0
