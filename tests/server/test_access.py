"""Pages of other hosts, and strangers without the token, get no answer."""

import pytest

from spacy_fastcoref.server.access import Access

from .conftest import make_client
from .test_api import SHORT

KNOWN = ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "LOCALHOST"]
FOREIGN = [
    "evil.example.com",
    "evil.example.com:8000",
    "localhost.evil.example.com",
    "127.0.0.1.evil.example.com",
    "localhost@evil.example.com",
    "0.0.0.0:8000",
    "[::1",
    "",
]


@pytest.fixture
def ask(tiny_nlp):
    """Ask a server with some access, and return the status and the answer."""

    def ask(headers=(), *, path="/coref", **access):
        settings = {"access": Access(**access)} if access else {}
        with make_client({"en": tiny_nlp}, **settings) as client:
            body = {"json": {"text": SHORT}} if path == "/coref" else {}
            method = "POST" if body else "GET"
            answer = client.request(method, path, headers=dict(headers), **body)
            return answer.status_code, answer.text

    return ask


@pytest.mark.parametrize("host", KNOWN)
def test_names_of_this_machine(ask, host):
    headers = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "none"}
    assert ask(headers)[0] == 200
    assert ask({**headers, "sec-fetch-site": "same-origin"})[0] == 200


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/coref", "/", "/health", "/pipelines"])
def test_names_that_may_lead_here_from_elsewhere(ask, host, path):
    """As of a page that lets its own name lead to 127.0.0.1."""
    status, text = ask({"host": host, "origin": f"http://{host}"}, path=path)
    assert status == 403 and "FC230" in text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example.com"},
        {"origin": "http://localhost:3000"},
        {"origin": "null"},
        {"origin": "http://localhost.evil.example.com"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"},
    ],
    ids=str,
)
def test_pages_of_other_hosts(ask, headers):
    status, text = ask(headers)
    assert status == 403 and "FC231" in text


def test_links_from_other_hosts(ask):
    link = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    assert ask(link, path="/")[0] == 200
    frame = {**link, "sec-fetch-dest": "iframe"}
    assert ask(frame, path="/")[0] == 403


def test_hosts_that_are_allowed(ask):
    hosts = frozenset(["coref.example.com"])
    for host in ("coref.example.com", "Coref.example.com:8080", "localhost"):
        assert ask({"host": host, "origin": f"https://{host}"}, hosts=hosts)[0] == 200
    # As behind a proxy that calls the server by another name.
    headers = {"host": "localhost:8000", "origin": "https://coref.example.com"}
    assert ask(headers, hosts=hosts)[0] == 200
    assert ask({"host": "a.coref.example.com"}, hosts=hosts)[0] == 403
    any_host = {"hosts": frozenset("*")}
    assert ask({"host": "any"}, **any_host)[0] == 200
    foreign = {"host": "any", "origin": "http://other"}
    assert ask(foreign, **any_host)[0] == 403


def test_a_token(ask):
    secret = {"token": "s3cret"}
    for path in ("/coref", "/pipelines", "/metrics", "/corpus/jsonl"):
        for found in ({}, {"authorization": "Bearer s3cre"}, {"authorization": "é"}):
            headers = {key: value.encode() for key, value in found.items()}
            status, text = ask(headers, path=path, **secret)
            assert status == 401 and "FC232" in text
    assert ask({"authorization": "Bearer s3cret"}, **secret)[0] == 200
    for path in ("/", "/health", "/static/page.js", "/palette.css", "/openapi.json"):
        assert ask(path=path, **secret)[0] == 200
