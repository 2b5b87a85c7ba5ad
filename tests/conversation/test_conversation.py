"""A conversation grows turn by turn: ids stay, and a turn's work is bounded."""

from functools import partial

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from spacy_fastcoref import Conversation
from spacy_fastcoref.span_keys import PREFIX

from ..conftest import NEAREST, blank, load_model
from ..fuzz.models import make_nlp as make_hash_nlp
from ..fuzz.test_growth import count_calls
from ..models.test_tok2vec import make_nlp as make_listening_nlp

TURNS = [
    ("Ann", "My sister has a new dog."),
    ("Bob", "What does she call it?"),
    ("Ann", "She calls it Rex. I like him."),
    ("Bob", "She is funny."),
]


@pytest.fixture(scope="module")
def nlp(tiny_path):
    return load_model(tiny_path)


def read_clusters(doc):
    """Read the mentions of each cluster by its number."""
    return {
        int(key.removeprefix(f"{PREFIX}_")): [span.text for span in group]
        for key, group in doc.spans.items()
        if key.startswith(PREFIX)
    }


def read_places(doc):
    """Read the number of each mention's cluster."""
    return {
        (span.start, span.end): number
        for number in read_clusters(doc)
        for span in doc.spans[f"{PREFIX}_{number}"]
    }


def talk(nlp, turns=TURNS, **settings):
    conv = Conversation(nlp, **settings)
    for speaker, text in turns:
        conv.add(text, speaker=speaker)
    return conv


def watch_model(nlp, monkeypatch):
    """Note each Doc that the model gets."""
    seen, predict = [], nlp.get_pipe("fastcoref").predict

    def note(docs):
        docs = list(docs)
        seen.extend(docs)
        return predict(docs)

    monkeypatch.setattr(nlp.get_pipe("fastcoref"), "predict", note)
    return seen


def test_clusters_continue(shipped_nlp):
    conv = talk(shipped_nlp)
    found = [read_clusters(turn) for turn in conv.turns]
    (sister,) = (key for key, mentions in found[1].items() if mentions == ["she"])
    assert found[2][sister] == ["She"] and found[3] == {sister: ["She"]}
    # The first turn came before there was a cluster, and has got it since.
    assert found[0][sister] == ["My sister"]
    mentions = read_clusters(conv.doc)[sister]
    assert mentions == ["My sister", "she", "She", "She"]
    # Antecedents in other turns are known to the conversation only.
    group = conv.doc.spans[f"{PREFIX}_{sister}"]
    assert group.attrs["antecedents"][:2] == [-1, 0]
    assert min(group.attrs["antecedents"][1:]) >= 0
    assert group.attrs["heads"][0] == [1]
    turn = conv.turns[3].spans[f"{PREFIX}_{sister}"]
    assert turn.attrs["antecedents"] == [-1]
    assert turn.attrs["scores"] == group.attrs["scores"][-1:]
    speakers = [(span.label_, span.text) for span in conv.doc.spans["speakers"]]
    assert speakers == TURNS and len(conv) == 4
    assert conv.doc is conv.doc


def test_names_before_the_window(shipped_nlp):
    """A name is found again, and so is the speaker, beyond the window."""
    filler = [("Cy", "The weather is fine."), ("Cy", "It never rains here.")] * 3
    last = [("Ann", "I saw Laura Okonkwo again.")]
    turns = [
        ("Ann", "I met Laura Okonkwo in town."),
        ("Bob", "Really?"),
        *filler,
        *last,
    ]
    for reminders, n_found in ((0, 0), (20, 2)):
        conv = talk(shipped_nlp, turns, window=8, reminders=reminders)
        clusters = read_clusters(conv.doc).values()
        expected = (["I", "I"], ["Laura Okonkwo", "Laura Okonkwo"])
        assert [c in expected for c in clusters].count(True) == n_found, clusters


