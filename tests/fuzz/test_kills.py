"""What is killed at random moments, and goes on: nothing is lost, and nothing is twice.

`make fuzz` kills 100 of each kind, or a hundredth of FUZZ_EXAMPLES.
"""

import json
import multiprocessing
import os
import random
import shutil
import signal
import time

import pytest
import torch

from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.training.loop import train

from ..forking import start_python
from ..killing import kill_at_random, needs_fork
from ..training.test_loop import Log, prepare, read_folder
from .strategies import IS_LONG, N_EXAMPLES

N_KILLS = max(2, N_EXAMPLES // 100)
pytestmark = [
    needs_fork,
    pytest.mark.skipif(not IS_LONG, reason="it takes minutes: make fuzz"),
]


def fork(function):
    def run():
        torch.set_num_threads(1)
        function()

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    return process


def test_annotate(tmp_path):
    """The real command: 40 kills of 100."""
    keys = [str(i) for i in range(200)]
    lines = [{"doc_key": key, "text": f"Ann {key} said she left."} for key in keys]
    path, out = tmp_path / "texts.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = ["-m", "spacy", "coref", "annotate", path, "-o", out, "-b", "4"]
    whole = None

    def start():
        return start_python(*command, stdout=tmp_path / "log.txt")

    for has_ended in kill_at_random(start, N_KILLS * 2 // 5):
        if not has_ended:
            continue
        assert sorted(os.listdir(tmp_path)) == ["log.txt", "out.jsonl", "texts.jsonl"]
        found = out.read_bytes()
        assert [json.loads(line)["doc_key"] for line in found.splitlines()] == keys
        whole = whole or found
        assert found == whole
        out.unlink()


def test_ray_drivers(tmp_path, cluster):
    """Between blocks, and while one is written: 40 kills of 100."""
    from ..scale import test_annotate as scale

    folder, n_rows, n_kills = tmp_path / "out", 10 * N_KILLS, N_KILLS * 2 // 5
    code = f"""
import sys, time
sys.path.insert(0, {str(scale.ROOT)!r})
import ray
from tests.scale import test_annotate as scale
ray.init(address={cluster.address!r}, log_to_driver=False)
nlp = scale.make_nlp(lambda text: time.sleep(0.05))
scale.write(scale.make_dataset({n_rows}), {str(folder)!r}, nlp)
"""
    for _ in range(n_kills):
        n_before, log = scale.count_blocks(folder), tmp_path / "log.txt"
        driver = start_python("-c", code, stdout=log)
        while scale.count_blocks(folder) == n_before:
            assert driver.is_alive(), log.read_text()
            time.sleep(0.02)
        time.sleep(random.uniform(0, 0.3))
        driver.kill()
        driver.join()
        assert driver.exitcode == -signal.SIGKILL
    n_old = 5 * scale.count_blocks(folder)
    done = scale.write(scale.make_dataset(n_rows), folder, scale.make_nlp())
    assert (done.n_rows, done.n_old) == (n_rows, n_old)
    scale.check(folder, n_rows)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_training(tmp_path, precision):
    """Half of the kills in each precision; the weights are those of the whole run."""
    make, out = prepare(tmp_path), tmp_path / "out"
    whole = None

    def run():
        nlp = make(**{"components.fastcoref.precision": precision})
        train(nlp, out, resume=True, stdout=Log())

    for has_ended in kill_at_random(lambda: fork(run), N_KILLS // 2):
        if has_ended:
            found = [read_folder(out / name) for name in ("model-last", "model-best")]
            whole = whole or found
            assert found == whole
            shutil.rmtree(out)


def test_pipelines(tiny_nlp, tmp_path):
    """A model that `nlp.to_disk` was writing is the old one or the new one."""
    component = tiny_nlp.get_pipe("fastcoref")
    first = component.model.get_checkpoint()
    folder = tmp_path / "nlp" / "fastcoref" / "model"

    def save():
        for step in range(1, 9):
            tensors = {name: t + step for name, t in first.tensors.items()}
            checkpoint = Checkpoint(first.config, tensors, first.tokenizer)
            component.model.set_checkpoint(checkpoint)
            tiny_nlp.to_disk(tmp_path / "nlp")

    seen = set()
    for _ in kill_at_random(lambda: fork(save), N_KILLS):
        found = Checkpoint.from_disk(folder)
        assert sorted(os.listdir(folder.parent)) == ["cfg", "model"]
        (step,) = {
            round(float((tensor.float() - first.tensors[name].float()).mean()))
            for name, tensor in found.tensors.items()
        }
        seen.add(step)
    assert seen <= {*range(1, 9)} and len(seen) > 1
