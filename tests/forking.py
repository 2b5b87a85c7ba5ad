"""Run Python in processes that are forked from one which has imported torch and spaCy.

A new process takes seconds to import them. One that is forked does not, and else it is
the same: it can be killed, and it has its own arguments, output and environment. What
Python itself does at its start and its end is left out.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from spacy_fastcoref.pipeline import processes

CODE = Path(__file__).with_name("forked.py")
# What commands and pipelines import, at once or as they need it.
MODULES = [
    "spacy.lang.en",
    "spacy_fastcoref.cli",
    "spacy_fastcoref.pipeline.fastcoref",
    "spacy_fastcoref.models.checkpoints.sources",
    "transformers.models.bert.modeling_bert",
]


def get_server():
    """Get the context of multiprocessing whose processes have these modules.

    Where there are no forks, processes import the modules themselves.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    return context


def quicken_workers(patch):
    """Let worker processes of `spacy_fastcoref.pipe` have what they would import."""

    def get_context(method):
        assert method == "spawn"
        return get_server()

    patch.setattr(processes, "get_context", get_context)


def start_python(*args, stdout, stderr=None, env=None):
    """Start Python in a forked process, with "-m MODULE", "-c CODE" or a script.

    Errors go to the file of the output, if no other is given.
    """
    job = {"args": [str(arg) for arg in args], "env": {**(env or os.environ)}}
    job |= {"folder": os.getcwd(), "stdout": str(stdout)}
    job["stderr"] = stderr and str(stderr)
    process = get_server().Process(
        target=runpy.run_path, args=(str(CODE), {"JOB": job}, "forked")
    )
    process.start()
    return process


def fork_python(code="", args=(), env=None):
    """Run code, or Python with arguments, in a forked process; it has to succeed."""
    env = {**(env or os.environ), "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    args = [*(args or ["-c", textwrap.dedent(code)])]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("stdout", "stderr")]
        process = start_python(*args, stdout=files[0], stderr=files[1], env=env)
        process.join(240)
        if process.exitcode is None:
            process.kill()
            process.join()
        printed = [path.read_text("utf8") for path in files]
    assert process.exitcode == 0, printed[1][-3000:]
    return subprocess.CompletedProcess([sys.executable, *args], 0, *printed)
