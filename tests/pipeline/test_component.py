import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref import from_docs, set_clusters
from spacy_fastcoref.pipeline.component import FastCoref
from spacy_fastcoref.registry import registry

from ..conftest import TEXT, blank, load_model


def strings(doc):
    return [[doc.text[a:z] for a, z in cluster] for cluster in doc._.coref_clusters]


def test_finds_clusters(shipped_nlp):
    doc = shipped_nlp(TEXT)
    assert strings(doc) == [
        ["Alice Walker", "She", "her"],
        ["Tom Baker", "he", "Tom", "he"],
        ["the new contract", "it"],
    ]
    assert doc._.resolved_text.startswith(
        "Alice Walker is a lawyer in Boston. Alice Walker met Tom Baker"
    )


def test_predict_changes_nothing(tiny_nlp):
    doc = tiny_nlp.make_doc(TEXT)
    (links,) = tiny_nlp.get_pipe("fastcoref").predict(iter([doc]))
    assert len(links) and not doc.spans
    assert tiny_nlp.get_pipe("fastcoref").predict([]) == []


def read_link_scores(doc):
    return [
        score
        for group in doc.spans.values()
        for score, i in zip(
            group.attrs["scores"], group.attrs["antecedents"], strict=True
        )
        if i >= 0
    ]


def test_scores_of_all_candidates(tiny_nlp):
    """Get the scores of all candidate antecedents, as in NeuralCoref."""
    # Rules may link a mention to what the model has not scored.
    tiny_nlp.get_pipe("fastcoref").rules = None
    (links,) = tiny_nlp.get_pipe("fastcoref").predict([tiny_nlp.make_doc(TEXT)])
    doc = tiny_nlp(TEXT)
    again = Doc(tiny_nlp.vocab).from_bytes(doc.to_bytes())
    merged = from_docs([doc, doc])
    n_candidates = 0
    mentions = [(s.start, s.end) for group in doc.spans.values() for s in group]
    for start, end in mentions:
        row = links.rows[start, end]
        expected = {
            tuple(links.mentions[i].tolist()): score
            for i, score in zip(links.antecedents[row], links.scores[row], strict=True)
            if i >= 0
        }
        n_candidates += len(expected)
        for found, offset in ((doc, 0), (again, 0), (merged, len(doc))):
            scores = found[start + offset : end + offset]._.coref_scores
            assert {
                (span.start - offset, span.end - offset): score
                for span, score in scores.items()
            } == expected
        assert list(expected.values()) == sorted(expected.values(), reverse=True)
        if expected:
            assert doc._.coref_scores[doc[start:end]] == doc[start:end]._.coref_scores
    assert n_candidates > len(read_link_scores(doc))


