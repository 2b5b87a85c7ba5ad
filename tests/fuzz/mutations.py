"""Hypothesis strategies that break the files and bytes of a model."""

import copy
import json

from hypothesis import strategies as st

HUGE = (10**5, 10**9, 2**31, 2**63, 2**70, 10**400)
VALUES = st.one_of(
    st.sampled_from([*HUGE, *(-n for n in HUGE), 0, -1, 1, 2, 3, 7]),
    st.sampled_from([float("nan"), float("inf"), -float("inf"), 1e308, 0.5, -0.0]),
    st.sampled_from([None, True, False, "", [], {}, [[]], [None], {"": {}}]),
    st.text(max_size=8),
    st.sampled_from(["[UNK]", "a" * 5_000, "\ud800", "../../etc/passwd", "gelu"]),
    st.integers(-10, 300),
    st.lists(st.integers(-10, 300), max_size=3),
)


@st.composite
def json_changes(draw):
    """Draw a function that changes a JSON document in one to three places."""
    changes = draw(
        st.lists(
            st.tuples(
                st.lists(st.integers(0, 10**6), max_size=6),
                st.sampled_from(["set", "delete", "rename", "repeat", "wrap", "swap"]),
                VALUES,
            ),
            min_size=1,
            max_size=3,
        )
    )

    def change(document):
        document = copy.deepcopy(document)
        for steps, action, value in changes:
            # Copied: a list that is put into itself would be no JSON.
            change_json(document, steps, action, copy.deepcopy(value))
        return document

    return change


def change_json(document, steps, action, value):
    """Change the part of a document that some numbers lead to."""
    parent, key, part = None, None, document
    for step in steps:
        if not isinstance(part, (dict, list)) or not part:
            break
        keys = list(part) if isinstance(part, dict) else range(len(part))
        parent, key = part, keys[step % len(part)]
        part = part[key]
    if parent is None:
        return
    if action == "delete":
        del parent[key]
    elif action == "rename" and isinstance(parent, dict):
        parent[str(value)] = parent.pop(key)
    elif action == "repeat" and isinstance(part, (list, str)):
        parent[key] = part * 50
    elif action == "wrap":
        parent[key] = [part]
    elif action == "swap":
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        other = keys[steps[0] % len(parent)]
        parent[key], parent[other] = parent[other], parent[key]
    else:
        parent[key] = value


@st.composite
def byte_changes(draw):
    """Draw a function that changes bytes in one to twenty places."""
    changes = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["set", "set", "set", "insert", "delete", "cut"]),
                # Beginnings are lengths and names; a share of what is there is numbers.
                st.one_of(st.integers(0, 100), st.integers(0, 2**24)),
                st.binary(min_size=1, max_size=4),
            ),
            min_size=1,
            max_size=20,
        )
    )

    def change(data):
        data = bytearray(data)
        for action, place, value in changes:
            at = place % (len(data) + 1)
            if action == "set":
                data[at : at + len(value)] = value
            elif action == "insert":
                data[at:at] = value
            elif action == "delete":
                del data[at : at + len(value)]
            elif place % 5 == 0:
                del data[at:]
        return bytes(data)

    return change


@st.composite
def file_changes(draw):
    """Draw a function that changes the contents of one of a model's files.

    JSON files and the header of the weights are changed as JSON or as bytes.
    """
    as_json, as_bytes = draw(json_changes()), draw(byte_changes())
    is_json = draw(st.integers(0, 3)) > 0

    def change(name, data):
        if not is_json:
            return as_bytes(data)
        if name.endswith(".json"):
            return dump(as_json(json.loads(data)))
        if name.endswith(".safetensors"):
            size = int.from_bytes(data[:8], "little")
            header = dump(as_json(json.loads(data[8 : 8 + size])))
            return len(header).to_bytes(8, "little") + header + data[8 + size :]
        return as_bytes(data)

    return change


def dump(document):
    return json.dumps(document).encode()
