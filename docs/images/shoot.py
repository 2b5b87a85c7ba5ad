"""Take the pictures of the page in the docs: python docs/images/shoot.py FOLDER

It needs chromium, its driver, selenium and the extra `server`. A picture is named
page_WIDTH_THEME_CLUSTERS.webp: 375 and 1400 pixels, light and dark, of a text with
three clusters and of one with forty.
"""

import base64
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

FEW = (
    "Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked "
    "her about the new contract. Her brother, who knows Tom, said that he had read it "
    "twice."
)
NAMES = (
    "Alice Bob Carol David Emma Frank Grace Henry Irene Jack Karen Louis Maria Nick "
    "Olga Peter Rita Sam Tina Victor"
).split()
MANY = " ".join(
    f"{name} Miller met {other} Baker. {name} Miller told {other} Baker a story."
    for name, other in zip(NAMES, reversed(NAMES), strict=True)
)
WEBP = {"format": "webp", "quality": 75}
READY = """
    return !document.getElementById("result").hidden
        && !document.getElementById("marked").hasAttribute("aria-busy")
"""
SHOW = """
    document.getElementById("text").value = arguments[0];
    document.getElementById("resolve").click();
"""


def main(folder: Path) -> None:
    """Serve the page, and take its pictures.

    folder (Path): Where they are written.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "spacy", "coref", "serve", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE)
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    for argument in ("headless=new", "no-sandbox", "hide-scrollbars"):
        options.add_argument(f"--{argument}")
    try:
        assert server.stdout is not None and b"http" in server.stdout.readline()
        chrome = webdriver.Chrome(options=options, service=service)
        for width, height in ((375, 720), (1400, 800)):
            for theme in ("light", "dark"):
                for name, text in (("3", FEW), ("40", MANY)):
                    shoot(chrome, port, width, height, theme, text)
                    shot = chrome.execute_cdp_cmd("Page.captureScreenshot", WEBP)
                    path = folder / f"page_{width}_{theme}_{name}.webp"
                    path.write_bytes(base64.b64decode(shot["data"]))
        chrome.quit()
    finally:
        server.terminate()
        server.wait()


def shoot(
    chrome: webdriver.Chrome, port: int, width: int, height: int, theme: str, text: str
) -> None:
    """Show a text, and the third of its mentions.

    chrome (webdriver.Chrome): The browser.
    port (int): The port of the page.
    width, height (int): The size of the window.
    theme (str): "light" or "dark".
    text (str): The text.
    """
    size = {"width": width, "height": height, "deviceScaleFactor": 1}
    size["mobile"] = width < 600
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    touch = {"enabled": width < 600}
    chrome.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)
    feature = {"name": "prefers-color-scheme", "value": theme}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    chrome.get(f"http://127.0.0.1:{port}")
    WebDriverWait(chrome, 60).until(lambda _: chrome.execute_script(READY))
    chrome.execute_script(SHOW, text)
    time.sleep(0.2)
    WebDriverWait(chrome, 60).until(lambda _: chrome.execute_script(READY))
    chrome.execute_script("document.querySelectorAll('mark')[2].focus()")
    chrome.execute_script("document.querySelector('.work').scrollIntoView()")
    time.sleep(0.3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