def test_threshold(tiny_nlp):
    pipe = tiny_nlp.get_pipe("fastcoref")
    # With rules, an anaphor whose better antecedents were forbidden may do with less.
    pipe.rules = None
    scores = read_link_scores(tiny_nlp(TEXT))
    middle = sorted(scores)[len(scores) // 2]
    pipe.threshold = middle
    found = read_link_scores(tiny_nlp(TEXT))
    assert min(found) >= middle and 0 < len(found) < len(scores)
    pipe.threshold = 1e6
    assert tiny_nlp(TEXT)._.coref_clusters == []


def test_rules_forbid_links(tiny_path):
    @registry.coref_rules("test.never_link_to_the_first.v1")
    def make_rules():
        def rules(doc, links):
            assert isinstance(doc, Doc)
            return np.where(links.antecedents == 0, 0, 2)

        return rules

    rules = {"@coref_rules": "test.never_link_to_the_first.v1"}
    firsts = []
    for settings in ({}, {"rules": rules}):
        nlp = load_model(tiny_path, threshold=-1e6, **settings)
        pipe = nlp.get_pipe("fastcoref")
        (links,) = pipe.predict([nlp.make_doc(TEXT)])
        clusters = pipe.decode(nlp.make_doc(TEXT), links)
        first = tuple(links.mentions[0].tolist())
        firsts.append(first in [mention for c in clusters for mention in c.mentions])
    assert firsts == [True, False]


class FailingModel:
    """Make a pipeline that raises an error for documents with a certain word."""

    def __init__(self, model):
        self.model = model

    def predict(self, docs):
        if any("fail" in doc.text for doc in docs):
            raise RuntimeError("a document that fails")
        return self.model.predict(docs)


@pytest.fixture
def failing_nlp(tiny_nlp):
    pipe = tiny_nlp.get_pipe("fastcoref")
    pipe.model = FailingModel(pipe.model)
    return tiny_nlp


def test_a_failing_document_fails_alone(failing_nlp):
    seen = []

    def handle(name, proc, docs, error):
        assert isinstance(proc, FastCoref)
        seen.append((name, [doc.text for doc in docs], str(error)))

    texts = [TEXT, "Fine, she said. fail", TEXT, "fail", TEXT]
    failing_nlp.get_pipe("fastcoref").set_error_handler(handle)
    docs = list(failing_nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    found = [bool(doc._.coref_clusters) for doc in docs]
    assert found == [True, False, True, False, True]
    name, error = "fastcoref", "a document that fails"
    assert seen == [(name, [texts[1]], error), (name, ["fail"], error)]
    assert failing_nlp("fail").text == "fail" and len(seen) == 3


def test_by_default_errors_are_raised(failing_nlp):
    stream = failing_nlp.pipe(["Fine.", "fail", "Fine."])
    assert next(stream).text == "Fine."
    with pytest.raises(RuntimeError, match="a document that fails"):
        next(stream)
    with pytest.raises(RuntimeError, match="a document that fails"):
        failing_nlp("fail")


def test_failing_document_keeps_no_old_clusters(failing_nlp):
    failing_nlp.get_pipe("fastcoref").set_error_handler(lambda *args: None)
    doc = failing_nlp.make_doc("He said fail, he did")
    doc.spans["coref_clusters_1"] = [doc[0:1], doc[4:5]]
    assert failing_nlp(doc)._.coref_clusters == []


def test_predictions_have_no_gradients(tiny_nlp):
    model = tiny_nlp.get_pipe("fastcoref").model
    _, backprop = model(["not", "used"][:0], is_train=False)
    with pytest.raises(NotImplementedError, match="FC006"):
        backprop([])


def test_progress_bar_only_when_asked(tiny_path, capsys):
    for enabled in (False, True):
        nlp = load_model(tiny_path, enable_progress_bar=enabled)
        list(nlp.pipe(["She left."] * 3))
        captured = capsys.readouterr()
        assert captured.out == ""
        assert ("fastcoref: 3doc" in captured.err) == enabled


def test_fastcoref_users_code(tiny_path, monkeypatch):
    nlp = blank("en")
    config = {
        "model_architecture": "FCoref",
        "model_path": str(tiny_path),
        "device": None,
        "max_tokens_in_batch": 500,
        "enable_progress_bar": False,
    }
    nlp.add_pipe("fastcoref", config=config)
    settings = {"fastcoref": {"resolve_text": True}}
    expected, plain = nlp(TEXT)._.resolved_text, nlp(TEXT)
    doc = nlp(TEXT, component_cfg=settings)
    (again,) = nlp.pipe([TEXT], component_cfg=settings)
    assert doc._.coref_clusters == again._.coref_clusters
    monkeypatch.setattr("spacy_fastcoref.extensions.resolve_text", lambda doc: "new")
    # The text was resolved when the clusters were found, and is kept as long as they.
    assert doc._.resolved_text == again._.resolved_text == expected
    assert plain._.resolved_text == "new"
    set_clusters(doc, [])
    assert doc._.resolved_text == "new"


def test_analyze_pipes(tiny_nlp):
    analysis = tiny_nlp.analyze_pipes()
    assert "doc._.coref_clusters" in analysis["summary"]["fastcoref"]["assigns"]
    assert analysis["problems"]["fastcoref"] == []
