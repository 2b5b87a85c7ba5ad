"""What is written and read again has the same words, clusters and speakers."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_fastcoref import set_clusters
from spacy_fastcoref.formats.base import Document, get_format
from spacy_fastcoref.formats.docs import list_clusters, list_speakers

from ..conftest import blank

NLP = blank("en")
WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029"),
    min_size=1,
    max_size=4,
) | st.sampled_from(
    ["\n\n", "  ", "(0", "1)", "|", "#", "_", "-", "a\tb", "<b>", "[", "é"]
)
KEYS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)


@st.composite
def documents(draw, words=WORDS):
    """Draw a Doc with mentions that can be nested and can cross."""
    given_words = draw(st.lists(words, min_size=1, max_size=12))
    n = len(given_words)
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    starts = [True, *draw(flags)[1:]]
    doc = Doc(NLP.vocab, words=given_words, spaces=draw(flags), sent_starts=starts)
    spans = st.tuples(st.integers(0, n - 1), st.integers(1, n))
    mentions = draw(st.lists(spans.filter(lambda s: s[0] < s[1]), unique=True))
    clusters = {}
    for mention in mentions:
        clusters.setdefault(draw(st.integers(0, 2)), []).append(mention)
    set_clusters(doc, clusters.values())
    if draw(st.booleans()):
        end = draw(st.integers(1, n))
        turns = [Span(doc, 0, end, label="Ann"), Span(doc, end, n, label="Bob Lee")]
        doc.spans["speakers"] = [turn for turn in turns if len(turn)]
    return doc


def write(doc, name, folder, key="key"):
    """Write a file of two documents, the second one a copy."""
    one = get_format(name, reads=False)
    dumped = [one.dump(Document(k, doc)) for k in (key, "other")]
    data = one.header + b"".join(dumped) + one.footer
    if one.finish:
        target = io.BytesIO()
        one.finish(io.BytesIO(data), target)
        data = target.getvalue()
    path = folder / f"file{one.endings[0]}"
    path.write_bytes(data)
    return str(path)


def read(path, name):
    found = list(get_format(name, reads=True).read(path, NLP))
    assert not [entry for entry in found if isinstance(entry, ValueError)]
    return found


def see(doc):
    """Describe a Doc without its tokens of white space."""
    kept = [token.i for token in doc if not token.is_space]
    places = {i: number for number, i in enumerate(kept)}
    seen, clusters = set(), []
    for cluster in list_clusters(doc):
        spans = [[places[i] for i in range(*m) if i in places] for m in cluster]
        spans = [(s[0], s[-1]) for s in spans if s]
        new = [s for s in dict.fromkeys(spans) if s not in seen]
        seen.update(new)
        clusters += [sorted(new)] if new else []
    return sorted(clusters)


def count_crossing(clusters):
    return sum(
        a < c <= b < d
        for mentions in clusters
        for a, b in mentions
        for c, d in mentions
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@given(documents(), KEYS)
def test_jsonl_and_spacy(folder, doc, key):
    for name in ("jsonl", "spacy"):
        one, two = read(write(doc, name, folder, key or "k"), name)
        assert (one.key, two.key) == (key or "k", "other")
        for again in (one.doc, two.doc):
            assert [t.text for t in again] == [t.text for t in doc]
            assert list_clusters(again) == list_clusters(doc)
            assert list_speakers(again) == list_speakers(doc)
            assert [t.is_sent_start for t in again] == [t.is_sent_start for t in doc]
        if name == "spacy":
            assert one.doc.text == doc.text


@given(documents(), KEYS)
@pytest.mark.parametrize("name", ["conll", "corefud"])
def test_formats_of_words(folder, name, doc, key):
    """A cluster's mentions that cross are refused; others are read as they were."""
    expected = see(doc)
    if not any(not token.is_space for token in doc):
        return
    if count_crossing(expected):
        with pytest.raises(ValueError, match=f"FC162.*{name}.*without nesting"):
            write(doc, name, folder, key)
        return
    for again in (one.doc for one in read(write(doc, name, folder, key), name)):
        assert see(again) == expected
        assert len(again) == sum(not token.is_space for token in doc)


