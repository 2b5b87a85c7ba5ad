"""A server in this process, and a browser that looks at it."""

import contextlib
import shutil
import socket
import threading
import time

import pytest
import uvicorn
from fastapi.testclient import TestClient
from spacy.language import Language

from spacy_fastcoref.server.access import Access
from spacy_fastcoref.server.app import make_app
from spacy_fastcoref.server.limits import Limits
from spacy_fastcoref.server.run import TimedProtocol, listen

from ..conftest import load_model

ARGUMENTS = (
    "headless=new no-sandbox disable-dev-shm-usage window-size=1400,1000".split()
)


@contextlib.contextmanager
def serve(pipelines, limits=Limits(), access=Access()):  # noqa: B008
    """Serve in a thread, and yield the port."""
    taken = listen("127.0.0.1", 0)
    # The system keeps little of an answer that nobody reads.
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 14)
    app = make_app(pipelines, limits, access)
    config = uvicorn.Config(app, http=TimedProtocol, ws="none", log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    try:
        end = time.monotonic() + 30
        while not server.started and time.monotonic() < end:
            time.sleep(0.01)
        assert server.started
        yield taken.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        taken.close()


@contextlib.contextmanager
def connect(port, timeout=30):
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        yield connection


def make_client(pipelines, **settings):
    return TestClient(make_app(pipelines, **settings), "http://localhost")


@pytest.fixture(scope="session")
def served(shipped_nlp):
    with serve({"en": shipped_nlp}) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def client(shipped_nlp):
    with make_client({"en": shipped_nlp}) as client:
        yield client


@pytest.fixture(scope="session")
def chrome():
    """A headless Chromium, with Debian's driver."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("needs chromium: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ARGUMENTS:
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    chrome = webdriver.Chrome(options=options, service=service)
    yield chrome
    chrome.quit()


GATE = "gate_of_the_server_tests"


class Gate:
    """Hold documents up until the test opens the gate."""

    def __init__(self):
        self.is_reached = threading.Event()
        self.is_open = threading.Event()

    def __call__(self, doc):
        if doc.text.startswith("broken"):
            raise RuntimeError("a secret of the server")
        self.is_reached.set()
        assert self.is_open.wait(30)
        return doc


@Language.factory(GATE)
def make_gate(nlp, name):
    return Gate()


@pytest.fixture
def held(tiny_path):
    """A pipeline that the test can hold up, and its gate."""
    nlp = load_model(tiny_path)
    gate = nlp.add_pipe(GATE, first=True)
    yield nlp, gate
    gate.is_open.set()
