import threading
from urllib.request import urlopen

import pytest
from spacy import displacy

from spacy_fastcoref import render, serve
from spacy_fastcoref.visualizer import rendering

from .docs import make_doc


@pytest.mark.parametrize(
    "options, kind", [({}, "text/html"), ({"format": "svg"}, "image/svg+xml")]
)
def test_serve(monkeypatch, capsys, options, kind):
    """A browser gets the page; then Ctrl-C is pressed."""
    monkeypatch.setattr(displacy, "RENDER_WRAPPER", lambda markup: f"<b>{markup}</b>")
    doc = make_doc("Ann said: <é>", [(0, 1)])
    answers = []

    def run(server):
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=60) as answer:
            answers.append((answer.headers["Content-Type"], answer.read().decode()))
        thread.join()
        raise KeyboardInterrupt

    monkeypatch.setattr("wsgiref.simple_server.WSGIServer.serve_forever", run)
    serve(doc, port=0, options=options)
    # In displaCy's wrapper, as displacy.serve does.
    expected = render(doc, page=True, options=options)
    assert answers == [(f"{kind}; charset=utf-8", expected)]
    assert "Shutting down" in capsys.readouterr().out


def test_errors_come_before_serving(monkeypatch):
    monkeypatch.setattr(rendering, "make_server", None)
    with pytest.raises(ValueError, match="FC172"):
        serve(make_doc("a"), style="dep")
    with pytest.raises(ValueError, match="FC173"):
        serve("a")
