import pytest

from spacy_fastcoref.tokens.groups import find_groups, read_group

KEYS = [
    "coref_seeds_1",
    "coref_apart",
    "coref_mentions",
    "coref_masked",
    "speakers",
]


def test_groups_of_a_name(tiny_nlp):
    doc = tiny_nlp.make_doc("Ann left")
    for key in ("coref_seeds_b", "coref_seedless", "coref_seeds", "coref_seeds_a"):
        doc.spans[key] = [doc[0:1]]
    found = find_groups(doc, "coref_seeds")
    assert found == ["coref_seeds", "coref_seeds_a", "coref_seeds_b"]
    assert read_group(doc, "coref_seeds") == [doc[0:1]]
    assert read_group(doc, "speakers") == []


@pytest.mark.parametrize("key", KEYS)
def test_groups_that_were_made_before_retokenising(tiny_nlp, key):
    doc = tiny_nlp.make_doc("Alice Walker met Tom Lee")
    doc.spans[key] = [doc[0:2], doc[3:5]]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    says = rf"FC110.*doc\.spans\['{key}'\] has a span past the Doc's 4 tokens"
    with pytest.raises(ValueError, match=says):
        tiny_nlp(doc)


def test_clusters_that_were_made_before_retokenising(tiny_nlp):
    doc = tiny_nlp.make_doc("Alice Walker left")
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[2:3]]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(ValueError, match="FC110.*'coref_clusters_1'"):
        assert doc._.coref_clusters
    assert tiny_nlp(doc) is doc
