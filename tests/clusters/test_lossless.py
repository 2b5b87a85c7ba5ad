"""Whatever is put into a cluster comes out of everything that stores or copies it."""

import pickle
from dataclasses import replace

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import Conversation, from_docs, set_clusters
from spacy_fastcoref.clusters.index import check_index
from spacy_fastcoref.types import CLUSTER_ATTRS, Cluster, Links

from ..conftest import blank
from ..formats.test_round_trips import read as read_file
from ..formats.test_round_trips import write as write_file

VOCAB = blank("en").vocab
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
            heads=[
                [i + shift for i in own] or other
                for own, other in zip(
                    one.heads or [[]] * len(same.heads), same.heads, strict=True
                )
            ],
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


def continues(cluster):
    """Link each mention to an earlier one, as the decoder does."""
    links = [max(i, 0) for i in cluster.antecedents[1:]]
    return replace(cluster, antecedents=[-1, *links])


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en", vocab=VOCAB)
    model = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
    nlp.add_pipe("fastcoref", config={"model": model})
    nlp.get_pipe("fastcoref").predict = lambda docs: [Links.empty() for _ in docs]
    return nlp


@given(lists_of_clusters(), lists_of_clusters(), st.booleans())
def test_a_conversation(nlp, clusters, others, goes_on):
    """Each of two turns has clusters, and one of the first may go on in the second."""
    first = [continues(one) for one in clusters]
    second = [continues(one) for one in others]
    moved = [one.move(N_TOKENS.__add__) for one in second]
    whole = [*first, *moved]
    if goes_on and clusters and others:
        n_known = len(first[0].mentions)
        links = [n_known - 1, *(i + n_known for i in moved[0].antecedents[1:])]
        joined = pickle.loads(pickle.dumps(first[0]))
        joined.extend(replace(moved[0], antecedents=links))
        whole = [joined, *first[1:], *moved[1:]]
        moved = [joined, *moved[1:]]
    decoded = iter([first, moved])
    nlp.get_pipe("fastcoref").decode = lambda doc, links: next(decoded)
    conv = Conversation(nlp)
    turns = [conv.add(make_doc()), conv.add(make_doc())]
    check(read(conv.doc), whole)
    check(read(turns[0]), first)
    assert [len(one.mentions) for one in read(turns[1])] == [
        len(one.mentions) for one in second
    ]
    again = Conversation(nlp).from_bytes(conv.to_bytes())
    assert read(again.doc) == read(conv.doc)
    for one, other in zip(turns, again.turns, strict=True):
        assert fill(read(one)) == fill(read(other))


def fill(clusters):
    """Say of each mention that nothing is known, where a list is empty."""
    blanks = {"scores": 0.0, "probs": 1.0, "candidates": [], "types": ""}
    for one in clusters:
        for name, none in blanks.items():
            values = getattr(one, name) or [none] * len(one.mentions)
            setattr(one, name, values)
    return clusters


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


# What each format can hold, beside the mentions.
FIELDS = {"spacy": CLUSTER_ATTRS, "jsonl": ["types"], "corefud": ["types"], "conll": []}


@pytest.mark.parametrize("name", FIELDS)
@given(clusters=lists_of_clusters())
def test_formats(folder, name, clusters):
    doc = make_doc()
    set_clusters(doc, clusters)
    try:
        path = write_file(doc, name, folder)
    except ValueError as error:
        assert "FC162" in str(error) and "without nesting" in str(error)
        return
    found, expected = read(read_file(path, name)[0].doc), read(doc)
    for one, other in zip(found, expected, strict=True):
        assert one.mentions == other.mentions
        for field in FIELDS[name]:
            values = getattr(other, field)
            if field == "types" and name != "spacy":
                # The type of a cluster, the first one that a mention has.
                label = next(filter(None, values), "")
                values = [label] * len(one.mentions)
                one.types = one.types or [""] * len(one.mentions)
            assert getattr(one, field) == values
