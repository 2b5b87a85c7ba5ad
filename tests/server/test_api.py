"""What POST /coref answers: what nlp says, and where a request is wrong."""

import json
import tracemalloc
from pathlib import Path

import pytest
from spacy import registry
from spacy.tokens import Doc, Span

from spacy_fastcoref.resolution.resolve import resolve
from spacy_fastcoref.server.app import make_app
from spacy_fastcoref.server.schemas import CorefAnswer

from ..conftest import TEXT, blank, load_model
from .conftest import make_client

SHORT = "Ann said she left."


def ask(client, status=200, **request):
    answer = client.post("/coref", json=request)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_text_of_another_language(client):
    text = "Sie sagte, dass sie müde sei und keine Lust mehr habe. " * 4
    (document,) = ask(client, text=text)["documents"]
    assert "[FCW36]" in document["warnings"][0]
    assert ask(client, text=SHORT)["documents"][0]["warnings"] == []


def read_clusters(document):
    return [
        [tuple(mention["chars"]) for mention in cluster["mentions"]]
        for cluster in document["clusters"]
    ]


def test_one_text(client, shipped_nlp):
    answer = ask(client, text=TEXT)
    CorefAnswer.model_validate(answer)
    assert answer["pipeline"] == "en"
    (document,) = answer["documents"]
    doc = shipped_nlp(TEXT)
    assert document["text"] == TEXT
    assert read_clusters(document) == doc._.coref_clusters != []
    for cluster, chain in zip(document["clusters"], doc._.coref_chains, strict=True):
        assert cluster["main"] == chain.most_specific_mention_index
        for mention, known in zip(cluster["mentions"], chain, strict=True):
            assert mention["text"] == known.span.text
            assert mention["tokens"] == [known.span.start, known.span.end]
    first, *others = document["clusters"][0]["mentions"]
    assert first["antecedent"] is first["score"] is None
    assert all(other["score"] > 0 <= other["antecedent"] for other in others)
    # What is not asked for is not computed.
    assert document["tokens"] is document["resolved"] is None
    assert document["explanations"] is None


def test_many_documents(client, shipped_nlp):
    tokens = ["Bob", "said", "he", "left", "."]
    documents = [{"text": SHORT}, {"tokens": tokens}, {"text": ""}]
    answer = ask(client, documents=documents)
    CorefAnswer.model_validate(answer)
    first, second, third = answer["documents"]
    assert read_clusters(first) == [[(0, 3), (9, 12)]]
    assert second["text"] == "Bob said he left . "
    assert [m["tokens"] for m in second["clusters"][0]["mentions"]] == [[0, 1], [2, 3]]
    assert third["clusters"] == []
    assert ask(client, documents=[])["documents"] == []


def test_parts(client, shipped_nlp):
    parts = ["resolved", "explanations"]
    policy = "spacy_fastcoref.pronouns.v1"
    (document,) = ask(client, text=TEXT, include=parts, policy=policy)["documents"]
    doc = shipped_nlp(TEXT)
    expected = resolve(doc, policy)
    assert document["resolved"]["text"] == expected.text
    found = [tuple(one) for one in document["resolved"]["replacements"]]
    assert found == [tuple(one) for one in expected.replacements]
    component = shipped_nlp.get_pipe("fastcoref")
    by_mention = {tuple(e["chars"]): e["candidates"] for e in document["explanations"]}
    for explanation in component.explain_all(doc):
        span = explanation.mention
        candidates = by_mention.get((span.start_char, span.end_char), [])
        assert len(candidates) == min(len(explanation.candidates), len(candidates))
        for one, known in zip(candidates, explanation.candidates, strict=False):
            assert one["chars"] == [known.mention.start_char, known.mention.end_char]
            assert one["verdict"] == known.verdict
            assert one["reasons"] == known.reasons and one["rules"] == known.rules
            assert one["chosen"] == known.is_chosen
    assert any(one["chosen"] for found in by_mention.values() for one in found)
    assert any(one["reasons"] for found in by_mention.values() for one in found)


def test_rules_can_be_switched(client, shipped_nlp):
    """For one request, and not for those after it."""
    component = shipped_nlp.get_pipe("fastcoref")
    before = component.rules
    text = "Susan met Emma. He asked her about it, and he told him."
    with_rules = ask(client, text=text, include=["explanations"])
    without = ask(client, text=text, include=["explanations"], rules={"enabled": False})
    disabled = {"disabled": ["agreement", "same_head"]}
    fewer = ask(client, text=text, include=["explanations"], rules=disabled)

    def read_rules(answer):
        explanations = answer["documents"][0]["explanations"]
        return {
            rule for e in explanations for c in e["candidates"] for rule in c["rules"]
        }

    assert "gender" in read_rules(with_rules)
    assert not read_rules(without)
    assert "gender" not in read_rules(fewer) != set()
    assert ask(client, text=text, include=["explanations"]) == with_rules
    assert component.rules is before


