"""Requests that wait are resolved together, and each gets its own answer."""

import pytest

from spacy_fastcoref.server.batcher import MAX_DOCUMENTS, Batcher, Job
from spacy_fastcoref.server.pipelines import Pipeline
from spacy_fastcoref.server.problems import ProblemError
from spacy_fastcoref.server.schemas import Corrections, Document, RuleChoice


@pytest.fixture
def waiting_room(held):
    nlp, gate = held
    sizes = []
    batcher = Batcher(sizes.append)
    batcher.open()
    yield Pipeline("en", nlp), gate, batcher, sizes
    gate.is_open.set()
    batcher.close()


def make_job(pipeline, *texts, rules=RuleChoice(), corrections=None):  # noqa: B008
    documents = [Document(text=text, corrections=corrections) for text in texts]
    return Job(pipeline, rules, documents, lambda docs: [doc.text for doc in docs])


def fill(batcher, gate, pipeline):
    """Let the worker be busy with one job, so that others wait."""
    first = batcher.submit(make_job(pipeline, "First."))
    assert gate.is_reached.wait(30)
    return first


def test_what_waits_is_one_batch(waiting_room):
    pipeline, gate, batcher, sizes = waiting_room
    first = fill(batcher, gate, pipeline)
    texts = [f"Text {i}." for i in range(6)]
    waiting = [batcher.submit(make_job(pipeline, *texts[i : i + 2])) for i in (0, 2, 4)]
    assert not first.done()
    gate.is_open.set()
    assert first.result(30) == ["First."]
    assert [answer.result(30) for answer in waiting] == [
        texts[i : i + 2] for i in (0, 2, 4)
    ]
    assert sizes == [1, 6]


def test_rules_and_size_separate_batches(waiting_room):
    pipeline, gate, batcher, sizes = waiting_room
    fill(batcher, gate, pipeline)
    many = ["Many."] * (MAX_DOCUMENTS - 1)
    none = RuleChoice(enabled=False)
    waiting = [
        batcher.submit(make_job(pipeline, "A.")),
        batcher.submit(make_job(pipeline, "B.", rules=none)),
        batcher.submit(make_job(pipeline, *many)),
        batcher.submit(make_job(pipeline, "C.", "D.")),
    ]
    gate.is_open.set()
    found = [answer.result(60) for answer in waiting]
    assert found == [["A."], ["B."], many, ["C.", "D."]]
    assert sum(sizes) == len(many) + 5 and max(sizes) <= MAX_DOCUMENTS
    assert len(sizes) == 4
    batcher.close()
    with pytest.raises(ProblemError) as error:
        batcher.submit(make_job(pipeline, "E."))
    assert error.value.status_code == 503


def test_one_that_fails_does_not_harm_the_others(waiting_room):
    pipeline, gate, batcher, sizes = waiting_room
    fill(batcher, gate, pipeline)
    wrong = Corrections(together=[[(0, 99)]])
    good = batcher.submit(make_job(pipeline, "Good."))
    broken = batcher.submit(make_job(pipeline, "broken."))
    refused = batcher.submit(make_job(pipeline, "Bad.", corrections=wrong))
    last = batcher.submit(make_job(pipeline, "Last."))
    gate.is_open.set()
    assert good.result(30) == ["Good."] and last.result(30) == ["Last."]
    with pytest.raises(ProblemError) as error:
        refused.result(30)
    assert error.value.status_code == 422 and "FC209" in error.value.detail
    with pytest.raises(ProblemError) as error:
        broken.result(30)
    # What is wrong inside is in the log, and not in the answer.
    assert error.value.status_code == 500 and "secret" not in error.value.detail
    assert sizes == [1, 4]
