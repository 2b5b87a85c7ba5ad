"""Whatever is put into a cluster comes out of everything that stores or copies it."""

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_fastcoref import from_docs, set_clusters
from spacy_fastcoref.clusters.index import check_index
from spacy_fastcoref.types import CLUSTER_ATTRS, Cluster

VOCAB = Vocab()
N_TOKENS = 12
SPANS = [(i, j) for i in range(N_TOKENS) for j in range(i + 1, N_TOKENS + 1)]


def make_doc():
    return Doc(VOCAB, words=[f"w{i}" for i in range(N_TOKENS)])


@st.composite
def lists_of_clusters(draw):
    """Draw clusters with all that one can hold, in the order of a Doc."""
    spans = draw(st.lists(st.sampled_from(SPANS), max_size=8, unique=True))
    groups = {}
    for span in sorted(spans):
        groups.setdefault(draw(st.integers(0, 2)), []).append(span)
    known = draw(st.sets(st.sampled_from([*CLUSTER_ATTRS, "number"])))
    # One number at most is as large as in a conversation.
    numbers = sorted(draw(st.sets(st.integers(1, 99), min_size=3, max_size=3)))
    clusters = []
    for number, mentions in zip(numbers, groups.values(), strict=False):
        values = {
            "antecedents": st.tuples(
                *(st.integers(-1, i - 1) for i in range(len(mentions)))
            ).map(list),
            "scores": _list(st.floats(-99, 99), mentions),
            "probs": _list(st.floats(0, 1), mentions),
            "candidates": _list(
                st.lists(
                    st.tuples(st.sampled_from(SPANS), st.floats(-99, 99)).map(
                        lambda one: [*one[0], one[1]]
                    ),
                    max_size=2,
                ),
                mentions,
            ),
            "types": _list(st.sampled_from(["", "person", "place"]), mentions),
            "heads": st.tuples(
                *(
                    st.sets(st.integers(start, end - 1), min_size=1).map(sorted)
                    for start, end in mentions
                )
            ).map(list),
        }
        given_lists = {name: draw(values[name]) for name in values if name in known}
        given_lists.setdefault("antecedents", [*range(-1, len(mentions) - 1)])
        clusters.append(Cluster(mentions, **given_lists, number=number))
    return clusters


def _list(values, mentions):
    return st.lists(values, min_size=len(mentions), max_size=len(mentions))


def read(doc):
    return check_index(doc).clusters


def check(found, expected, shift=0):
    """Check that clusters are the same, but for heads where none were given."""
    assert [replace(one, number=None) for one in found] == [
        replace(
            one.move(shift.__add__),
            number=None,
            candidates=[
                [[start + shift, end + shift, score] for start, end, score in scored]
                for scored in one.candidates
            ],
            heads=one.move(shift.__add__).heads or same.heads,
        )
        for one, same in zip(expected, found, strict=True)
    ]


@given(lists_of_clusters(), lists_of_clusters(), st.randoms())
def test_nothing_is_lost(clusters, others, random):
    doc, other = make_doc(), make_doc()
    shuffled = [
        one.select(range(len(one.mentions)))
        for one in random.sample(clusters, len(clusters))
    ]
    set_clusters(doc, shuffled)
    set_clusters(other, others)
    found = read(doc)
    check(found, clusters)
    assert [one.number for one in found] == [one.number for one in clusters]
    copies = [
        next(DocBin(docs=[doc]).get_docs(VOCAB)),
        Doc(VOCAB).from_bytes(doc.to_bytes()),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
    ]
    # What is read from a Doc can be given to another one.
    copies.append(make_doc())
    set_clusters(copies[-1], found)
    for copy in copies:
        assert read(copy) == found
    merged = read(from_docs([doc, other]))
    check(merged[: len(clusters)], found)
    check(merged[len(clusters) :], read(other), N_TOKENS)
    assert [one.number for one in merged] == [*range(1, len(merged) + 1)]
    assert pickle.loads(pickle.dumps(found)) == found


@given(lists_of_clusters(), st.randoms())
def test_mentions_in_any_order(clusters, random):
    """They are sorted, with all that is theirs."""
    doc, shuffled = make_doc(), []
    for cluster in clusters:
        order = random.sample(range(len(cluster.mentions)), len(cluster.mentions))
        lists = {
            name: [getattr(cluster, name)[i] for i in order]
            for name in ("mentions", *CLUSTER_ATTRS)
            if getattr(cluster, name)
        }
        lists["antecedents"] = [
            order.index(i) if i >= 0 else i for i in lists["antecedents"]
        ]
        shuffled.append(Cluster(**lists, number=cluster.number))
    set_clusters(doc, shuffled)
    check(read(doc), clusters)