TEXTS = st.text(st.sampled_from("aé.\n ’#@:"), max_size=30)


def draw_clusters(data, doc):
    """Draw mentions of a text that begin and end with words, and set their clusters."""
    kept = st.sampled_from([token.i for token in doc if not token.is_space])
    spans = st.tuples(kept, kept).filter(lambda s: s[0] <= s[1])
    clusters = [[], [], []]
    for start, end in data.draw(st.lists(spans, unique=True)):
        clusters[data.draw(st.integers(0, 2))].append((start, end + 1))
    set_clusters(doc, clusters)
    return [mention for cluster in clusters for mention in cluster]


@given(TEXTS, st.data())
def test_brackets(folder, text, data):
    """Texts are read with their lines; mentions that cross any other are refused."""
    doc = NLP.make_doc(text)
    if not text.strip():
        return
    mentions = draw_clusters(data, doc)
    try:
        path = write(doc, "brackets", folder)
    except ValueError as error:
        assert "FC162" in str(error)
        lines = [line.startswith(("# ", "@")) for line in text.split("\n")]
        breaks = any("\n" in doc[a:z].text for a, z in mentions)
        spans = [m for c in see(doc) for m in c]
        assert any(lines) or breaks or count_crossing([spans])
        return
    one, two = read(path, "brackets")
    assert (one.key, two.key) == ("key", "other")
    for again in (one.doc, two.doc):
        lines = [line.strip() for line in text.split("\n")]
        assert again.text.split("\n") == "\n".join(lines).strip("\n").split("\n")
        assert again._.coref_clusters and mentions or not mentions
        found = [[again.text[a:z] for a, z in c] for c in again._.coref_clusters]
        assert found == [[text[a:z] for a, z in c] for c in doc._.coref_clusters]


def test_speakers_of_lines(folder):
    doc = NLP.make_doc("I left.\n\nYou did.")
    doc.spans["speakers"] = [
        Span(doc, 0, 3, label="Ann Lee"),
        Span(doc, 4, 7, label="Bob"),
    ]
    for name in ("brackets", "jsonl", "spacy"):
        for again in (one.doc for one in read(write(doc, name, folder), name)):
            assert again.text == doc.text
            speakers = list_speakers(again)
            assert speakers[:3] == ["Ann Lee"] * 3 and speakers[4:] == ["Bob"] * 3


def test_annotation_of_corefud(folder):
    doc = Doc(
        NLP.vocab,
        words=["She", "left", ".", "\n", "It", "rained", "."],
        spaces=[True, False, False, False, True, False, False],
        pos=["PRON", "VERB", "PUNCT", "SPACE", "PRON", "VERB", "PUNCT"],
        tags=["PRP", "VBD", ".", "_SP", "PRP", "VBD", "."],
        morphs=["Gender=Fem|Number=Sing", "Tense=Past", "", "", "", "", ""],
        lemmas=["she", "leave", ".", "\n", "it", "rain", "."],
        heads=[1, 1, 1, 2, 5, 5, 5],
        deps=["nsubj", "ROOT", "punct", "dep", "expl", "ROOT", "punct"],
    )
    for again in (one.doc for one in read(write(doc, "corefud", folder), "corefud")):
        kept = [token for token in doc if not token.is_space]
        for name in ("text", "pos_", "tag_", "lemma_", "morph", "whitespace_"):
            found = [str(getattr(token, name)) for token in again]
            wanted = [str(getattr(token, name)) for token in kept]
            if name == "whitespace_":
                wanted[2] = found[2] = ""
            assert found == wanted, name
        assert [token.head.text for token in again] == [t.head.text for t in kept]
        assert [sent.text for sent in again.sents] == ["She left.", "It rained."]


@given(TEXTS | st.just("Tom 😀. He"), st.data())
@pytest.mark.parametrize("name", ["label-studio", "prodigy"])
def test_formats_of_tasks(folder, name, text, data):
    doc = NLP.make_doc(text)
    if not text.strip():
        return
    draw_clusters(data, doc)
    documents = read(write(doc, name, folder), name)
    for key, found in zip(("key", "other"), documents, strict=True):
        assert (found.key, found.doc.text) == (key, text)
        assert list_clusters(found.doc) == list_clusters(doc)
