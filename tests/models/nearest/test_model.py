"""The model without weights: the nearest antecedent that grammar permits."""

import pytest
from spacy.training import Example

from spacy_fastcoref.models.nearest.model import make_nearest_antecedent

from ...conftest import NEAREST, blank, reload_in_each_way
from ...grammar.docs import parse

# Blank pipelines have neither tags nor a parse.
pytestmark = pytest.mark.filterwarnings("ignore:.*FCW13")

NAME = NEAREST["@architectures"]
MEN = (
    "Tom/PROPN/nsubj/1 met/VERB/ROOT/- Ben/PROPN/dobj/1 ./PUNCT/punct/1 "
    "He/PRON/nsubj/5 saw/VERB/ROOT/- him/PRON/dobj/5 ./PUNCT/punct/5"
)


def make_nlp(**settings):
    nlp = blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("fastcoref", config={"model": {**NEAREST, **settings}})
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return make_nlp()


def find_texts(doc):
    return [
        [doc.text[start:end] for start, end in c] for c in doc._.coref_clusters or []
    ]


def test_a_pronoun_gets_the_nearest_antecedent(nlp):
    doc = nlp.get_pipe("fastcoref")(parse(nlp.vocab, MEN))
    # The subject counts as nearer, and "him" can't be "he".
    assert find_texts(doc) == [["Tom", "He"], ["Ben", "him"]]
    near = MEN.replace("Tom/PROPN", "Ann/PROPN")
    doc = nlp.get_pipe("fastcoref")(parse(nlp.vocab, near))
    assert find_texts(doc) == [["Ben", "He"]]


def test_cataphora(nlp):
    text = (
        "When/SCONJ/mark/2 he/PRON/nsubj/2 came/VERB/advcl/4 Tom/PROPN/nsubj/4 "
        "slept/VERB/ROOT/-"
    )
    assert find_texts(nlp.get_pipe("fastcoref")(parse(nlp.vocab, text))) == [
        ["he", "Tom"]
    ]


SENTENCE = "It/PRON/nsubj/{0} rained/VERB/ROOT/- ./PUNCT/punct/{0}"
A_DOG = "a/DET/det/1 dog/NOUN/nsubj/2"
THE_DOG = "the/DET/det/{1} dog/NOUN/nsubj/{0}"


@pytest.mark.parametrize(
    ("first", "second", "n_between", "is_found"),
    [
        (A_DOG, "he/PRON/nsubj/{}", 4, True),
        (A_DOG, "he/PRON/nsubj/{}", 5, False),
        (A_DOG, THE_DOG, 1, True),
        (A_DOG, THE_DOG, 2, False),
        ("Rex/PROPN/nsubj/2 Lee/PROPN/appos/0", "Rex/PROPN/nsubj/{}", 9, True),
    ],
)
def test_distances_in_sentences(nlp, first, second, n_between, is_found):
    words = f"{first} ran/VERB/ROOT/- ./PUNCT/punct/2".split()
    for _ in range(n_between):
        at = len(words) + 1
        words += SENTENCE.format(at).replace("/ROOT/-", f"/ROOT/{at}").split()
    n_words = len(second.split())
    verb = len(words) + n_words
    words += second.format(verb, len(words) + 1).split()
    words += [f"ran/VERB/ROOT/{verb}"]
    doc = nlp.get_pipe("fastcoref")(parse(nlp.vocab, " ".join(words)))
    assert bool(doc._.coref_clusters) == is_found


def test_missing_annotation_is_said_once():
    nlp = make_nlp()
    with pytest.warns(UserWarning, match="FCW13.*DEP, POS") as caught:
        assert find_texts(nlp("Ann left. She ran.")) == [["Ann", "She"]]
        nlp("Tom left. He ran.")
    assert len([w for w in caught if "FCW13" in str(w.message)]) == 1


@pytest.mark.parametrize(
    "setting",
    [
        {"max_sentences": -1},
        {"max_candidates": 0},
        {"max_sentences_nouns": -2},
        {"max_sentences_names": -1},
    ],
)
def test_limits_are_checked(setting):
    with pytest.raises(ValueError, match=f"FC076.*{next(iter(setting))}"):
        make_nearest_antecedent(**setting)


def test_empty_documents(nlp):
    assert [doc._.coref_clusters for doc in nlp.pipe(["", " ", "…"])] == [[], [], []]


def test_saved_pipelines(nlp, tmp_path):
    text = "Ann said she left."
    expected = nlp(text)._.coref_clusters
    assert expected
    for other in reload_in_each_way(nlp, tmp_path):
        assert other(text)._.coref_clusters == expected
    copy = nlp.get_pipe("fastcoref").model.copy()
    assert type(copy) is type(nlp.get_pipe("fastcoref").model)


def test_training_says_that_there_are_no_weights(nlp):
    eg = Example.from_dict(nlp.make_doc("Ann said she left."), {})
    with pytest.raises(NotImplementedError, match="FC153.*frozen_components"):
        nlp.update([eg])
    optimizer = make_nlp().initialize(lambda: [eg])
    assert optimizer is not None


def test_a_language_without_weights_is_told_of_it():
    with pytest.raises(ValueError, match=f"FC002.*{NAME}"):
        blank("is").add_pipe("fastcoref")
