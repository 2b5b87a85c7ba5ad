"""The settings of where and how a model computes: device, precision, threads."""

import multiprocessing
import os
import warnings
from dataclasses import dataclass
from typing import Dict, Optional

import torch

from ..errors import Errors, Warnings

# A forked process inherits this value, but its own id differs.
_IMPORT_PID = os.getpid()


@dataclass(frozen=True)
class Runtime:
    """Hold those of the component's settings that a model uses; see pipeline.settings.

    A segment_overlap of None is the model's own.
    """

    device: str = "auto"
    precision: str = "auto"
    runtime: str = "auto"
    max_tokens_in_batch: int = 10000
    scheme: Optional[str] = None
    segment_overlap: Optional[int] = None
    antecedent_window: int = 2048
    antecedent_cache: int = 1024
    n_threads: Optional[int] = None


def is_forked() -> bool:
    """Tell whether this process was forked after this module was imported."""
    return os.getpid() != _IMPORT_PID


def prepare_process(n_threads: Optional[int]) -> None:
    """Set the number of torch's threads in this process.

    A forked process gets one: torch would wait for the others forever.

    n_threads (Optional[int]): The number; None for torch's default in a main process,
        and for one in a worker process, of which there is usually one for each core.
    """
    is_worker = multiprocessing.parent_process() is not None
    if is_forked() or (n_threads is None and is_worker):
        n_threads = 1
    if n_threads is not None and torch.get_num_threads() != n_threads:
        torch.set_num_threads(n_threads)


def choose_device(setting: str) -> torch.device:
    """Choose the device by Runtime.device. In a forked process it is always the CPU.

    RAISES (ValueError): The machine does not have the device.
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


def choose_dtype(
    setting: str, device: torch.device, *, for_training: bool = False
) -> torch.dtype:
    """Choose the dtype that the encoder computes in by Runtime.precision.

    "auto" is bfloat16 if the hardware supports it, and otherwise float16 on a GPU and
    float32 on a CPU and in training, where small gradients would become 0.
    """
    if setting != "auto":
        return getattr(torch, setting)
    if device.type == "cuda":
        # torch.cuda.is_bf16_supported only looks at the current device, and also
        # returns True for GPUs that emulate bfloat16.
        is_native = torch.version.hip is not None
        is_native = is_native or torch.cuda.get_device_capability(device)[0] >= 8
        other = torch.float32 if for_training else torch.float16
        return torch.bfloat16 if is_native else other
    # Older CPUs emulate bfloat16, which is slower than float32.
    is_native = has_capability("avx512_bf16", "amx_bf16")
    return torch.bfloat16 if is_native else torch.float32


def has_capability(*names: str) -> bool:
    """Tell whether the CPU supports at least one of several instruction sets.

    *names (str): Their names in torch, such as "avx512_bf16" or "amx_bf16".
    """
    # Before 2.12, torch has no public function for it.
    capabilities: Dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(name) for name in names)
