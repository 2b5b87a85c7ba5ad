import gc
import json
import weakref

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref import from_docs, get_clusters, resolve_text, set_clusters
from spacy_fastcoref.extensions import set_extensions
from spacy_fastcoref.types import Cluster

WORDS = "Alice Walker met Tom . She likes him . His dog likes her .".split()


@pytest.fixture
def doc(en_vocab):
    doc = Doc(en_vocab, words=WORDS)
    alice = Cluster(
        [(0, 2), (5, 6), (12, 13)], [-1, 0, 1], [0, 2.5, 4], [0.9, 0.8, 0.7]
    )
    set_clusters(doc, [alice, [(3, 4), (7, 8), (9, 10)]])
    return doc


def test_fastcoref_view(doc):
    assert doc._.coref_clusters == [
        [(0, 12), (23, 26), (53, 56)],
        [(17, 20), (33, 36), (39, 42)],
    ]
    for cluster in doc._.coref_clusters:
        for start, end in cluster:
            assert doc.char_span(start, end).text == doc.text[start:end]


def test_neuralcoref_view(doc):
    assert doc._.has_coref
    she = doc[5:6]
    cluster = she._.coref_cluster
    assert she._.is_coref and not doc[5:7]._.is_coref and not doc[6:7]._.is_coref
    assert doc[6:7]._.coref_cluster is None and doc[6:7]._.coref_scores == {}
    assert (cluster.i, cluster.main.text, len(cluster)) == (0, "Alice Walker", 3)
    assert [mention.text for mention in cluster] == ["Alice Walker", "She", "her"]
    assert cluster[1] == she and cluster.mentions == list(cluster)
    assert doc[0]._.in_coref and doc[1]._.in_coref and not doc[2]._.in_coref
    assert doc[1]._.coref_clusters == [cluster] and doc[2]._.coref_clusters == []
    assert repr(cluster) == "Alice Walker: ['Alice Walker', 'She', 'her']"


def test_scores(doc):
    assert doc._.coref_scores == {
        doc[5:6]: {doc[0:2]: 2.5},
        doc[12:13]: {doc[5:6]: 4.0},
    }
    assert doc[5:6]._.coref_scores == {doc[0:2]: 2.5}
    assert doc[7:8]._.coref_scores == {}


def test_coreferee_view(doc, capsys):
    chains = doc._.coref_chains
    assert len(chains) == 2 and chains[1].index == 1
    assert repr(chains) == "[0: [1], [5], [12], 1: [3], [7], [9]]"
    assert (
        chains.pretty_representation
        == "0: Walker(1), She(5), her(12); 1: Tom(3), him(7), His(9)"
    )
    chains.print()
    assert (
        capsys.readouterr().out
        == "0: Walker(1), She(5), her(12)\n1: Tom(3), him(7), His(9)\n"
    )
    assert [list(mention) for mention in chains[0]] == [[1], [5], [12]]
    assert chains[0].most_specific_mention_index == 0
    assert chains[0][1].span.text == "She" and chains[0][1].root_index == 5
    assert chains[0][0].pretty_representation == "Walker(1)"
    assert [chain.index for chain in doc[12]._.coref_chains] == [0]
    # "Alice" is in the mention, but does not head it.
    assert len(doc[0]._.coref_chains) == 0


def test_chains_and_mentions_are_comparable(doc):
    """Compare by value, since each access creates new objects."""
    chains, others = doc._.coref_chains, doc[12]._.coref_chains
    assert chains[0] == others[0] != chains[1] and others[0] in chains
    assert len({chain for token in doc for chain in token._.coref_chains}) == 2
    assert chains[0][1] == others[0][1] != chains[0][2] and others[0][1] in chains[0]
    assert {mention: chain.index for chain in chains for mention in chain}[
        others[0][2]
    ] == 0
    again = doc.copy()._.coref_chains
    assert again[0] != chains[0] and again[0][0] != chains[0][0]
    assert chains[0] != chains[0][0] and chains[0][0] != [1]


def test_new_cluster_of_the_same_number_is_not_equal(doc):
    cluster, chain = get_clusters(doc)[0], doc._.coref_chains[0]
    set_clusters(doc, [[(3, 4), (7, 8)]])
    assert cluster != get_clusters(doc)[0] and chain != doc._.coref_chains[0]
    set_clusters(doc, [list(cluster)])
    assert cluster == get_clusters(doc)[0] and chain == doc._.coref_chains[0]


