"""Test soft labels, from the teacher's links to the student's training."""

import numpy as np
import pytest
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_fastcoref.clusters.soft_labels import write_links
from spacy_fastcoref.pipeline.gold import align_gold
from spacy_fastcoref.span_keys import SOFT
from spacy_fastcoref.training.distill import distill
from spacy_fastcoref.training.readers.corpora import make_docbin_corpus
from spacy_fastcoref.types import Links

from ..conftest import TEXT, blank, make_network, make_nlp


@pytest.fixture(scope="module")
def nlp(tmp_path_factory):
    return make_nlp(tmp_path_factory.mktemp("teacher"), make_network())


def read(doc):
    """Read the soft labels of a Doc after serializing it."""
    data = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (reference,) = DocBin().from_bytes(data).get_docs(doc.vocab)
    predicted = Doc(doc.vocab, words=[t.text for t in doc])
    return align_gold(Example(predicted, reference)).links


def test_soft_labels_are_the_models_links(nlp):
    coref = nlp.get_pipe("fastcoref")
    doc = nlp.make_doc(TEXT)
    (links,) = coref.predict([doc])
    write_links(doc, links)
    found = read(doc)
    assert found.mentions.tolist() == links.mentions.tolist()
    np.testing.assert_allclose(found.mention_scores, links.mention_scores, rtol=1e-6)
    np.testing.assert_allclose(found.log_norms, links.log_norms, rtol=1e-6)
    likely = np.exp(links.scores - links.log_norms[:, None]) >= 1e-3
    assert likely.any() and not likely.all()
    assert (found.antecedents >= 0).sum() == likely.sum()
    width = found.antecedents.shape[1]
    likely = likely[:, :width]
    assert (found.antecedents[likely] == links.antecedents[:, :width][likely]).all()
    np.testing.assert_allclose(found.scores[likely], links.scores[:, :width][likely])
    assert not np.isfinite(found.scores[~likely]).any()


def test_misaligned_mentions_are_left_out():
    nlp = blank("en")
    reference = nlp.make_doc("Ann Lee said she left")
    links = Links(
        np.array([(0, 1), (0, 2), (3, 4)], dtype=np.int32),
        np.array([1.0, 2.0, 3.0], dtype=np.float32),
        np.array([[-1, -1], [-1, -1], [0, 1]], dtype=np.int32),
        np.array([[-np.inf] * 2, [-np.inf] * 2, [0.5, 0.4]], dtype=np.float32),
        np.array([0.0, 0.0, 1.4], dtype=np.float32),
    )
    write_links(reference, links)
    predicted = Doc(nlp.vocab, words=["AnnLee", "said", "she", "left"])
    found = align_gold(Example(predicted, reference)).links
    assert found.mentions.tolist() == [[0, 1], [2, 3]]
    assert found.mention_scores.tolist() == [2.0, 3.0]
    assert found.antecedents.tolist()[1] == [-1, 0]
    assert np.isfinite(found.scores[1]).tolist() == [False, True]


@pytest.mark.parametrize("n_process", [1, 2])
def test_annotate_stores_soft_labels(nlp, tmp_path, n_process):
    (tmp_path / "text.txt").write_text("\n\n".join([TEXT] * 3))
    coref = nlp.get_pipe("fastcoref")
    settings = {"max_words": 40, "soft": True, "n_process": n_process}
    distill(nlp, tmp_path / "text.txt", tmp_path / "soft", **settings)
    coref.keeps_links = False
    examples = list(make_docbin_corpus(tmp_path / "soft")(nlp))
    assert examples and all(SOFT in eg.reference.spans for eg in examples)
    assert not any(SOFT in eg.predicted.spans for eg in examples)
    # Who is taught is another one with the same layers.
    student = make_nlp(tmp_path / "student", make_network(seed=3))
    optimizer = student.resume_training()
    optimizer.learn_rate = 0.01
    losses = [
        student.update(examples, sgd=optimizer, losses={})["fastcoref"]
        for _ in range(20)
    ]
    assert losses[-1] < losses[0]
    nobody = blank("en")
    nobody.add_pipe("sentencizer")
    with pytest.raises(ValueError, match="FC095.*sentencizer"):
        distill(nobody, tmp_path / "text.txt", tmp_path / "x", soft=True)


def test_soft_labels_are_not_stored_by_default(nlp):
    assert SOFT not in nlp(TEXT).spans
