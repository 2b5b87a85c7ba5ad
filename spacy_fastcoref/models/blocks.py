"""Blocks: dataclasses in which a config describes a layer before it is built.

A block has a method `build`, which makes the layer from the width of the encoder's
vectors; encoders are built from their configuration and its path. A block whose layer
needs more of a Doc than its word pieces has a method `read(doc, runtime)`, which
returns arrays of shape (n_tokens,), int64, by name.
"""

import math
from collections import abc
from dataclasses import fields
from types import UnionType
from typing import Any, Callable, Dict, Iterator, Type, Union, get_args, get_origin

from ..errors import Errors, check_known
from ..registry import registry

BLOCK_KEY = "@coref_layers"
_PLAIN = (str, int, float, type(None))
# The types of values that a field accepts: a float can be written as an integer.
_TYPES = {**{kind: kind for kind in _PLAIN}, float: (int, float)}


def register_block(name: str) -> Callable[[Type], Type]:
    """Register a dataclass of settings as a block that configs can name.

    Its fields are plain values, lists of them, or, where their type is Any, blocks.
    """

    def register(block: Type) -> Type:
        block.registered_name = name
        registry.coref_layers.register(name, func=block)
        return block

    return register


def describe_block(block: Any) -> Dict[str, Any]:
    """Convert a block to the form that it has in a config, and in JSON."""
    settings = {field.name: getattr(block, field.name) for field in fields(block)}
    for name, value in settings.items():
        if hasattr(value, "registered_name"):
            settings[name] = describe_block(value)
        elif isinstance(value, (list, tuple)):
            settings[name] = list(value)
    return {BLOCK_KEY: block.registered_name, **settings}


def make_block(config: Any, path: str) -> Any:
    """Make a block from the output of `describe_block`.

    Only registered blocks and plain values are accepted, so that the folder of a
    model cannot run other code. A setting that the block does not have may be null.

    RAISES (ValueError): The config does not name a registered block, or has
        settings that the block does not accept.
    """
    name = config.get(BLOCK_KEY) if isinstance(config, dict) else None
    if not isinstance(name, str):
        message = Errors.FC015.format(
            path=path, key=BLOCK_KEY, value=config, expected="the name of a layer"
        )
        raise ValueError(message)
    if name not in registry.coref_layers:
        # To list them imports all, and with them torch.
        layers = sorted(registry.coref_layers.get_all())
        check_known(f"coreference layer, as '{path}' has it,", name, layers)
    block = registry.coref_layers.get(name)
    known = {setting.name: setting.type for setting in fields(block)}
    settings = {}
    for key, value in config.items():
        if key in known and known[key] is Any:
            settings[key] = make_block(value, path)
        elif key in known and _fits(value, known[key]):
            settings[key] = value
        elif key != BLOCK_KEY and (key in known or value is not None):
            reason = f"{key} = {value!r}"
            raise ValueError(Errors.FC014.format(block=name, path=path, reason=reason))
    try:
        return block(**settings)
    except TypeError as error:
        message = Errors.FC014.format(block=name, path=path, reason=error)
        raise ValueError(message) from error


def _fits(value: Any, kind: Any) -> bool:
    """Tell whether a value from a file is accepted by a field of a type."""
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(kind))
    if get_origin(kind) is abc.Sequence:
        (inner,) = get_args(kind)
        return isinstance(value, (list, tuple)) and all(_fits(v, inner) for v in value)
    if kind not in _TYPES:
        # The block itself checks values of other types.
        items = value if isinstance(value, (list, tuple)) else [value]
        return all(isinstance(item, _PLAIN) for item in items)
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return is_finite and isinstance(value, _TYPES[kind])


def iter_blocks(block: Any) -> Iterator[Any]:
    """Iterate over a block and the blocks within it."""
    yield block
    for field in fields(block):
        value = getattr(block, field.name)
        if hasattr(value, "registered_name"):
            yield from iter_blocks(value)