def test_slices_are_lists(doc):
    cluster, chain = get_clusters(doc)[0], doc._.coref_chains[0]
    assert cluster[1:] == [doc[5:6], doc[12:13]] and cluster[:0] == []
    assert chain[::2] == [chain[0], chain[2]] and chain[-1:] == [chain[-1]]
    assert doc._.coref_chains[:1] == [chain]


def test_resolve(doc):
    chains = doc._.coref_chains
    assert chains.resolve(doc[9]) == [doc[3]]
    assert chains.resolve(9) == [doc[3]]
    assert chains.resolve(doc[3]) is None and chains.resolve(doc[2]) is None


def test_resolve_through_coordinations(en_vocab):
    # Coreferee's example, as a parser analyses it.
    words = "Peter slept . He and his wife left . They flew .".split()
    heads = [1, 1, 1, 7, 3, 6, 3, 7, 7, 10, 10, 10]
    deps = "nsubj ROOT punct nsubj cc poss conj ROOT punct nsubj ROOT punct".split()
    doc = Doc(en_vocab, words=words, heads=heads, deps=deps)
    set_clusters(doc, [[(0, 1), (3, 4), (5, 6)], [(3, 7), (9, 10)]])
    chains = doc._.coref_chains
    assert [mention.token_indexes for mention in chains[1]] == [[3, 6], [9]]
    assert chains[1].pretty_representation == "1: [He(3); wife(6)], They(9)"
    assert [token.text for token in chains.resolve(doc[9])] == ["Peter", "wife"]
    assert [chain.index for chain in doc[3]._.coref_chains] == [0, 1]
    # The coordination is most specific for "they", not for "wife" herself.
    assert chains.resolve(doc[6]) is None


def test_resolve_ends_on_cycles(en_vocab):
    doc = Doc(en_vocab, words=["he", "she", "he", "she"])
    set_clusters(doc, [[(0, 1), (3, 4)], [(1, 2), (2, 3)]])
    assert doc._.coref_chains.resolve(3) == [doc[0]]


def test_groups_without_attrs_and_out_of_order(en_vocab):
    doc = Doc(en_vocab, words=WORDS)
    doc.spans["coref_clusters_2"] = [doc[9:10], doc[3:4]]
    doc.spans["coref_clusters_10"] = [doc[5:6], doc[12:13]]
    assert [c.index for c in doc._.coref_chains] == [0, 1]
    assert (
        doc._.coref_chains.pretty_representation
        == "0: Tom(3), His(9); 1: She(5), her(12)"
    )
    assert doc._.coref_scores == {}


def replace_under_its_name(doc):
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[12:13]]


def replace_by_as_many(doc):
    del doc.spans["coref_clusters_1"]
    doc.spans["coref_clusters_3"] = [doc[0:2], doc[12:13]]


def replace_a_mention(doc):
    doc.spans["coref_clusters_1"][1] = doc[10:11]


def append_a_mention(doc):
    doc.spans["coref_clusters_1"].append(doc[10:11])


def change_what_is_known_of_mentions(doc):
    doc.spans["coref_clusters_1"].attrs["scores"][1] = -1.0


READERS = {
    "coref_clusters": lambda doc: doc._.coref_clusters,
    "coref_chains": lambda doc: repr(doc._.coref_chains),
    "coref_scores": lambda doc: {
        (str(one), str(other), score)
        for one, links in doc._.coref_scores.items()
        for other, score in links.items()
    },
    "resolved_text": lambda doc: doc._.resolved_text,
    "resolve_text": resolve_text,
    "get_clusters": lambda doc: [(*map(str, c), *c.scores) for c in get_clusters(doc)],
    "from_docs": lambda doc: from_docs([doc])._.coref_clusters,
}


@pytest.mark.parametrize(
    "change",
    [
        replace_under_its_name,
        replace_by_as_many,
        replace_a_mention,
        append_a_mention,
        change_what_is_known_of_mentions,
    ],
)
@pytest.mark.parametrize("name", READERS)
def test_views_of_a_doc_detect_changes_in_place(doc, name, change):
    read = READERS[name]
    before = read(doc)
    change(doc)
    found = read(doc)
    # Of one that no view was read of.
    assert found == read(Doc(doc.vocab).from_bytes(doc.to_bytes()))
    # Those of tokens and spans are no others from now on.
    if name != "from_docs" and change is replace_under_its_name:
        assert not doc[5]._.in_coref and not doc[5:6]._.is_coref
    if name == "coref_clusters" and change is not change_what_is_known_of_mentions:
        assert found != before


