import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
import spacy
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.cli.serve import load_pipelines


def test_pipelines_get_coreference(tmp_path, tiny_nlp):
    """Those without it; and each has the name of its folder."""
    spacy.blank("en").to_disk(tmp_path / "blank")
    tiny_nlp.to_disk(tmp_path / "tiny")
    loaded = load_pipelines([str(tmp_path / "blank"), f"{tmp_path / 'tiny'}/"])
    assert [(name, nlp.pipe_names) for name, nlp in loaded.items()] == [
        ("blank", ["spacy_fastcoref"]),
        ("tiny", ["fastcoref"]),
    ]
    with pytest.raises(ValueError, match="FC215.*'blank'"):
        load_pipelines([str(tmp_path / "blank")] * 2)


def test_a_port_in_use():
    """The message is there before a pipeline is loaded."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        args = ["serve", "no_such_pipeline", "--port", port]
        result = CliRunner().invoke(coref_cli, args)
    assert result.exit_code == 1
    assert f"[FC201] Can't listen on 127.0.0.1, port {port}" in result.stderr


def test_without_its_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "spacy_fastcoref.server.run", raising=False)
    result = CliRunner().invoke(coref_cli, ["serve"])
    assert result.exit_code == 1
    assert "[FC200]" in result.stderr and "spacy-fastcoref[server]" in result.stderr


def test_as_a_user_calls_it(tmp_path, tiny_nlp):
    """It serves on this machine alone, until it is told to stop."""
    tiny_nlp.to_disk(tmp_path / "tiny")
    command = [sys.executable, "-m", "spacy", "coref", "serve", str(tmp_path / "tiny")]
    server = subprocess.Popen(
        [*command, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        line = server.stdout.readline()
        assert "http://127.0.0.1:" in line, server.communicate(timeout=60)
        url = line[line.index("http") :].split()[0]
        body = json.dumps({"text": "Ann left."}).encode("ascii")
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{url}/coref", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert json.loads(answer.read())["pipeline"] == "tiny"
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
        assert "Traceback" not in errors
    finally:
        server.kill()
