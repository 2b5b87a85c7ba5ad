import pytest
from spacy.tokens import Doc

from spacy_fastcoref import from_docs, set_clusters


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
