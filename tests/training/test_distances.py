"""What a trained model learns of distances."""

from dataclasses import replace
from functools import partial

import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models import network as network_module
from spacy_fastcoref.models.distance import DistanceScorerBlock
from spacy_fastcoref.models.sides import Sides
from spacy_fastcoref.training import distances
from spacy_fastcoref.training.corpora import make_gap_corpus, make_jsonl_corpus
from spacy_fastcoref.training.distances import _find_rows, fit_distances

from ..conftest import make_network, make_nlp
from ..models.test_tok2vec import make_nlp as make_listener
from .corpus import write_rows

# The tiny tokenizer leaves these words whole.
TEXT = "{0} and . {0} she said her d ."
# All words are mentions, and no longer spans.
SIZES = {"top_lambda": 1.0, "max_span_length": 1}
AVERAGE = {"@coref_layers": "spacy_fastcoref.AntecedentAverage.v1"}
QUICK = {"dropout": 0.0, "decay": 0.1, "n_rounds": 1}
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\n"
    "r1\tA and B said she left.\tshe\t13\tA\t0\tFALSE\tB\t6\tTRUE\n"
)


@pytest.fixture
def corpus(tmp_path):
    """Documents in which of two names that are alike the nearer one is right."""
    rows = [
        {
            "doc_key": str(i),
            "sentences": [TEXT.format(name).split()],
            "clusters": [[[3, 3], [4, 4]]],
        }
        for i, name in enumerate("ab" * 6)
    ]
    return make_jsonl_corpus(write_rows(tmp_path / "train.jsonl", rows))


@pytest.fixture(params=[{}, {"refinement": AVERAGE}], ids=["s2e", "second order"])
def nlp(request, tmp_path):
    changes = {**SIZES, **request.param}
    network = make_network(**changes)
    with torch.no_grad():
        # Else random scores are far larger than what distances tell.
        for scorer in (network.mention_scorer, network.antecedent_scorer):
            for parameter in scorer.parameters():
                parameter *= 0.1
    nlp = make_nlp(tmp_path / "model", network, **changes)
    shim = nlp.get_pipe("fastcoref").model.shims[0]
    checkpoint = shim.load()
    for key, tensor in checkpoint.tensors.items():
        checkpoint.tensors[key] = tensor.half()
    shim.set_checkpoint(checkpoint)
    return nlp


def get_shim(nlp):
    return nlp.get_pipe("fastcoref").model.shims[0]


def score_pairs(nlp):
    """Score "she" with the nearer name and with the other one."""
    doc = nlp.make_doc(TEXT.format("a"))
    return get_shim(nlp).read(doc)([((4, 5), (3, 4)), ((4, 5), (0, 1))])


def test_the_nearer_one_becomes_likelier(nlp, corpus):
    before, old = score_pairs(nlp), get_shim(nlp).load()
    report = fit_distances(nlp, corpus(nlp), **QUICK)
    assert (report.n_docs, report.n_anaphors) == (12, 12)
    assert report.after == 1.0 >= report.before
    near, far = score_pairs(nlp) - before
    assert near > far + 0.1
    new = get_shim(nlp).load()
    assert {tensor.dtype for tensor in new.tensors.values()} == {torch.float16}
    # The rest is as it was, settings and weights.
    scorer = new.config.pop("antecedent_scorer")
    assert scorer["@coref_layers"] == DistanceScorerBlock.registered_name
    assert scorer["scorer"] == old.config["antecedent_scorer"]
    assert {**old.config, "antecedent_scorer": None} == {
        **new.config,
        "antecedent_scorer": None,
    }
    for key, tensor in old.tensors.items():
        key = key.replace("antecedent_scorer.", "antecedent_scorer.scorer.")
        assert torch.equal(new.tensors[key], tensor), key


def test_a_second_time_is_as_the_first(nlp, corpus):
    """Lines begin anew: what distances tell is not added to what they told."""
    first = fit_distances(nlp, corpus(nlp), **QUICK)
    near, far = score_pairs(nlp)
    second = fit_distances(nlp, corpus(nlp), **QUICK)
    assert replace(second, before=first.before) == first
    near_again, far_again = score_pairs(nlp)
    # A second-order model's vectors depend on the lines that it has.
    is_second_order = get_shim(nlp).load().config.get("refinement") is not None
    tolerance = 0.3 if is_second_order else 0.01
    assert near_again - far_again == pytest.approx(near - far, rel=tolerance)