def test_heads_of_mentions_replaced_in_place(en_vocab):
    words = "The lawyer met Tom . He left and Ann saw him .".split()
    doc = Doc(en_vocab, words=words)
    set_clusters(doc, [[(3, 4), (5, 6), (10, 11)]])
    group = doc.spans["coref_clusters_1"]
    group[0] = doc[0:2]
    chains = doc._.coref_chains
    assert chains.pretty_representation == "0: lawyer(1), He(5), him(10)"
    assert len(doc[1]._.coref_chains) == 1 and not len(doc[3]._.coref_chains)
    # Those that were told stay.
    group.attrs["heads"] = [[0], [5], [10]]
    chains = doc._.coref_chains
    assert chains.pretty_representation == "0: The(0), He(5), him(10)"


def test_no_clusters(en_vocab):
    for doc in (Doc(en_vocab), Doc(en_vocab, words=["Nothing", "here"])):
        assert doc._.has_coref is False and doc._.coref_clusters == []
        assert len(doc._.coref_chains) == 0 and doc._.resolved_text == doc.text
        assert doc._.coref_scores == {}


def test_clusters_can_be_set_as_character_offsets(doc):
    other = doc.copy()
    other._.coref_clusters = doc._.coref_clusters[:1]
    assert other._.coref_clusters == doc._.coref_clusters[:1]
    assert list(other.spans) == ["coref_clusters_1"]
    with pytest.raises(ValueError, match="FC026.*0, 11"):
        other._.coref_clusters = [[(0, 11), (23, 26)]]
    assert len(other._.coref_clusters) == 1


@pytest.mark.parametrize(
    "mention", [None, "Alice", "Al", (0, 5, 1), (0,), (0, 2**40), ("a", "b"), 3]
)
def test_invalid_character_offsets(doc, mention):
    before = doc._.coref_clusters
    for other in (mention, doc[0:2], doc[0:1], doc[0]):
        with pytest.raises(ValueError, match="FC026.* are not the character offsets"):
            doc._.coref_clusters = [[(0, 12), other]]
    assert doc._.coref_clusters == before


def test_views_survive_json(doc):
    names = ["coref_clusters", "resolved_text", "coref_resolved", "has_coref"]
    same = ["coref_clusters", "has_coref"]
    data = json.loads(json.dumps(doc.to_json(underscore=names)))
    back = Doc(doc.vocab).from_json(data)
    assert all(back._.get(name) == doc._.get(name) for name in same)
    data["_"]["coref_clusters"], data["_"]["has_coref"] = [], True
    with pytest.raises(AttributeError, match="FC027.*has_coref"):
        Doc(doc.vocab).from_json(data)
    with pytest.raises(AttributeError, match="FC027.*coref_resolved"):
        doc._.coref_resolved = np.zeros(2)


@pytest.mark.parametrize("name", ["resolved_text", "coref_chains", "has_coref"])
def test_read_only_views(doc, name):
    with pytest.raises(AttributeError, match=f"FC027.*{name}"):
        setattr(doc._, name, "anything")
    with pytest.raises(AttributeError, match="FC027.*coref_cluster"):
        doc[0:2]._.coref_cluster = None


def test_other_extensions_are_kept_until_there_is_a_component(en_vocab):
    before = Doc.get_extension("coref_scores")
    Doc.set_extension("coref_scores", default=np.zeros(2), force=True)
    try:
        set_extensions()
        doc = Doc(en_vocab, words=["Ann"])
        doc._.coref_scores = [1, 2]
        assert doc._.coref_scores == [1, 2]
        with pytest.warns(UserWarning, match=r"FCW05.*Doc\._\.coref_scores\."):
            set_extensions(replaces=True)
        assert doc._.coref_scores == {}
    finally:
        set_extensions(replaces=True)
    assert Doc.get_extension("coref_scores")[2] is before[2]


def test_docs_are_not_kept_alive(doc):
    doc = doc.copy()
    assert doc._.coref_clusters and doc[0]._.in_coref
    ref = weakref.ref(doc)
    del doc
    gc.collect()
    assert ref() is None
