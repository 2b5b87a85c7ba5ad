"""What the Makefile does with its variables. Nothing is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROBE = (
    'include Makefile\nprobe:\n\t@echo "$$DEMO_TEXT"; echo "$(BIN)"; echo "$(READY)"\n'
)
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def probe(tmp_path, *args):
    path = tmp_path / "probe.mk"
    path.write_text(PROBE)
    # A make that runs these tests would pass its own variables on.
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    env = {k: v for k, v in kept.items() if k not in ("TEXT", "VENV", "DEMO_TEXT")}
    command = ["make", "-s", "-f", str(path), "probe", *args]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_sample_text(tmp_path):
    assert probe(tmp_path)[0].startswith("Alice Walker is a lawyer")


def test_text_is_used_as_it_is(tmp_path):
    text = "She paid $5 and $$10 to $(BIN), he said."
    assert probe(tmp_path, f"TEXT={text}")[0] == text


def test_environment(tmp_path):
    """Relative to the project, or anywhere by an absolute path."""
    for name in ("other", str(tmp_path / "other")):
        _, binaries, stamp = probe(tmp_path, f"VENV={name}")
        assert Path(binaries) == ROOT / name / "bin"
        # It is no program that is there halfway, but a file that is written last.
        assert Path(stamp) == ROOT / name / ".ready"


def test_demo_builds_what_has_changed(tmp_path):
    """And nothing else: the second time it only resolves the text."""
    for name in (".ready", ".installed"):
        (tmp_path / name).touch()
    printed = dry_run(f"VENV={tmp_path}", target="demo")
    assert "coref resolve" in printed and "pip" not in printed
    os.utime(tmp_path / ".installed", (0, 0))
    assert "--force-reinstall" in dry_run(f"VENV={tmp_path}", target="demo")


def dry_run(*args, target="fuzz"):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    command = ["make", "-n", target, *args]
    done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_fuzz_prints_its_seed():
    """With it the same inputs are tried again."""
    printed = dry_run()
    (seed,) = re.findall(r"echo .*SEED=(\d+)", printed)
    assert f"--hypothesis-seed={seed}" in printed
    printed = dry_run("SEED=36", "FUZZ_EXAMPLES=7")
    assert "SEED=36" in printed and "--hypothesis-seed=36" in printed
    assert "FUZZ_EXAMPLES=7" in printed
    # That of CI would be the same each time.
    assert "env -u CI" in printed