texts = st.lists(st.sampled_from("she he her his Ann Bob the dog said . ?".split()))
turns = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob", "", None]), texts.map(" ".join)),
    max_size=8,
)


@given(turns, st.integers(0, 12), st.integers(0, 6))
def test_earlier_decisions_stay(nlp, turns, window, reminders):
    conv = Conversation(nlp, window=window, reminders=reminders)
    before, numbers = {}, 0
    for speaker, text in turns:
        n_known = len(conv.doc)
        turn = conv.add(text, speaker=speaker)
        now = read_places(conv.doc)
        assert before.items() <= now.items()
        moved = {
            (s + n_known, e + n_known): i for (s, e), i in read_places(turn).items()
        }
        assert {m: i for m, i in now.items() if m[0] >= n_known} == moved
        new = sorted(set(now.values()))
        assert new == [*range(1, len(new) + 1)] and len(new) >= numbers
        # The founder of a cluster may be an earlier mention, and one at the most.
        founders = {now[m] for m in now if m not in before and m not in moved}
        assert len(founders) == len(set(now) - set(before) - set(moved))
        assert all(number > numbers for number in founders)
        before, numbers = now, len(new)
    assert [t.text for t in conv.turns] == [text for _, text in turns]
    again = Conversation(nlp).from_bytes(conv.to_bytes())
    assert read_places(again.doc) == before


def test_work_is_bounded(nlp, monkeypatch):
    seen = watch_model(nlp, monkeypatch)
    turns = [(f"S{i % 3}", f"I said that she met Mr. X{i % 7} .") for i in range(40)]
    talk(nlp, turns, window=20, reminders=5)
    counts = [len(doc) for doc in seen]
    assert counts[:4] == [8, 16, 24, 28]
    assert max(counts) <= 20 + 5 + 8
    # Of turns longer than the window, the last words are seen.
    seen.clear()
    conv = talk(
        nlp, [("Ann", " ".join(["she"] * 30)), ("Bob", "he")], window=5, reminders=0
    )
    assert seen[-1].text == "she she she she she he"
    labels = [(span.label_, len(span)) for span in seen[-1].spans["speakers"]]
    assert labels == [("Ann", 5), ("Bob", 1)]
    assert len(conv.doc) == 31


@pytest.mark.slow
def test_work_of_resolving_is_bounded():
    nlp, counts = make_hash_nlp("en"), []
    for n in (3, 30):
        conv = talk(nlp, TURNS * n)
        resolve = partial(conv.resolve, conv.turns[-1])
        resolve()
        counts.append(count_calls(resolve))
    assert counts[1] < 1.5 * counts[0]


def test_other_components_get_each_turn_alone(tiny_path):
    seen = []

    @Language.component("note_length")
    def note_length(doc):
        seen.append((len(doc), read_places(doc)))
        return doc

    nlp = load_model(tiny_path)
    nlp.add_pipe("note_length", name="before", first=True)
    nlp.add_pipe("note_length", name="after")
    conv = talk(
        nlp, [("Ann", "she said that she said"), ("Bob", "he said that she saw her")]
    )
    assert [length for length, _ in seen] == [5, 5, 6, 6]
    (_, none), (_, first), _, (_, second) = seen
    assert none == {} and second == read_places(conv.turns[1]) != {}
    # The second turn has founded a cluster with a mention of the first.
    assert first.items() <= read_places(conv.turns[0]).items()


def test_a_vector_component_gets_the_context(monkeypatch):
    """A model that listens to tok2vec needs vectors of all words that it sees."""
    nlp = make_listening_nlp()
    nlp.initialize()
    seen = watch_model(nlp, monkeypatch)
    conv = talk(nlp)
    assert conv.doc.text == seen[-1].text == " ".join(text for _, text in TURNS)
    assert len(seen[-1].tensor) == len(seen[-1])


