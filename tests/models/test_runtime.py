import multiprocessing
import os

import pytest
import torch

from spacy_fastcoref.models import runtime
from spacy_fastcoref.models.runtime import (
    choose_device,
    choose_dtype,
    prepare_process,
)


def test_cuda_device_index(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(ValueError, match="FC005.*cuda:2"):
        choose_device("cuda:2")


def test_forked_process_uses_cpu(monkeypatch):
    monkeypatch.setattr(runtime, "_IMPORT_PID", -1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto") == torch.device("cpu")
    with pytest.warns(UserWarning, match="FCW01.*cuda:0"):
        assert choose_device("cuda:0") == torch.device("cpu")


@pytest.mark.parametrize(
    "native, expected", [({"avx512_bf16": True}, torch.bfloat16), ({}, torch.float32)]
)
def test_precision_on_cpu(monkeypatch, native, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: native, raising=False)
    assert choose_dtype("auto", torch.device("cpu")) == expected
    assert choose_dtype("float16", torch.device("cpu")) == torch.float16


@pytest.mark.parametrize(
    "capability, hip, expected, trained",
    [
        ((9, 0), None, torch.bfloat16, torch.bfloat16),
        ((8, 0), None, torch.bfloat16, torch.bfloat16),
        # These GPUs emulate bfloat16, which is slow. Gradients vanish in float16.
        ((7, 5), None, torch.float16, torch.float32),
        ((7, 0), None, torch.float16, torch.float32),
        ((7, 0), "6.2", torch.bfloat16, torch.bfloat16),
    ],
)
def test_precision_on_gpu(monkeypatch, capability, hip, expected, trained):
    """The precision depends on the given device, not on the current one."""
    found = {torch.device("cuda:0"): (10, 0), torch.device("cuda:1"): capability}
    monkeypatch.setattr(torch.cuda, "get_device_capability", found.get)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    monkeypatch.setattr(torch.version, "hip", hip)
    device = torch.device("cuda:1")
    assert choose_dtype("auto", device) == expected
    assert choose_dtype("auto", device, for_training=True) == trained
    assert choose_dtype("float16", device, for_training=True) == torch.float16
    assert choose_dtype("auto", torch.device("cuda:0")) == torch.bfloat16


@pytest.mark.parametrize(
    "setting, forked, parent, expected",
    [
        (None, False, None, None),
        (3, False, None, 3),
        (None, False, "a parent", 1),
        (3, False, "a parent", 3),
        # More than one thread would wait forever.
        (3, True, "a parent", 1),
    ],
)
def test_number_of_threads(monkeypatch, setting, forked, parent, expected):
    asked = []
    monkeypatch.setattr(runtime, "_IMPORT_PID", -1 if forked else os.getpid())
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: parent)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 16)
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    prepare_process(setting)
    assert asked == ([] if expected is None else [expected])
