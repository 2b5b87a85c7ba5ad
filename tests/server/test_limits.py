"""Limits of size, time and number, seen from the other end of a socket."""

import contextlib
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

from spacy_fastcoref.server import run
from spacy_fastcoref.server.limits import Limits

from .conftest import connect, serve

MEGABYTE = 1 << 20


def post(port, request, timeout=60):
    """Post a request, and return the status, the headers and the answer."""
    url = f"http://127.0.0.1:{port}/coref"
    body = json.dumps(request).encode("utf8")
    headers = {"content-type": "application/json"}
    try:
        sent = urllib.request.Request(url, body, headers)
        with urllib.request.urlopen(sent, timeout=timeout) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read())


def start_asking(port, answers):
    ask = {"text": "Ann left."}
    asking = threading.Thread(target=lambda: answers.append(post(port, ask)))
    asking.start()
    return asking


def receive(connection):
    """Receive until the server closes the connection."""
    chunks = []
    while chunk := connection.recv(1 << 16):
        chunks.append(chunk)
    return b"".join(chunks)


@pytest.fixture
def impatient(tiny_nlp, monkeypatch):
    """A server that waits for nobody."""
    monkeypatch.setattr(run, "HEAD_TIMEOUT", 0.3)
    with serve({"en": tiny_nlp}, Limits(max_bytes=MEGABYTE, timeout=0.5)) as port:
        yield port


HEAD = b"POST /coref HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


def test_what_is_announced_as_too_large_is_not_read(impatient):
    with connect(impatient) as connection:
        size = 100 * MEGABYTE
        connection.sendall(HEAD + b"content-length: %d\r\n\r\n" % size)
        # Nothing of the body was sent, and the answer is there.
        answer = receive(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"FC202" in answer and b"connection: close" in answer


def test_what_turns_out_too_large_is_not_read_to_the_end(impatient):
    chunk = b"%x\r\n%s\r\n" % (MEGABYTE, b"x" * MEGABYTE)
    n_sent, answer = 0, b""
    with connect(impatient) as connection:
        connection.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n")
        try:
            for _ in range(100):
                connection.sendall(chunk)
                n_sent += 1
            answer = receive(connection)
        except ConnectionError:
            # It is still there to be read.
            answer = connection.recv(1 << 16)
    assert n_sent < 50
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_clients_that_are_slow(impatient):
    """With the head, and with the body."""
    with connect(impatient) as connection:
        connection.sendall(HEAD)
        assert receive(connection) == b""
    with connect(impatient) as connection:
        connection.sendall(HEAD + b"content-length: 20\r\n\r\n{")
        answer = receive(connection)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"FC205" in answer


def test_slow_bodies_hold_nobody_off(tiny_nlp):
    """Those of one address make room for a fast one, also of the same address."""
    limits = Limits(max_waiting=3, grace=0.5, min_rate=100)
    with serve({"en": tiny_nlp}, limits) as port, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect(port)) for _ in range(8)]
        for connection in slow[:3]:
            connection.sendall(HEAD + b"content-length: 2000\r\n\r\n")
        time.sleep(0.3)
        statuses = []
        for _ in range(6):
            for connection in slow:
                # A byte at a time, also on those that were dropped.
                with contextlib.suppress(ConnectionError):
                    connection.sendall(b" ")
            statuses.append(post(port, {"text": "Ann left."})[0])
            time.sleep(0.1)
        assert set(statuses) == {200}
        for connection in slow[:3]:
            answer = receive(connection)
            assert answer.startswith(b"HTTP/1.1 408 ") and b"FC205" in answer


def test_answers_that_nobody_reads(tiny_nlp, monkeypatch):
    """They take no place of others, and their connections are closed."""
    monkeypatch.setattr(run, "READ_TIMEOUT", 0.2)
    # Made by one character at a time, so that the model has little to do.
    text = " ".join("x" * 1_000 for _ in range(500))
    body = json.dumps({"text": text, "include": ["resolved"]}).encode("ascii")
    lazy = socket.socket()
    with serve({"en": tiny_nlp}, Limits(max_waiting=1)) as port, lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.settimeout(30)
        lazy.connect(("127.0.0.1", port))
        lazy.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
        begin = lazy.recv(1000)
        assert begin.startswith(b"HTTP/1.1 200 ")
        size = int(re.search(rb"content-length: (\d+)", begin)[1])
        assert post(port, {"text": "Ann left."})[0] == 200
        time.sleep(0.5)
        assert len(begin + receive(lazy)) < size


@pytest.mark.parametrize(
    "headers, status, code",
    [
        (b"content-length: 2\r\ntransfer-encoding: chunked", b"400", b"FC219"),
        (b"x-large: " + b"x" * 100_000, b"431", b"FC202"),
    ],
    ids=["two lengths", "a large header"],
)
def test_heads_that_are_refused(impatient, headers, status, code):
    with connect(impatient) as connection:
        connection.sendall(HEAD + headers + b"\r\n\r\n")
        answer = receive(connection)
    assert answer.startswith(b"HTTP/1.1 " + status) and code in answer


def test_answers_that_take_too_long(held):
    nlp, gate = held
    with serve({"en": nlp}, Limits(timeout=0.5)) as port:
        status, headers, problem = post(port, {"text": "Ann left."})
        assert status == 503 and "FC204" in problem["detail"]
        assert headers["retry-after"]
        gate.is_open.set()
        # The server lives on.
        assert post(port, {"text": "Ann left."})[0] in (200, 503)


def test_too_many_requests(held):
    nlp, gate = held
    answers = []
    with serve({"en": nlp}, Limits(max_waiting=1)) as port:
        first = start_asking(port, answers)
        assert gate.is_reached.wait(30)
        status, headers, problem = post(port, {"text": "Tom left."})
        assert status == 429 and "FC203" in problem["detail"]
        assert int(headers["retry-after"]) > 0
        # The page and the state of the server are there nevertheless.
        for path in ("", "health"):
            url = f"http://127.0.0.1:{port}/{path}"
            assert urllib.request.urlopen(url, timeout=30).status == 200
        gate.is_open.set()
        first.join(30)
    assert answers[0][0] == 200


def test_a_stop_waits_for_answers(held):
    nlp, gate = held
    answers = []
    with serve({"en": nlp}) as port:
        asking = start_asking(port, answers)
        assert gate.is_reached.wait(30)
        threading.Timer(0.5, gate.is_open.set).start()
        # The server is told to stop here, before the document is done.
    asking.join(30)
    assert answers[0][0] == 200
    with pytest.raises(ConnectionError):
        connect(port).__enter__()


def test_clients_that_go_away(held):
    """Their documents are not resolved once nobody waits for them."""
    nlp, gate = held
    with serve({"en": nlp}) as port:
        asking = start_asking(port, [])
        assert gate.is_reached.wait(30)
        with connect(port) as connection:
            body = b'{"text": "broken"}'
            connection.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
        metrics = f"http://127.0.0.1:{port}/metrics"
        for _ in range(300):
            text = urllib.request.urlopen(metrics, timeout=30).read()
            if b'path="/coref",status="none"' in text:
                break
        gate.is_open.set()
        asking.join(30)
        assert b'path="/coref",status="none"' in text
        text = urllib.request.urlopen(metrics, timeout=30).read()
        assert b"coref_batch_documents_sum 1.0" in text