def test_pipelines(tiny_nlp, tiny_path):
    german = load_model(tiny_path, "de")
    with make_client({"one": tiny_nlp, "two": german}) as client:
        assert ask(client, text=SHORT)["pipeline"] == "one"
        assert ask(client, text=SHORT, pipeline="two")["pipeline"] == "two"
        problem = ask(client, 422, text=SHORT, pipeline="three")
        assert "'three'" in problem["detail"] and "one, two" in problem["detail"]
        info = client.get("/pipelines").json()
        assert [(p["name"], p["lang"]) for p in info["pipelines"]] == [
            ("one", "en"),
            ("two", "de"),
        ]
        assert info["pipelines"][0]["rules"]["agreement"] is True
    with pytest.raises(ValueError, match="FC095"):
        make_app({"none": blank("en")})


def test_speakers(client, shipped_nlp):
    """They are where the component reads them."""
    text = "I like you. I like you too."
    words = [token.text for token in shipped_nlp.make_doc(text)]
    turns = [
        {"start": 0, "end": 11, "speaker": "Ann"},
        {"start": 12, "end": 27, "speaker": "Bob"},
    ]
    doc = shipped_nlp.make_doc(text)
    doc.spans["speakers"] = [
        Span(doc, 0, 4, label="Ann"),
        Span(doc, 4, len(doc), label="Bob"),
    ]
    expected = [
        [(span.start, span.end) for span in doc.spans[key]]
        for key in shipped_nlp(doc).spans
        if key.startswith("coref_clusters")
    ]
    assert expected
    speakers = ["Ann"] * 4 + ["Bob"] * (len(words) - 4)
    spaces = [bool(token.whitespace_) for token in doc]
    by_tokens = {"tokens": words, "spaces": spaces, "speakers": speakers}
    for request in ({"text": text, "turns": turns}, by_tokens):
        (document,) = ask(client, **request)["documents"]
        found = [
            [tuple(mention["tokens"]) for mention in cluster["mentions"]]
            for cluster in document["clusters"]
        ]
        assert found == expected


def test_corrections(client):
    ann, she = [0, 3], [9, 12]
    bob = "Ann met Eve and Bob. She left."

    def correct(text, **corrections):
        (document,) = ask(client, text=text, corrections=corrections)["documents"]
        return read_clusters(document)

    assert correct(SHORT) == [[(0, 3), (9, 12)]]
    assert correct(SHORT, apart=[[ann, she]]) == []
    assert correct(SHORT, drop=[she]) == []
    # A mention that is added is one, even if it is alone.
    assert correct(SHORT, add=[[13, 17]]) == [[(0, 3), (9, 12)], [(13, 17)]]
    found = correct(bob, together=[[[8, 11], [21, 24]]], apart=[[[0, 3], [21, 24]]])
    assert any({(8, 11), (21, 24)} <= set(cluster) for cluster in found)
    assert not any({(0, 3), (21, 24)} <= set(cluster) for cluster in found)
    # Offsets inside of words stand for the words.
    assert correct(SHORT, apart=[[[1, 2], [9, 10]]]) == []


CORRECTED = {
    "text": SHORT,
    "turns": [{"start": 0, "end": 18, "speaker": "Tom"}],
    "corrections": {"add": [[13, 17]], "together": [[[0, 3], [13, 17]]]},
}


@pytest.mark.parametrize("kind", ["jsonl", "spacy"])
def test_corrected_documents_are_training_data(client, shipped_nlp, tmp_path, kind):
    answer = client.post(f"/corpus/{kind}", json=CORRECTED)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f'"coref.{kind}"')
    path = tmp_path / f"coref.{kind}"
    path.write_bytes(answer.content)
    name = {"jsonl": "JsonlCorpus", "spacy": "DocBinCorpus"}[kind]
    make = registry.readers.get(f"spacy_fastcoref.{name}.v1")
    (example,) = make(str(path))(shipped_nlp)
    reference = example.reference
    assert [token.text for token in reference] == ["Ann", "said", "she", "left", "."]
    assert reference.text == SHORT
    groups = [key for key in reference.spans if key.startswith("coref_clusters")]
    found = [[(s.start, s.end) for s in reference.spans[key]] for key in groups]
    assert found == [[(0, 1), (2, 3), (3, 4)]]
    assert [span.label_ for span in reference.spans["speakers"]] == ["Tom"]
    # What the reader of the page could choose from is no part of the gold annotation.
    assert "coref_mentions" not in reference.spans
    assert isinstance(example.predicted, Doc)


# The place that is named, what is said of it, and the request. What only the pipeline
# knows of one document, has no place.
WRONG = Path(__file__).with_name("wrong_requests.jsonl").read_text().splitlines()
WRONG = [
    *map(json.loads, WRONG),
    ["documents", "256", {"documents": [{"text": "a"}] * 257}],
]


