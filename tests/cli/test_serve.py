import json
import sys
import time
import urllib.request

import pytest

from spacy_fastcoref.cli.serve import load_pipelines

from ..conftest import blank, invoke_coref
from ..forking import start_python


@pytest.mark.slow
def test_pipelines_get_coreference(tmp_path, tiny_nlp):
    """Those without it; and each has the name of its folder."""
    blank("en").to_disk(tmp_path / "blank")
    tiny_nlp.to_disk(tmp_path / "tiny")
    loaded = load_pipelines([str(tmp_path / "blank"), f"{tmp_path / 'tiny'}/"])
    assert [(name, nlp.pipe_names) for name, nlp in loaded.items()] == [
        ("blank", ["spacy_fastcoref"]),
        ("tiny", ["fastcoref"]),
    ]
    with pytest.raises(ValueError, match="FC076.*'blank'"):
        load_pipelines([str(tmp_path / "blank")] * 2)


@pytest.mark.slow
def test_every_language_by_default():
    """English comes first; languages with the same weights have them once."""
    loaded = load_pipelines([])
    assert [*loaded] == ["en", "de", "fr", "nl", "pl"]
    models = [nlp.get_pipe("spacy_fastcoref").model for nlp in loaded.values()]
    assert len(set(map(id, models))) == 2
    assert loaded["pl"]("Anna powiedziała, że ona wyszła.")._.coref_clusters
    (german,) = load_pipelines(["de"]).values()
    assert german.lang == "de"


def test_other_machines_have_to_be_allowed():
    result = invoke_coref("serve", "--host", "0.0.0.0", "-p", "0")
    assert result.exit_code == 1
    assert "[FC233] On 0.0.0.0" in result.stderr and "--allow-host" in result.stderr


def test_without_its_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "spacy_fastcoref.server.run", raising=False)
    result = invoke_coref("serve")
    assert result.exit_code == 1
    assert "[FC200]" in result.stderr and "spacy-fastcoref[server]" in result.stderr


@pytest.mark.slow
def test_as_a_user_calls_it(tmp_path, tiny_nlp):
    """Those who know the token, until it is told to stop."""
    tiny_nlp.to_disk(tmp_path / "tiny")
    command = ["-m", "spacy", "coref", "serve", tmp_path / "tiny", "--port", "0"]
    command += ["--token", "--host", "0.0.0.0", "--allow-host", "Coref.example.com"]
    printed, errors = tmp_path / "stdout", tmp_path / "stderr"
    server = start_python(*command, stdout=printed, stderr=errors)
    try:
        while server.is_alive() and not (printed.exists() and printed.read_text()):
            time.sleep(0.05)
        line = printed.read_text()
        assert "http://coref.example.com:" in line, errors.read_text()
        url, _, token = line[line.index("http") :].split()[0].partition("/#token=")
        url = url.replace("coref.example.com", "127.0.0.1")
        body = json.dumps({"text": "Ann left."}).encode("ascii")
        headers = {"content-type": "application/json", "host": "coref.example.com"}
        headers["authorization"] = f"Bearer {token}"
        request = urllib.request.Request(f"{url}/coref", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert json.loads(answer.read())["pipeline"] == "tiny"
        server.terminate()
        server.join(60)
        assert server.exitcode is not None and "Traceback" not in errors.read_text()
    finally:
        server.kill()
