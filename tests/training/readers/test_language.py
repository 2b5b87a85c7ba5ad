"""Read corpora of several languages for one pipeline."""

import pickle

import numpy as np
import pytest
import spacy

from spacy_fastcoref.training.readers.around import (
    make_annotated_corpus,
    make_language_corpus,
    make_mixed_corpus,
)
from spacy_fastcoref.training.readers.corpora import make_bracket_corpus

from ...conftest import blank

TEXTS = {
    "en": "# a | x\n\n[a Ann] didn't leave. [a She] slept.\n",
    "fr": "# b | x\n\n[a Ann] n'est pas partie. [a Elle] dort.\n",
}


@pytest.fixture
def corpora(tmp_path):
    found = {}
    for lang, text in TEXTS.items():
        path = tmp_path / f"{lang}.txt"
        path.write_text(text, encoding="utf8")
        found[lang] = make_language_corpus(make_bracket_corpus(path), lang)
    return found


def test_languages_and_their_tokens(corpora):
    mixed = make_mixed_corpus(corpora)
    docs = {eg.reference.lang_: eg.reference for eg in mixed(blank("xx"))}
    assert set(docs) == {"en", "fr"}
    assert [token.text for token in docs["en"]][1:4] == ["did", "n't", "leave"]
    assert [token.text for token in docs["fr"]][1:4] == ["n'", "est", "pas"]
    for doc in docs.values():
        assert len(doc.spans["coref_clusters_1"]) == 2


@pytest.mark.slow
def test_the_predicted_doc_has_the_language(corpora):
    (eg,) = pickle.loads(pickle.dumps(corpora["fr"]))(blank("xx"))
    assert eg.predicted.lang_ == "fr" and not eg.predicted.spans


def test_an_annotator_keeps_its_vectors_to_itself(corpora, tmp_path):
    """Neither those of the pipeline in training are replaced, nor are its own lost."""
    annotator = spacy.blank("en")
    annotator.vocab.set_vector("Ann", np.ones(3, dtype="f"))
    annotator.add_pipe("entity_ruler").add_patterns(
        [{"label": "PER", "pattern": "Ann"}]
    )
    annotator.to_disk(tmp_path / "annotator")
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("She", np.ones(2, dtype="f"))
    corpus = make_annotated_corpus(corpora["en"], str(tmp_path / "annotator"))
    for _ in range(2):
        (eg,) = corpus(nlp)
        assert [ent.text for ent in eg.predicted.ents] == ["Ann"]
        assert eg.predicted.vocab is eg.reference.vocab
        assert not eg.reference.ents and eg.reference.spans["coref_clusters_1"]
    assert nlp.vocab.vectors.shape[1] == 2 and nlp.vocab["She"].has_vector
