"""Broken and hostile models: one of our errors, or the answers of the whole model."""

import contextlib
import functools
import io
import json
import os
import pickle
import signal
import warnings
import zipfile

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.checkpoints.checkpoint import FORMAT, Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import write_fastcoref
from spacy_fastcoref.models.checkpoints.sources import TrainedSource, find_model
from spacy_fastcoref.models.folders import CONFIG, SUMS, TOKENIZER, WEIGHTS
from spacy_fastcoref.models.model import NetworkModel

from ..conftest import (
    ENCODER,
    blank,
    make_config,
    make_network,
    make_tokenizer,
    read_links,
)
from .mutations import HUGE, byte_changes, file_changes
from .strategies import fuzz

try:
    import resource
except ImportError:
    resource = None

MAX_SECONDS = 10
MAX_BYTES = 1 << 29
SIZES = {"vocab_size": 100, "hidden_size": 8, "intermediate_size": 8}
SIZES |= {"num_hidden_layers": 1, "num_attention_heads": 1}
SIZES |= {"max_position_embeddings": 40}
LAYER = {"hidden_size": 8, "dropout": 0.0, "eps": 1e-12, "activation": "gelu"}
CHANGES = {
    "encoder_config": {**ENCODER, **SIZES},
    "mention_scorer": {**make_config()["mention_scorer"], **LAYER},
    "antecedent_scorer": {**make_config()["antecedent_scorer"], **LAYER},
}
TEXT = "Alice said that she and her cat met him. He left, as they said."


class TookTooLong(BaseException):
    """No Exception, which a model's loader would turn into an error of ours."""


def fail(*args):
    raise TookTooLong


