"""The page, as people see and use it, in a headless Chromium."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy import registry

from spacy_fastcoref.server.access import Access

from .conftest import serve
from .test_api import SHORT

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

pytestmark = pytest.mark.slow
AXE = Path(__file__).parent.parent / "fixtures" / "axe" / "axe.min.js"
NESTED = (
    "Alice Walker's brother, who knows her friend Tom Baker, met the lawyer of his "
    "company. He thanked her for it."
)
ARABIC = "قالت مريم إنها ستزور أخاها. وقال أحمد إنه ينتظرها."
HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror=hacked=1> Ann & <b>her</b>"
)
IS_READY = """
    return !document.getElementById("result").hidden
        && !document.getElementById("marked").hasAttribute("aria-busy")
"""


class Page:
    """Use the page as a reader does."""

    def __init__(self, chrome, url):
        self.chrome = chrome
        chrome.get(url)
        self.wait()

    def wait(self):
        WebDriverWait(self.chrome, 60, 0.05).until(lambda c: c.execute_script(IS_READY))

    def find(self, selector):
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def read(self, selector):
        return [element.text for element in self.find_all(selector)]

    def run(self, script, *args):
        return self.chrome.execute_script(f"return {script}", *args)

    def type(self, *keys):
        webdriver.ActionChains(self.chrome).send_keys(*keys).perform()

    def show(self, text):
        """Paste a text and resolve it, without the mouse."""
        self.run("document.getElementById('text').value = arguments[0]", text)
        self.find("#text").send_keys(Keys.CONTROL, Keys.ENTER)
        self.wait()

    def get_clusters(self):
        """List the mentions of each cluster, as they are marked."""
        clusters = {}
        for mark in self.run(
            "[...document.querySelectorAll('mark')].map("
            "(m) => [m.className.split(' ')[0], m.textContent])"
        ):
            clusters.setdefault(mark[0], []).append(mark[1])
        return list(clusters.values())


@pytest.fixture
def page(chrome, served):
    chrome.get_log("browser")
    yield Page(chrome, served)
    logged = [entry["message"] for entry in chrome.get_log("browser")]
    assert not logged, logged


@pytest.fixture
def look(chrome):
    """Change the width and the colours."""

    def change(width, theme):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        feature = {"name": "prefers-color-scheme", "value": theme}
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    yield change
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_first_look(page, served):
    """An example is resolved, without a request to another host."""
    text = page.run("document.getElementById('text').value")
    assert page.run("document.getElementById('marked').textContent") == text
    assert ["Alice Walker", "She", "her", "Her"] in page.get_clusters()
    listed = page.read("#clusters li")
    assert "1 Alice Walker ×4" in listed
    # Nothing covers the text that has nothing to say.
    assert not page.find("#panel").is_displayed()
    names = page.run("performance.getEntriesByType('resource').map((e) => e.name)")
    assert names and all(name.startswith(served) for name in names)
    copied = json.loads(page.run("document.getElementById('json').textContent"))
    assert copied["text"] == text and len(copied["clusters"]) == len(listed)


def test_a_token(chrome, tiny_nlp):
    """It is kept for a reload, and not where others see it."""
    with serve({"en": tiny_nlp}, access=Access(token="s3cret")) as port:
        url = f"http://127.0.0.1:{port}/"
        page = Page(chrome, f"{url}#token=s3cret")
        assert chrome.current_url == url
        chrome.refresh()
        page.wait()
        page.run("sessionStorage.clear()")
        chrome.refresh()
        WebDriverWait(chrome, 30, 0.05).until(
            lambda _: "FC232" in page.find("#error").text
        )
    chrome.get_log("browser")


def test_a_mention_and_its_candidates(page):
    page.show("Alice met Tom Baker, and he asked her about it.")
    her = next(mark for mark in page.find_all("mark") if mark.text.startswith("her"))
    webdriver.ActionChains(page.chrome).move_to_element(her).perform()
    panel = page.find("#panel").text
    assert "“her”" in panel
    assert page.read("#panel .mentions li") == ["Alice", "her"]
    assert "What it may come back to" in panel and "“Alice”" in panel
    # Without rules, nothing speaks against it.
    page.run("document.getElementById('settings').open = true")
    page.find("#enabled").click()
    page.wait()
    her = next(mark for mark in page.find_all("mark") if mark.text.startswith("her"))
    her.click()
    assert "the other a woman" not in page.find("#panel").text


def read_marks(page):
    """The background of each mark by its number."""
    script = """[...document.querySelectorAll("mark")].map((mark) =>
        [mark.dataset.number, getComputedStyle(mark).backgroundColor])"""
    return dict(page.run(script))


def test_one_cluster_alone(page):
    """By the list, and over ten clusters by the mention under the pointer."""
    page.show("Alice met Tom Baker, and he asked her about it.")
    before = read_marks(page)
    button = page.find("#clusters button")
    button.click()
    assert page.find("#clusters button").get_attribute("aria-pressed") == "true"
    after = read_marks(page)
    assert after["1"] == before["1"] and after["2"] != before["2"]
    page.find("#clusters button").click()
    assert read_marks(page) == before
    names = "Alice Bob Carol David Emma Frank Grace Henry Irene Jack Karen Leo".split()
    story = "{0} Miller met {1} Baker. {0} Miller told {1} Baker a story."
    page.show(" ".join(map(story.format, names, reversed(names))))
    assert len(page.find_all("#clusters li")) > 10
    before = read_marks(page)
    webdriver.ActionChains(page.chrome).move_to_element(page.find("mark")).perform()
    after = read_marks(page)
    assert after["1"] == before["1"] and len({*after.values()}) == 2


def test_a_phone(page, look):
    """A tap opens what is known of a mention, and a button closes it."""
    look(375, "light")
    page.show(SHORT)
    assert not page.find("#panel").is_displayed()
    page.find("mark").click()
    panel = page.find("#panel")
    assert panel.is_displayed() and panel.rect["height"] < 450
    next(one for one in page.find_all("#panel button") if "Next" in one.text).click()
    assert "“she”" in page.find("#panel").text
    page.find("#panel .close").click()
    assert not page.find("#panel").is_displayed()


def test_examples_and_advice(page):
    page.show("It rains.")
    assert "No two mentions were found" in page.find("#advice").text
    page.show("Sie sagte, dass sie müde sei und keine Lust mehr habe. " * 4)
    assert "not in the language" in page.find("#advice").text
    (example,) = page.find_all("#examples button")
    assert example.text == "English"
    example.click()
    page.wait()
    assert "1 Alice Walker ×4" in page.read("#clusters li")
    assert not page.find("#advice").text


def test_by_keyboard_alone(page):
    page.show(SHORT)
    page.run("document.querySelector('#settings summary').focus()")
    page.type(Keys.TAB)
    assert page.run("document.activeElement.textContent") == "Ann"
    assert "Nothing before it" in page.find("#panel").text
    page.type("p", Keys.ARROW_RIGHT)
    assert page.run("document.activeElement.textContent") == "she"
    assert "Not “Ann”" in page.find("#panel").text
    page.type("a")
    page.wait()
    assert page.get_clusters() == []
    assert page.read("#corrections li span") == ["Different: “Ann” and “she”"]
    # Words are added by a selection in the field.
    field = page.find("#text")
    field.send_keys(Keys.CONTROL, Keys.HOME)
    field.send_keys(Keys.SHIFT, *[Keys.ARROW_RIGHT] * 3)
    page.run("document.getElementById('add').focus()")
    page.type(Keys.ENTER)
    page.wait()
    assert page.get_clusters() == [["Ann"]]
    assert page.run("document.activeElement.textContent") == "Ann"
    page.type("d")
    page.wait()
    assert page.read("#corrections li span") == ["No mention: “Ann”"]
    page.run("document.querySelector('#corrections button').focus()")
    page.type(Keys.ENTER)
    page.wait()
    assert page.get_clusters() == [["Ann", "she"]]


def test_corrections_by_mouse_are_saved(page, shipped_nlp, tmp_path):
    page.show("Ann met Eve. She left.")
    # Select "Eve" in the marked text.
    page.run("""(() => {
        const walker = document.createTreeWalker(
            document.getElementById("marked"), NodeFilter.SHOW_TEXT);
        while (!walker.nextNode().data.includes("Eve"));
        const start = walker.currentNode.data.indexOf("Eve");
        getSelection().setBaseAndExtent(
            walker.currentNode, start, walker.currentNode, start + 3);
    })()""")
    page.find("#add").click()
    page.wait()
    page.find("#panel button[aria-pressed]").click()
    she = next(mark for mark in page.find_all("mark") if mark.text.startswith("She"))
    she.click()
    together = page.find("#panel .row button")
    assert together.text == "Same as “Eve”"
    together.click()
    page.wait()
    assert any({"Eve", "She"} <= set(cluster) for cluster in page.get_clusters())
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.chrome.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    page.find("#save-jsonl").click()
    path = tmp_path / "coref.jsonl"
    WebDriverWait(page.chrome, 30, 0.05).until(lambda _: path.is_file())
    make = registry.readers.get("spacy_fastcoref.JsonlCorpus.v1")
    (example,) = make(str(path))(shipped_nlp)
    texts = [{span.text for span in group} for group in example.y.spans.values()]
    assert any({"Eve", "She"} <= found for found in texts)


SPOIL = Path(__file__).with_name("spoil.js").read_text("utf8")


def test_no_field_of_an_answer_is_run(page):
    """Names, texts, rules, reasons, verdicts and errors are shown as they are."""
    source = {"source": SPOIL % json.dumps(HOSTILE)}
    added = page.chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    try:
        page.chrome.refresh()
        text = "Alice met Bob. She thanked him."
        page.run("document.getElementById('text').value = arguments[0]", text)
        page.find("#resolve").click()
        WebDriverWait(page.chrome, 30, 0.05).until(lambda _: page.find_all("mark"))
        panels = []
        for mark in page.find_all("mark")[:6]:
            page.run("arguments[0].focus()", mark)
            panels.append(page.find("#panel").text)
        assert any("<script>" in panel for panel in panels)
        for selector in ("#marked", "#resolved", "#clusters", "#rules", "#pipeline"):
            found = page.run(
                "document.querySelector(arguments[0]).textContent", selector
            )
            assert "<script>" in found, selector
        assert page.run("window.hacked") is None
        assert not page.find_all("main img, main script, main b")
    finally:
        page.chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_files(page, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("Bob said he left. 😀", "utf8")
    page.find("#file").send_keys(str(path))
    page.wait()
    WebDriverWait(page.chrome, 30, 0.05).until(
        lambda _: page.get_clusters() == [["Bob", "he"]]
    )
    path.write_bytes(b"Caf\xe9")
    page.find("#file").send_keys(str(path))
    WebDriverWait(page.chrome, 30, 0.05).until(lambda _: page.find("#error").text)
    assert page.find("#error").text == "text.txt is not a text in UTF-8."


def test_resolved_text_is_linked_to_the_original(page):
    page.show(SHORT)
    assert page.find("#resolved").text == "Ann said Ann left."
    assert page.find("#original").text == SHORT
    (change,) = page.find_all("#resolved .change")
    webdriver.ActionChains(page.chrome).move_to_element(change).perform()
    assert page.read(".change.on") == ["she", "Ann"]
    change.click()
    assert page.run("document.querySelector(':target').textContent") == "she"


def test_right_to_left(page):
    page.show(ARABIC)
    for name in ("text", "marked", "original"):
        script = "getComputedStyle(document.getElementById(arguments[0])).direction"
        assert page.run(script, name) == "rtl"


@pytest.mark.parametrize("width", [375, 1400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility(page, look, width, theme):
    """axe finds nothing wrong, and nothing is wider than the window."""
    look(width, theme)
    page.show(NESTED)
    page.run("document.getElementById('settings').open = true")
    page.run("document.querySelector('mark').focus()")
    # Chromium needs a frame to apply the colours of the theme.
    page.chrome.get_screenshot_as_png()
    assert page.run("document.documentElement.scrollWidth") <= width
    page.chrome.execute_script(AXE.read_text("utf8"))
    found = page.chrome.execute_async_script("axe.run().then(arguments[0])")
    problems = {v["id"]: [n["html"] for n in v["nodes"]] for v in found["violations"]}
    assert not problems
    assert len(found["passes"]) > 20


SPANS = st.lists(
    st.tuples(st.integers(0, 11), st.integers(1, 12)).map(
        lambda pair: (min(pair), max(pair) if pair[0] != pair[1] else pair[1] + 1)
    ),
    unique=True,
    max_size=8,
)


def test_marks_keep_the_text(page):
    """However mentions contain and cross each other, and whatever the letters are."""
    text = "a😀bc👩‍👩‍👧 <é>"
    chars = list(text) + ["x"] * (12 - len(text))
    show = """
        const [clusters, chars, done] = arguments;
        import("/static/marks.js").then(({ listMentions, showMarks }) => {
            const box = document.createElement("div");
            const mentions = listMentions(clusters);
            showMarks(box, chars, mentions);
            done([box.textContent, mentions.map((one) => [one.start, one.end,
                [...box.querySelectorAll(`[data-mention="${one.id}"]`)]
                    .map((mark) => mark.textContent).join("")])]);
        });
    """

    @given(SPANS)
    @settings(max_examples=40)
    def check(spans):
        clusters = [{"mentions": [{"chars": span, "text": ""}]} for span in spans]
        shown, mentions = page.chrome.execute_async_script(show, clusters, chars)
        assert shown == "".join(chars)
        assert sorted((start, end) for start, end, _ in mentions) == sorted(spans)
        for start, end, marked in mentions:
            assert marked == "".join(chars[start:end])

    check()