def test_to_bytes_continues(shipped_nlp):
    conv = talk(shipped_nlp, window=20, reminders=7)
    again = Conversation(shipped_nlp).from_bytes(conv.to_bytes())
    assert (again.window, again.reminders) == (20, 7)
    assert [turn.text for turn in again.turns] == [text for _, text in TURNS]
    for one, other in zip(conv.turns, again.turns, strict=True):
        assert read_places(one) == read_places(other)
    for text in ("She calls me Rex, too.", "Is he nice? I like Rex."):
        one = conv.add(text, speaker="Bob")
        other = again.add(text, speaker="Bob")
        assert read_places(one) == read_places(other) != {}
        assert conv.resolve(one) == again.resolve(other)
    assert again.to_bytes() == conv.to_bytes()


def test_empty_turns(nlp):
    conv = Conversation(nlp)
    assert conv.doc.text == "" and conv.turns == []
    for text in ("", "  ", "\n", "she said she", ""):
        turn = conv.add(text, speaker="Ann")
        assert turn.text == text and conv.resolve(turn) == text
    again = Conversation(nlp).from_bytes(conv.to_bytes())
    assert again.doc.text == conv.doc.text and len(again) == 5


def test_docs_as_turns(nlp):
    conv = Conversation(nlp)
    doc = Doc(nlp.vocab, words=["she", "met", "her", "dog", "."])
    assert conv.add(doc, speaker="Ann") is doc
    doc = Doc(nlp.vocab, words=["she", "met", "her"])
    # The user's own constraints hold within the turn.
    doc.spans["coref_seeds_1"] = [doc[0:1], doc[2:3]]
    conv.add(doc)
    places = read_places(doc)
    assert places[0, 1] == places[2, 3]


def test_errors_leave_it_as_it_was(nlp, monkeypatch):
    conv = talk(nlp)
    before = conv.to_bytes()

    def fail(docs):
        raise RuntimeError("no memory")

    monkeypatch.setattr(nlp.get_pipe("fastcoref"), "predict", fail)
    with pytest.raises(RuntimeError, match="no memory"):
        conv.add("she said", speaker="Ann")
    assert conv.to_bytes() == before
    pipe = nlp.get_pipe("fastcoref")
    monkeypatch.setattr(pipe, "error_handler", spacy.util.ignore_error, raising=False)
    assert read_clusters(conv.add("she said that she", speaker="Ann")) == {}


def test_unusable_turns(nlp):
    conv = talk(nlp)
    other = spacy.blank("en")("she")
    for text, speaker in ((None, None), (b"she", None), (other, None), ("she", 7)):
        with pytest.raises(ValueError, match="FC220"):
            conv.add(text, speaker=speaker)
    with pytest.raises(ValueError, match="turn already"):
        conv.add(conv.turns[0])
    assert len(conv) == len(TURNS)


def test_retokenised_turns(nlp):
    conv = talk(nlp)
    with conv.turns[-1].retokenize() as retokenizer:
        retokenizer.merge(conv.turns[-1][0:2])
    for use in (lambda: conv.add("she"), lambda: conv.resolve(conv.turns[-1])):
        with pytest.raises(ValueError, match="FC222.*turn 3 .* 3 tokens, but had 4"):
            use()


def test_unusable_pipelines(nlp):
    with pytest.raises(ValueError, match="FC095"):
        Conversation(blank("en"))
    for setting in ({"window": -1}, {"reminders": 2.5}, {"window": True}):
        with pytest.raises(ValueError, match="FC076"):
            Conversation(nlp, **setting)
    with (
        nlp.select_pipes(disable="fastcoref"),
        pytest.raises(ValueError, match="FC095"),
    ):
        Conversation(nlp)


def test_without_weights_for_the_language():
    """A model without weights works in every language, one with its own lexicon or
    not."""
    for lang in ("de", "xx"):
        nlp = load_model(lang=lang, model=NEAREST)
        with pytest.warns(UserWarning):
            conv = talk(nlp, [("Ann", "Anna lacht."), ("Bob", "Sie lacht immer.")])
        assert len(conv.doc) == 7
