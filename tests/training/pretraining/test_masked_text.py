"""Test the reader of plain text: masks, epochs and invalid files."""

import warnings

import pytest
from spacy.language import Language
from spacy.tokens import Span

from spacy_fastcoref.training.pretraining.masked_text import (
    MaskedTextCorpus,
    choose_pronouns,
)

from ...conftest import blank

NLP = blank("en")
SENTENCES = "Alice met Tom. Then she asked Tom whether he had seen Alice."


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("a", "b"):
        lines = [SENTENCES.replace("Then", f"Then ({name}{i})") for i in range(20)]
        (folder / f"{name}.txt").write_text("\n\n".join(lines))
    return folder


def read(path, *, epochs=1, **settings):
    corpus = MaskedTextCorpus(path, max_words=15, **settings)
    return [[describe(eg) for eg in corpus(NLP)] for _ in range(epochs)]


def describe(eg):
    groups = {
        key: [(span.start, span.end, span.label_) for span in group]
        for key, group in eg.reference.spans.items()
    }
    return eg.predicted.text, tuple(sorted((k, *v) for k, v in groups.items()))


def test_epochs_differ_and_are_reproducible(texts):
    first, second = read(texts, epochs=2)
    assert len(first) == len(second) == 40
    assert set(first) != set(second)
    assert read(texts, epochs=2) == [first, second]
    assert read(texts, seed=1)[0] != first
    # An epoch that is not read to its end is an epoch, too.
    corpus = MaskedTextCorpus(texts, max_words=15)
    next(corpus(NLP))
    assert [describe(eg) for eg in corpus(NLP)] == second


def test_names_or_pronouns_but_not_both(texts):
    (examples,) = read(texts)
    kinds = {"names": 0, "pronouns": 0}
    for text, groups in examples:
        keys = {key for key, *_ in groups}
        if "coref_pronouns" in keys:
            kinds["pronouns"] += 1
            assert text.count("Alice") == text.count("Tom") == 2
            assert "coref_clusters_1" not in keys
        else:
            kinds["names"] += 1
            assert " she " in text and " he " in text
            assert {"coref_clusters_1", "coref_clusters_2"} <= keys
    assert kinds["names"] > kinds["pronouns"] > 3
    (pronouns,) = read(texts, name_share=0.0)
    assert all("coref_pronouns" in str(groups) for _, groups in pronouns)
    (names,) = read(texts, pronouns={})
    assert len(names) == 40
    assert not any("coref_pronouns" in str(groups) for _, groups in names)


def test_development_set(texts):
    (train,) = read(texts, held_out=4, n_shuffled=0)
    dev, again = read(texts, held_out=4, is_dev=True, n_shuffled=0, epochs=2)
    assert (len(train), len(dev)) == (30, 10) and dev == again
    known = {text[text.index("(") : text.index(")")] for text, _ in train}
    assert not known & {text[text.index("(") : text.index(")")] for text, _ in dev}
    assert len(read(texts, limit=7)[0]) == 7
    # A development set with files of its own.
    dev, again = read(texts, is_dev=True, epochs=2)
    assert len(dev) == 40 and dev == again


def test_bad_files_are_named_and_the_rest_is_read(texts):
    # Not read up to the damage either: an example would depend on where that is.
    (texts / "cut.txt").write_bytes(b"Alice ran. Bob sat. Alice ate.\xff")
    (texts / "nobody.txt").write_text("It rained. It was late.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (examples,) = read(texts)
    assert len(examples) == 40
    cut, nobody = sorted((str(warning.message) for warning in caught), reverse=True)
    assert "[FCW20]" in cut and "cut.txt" in cut
    assert "[FCW12]" in nobody and "nobody.txt" in nobody and "1 of 3 files" in nobody


@pytest.mark.filterwarnings("ignore:.*FCW(12|20)")
@pytest.mark.parametrize("text", ["", "It rained.", "Alice ran. Alice sat."])
def test_text_without_examples(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ValueError, match="FC070.*a.txt"):
        read(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="FC052.*nowhere"):
        read(tmp_path / "nowhere")


@Language.component("find_qwx", assigns=["doc.ents"])
def find_qwx(doc):
    doc.ents = [
        Span(doc, token.i, token.i + 1, label="PERSON")
        for token in doc
        if token.text in ("Qwx", "Vole")
    ]
    return doc


@Language.component("never")
def never(doc):
    raise NotImplementedError


def test_names_by_entity_recognizer(tmp_path):
    (tmp_path / "a.txt").write_text("Qwx met Vole. Alice saw Qwx, and Alice ran.")
    tagger = blank("en")
    tagger.add_pipe("find_qwx")
    # What is not needed to find names is not run.
    tagger.add_pipe("never")
    # A pipeline of its own, and that which is trained.
    for own, nlp in ((tagger, NLP), (None, tagger)):
        corpus = MaskedTextCorpus(tmp_path / "a.txt", {})
        corpus.tagger = own
        (eg,) = corpus(nlp)
        assert len(eg.reference.spans["coref_annotated"]) == 3
        assert eg.predicted.text.count("Alice") == 2
        assert eg.predicted.vocab is nlp.vocab
    corpus = MaskedTextCorpus(tmp_path / "a.txt")
    corpus.tagger = blank("en")
    with pytest.raises(ValueError, match="FC076.*sets doc.ents"):
        next(corpus(NLP))


@pytest.mark.filterwarnings("ignore:.*FCW31")
def test_pronouns_of_languages(tmp_path):
    pronouns = choose_pronouns("en")
    assert pronouns["himself"] == 0.4 and pronouns["their"] == pronouns["her"] == 1.0
    assert not {"i", "you", "someone", "one"} & set(pronouns)
    (tmp_path / "a.txt").write_text("Alice og Tom og Alice")
    corpus = MaskedTextCorpus(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="FC024.*'is'"):
        next(corpus(blank("is")))
    corpus = MaskedTextCorpus(tmp_path / "a.txt", pronouns={})
    assert len(list(corpus(blank("is")))) == 1