@pytest.mark.parametrize("place, reason, request_", WRONG)
def test_wrong_requests(client, place, reason, request_):
    body = json.dumps(request_).encode("ascii")
    headers = {"content-type": "application/json"}
    answer = client.post("/coref", content=body, headers=headers)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert problem["detail"].startswith("[FC")
    if place is None:
        assert problem["detail"].startswith(f"[{reason}]") and not problem["places"]
    else:
        assert place in [one["place"] for one in problem["places"]], problem
        assert reason in problem["places"][0]["message"]


@pytest.mark.parametrize(
    "body, says",
    [
        (b'{"text":\n "a', "line 2 column 2"),
        (b'{"text": "a"\n\n"b": 1}', "line 3 column 1"),
        (b'{"text":\n\xff"a"}', "line 2 column 1"),
        (b"[" * 100_000, "recursion depth"),
        (b'{"text": ' + b"9" * 5000 + b"}", "integer string"),
    ],
)
def test_broken_json(client, body, says):
    headers = {"content-type": "application/json"}
    answer = client.post("/coref", content=body, headers=headers)
    assert answer.status_code == 422
    assert says in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "a", "corrections": {"add": [' + b"[]," * 100_000 + b"[]]}}",
        b'{"text": "a", "corrections": {"apart": [[' + b"0," * 100_000 + b"0]]}}",
        b'{"text": "a", "turns": [' + b"0," * 100_000 + b"0]}",
        b'{"tokens": [' + b"0," * 100_000 + b"0]}",
        b'{"tokens": [], "spaces": [' + b"0," * 100_000 + b"0]}",
        b'{"tokens": [], "speakers": [' + b"0," * 100_000 + b"0]}",
        b'{"documents": [' + b"0," * 100_000 + b"0]}",
        b'{"text": "a", "include": [' + b"0," * 100_000 + b"0]}",
        b"{" + b",".join(b'"%d": 0' % i for i in range(100_000)) + b"}",
    ],
    ids=lambda body: body[:40].decode(),
)
def test_a_hundred_thousand_errors(client, body):
    """Neither the answer nor the work has one for each."""
    headers = {"content-type": "application/json"}
    tracemalloc.start()
    answer = client.post("/coref", content=body, headers=headers)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.status_code == 422 and "[FC2" in answer.json()["detail"]
    assert len(answer.content) < 50_000 and peak < 50 * len(body)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("path", ["/coref", "/corpus/jsonl"])
def test_what_is_not_sent_as_json(client, path, kind):
    """As other pages could do without asking, and as curl does if it is not told."""
    body = json.dumps({"text": SHORT})
    answer = client.post(path, content=body, headers={"content-type": kind})
    assert answer.status_code == 415
    assert "FC217" in answer.json()["detail"] and kind in answer.json()["detail"]
    assert client.post(path, content=body).status_code == 415
    kind = "Application/JSON; charset=utf-8"
    answer = client.post(path, content=body, headers={"content-type": kind})
    assert answer.status_code == 200


def test_texts_that_are_longer_than_the_pipeline_takes(tiny_nlp):
    tiny_nlp.max_length = 9
    with make_client({"en": tiny_nlp}) as client:
        assert "FC208" in ask(client, 422, text=SHORT)["detail"]
        assert "FC208" in ask(client, 422, tokens=SHORT.split())["detail"]
        # The vocabulary of the pipeline does not grow with what strangers send.
        n_strings = len(tiny_nlp.vocab.strings)
        ask(client, text="Zyxwvut")
        assert len(tiny_nlp.vocab.strings) == n_strings


def test_rules_of_another_kind(tiny_nlp):
    component = tiny_nlp.get_pipe("fastcoref")
    component.rules = lambda doc, links: None
    with make_client({"en": tiny_nlp}) as client:
        assert client.get("/pipelines").json()["pipelines"][0]["rules"] == {}
        rules = {"disabled": ["agreement"]}
        assert "FC212" in ask(client, 422, text=SHORT, rules=rules)["detail"]
        ask(client, text=SHORT, rules={"disabled": []})


def test_health_and_metrics(client):
    assert client.get("/health").json()["status"] == "ok"
    ask(client, text=SHORT)
    client.get("/no/such/page")
    text = client.get("/metrics").text
    assert 'coref_requests_total{path="/coref",status="200"}' in text
    # Strangers can't make new metrics.
    assert 'path="other",status="404"' in text and "such" not in text
    assert "coref_batch_documents_count" in text


def test_every_answer_is_secured(client):
    for path in ("/", "/health", "/static/page.js", "/palette.css", "/none"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    # Their pages would load scripts from another host.
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404
    assert client.get("/static/..%2fapp.py").status_code == 404
