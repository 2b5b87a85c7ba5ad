"""One text, asked in many ways, in each language: one answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_fastcoref import Conversation
from spacy_fastcoref.cli import annotate as module
from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.formats.docs import list_clusters
from spacy_fastcoref.server.access import Access
from spacy_fastcoref.server.app import make_app

from ..conftest import TEXT
from .models import make_nlp
from .strategies import fuzz, limited, texts

TestClient = pytest.importorskip("fastapi.testclient").TestClient
NLP = {lang: make_nlp(lang) for lang in ("en", "de", "fr", "pl", "nl")}


@pytest.fixture(scope="module")
def client():
    app = make_app(NLP, access=Access(frozenset("*")))
    with TestClient(app) as client:
        yield client


@pytest.fixture(scope="module")
def annotate(tmp_path_factory):
    """Annotate texts by the command line, and read their clusters of token offsets."""
    path = tmp_path_factory.mktemp("paths") / "texts.jsonl"

    def annotate(lang, many):
        path.write_text("".join(f"{json.dumps({'text': text})}\n" for text in many))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "load_pipeline", lambda model, lang: NLP[lang])
            args = ["annotate", str(path), "--lang", lang, "--batch-size", "2"]
            done = CliRunner().invoke(coref_cli, args)
        assert done.exit_code == 0, done.output
        rows = [json.loads(line) for line in done.stdout.split("\n") if line]
        return [row["clusters"] for row in rows]

    return annotate


@pytest.mark.slow
@fuzz(share=1 / 2)
@given(st.sampled_from([*NLP]), st.lists(texts(), min_size=1, max_size=3))
@limited
def test_every_way_to_ask(client, annotate, lang, many):
    nlp = NLP[lang]
    docs = [nlp(text) for text in many]
    expected = [doc._.coref_clusters for doc in docs]
    assert [doc._.coref_clusters for doc in nlp.pipe(many)] == expected
    conversations = [Conversation(nlp) for _ in many]
    for conversation, text in zip(conversations, many, strict=True):
        conversation.add(text)
    assert [one.doc._.coref_clusters for one in conversations] == expected
    request = {"pipeline": lang, "documents": [{"text": text} for text in many]}
    answer = client.post("/coref", json=request).json()
    for document, text, clusters in zip(
        answer["documents"], many, expected, strict=True
    ):
        assert document["text"] == text
        found = [
            [tuple(m["chars"]) for m in c["mentions"]] for c in document["clusters"]
        ]
        assert found == clusters
    listed = [[[list(m) for m in c] for c in list_clusters(doc)] for doc in docs]
    inclusive = [[[[a, z - 1] for a, z in c] for c in doc] for doc in listed]
    assert annotate(lang, many) == inclusive


def test_there_is_something_to_compare():
    assert all(nlp(TEXT)._.coref_clusters for nlp in NLP.values())
