"""spacy_fastcoref.pipe: processes that die, hang or fail lose no other document."""

import multiprocessing
import os
import sys
import threading
import time

import pytest
from spacy.tokens import Doc, Span

import spacy_fastcoref
from spacy_fastcoref.pipeline import processes

from ..conftest import TEXT, blank
from ..forking import quicken_workers

# A module of its own, which worker processes can import.
COMPONENTS = """
import os, signal, time
from spacy.language import Language

@Language.component("test_trouble")
def trouble(doc):
    last = doc.text.split(" ")[-1]
    if last == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if last == "hangs":
        time.sleep(600)
    if last == "fails":
        raise ValueError(doc.text)
    if last == "object":
        doc.user_data["object"] = time
    if os.path.exists(last):
        os.remove(last)
        os.kill(os.getpid(), signal.SIGKILL)
    doc.user_data["seen"] = True
    return doc

@Language.component("test_after")
def after(doc):
    doc.user_data["after"] = len(doc)
    return doc
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills processes")


@pytest.fixture(autouse=True)
def quick(request, monkeypatch):
    """In one test worker processes start as they do elsewhere."""
    if request.function is not test_same_as_in_this_process:
        quicken_workers(monkeypatch)


class Handler:
    def __init__(self):
        self.seen = []

    def __call__(self, name, component, docs, error):
        (doc,) = docs
        self.seen.append((doc.text, doc._context, name, str(error)))


@pytest.fixture(scope="module")
def trouble(tmp_path_factory):
    folder = tmp_path_factory.mktemp("components")
    (folder / "coref_test_trouble.py").write_text(COMPONENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        import coref_test_trouble  # noqa: F401 (registers the components)

        yield


@pytest.fixture
def nlp(trouble):
    nlp = blank("en")
    nlp.add_pipe("test_trouble")
    nlp.add_pipe("test_after")
    return nlp


@pytest.mark.slow
def test_nothing_is_lost(nlp, tmp_path):
    """Documents that kill, hang and fail, in batches with others."""
    once = tmp_path / "once"
    once.touch()
    texts = [f"text {i}" for i in range(40)]
    texts[5], texts[8], texts[20] = "it dies", "it fails", "it hangs"
    texts[22], texts[30], texts[33] = "", f"a {once}", "an object"
    handler = Handler()
    # It can't be pickled, and stays here.
    handler.lock = threading.Lock()
    nlp.set_error_handler(handler)
    stream = spacy_fastcoref.pipe(
        nlp,
        zip(texts, range(40), strict=True),
        n_process=2,
        batch_size=4,
        timeout=3,
        as_tuples=True,
    )
    assert nlp.default_error_handler is handler
    docs, contexts = zip(*stream, strict=True)
    assert [doc.text for doc in docs] == texts
    assert list(contexts) == [*range(40)]
    lost = {5, 20, 33}
    for i, doc in enumerate(docs):
        assert doc.user_data.get("after") == (None if i in lost else len(doc))
        assert ("seen" in doc.user_data) == (i not in {*lost, 8})
    assert not once.exists()
    died, failed, hung, unsaved = handler.seen
    assert died[:3] == ("it dies", 5, "pipe")
    assert "[FC152] The document 5" in died[3] and "'it dies'" in died[3]
    assert "it was killed" in died[3]
    assert failed == ("it fails", 8, "test_trouble", "it fails")
    assert hung[:3] == ("it hangs", 20, "pipe")
    assert "[FC152]" in hung[3] and "longer than 3 seconds" in hung[3]
    assert unsaved[:3] == ("an object", 33, "pipe")


@pytest.mark.slow
def test_default_is_to_raise(nlp):
    texts = ["one", "two", "it dies", "three"]
    stream = spacy_fastcoref.pipe(nlp, texts, batch_size=2)
    assert [next(stream).text, next(stream).text] == ["one", "two"]
    with pytest.raises(RuntimeError, match="FC152.*document 2 .*'it dies'"):
        next(stream)
    assert not list(stream)
    texts = ["one", "it fails", "three"]
    stream = spacy_fastcoref.pipe(nlp, texts, batch_size=3)
    assert next(stream).text == "one"
    with pytest.raises(ValueError, match="it fails") as error:
        next(stream)
    if hasattr(error.value, "__notes__"):
        assert "in trouble" in error.value.__notes__[0]


@pytest.mark.slow
def test_same_as_in_this_process(tiny_nlp):
    """Docs and texts, with all that is stored in them."""
    ruler = tiny_nlp.add_pipe("entity_ruler", first=True)
    ruler.add_patterns([{"label": "WHO_IS_NEW", "pattern": "Alice"}])
    tiny_nlp.max_length = len(TEXT) * 3
    given = tiny_nlp.make_doc("She said that he ate.")
    given.spans["coref_seeds_1"] = [Span(given, 0, 1), Span(given, 3, 4)]
    given.user_data["mine"] = {"a": [1]}
    given._.coref_scheme = None
    texts = [TEXT, given, "", TEXT * 2]
    expected = [*tiny_nlp.pipe([TEXT]), tiny_nlp(given.copy()), tiny_nlp("")]
    stream = spacy_fastcoref.pipe(tiny_nlp, texts, batch_size=3)
    found = list(stream)
    assert len(found) == 4 and found[3].text == TEXT * 2
    assert any(doc._.coref_clusters for doc in found)
    for doc, other in zip(found, expected, strict=False):
        assert doc.vocab is tiny_nlp.vocab
        assert doc.text == other.text and doc.user_data == other.user_data
        assert doc._.coref_clusters == other._.coref_clusters
        assert [e.label_ for e in doc.ents] == [e.label_ for e in other.ents]
        assert set(doc.spans) == set(other.spans)
        for key, group in doc.spans.items():
            assert list(group.attrs) == list(other.spans[key].attrs)


def test_texts_are_read_as_needed(nlp):
    n_read = 0

    def read():
        nonlocal n_read
        for i in range(1000):
            n_read += 1
            yield f"text {i}"

    # Those of another stream end when it is collected.
    others = list_processes()
    stream = spacy_fastcoref.pipe(nlp, read(), batch_size=2)
    assert n_read == 0
    assert [next(stream).text for _ in range(20)] == [f"text {i}" for i in range(20)]
    assert n_read <= 20 + 4 * 2
    before = list_processes() - others
    stream.close()
    # The executor's own thread waits for the process, too. Process.join can return
    # before that thread has noted that the process has ended.
    deadline = time.monotonic() + 60
    while before & list_processes() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert before and not before & list_processes()


def list_processes():
    return {process.pid for process in multiprocessing.active_children()}


def test_texts_that_fail(nlp):
    def read():
        yield from ["one", "two", "three"]
        raise KeyError("the source")

    stream = spacy_fastcoref.pipe(nlp, read(), batch_size=2)
    assert [next(stream).text for _ in range(3)] == ["one", "two", "three"]
    with pytest.raises(KeyError, match="the source"):
        next(stream)
    assert list(spacy_fastcoref.pipe(nlp, [])) == []


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"n_process": 0}, "FC076.*'n_process' is 0"),
        ({"n_process": -2}, "FC076.*'n_process' is -2"),
        ({"batch_size": 0}, "FC076.*'batch_size' is 0"),
        ({"timeout": 0}, "FC076.*'timeout' is 0"),
    ],
)
def test_invalid_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        spacy_fastcoref.pipe(blank("en"), [], **settings)


def test_pipelines_that_can_not_be_sent(monkeypatch):
    nlp = blank("en")
    monkeypatch.setattr(nlp, "tokenizer", lambda text: Doc(nlp.vocab, words=[text]))
    with pytest.raises(ValueError, match="FC150.*pickle"):
        spacy_fastcoref.pipe(nlp, [])
    monkeypatch.setattr(processes, "_MAX_FAILED_STARTS", 2)
    for data, reason in ((b"broken", "unpickl|pickle"), (exit_at_once(), "terminated")):
        monkeypatch.setattr(processes, "dump_pipeline", lambda nlp, data=data: data)
        with pytest.raises(RuntimeError, match=f"FC151.*({reason})"):
            list(spacy_fastcoref.pipe(blank("en"), ["one"]))


def exit_at_once():
    """Make bytes that end the process that loads them."""
    return b"cos\n_exit\n(I3\ntR."


def test_extension_attributes_are_sent(nlp):
    """A process knows those that its parent has set."""
    Doc.set_extension("test_sent", default=os.sep)
    try:
        (doc,) = spacy_fastcoref.pipe(nlp, ["one"])
        assert doc._.test_sent == os.sep
    finally:
        Doc.remove_extension("test_sent")