def test_links_stay_as_strong_as_lines_had_made_them(nlp, corpus):
    fit_distances(nlp, corpus(nlp), **QUICK)
    fitted = get_shim(nlp).load()
    key = "antecedent_scorer.line.bias"
    found = []
    for strength in (30.0, 32.0):
        bias = torch.tensor([0.0, strength], dtype=torch.float16)
        tensors = {**fitted.tensors, key: bias}
        tensors[key.replace("bias", "weight")] *= 0
        get_shim(nlp).set_checkpoint(replace(fitted, tensors=tensors))
        fit_distances(nlp, corpus(nlp), **QUICK)
        found.append(score_pairs(nlp))
    assert (found[1] - found[0]).tolist() == pytest.approx([2, 2], abs=0.05)


def test_many_mentions_are_represented_block_by_block(nlp, corpus, monkeypatch):
    checkpoint, found = get_shim(nlp).load(), []

    def find_rows(gold, scores, vectors, lines):
        found[-1].append(vectors)
        return _find_rows(gold, scores, vectors, lines)

    monkeypatch.setattr(distances, "_find_rows", find_rows)
    for size in (100, 2):
        get_shim(nlp).set_checkpoint(checkpoint)
        monkeypatch.setattr(network_module, "Sides", partial(Sides, size=size))
        found.append([])
        fit_distances(nlp, corpus(nlp), **QUICK)
    for whole, blocks in zip(*found, strict=True):
        torch.testing.assert_close(blocks, whole)


def test_documents_are_scored_under_dropout(nlp, corpus):
    torch.manual_seed(0)
    report = fit_distances(nlp, corpus(nlp), **{**QUICK, "n_rounds": 7})
    # Of three documents that are judged each is right in all rounds or in none.
    assert report.n_docs == 12 and report.n_anaphors == 84
    assert report.before * 3 == pytest.approx(round(report.before * 3), abs=1e-4)
    settings = {**QUICK, "n_rounds": 7, "dropout": 0.5}
    report = fit_distances(nlp, corpus(nlp), **settings)
    assert abs(report.before * 3 - round(report.before * 3)) > 0.1
    # And predictions are not.
    doc = nlp.make_doc(TEXT.format("a"))
    one, two = (nlp.get_pipe("fastcoref").predict([doc])[0] for _ in range(2))
    assert one.scores.tolist() == two.scores.tolist()


def test_rows_of_gap_are_learned_from(nlp, corpus, tmp_path):
    (tmp_path / "gap.tsv").write_text(GAP)
    rows = list(make_gap_corpus(tmp_path / "gap.tsv")(nlp))
    report = fit_distances(nlp, [*corpus(nlp), *rows], **QUICK)
    assert (report.n_docs, report.n_anaphors) == (13, 13)


def test_documents_without_anaphors_change_nothing(nlp, corpus):
    examples, checkpoint = list(corpus(nlp)), get_shim(nlp).load()
    expected = fit_distances(nlp, examples, **QUICK)
    scores = score_pairs(nlp)
    get_shim(nlp).set_checkpoint(checkpoint)
    empty = [Doc(nlp.vocab), nlp.make_doc("so"), nlp.make_doc("   ")]
    for doc in empty:
        examples.append(Example(doc, doc.copy()))
    report = fit_distances(nlp, examples, **QUICK)
    assert report.n_docs == 15 and report.n_anaphors == expected.n_anaphors
    assert score_pairs(nlp).tolist() == pytest.approx(scores.tolist(), abs=0.05)


@pytest.mark.parametrize("n_docs", [0, 1, 3])
def test_too_few_documents_leave_the_model_as_it_was(nlp, n_docs):
    checkpoint = get_shim(nlp).load()
    doc = nlp.make_doc("she said her d .")
    gold = doc.copy()
    set_clusters(gold, [[(0, 1), (2, 3)]])
    examples = [Example(doc, gold)] * min(n_docs, 1)
    examples += [Example(doc, doc.copy())] * (n_docs - 1)
    with pytest.raises(ValueError, match=f"FC098.* {n_docs} documents"):
        fit_distances(nlp, examples, **QUICK)
    assert get_shim(nlp).load() is checkpoint


def test_what_stops_it_leaves_the_model_as_it_was(nlp, corpus):
    checkpoint = get_shim(nlp).load()

    def read():
        yield from corpus(nlp)
        yield "no example"

    with pytest.raises(AttributeError):
        fit_distances(nlp, read(), **QUICK)
    assert get_shim(nlp).load() is checkpoint


def test_vectors_of_other_components_are_refused():
    nlp = make_listener()
    doc = nlp.make_doc("Ann left. She ran.")
    nlp.initialize(lambda: [Example(doc, doc.copy())])
    with pytest.raises(ValueError, match="FC097.*'fastcoref'"):
        fit_distances(nlp, [], **QUICK)


def test_a_saved_model_has_its_distances(nlp, corpus, tmp_path):
    fit_distances(nlp, corpus(nlp), **QUICK)
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert score_pairs(again).tolist() == score_pairs(nlp).tolist()
