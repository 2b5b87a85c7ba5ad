import inspect
import re
import sys
import threading
from types import ModuleType
from urllib.request import urlopen

import pytest
from spacy import displacy
from spacy.tokens import Doc

from spacy_fastcoref import render, serve, visualizer
from spacy_fastcoref.visualizer import rendering
from spacy_fastcoref.visualizer.rendering import STYLES

from .reading import find, find_all, get_text, make_doc, parse

# With what a picture could ask another host for something.
FETCHING = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"}


@pytest.fixture
def doc():
    return make_doc("The mother of his friend saw her .", [(0, 5), (6, 7)], [(3, 5)])


@pytest.mark.parametrize("name", ["render", "serve"])
def test_signature_is_that_of_displacy(name):
    ours = list(inspect.signature(getattr(visualizer, name)).parameters.values())
    theirs = inspect.signature(getattr(displacy, name)).parameters
    expected = [parameter for parameter in theirs if parameter != "manual"]
    assert [parameter.name for parameter in ours] == expected


@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("style", sorted(STYLES))
def test_nothing_is_fetched(doc, style, page):
    markup = render(doc, style, page=page)
    tags = {node.tag for node in parse(markup).iter()}
    assert not tags & FETCHING
    namespace = "http://www.w3.org/2000/svg"
    assert not re.search(r"url\(|@import|https?:|//", markup.replace(namespace, ""))


def test_page(doc):
    doc.user_data["title"] = "A & B"
    root = parse(render(doc, page=True))
    assert root.tag == "html" and root.get("lang")
    assert find(root, "title").text == find(root, "h2").text == "A & B"
    metas = {
        meta.get("name", meta.get("http-equiv")): meta.get("content")
        for meta in find_all(root, "meta")
    }
    assert "default-src 'none'" in metas["Content-Security-Policy"]
    assert metas["viewport"].startswith("width=device-width")
    assert find(root, "main") is not None


@pytest.mark.parametrize("page", [False, True])
def test_themes(doc, page):
    auto, light, dark = (
        find(parse(render(doc, page=page, options={"theme": theme})), "style").text
        for theme in ("auto", "light", "dark")
    )
    assert "prefers-color-scheme" in auto
    assert "prefers-color-scheme" not in light + dark and light != dark


def test_several_docs(doc):
    root = parse(render(iter([doc, doc[0:5]])))
    texts = find_all(root, "div", "coref-text")
    shown = [get_text(text, numbers=False) for text in texts]
    assert shown == [doc.text, "The mother of his friend "]
    assert len(find_all(root, "figure")) == 2
    assert (
        len(find_all(root, "style")) == len(find_all(parse(render([])), "style")) == 1
    )


def test_minify(en_vocab):
    doc = Doc(en_vocab, words=["a", "\n\n    ", "b"], spaces=[False] * 3)
    root = parse(render(doc, minify=True))
    assert "\n" not in find(root, "style").text
    assert get_text(find(root, "div", "coref-text")) == "a\n\n    b"


def test_render_wrapper_of_displacy(doc, monkeypatch):
    monkeypatch.setattr(displacy, "RENDER_WRAPPER", lambda markup: f"<b>{markup}</b>")
    assert render(doc).startswith("<b><style>")


def test_jupyter(doc, monkeypatch):
    """Shown by IPython, which need not be installed, where spaCy finds a notebook."""
    shown = []
    module = ModuleType("IPython.display")
    module.HTML, module.display = str, shown.append
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    assert render(doc, jupyter=True) is None
    assert find(find(parse(shown.pop()), "div", "tex2jax_ignore"), "mark") is not None
    monkeypatch.setattr(
        "spacy_fastcoref.visualizer.rendering.is_in_jupyter", lambda: True
    )
    assert render(doc) is None and shown
    assert render(doc, jupyter=False)


@pytest.mark.parametrize(
    "given, code",
    [
        ({"style": "span"}, "FC024"),
        ({"options": {"colors": {}}}, "FC024"),
        ({"options": {"theme": "blue"}}, "FC024"),
        ({"options": {"format": "pdf"}}, "FC024"),
        ({"options": {"width": 3}}, "FC076"),
        ({"options": {"width": "80"}}, "FC076"),
        ({"options": {"clusters": 1}}, "FC076"),
        ({"options": {"clusters": ["1"]}}, "FC076"),
        ({"options": {"component": "fastcoref"}}, "FC076"),
        ({"style": "chains", "options": {"format": "svg"}}, "FC024"),
        ({"docs": "Ann left."}, "FC173"),
        ({"docs": None}, "FC173"),
        ({"docs": {"text": "Ann left."}}, "FC173"),
    ],
)
def test_errors(doc, given, code):
    with pytest.raises(ValueError, match=code):
        render(**{"docs": doc, **given})


def test_a_long_document_stays_small():
    """Its size is linear in its words and mentions, for any style."""
    sizes = []
    for n in (100, 200):
        doc = make_doc(
            "a b c d " * n,
            *([(4 * i, 4 * i + 2), (4 * i + 1, 4 * i + 2)] for i in range(n)),
        )
        sizes.append([len(render(doc, style)) for style in sorted(STYLES)])
    for small, large in zip(*sizes, strict=True):
        assert large < 2.2 * small


@pytest.mark.parametrize(
    "options, kind", [({}, "text/html"), ({"format": "svg"}, "image/svg+xml")]
)
def test_serve(monkeypatch, capsys, options, kind):
    """A browser gets the page, in displaCy's wrapper; then Ctrl-C is pressed."""
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
    expected = render(doc, page=True, options=options)
    assert answers == [(f"{kind}; charset=utf-8", expected)]
    assert "Shutting down" in capsys.readouterr().out


def test_errors_come_before_serving(monkeypatch):
    monkeypatch.setattr(rendering, "make_server", None)
    with pytest.raises(ValueError, match="FC024"):
        serve(make_doc("a"), style="dep")
