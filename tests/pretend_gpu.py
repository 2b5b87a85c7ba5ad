"""A GPU that is pretended: tensors that say they are on one, and are computed here.

What a GPU refuses is refused, above all tensors of two devices in one operation, so
that where arrays are moved, and back, is tested on machines without one.
"""

import contextlib

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

GPU = torch.device("cuda:0")
# What torch's own code sees: a GPU would be asked for its driver.
_HIDDEN = torch.device("meta")
_aten = torch.ops.aten
# They read from one device and write to another.
_CROSSING = (_aten.copy_, _aten._to_copy, _aten.to)
# A GPU's tensor may be told by the CPU's numbers which of it is meant.
_INDEXED = (_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_)
# How many numbers come out, the CPU knows when the GPU has done all before.
_AWAITED = (
    _aten._local_scalar_dense,
    _aten.is_nonzero,
    _aten.item,
    _aten.masked_select,
    _aten.nonzero,
    _aten.unique_consecutive,
    _aten.unique_dim,
    _aten._unique2,
)
# What torch's choice of a kernel is called when it multiplies, as any device can.
_PLAIN_ATTENTION = 0


# The operations that the CPU had to wait for.
waits = []


class GpuTensor(Tensor):
    """Hold a tensor that is here, and say that it is on a GPU.

    held (Tensor): The tensor.
    """

    @staticmethod
    def __new__(cls, held):
        return Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            requires_grad=held.requires_grad,
            device=_HIDDEN,
        )

    def __init__(self, held):
        self.held = held

    @property
    def device(self):
        return GPU

    @property
    def is_cuda(self):
        return True

    @property
    def is_meta(self):
        return False

    def __repr__(self):
        return f"GpuTensor({self.held})"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return compute(function, args, kwargs or {})

    def numpy(self, *args, **kwargs):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def tolist(self):
        waits.append("tolist")
        return self.held.tolist()

    def __array__(self, *args, **kwargs):
        return self.numpy()


class _NewTensors(TorchDispatchMode):
    """Put what is made on the GPU, or taken there, into GpuTensors."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return compute(function, args, kwargs or {})


class _NewDevices(TorchFunctionMode):
    """See to what torch does before it dispatches, by the driver of a GPU."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        args = map(_number, args)
        kwargs = {key: _number(value) for key, value in (kwargs or {}).items()}
        if function is torch.tensor and kwargs.get("device") == GPU:
            return function(*args, **{**kwargs, "device": "cpu"}).to(GPU)
        return function(*args, **kwargs)


def _number(value):
    """Say which one is meant by "cuda"."""
    is_device = isinstance(value, (str, torch.device)) and str(value) == "cuda"
    return GPU if is_device else value


def compute(function, args, kwargs):
    """Compute an operation here, if a GPU would do so."""
    if function is _aten._fused_sdp_choice.default:
        return _PLAIN_ATTENTION
    values = [*_iter_leaves(args), *_iter_leaves(kwargs.values())]
    is_on_gpu = [isinstance(v, GpuTensor) for v in values if isinstance(v, Tensor)]
    devices = [value for value in values if isinstance(value, torch.device)]
    goes_there = any(is_on_gpu)
    is_crossing = function.overloadpacket in _CROSSING
    if devices:
        goes_there = devices[0] in (GPU, _HIDDEN)
    elif function.overloadpacket is _aten.copy_:
        goes_there = is_on_gpu[0]
    if not is_crossing:
        _check(function, args, values)
    if any(is_on_gpu) and (not goes_there or _is_awaited(function, args)):
        waits.append(str(function))
    here = {key: _map(_take_here, value) for key, value in kwargs.items()}
    result = function(*_map(_take_here, args), **here)
    if is_crossing and isinstance(result, Tensor) and goes_there != is_on_gpu[0]:
        # A GPU has memory of its own.
        result = result.clone()
    if not goes_there:
        return result
    if not function._schema.returns:
        return None
    written = [args[i] for i in range(len(args)) if _is_written(function, i)]
    return written[0] if written else _map(_wrap, result)


# What operations take and give is no more than tensors and numbers, and lists of them.
def _iter_leaves(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _iter_leaves(value)
        else:
            yield value


def _map(function, value):
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([_map(function, one) for one in value])
    return function(value)


def _check(function, args, values):
    """Refuse tensors of two devices."""
    if function.overloadpacket in _INDEXED and isinstance(args[0], GpuTensor):
        values = [args[0], *args[2:]]
    # Single numbers may be anywhere.
    tensors = [value for value in values if isinstance(value, Tensor) and value.ndim]
    if len({isinstance(tensor, GpuTensor) for tensor in tensors}) > 1:
        raise RuntimeError(f"Expected all tensors on one device in {function}")


def _is_awaited(function, args):
    masks = args[1] if function.overloadpacket in _INDEXED else ()
    is_mask = any(m is not None and m.dtype == torch.bool for m in masks)
    return function.overloadpacket in _AWAITED or is_mask


def _is_written(function, i):
    alias = function._schema.arguments[i].alias_info
    return alias is not None and alias.is_write


def _take_here(value):
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value.held if isinstance(value, GpuTensor) else value


def _wrap(value):
    if not isinstance(value, Tensor) or isinstance(value, GpuTensor):
        return value
    # What is made in inference mode can't be a view of weights made before.
    with torch.inference_mode(False):
        return GpuTensor(value)


@contextlib.contextmanager
def pretend_gpu():
    """Pretend that there is a GPU, the only one; it has not been waited for yet."""
    waits.clear()
    with pytest.MonkeyPatch.context() as patch, _NewDevices(), _NewTensors():
        for name, value in {
            "is_available": True,
            "is_initialized": True,
            "device_count": 1,
            "current_device": 0,
            "get_device_capability": (9, 0),
            "is_bf16_supported": True,
            "_lazy_init": None,
            "get_rng_state_all": [],
        }.items():
            patch.setattr(torch.cuda, name, lambda *_, value=value, **__: value)
        # Memory is pinned by a GPU's driver.
        patch.setattr(Tensor, "pin_memory", lambda self: self)
        yield GPU
