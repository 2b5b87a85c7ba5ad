"""Where and how a model computes: device, precision, threads, processes."""

import contextlib
import multiprocessing
import os
import warnings
from dataclasses import dataclass
from typing import Iterator, Optional

import torch

from ...errors import Errors, Warnings

# Processes forked from this one get its modules, and so this number.
_HOME_PROCESS = os.getpid()
_DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


@dataclass(frozen=True)
class Runtime:
    """Hold the settings that belong to a use of a model and are not saved with it.

    device (str): "auto", "cpu", "cuda" or "cuda:1".
    precision (str): "auto", "float32", "bfloat16" or "float16": the encoder's.
    max_tokens_in_batch (int): The most word pieces in a batch.
    scheme (Optional[str]): The annotation scheme to follow, for models that know
        several.
    segment_overlap (Optional[int]): The word pieces of context that a segment has on
        each side; None for what the model was made for.
    antecedent_window (int): How many mentions back a mention may continue any.
    antecedent_cache (int): How many mentions from before that it may continue.
    n_threads (Optional[int]): How many threads torch uses on a CPU; None for its own
        choice, and for one in a worker process.
    """

    device: str = "auto"
    precision: str = "auto"
    max_tokens_in_batch: int = 10000
    scheme: Optional[str] = None
    segment_overlap: Optional[int] = None
    antecedent_window: int = 2048
    antecedent_cache: int = 1024
    n_threads: Optional[int] = None


def is_forked() -> bool:
    """Tell whether this process was forked after the models were imported."""
    return os.getpid() != _HOME_PROCESS


def prepare_process(n_threads: Optional[int]) -> None:
    """Set the number of torch's threads, in any kind of process.

    In a forked process it is one: OpenMP's threads do not survive a fork, and waiting
    for them hangs for ever.

    n_threads (Optional[int]): The number; None for torch's own in a main process and
        for one in a worker, since there is one worker a core.
    """
    is_worker = multiprocessing.parent_process() is not None
    if is_forked() or (n_threads is None and is_worker):
        n_threads = 1
    if n_threads is not None and torch.get_num_threads() != n_threads:
        torch.set_num_threads(n_threads)


@contextlib.contextmanager
def predict_on(device: torch.device) -> Iterator[None]:
    """Compute without gradients, in the precision that is set here.

    A caller's autocast is for the caller's own model.

    device (torch.device): Where the network is.
    YIELDS (None): Within the context nothing is learned.
    """
    with torch.inference_mode(), torch.autocast(device.type, enabled=False):
        yield


def find_device(setting: str) -> torch.device:
    """Find the device that a setting means on this machine.

    setting (str): "auto", "cpu", "cuda" or "cuda:1".
    RETURNS (torch.device): The device; in a forked process always the CPU.
    RAISES (ValueError): The machine does not have it.
    """
    if is_forked():
        if setting.startswith("cuda"):
            warnings.warn(Warnings.FCW01.format(device=setting), stacklevel=2)
        return torch.device("cpu")
    if setting == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if setting.startswith("cuda"):
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (torch.device(setting).index or 0) >= count:
            reason = f"torch {torch.__version__} sees {count} CUDA devices"
            raise ValueError(Errors.FC005.format(device=setting, reason=reason))
    return torch.device(setting)


def find_dtype(setting: str, device: torch.device) -> torch.dtype:
    """Find the type that the encoder computes in.

    setting (str): "auto", "float32", "bfloat16" or "float16".
    device (torch.device): The device.
    RETURNS (torch.dtype): For "auto" bfloat16 where the hardware has it, else
        float16 on a GPU and float32 on a CPU.
    """
    if setting != "auto":
        return _DTYPES[setting]
    if device.type == "cuda":
        return torch.bfloat16 if _has_bfloat16_cores(device) else torch.float16
    # Emulated, as on older CPUs, it is slower than float32.
    is_native = has_capability("avx512_bf16", "amx_bf16")
    return torch.bfloat16 if is_native else torch.float32


def find_training_dtype(setting: str, device: torch.device) -> torch.dtype:
    """Find the type that the encoder computes in when it is trained.

    setting (str): "auto", "float32", "bfloat16" or "float16".
    device (torch.device): The device.
    RETURNS (torch.dtype): As find_dtype has it, but for "auto" float32 in place of
        float16, in which small gradients are 0.
    """
    dtype = find_dtype(setting, device)
    if setting == "auto" and dtype == torch.float16:
        return torch.float32
    return dtype


def _has_bfloat16_cores(device: torch.device) -> bool:
    # torch.cuda.is_bf16_supported is of the current device, and true of emulation.
    if torch.version.hip is not None:
        return True
    return torch.cuda.get_device_capability(device)[0] >= 8


def has_capability(*names: str) -> bool:
    """Tell whether the CPU can do any of several things.

    *names (str): What, as torch calls it, such as "avx512_bf16" or "amx_bf16".
    RETURNS (bool): Whether it can; False where torch, before 2.12, has no public way to
        ask.
    """
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(name) for name in names)
