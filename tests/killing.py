"""Fault injection: kill a process at each step of what it writes, or at random."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
import torch

try:
    import resource
except ImportError:
    resource = None

# What Python reports before it changes files.
_STEPS = (
    "open",
    "fcntl.flock",
    "os.chmod",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.scandir",
)
# Where a process is killed in the middle of a file: when it grows beyond these sizes.
_SIZES = (0, 1, 100, 5_000, 50_000)

needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork") or resource is None, reason="processes are not forked here"
)


def iter_kills(save, folder):
    """Run a function in processes that are killed, each one step in a folder later.

    Yield after each process where it was killed, and "done" after one that was not.
    """
    for size in _SIZES:
        _run(lambda size=size: _limit_files(size), save)
        yield f"{size} bytes"
    step = 0
    while not _run(lambda step=step: _kill_at(step, folder), save):
        yield step
        step += 1
        assert step < 500
    yield "done"


def kill_at_random(start, n_kills):
    """Start processes, and kill some at random moments, but not the first and the last.

    Yield after each process whether it lived to its end.
    """
    n_killed, has_ended, longest = 0, False, 0.0
    while n_killed < n_kills or not has_ended:
        is_safe = not longest or n_killed == n_kills
        begin = time.monotonic()
        process = start()
        process.join(None if is_safe else random.uniform(0, longest))
        process.kill()
        process.join()
        has_ended = process.exitcode == 0
        assert has_ended or process.exitcode == -signal.SIGKILL
        n_killed += not has_ended
        longest = longest or time.monotonic() - begin
        yield has_ended


def _run(prepare, save):
    """Run a function in a forked process, and tell whether it lived to the end."""
    child = os.fork()
    if not child:
        try:
            torch.set_num_threads(1)
            prepare()
            save()
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXFSZ)
        return False
    assert os.WEXITSTATUS(status) == 0
    return True


def _limit_files(size):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _kill_at(step, folder):
    left = [step]

    def count(event, args):
        if event in _STEPS and _is_inside(args[0], folder):
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

    sys.addaudithook(count)


def _is_inside(path, folder):
    if not isinstance(path, (str, bytes, os.PathLike)):
        return isinstance(path, int)
    path = Path(os.fsdecode(path))
    # What is removed below a folder is named without it.
    return not path.is_absolute() or folder in (path, *path.parents)
