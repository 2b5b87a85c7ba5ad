"""Do the JOB that forking.py gave, as a process that was started by a user."""

import io
import multiprocessing
import os
import runpy
import signal
import sys

from spacy_fastcoref.models import runtime

JOB = globals()["JOB"]


def open_files():
    """Open the standard files again, encoded as where UTF-8 is the default."""
    if JOB["stderr"] is None:
        JOB["stderr"] = JOB["stdout"]
    for number, name in ((1, "stdout"), (2, "stderr")):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        os.dup2(os.open(JOB[name], flags, 0o600), number)
        stream = io.TextIOWrapper(
            os.fdopen(number, "wb", 0), "utf8", write_through=True
        )
        setattr(sys, name, stream)


def run():
    option, *others = JOB["args"]
    if option == "-m":
        sys.argv = others
        runpy.run_module(others[0], run_name="__main__", alter_sys=True)
    elif option == "-c":
        sys.argv = ["-c", *others[1:]]
        exec(compile(others[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [option, *others]
        sys.path.insert(0, os.path.dirname(option))
        runpy.run_path(option, run_name="__main__")


open_files()
os.environ.clear()
os.environ.update(JOB["env"])
os.chdir(JOB["folder"])
signal.signal(signal.SIGINT, signal.default_int_handler)
# Else it would be taken for a worker, which starts others as its parent does.
multiprocessing.parent_process = lambda: None
multiprocessing.set_start_method(None, force=True)
runtime._IMPORT_PID = os.getpid()
run()