@contextlib.contextmanager
def limit():
    """Limit the time and the memory of what is done within the context."""
    if resource is None or not os.path.exists("/proc/self/statm"):
        yield
        return
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(MAX_SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MAX_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@functools.cache
def make_doc():
    return blank("en").make_doc(TEXT)


def answer(load, *paths, memory=("allocate", "MemoryError")):
    """Load a model and let it answer; None where it is refused by an error of ours.

    The error names one of the paths, and is none of memory that ran out.
    """
    doc = make_doc()
    try:
        with limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = load()
            model.set_runtime(device="cpu", precision="float32")
            with torch.inference_mode():
                links, _ = model([doc], False)
            return read_links(links)
    except ValueError as error:
        message = str(error)
        assert message.startswith("[FC"), message
        assert not any(word in message for word in memory)
        assert any(str(path) in message for path in paths), message
        return None


@pytest.fixture(scope="module")
def checkpoint():
    network = make_network(**CHANGES)
    tensors = {key: t.clone() for key, t in network.state_dict().items()}
    return Checkpoint(make_config(**CHANGES), tensors, make_tokenizer().to_str())


@pytest.fixture(scope="module")
def folder(checkpoint, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "model"
    checkpoint.to_disk(path)
    return path


@pytest.fixture(scope="module")
def expected(folder):
    found = answer(lambda: NetworkModel(None).from_disk(folder))
    assert found and len(found[0][0]) > 3
    return found


@contextlib.contextmanager
def changed(folder, name, data, *, has_sums):
    """Change a file of a folder within the context."""
    kept = {file.name: file.read_bytes() for file in folder.iterdir()}
    (folder / name).write_bytes(data)
    if not has_sums and name != SUMS:
        (folder / SUMS).unlink(missing_ok=True)
    try:
        yield
    finally:
        for file, content in kept.items():
            (folder / file).write_bytes(content)


FILES = st.sampled_from(
    ["config.json", "config.json", "tokenizer.json", "model.safetensors"]
)


@fuzz()
@given(st.one_of(FILES, st.just(SUMS)), file_changes(), st.booleans())
def test_changed_folders(folder, expected, name, change, has_sums):
    """Whatever is changed, checksums tell; a folder without them may answer it."""
    data = change(name, (folder / name).read_bytes())
    with changed(folder, name, data, has_sums=has_sums):
        found = answer(lambda: NetworkModel(None).from_disk(folder), folder)
    assert found is None or not has_sums or found == expected


@fuzz(share=1 / 2)
@given(FILES, file_changes())
def test_hostile_fastcoref_folders(checkpoint, tmp_path_factory, name, change):
    folder = tmp_path_factory.getbasetemp() / "fastcoref"
    if not folder.exists():
        write_fastcoref(checkpoint, folder)
    data = change(name, (folder / name).read_bytes())
    with changed(folder, name, data, has_sums=False):
        answer(lambda: NetworkModel(TrainedSource(str(folder))), folder, "config.json")


@fuzz(share=1 / 2)
@given(byte_changes())
def test_hostile_bytes(checkpoint, expected, change):
    model = NetworkModel(TrainedSource("no/such"))
    model.set_checkpoint(checkpoint)
    data = model.to_bytes()
    empty = NetworkModel(TrainedSource("no/such"))
    found = answer(lambda: empty.from_bytes(change(data)), "bytes")
    assert found is None or found == expected


@fuzz(share=1 / 2)
@given(st.booleans(), byte_changes())
def test_hostile_pickles(checkpoint, tmp_path_factory, is_zipped, change):
    """The weights of fastcoref's older models, in both of torch's formats."""
    folder = tmp_path_factory.getbasetemp() / f"pickles-{is_zipped}"
    weights = folder / "pytorch_model.bin"
    if not folder.exists():
        write_fastcoref(checkpoint, folder)
        tensors = safetensors.torch.load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        torch.save(tensors, weights, _use_new_zipfile_serialization=is_zipped)
    data = change(weights.read_bytes())
    with changed(folder, weights.name, data, has_sums=False):
        # torch reads texts of four gigabytes at most, and takes no memory for what is
        # not there.
        load = functools.partial(NetworkModel, TrainedSource(str(folder)))
        answer(load, folder, memory=["allocate"])


OFFSETS = st.one_of(
    st.sampled_from([-1, 0, 1, 2**31, 2**63, 2**64, 10**30, None, 0.5, "0", [], True]),
    st.integers(-10, 5_000),
)
SHAPES = st.lists(st.sampled_from([-1, 0, 1, 2, 8, 100, 2**32, 2**64, "8"]), max_size=3)
DTYPES = st.sampled_from(["F32", "F16", "I8", "U64", "BOOL", "F8_E4M3", "Q4", "", 3])


@fuzz(share=1 / 2)
@given(st.data())
def test_tampered_weights(folder, data):
    """Tensors that overlap, that are elsewhere, and of other types and sizes."""
    content = (folder / WEIGHTS).read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    names = [name for name in header if name != "__metadata__"]
    for _ in range(data.draw(st.integers(1, 3))):
        tensor = header[data.draw(st.sampled_from(names))]
        other = header[data.draw(st.sampled_from(names))]
        change = data.draw(st.sampled_from(["offsets", "shape", "dtype", "same"]))
        if change == "offsets":
            tensor["data_offsets"] = data.draw(st.lists(OFFSETS, max_size=3))
        elif change == "same":
            tensor["data_offsets"] = other["data_offsets"]
        else:
            tensor[change] = data.draw(SHAPES if change == "shape" else DTYPES)
    dumped = json.dumps(header).encode()
    claimed = data.draw(
        st.sampled_from([len(dumped)] * 5 + [0, 10**8, 2**63, 2**64 - 1])
    )
    content = claimed.to_bytes(8, "little") + dumped + content[8 + size :]
    with changed(folder, WEIGHTS, content, has_sums=False):
        answer(lambda: NetworkModel(None).from_disk(folder), folder)


def test_a_header_of_100_megabytes(folder):
    size = 10**8 - 1
    content = (folder / WEIGHTS).read_bytes()
    for content in (
        size.to_bytes(8, "little") + b" " * size,
        size.to_bytes(8, "little") + b'{"a":' * (size // 5) + b" " * 4,
    ):
        with changed(folder, WEIGHTS, content, has_sums=False):
            assert answer(lambda: NetworkModel(None).from_disk(folder), folder) is None


def list_numbers(value, path=()):
    if isinstance(value, (dict, list)):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from list_numbers(value[key], (*path, key))
    elif isinstance(value, (int, float)):
        yield path


@fuzz(share=1 / 2)
@given(st.data())
def test_absurd_sizes(folder, data):
    """Of layers, vectors, vocabularies, segments: none is made."""
    config = json.loads((folder / CONFIG).read_bytes())
    numbers = list(list_numbers(config))
    for path in data.draw(
        st.lists(st.sampled_from(numbers), min_size=1, max_size=3, unique=True)
    ):
        parent = functools.reduce(lambda part, key: part[key], path[:-1], config)
        parent[path[-1]] = data.draw(
            st.sampled_from([*HUGE, 0, -1, 0.5, 1e300, -(2**63)])
        )
    with changed(folder, CONFIG, json.dumps(config).encode(), has_sums=False):
        answer(lambda: NetworkModel(None).from_disk(folder), folder)


class Run:
    """Make a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@fuzz(share=1 / 2)
@given(st.data())
def test_pickles_in_place_of_files(checkpoint, folder, tmp_path_factory, data):
    """Whatever the file and the protocol, no code runs."""
    ran = tmp_path_factory.getbasetemp() / "ran"
    protocol = data.draw(st.integers(0, pickle.HIGHEST_PROTOCOL))
    content = pickle.dumps(Run(ran), protocol)
    if data.draw(st.booleans()):
        content = pickle.dumps({"format": FORMAT, "a": Run(ran)}, protocol)
    around = data.draw(st.sampled_from([b"", b"\x80", b"{", b'"']))
    content = around + content + data.draw(st.binary(max_size=8))
    kind = data.draw(st.sampled_from(["ours", "fastcoref", "zip", "bytes"]))
    if kind == "ours":
        name = data.draw(st.sampled_from([CONFIG, WEIGHTS, TOKENIZER, SUMS]))
        with changed(folder, name, content, has_sums=name == SUMS):
            found = answer(lambda: NetworkModel(None).from_disk(folder), folder)
    elif kind == "bytes":
        load = functools.partial(NetworkModel(None).from_bytes, content)
        found = answer(load, "bytes")
    else:
        theirs = tmp_path_factory.getbasetemp() / "theirs"
        if not theirs.exists():
            write_fastcoref(checkpoint, theirs)
            (theirs / WEIGHTS).unlink()
        if kind == "zip":
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("archive/data.pkl", content)
                archive.writestr("archive/version", "3")
            content = file.getvalue()
        weights = theirs / "pytorch_model.bin"
        weights.write_bytes(content)
        model = NetworkModel(TrainedSource(str(theirs)))
        found = answer(lambda: model, theirs)
    assert found is None
    assert not ran.exists()


@fuzz(share=1 / 2)
@given(st.data())
def test_links_and_other_files(folder, tmp_path_factory, data):
    """In place of a file: devices, pipes, folders and links to anything."""
    path = folder / data.draw(st.sampled_from([CONFIG, WEIGHTS, TOKENIZER, SUMS]))
    kind = data.draw(
        st.sampled_from(["/dev/zero", "/dev/stdin", "/etc/passwd", "/proc/self/mem",
                         "..", ".", "../..", "loop", "none", "pipe", "folder", "same"])
    )  # fmt: skip
    aside = tmp_path_factory.mktemp("aside") / path.name
    os.replace(path, aside)
    try:
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            to = {"loop": path, "none": folder / "none", "same": aside}.get(kind, kind)
            path.symlink_to(to)
        found = answer(lambda: NetworkModel(None).from_disk(folder), folder)
        # A link to the same contents is what a cache of the hub has.
        has_none = path.name == SUMS and kind in ("none", "loop")
        assert (found is not None) == (kind == "same" or has_none)
    finally:
        path.rmdir() if kind == "folder" else path.unlink()
        os.replace(aside, path)


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", ".."])
def test_components_that_are_elsewhere(folder, tmp_path, name):
    """A pipeline has its model inside of it."""
    nlp = tmp_path / "pipeline"
    nlp.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "model").symlink_to(folder)
    config = f'[components]\n\n[components.{name}]\nfactory = "fastcoref"\n'
    (nlp / "config.cfg").write_text(config)
    with pytest.raises(ValueError, match=r"^\[FC"):
        find_model(str(nlp))


@pytest.mark.parametrize("n_copies", [1, 1000])
def test_archives_that_unpack_without_end(checkpoint, tmp_path, n_copies):
    """Weights are stored as they are: what is packed is refused before it is read."""
    write_fastcoref(checkpoint, tmp_path / "model")
    tensors = safetensors.torch.load_file(tmp_path / "model" / WEIGHTS)
    (tmp_path / "model" / WEIGHTS).unlink()
    stored = io.BytesIO()
    torch.save(tensors, stored)
    packed = tmp_path / "model" / "pytorch_model.bin"
    with (
        zipfile.ZipFile(stored) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for info in old.infolist():
            content = old.read(info)
            is_tensor = "/data/" in info.filename
            zeros = bytes(1 << 20) * n_copies if is_tensor else b""
            with new.open(info.filename, "w", force_zip64=True) as file:
                file.write(content)
                file.write(zeros)
            if is_tensor and n_copies > 1:
                n_copies = 1
    load = functools.partial(NetworkModel, TrainedSource(str(tmp_path / "model")))
    assert answer(load, tmp_path) is None
