"""Broken and hostile models: one of our errors, or the answers of the whole model."""

import contextlib
import functools
import os
import signal
import warnings

import pytest
import safetensors.torch
import spacy
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_fastcoref.models.architectures import build_model
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import write_fastcoref
from spacy_fastcoref.models.checkpoints.sources import TrainedSource
from spacy_fastcoref.models.folders import SUMS
from spacy_fastcoref.models.shim import CorefShim

from ..conftest import make_config, make_network, make_tokenizer, read_links
from .mutations import byte_changes, file_changes

try:
    import resource
except ImportError:
    resource = None

N_EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "200"))
SETTINGS = settings(
    max_examples=N_EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MAX_SECONDS = 10
MAX_BYTES = 1 << 29
ENCODER = {
    "model_type": "bert",
    "vocab_size": 100,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 8,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}
LAYER = {"hidden_size": 8, "dropout": 0.0, "eps": 1e-12, "activation": "gelu"}
CHANGES = {
    "encoder_config": ENCODER,
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
    return spacy.blank("en").make_doc(TEXT)


def answer(load, *paths, memory=("allocate", "MemoryError")):
    """Load a model and let it answer; None where it is refused by an error of ours.

    The error names one of the paths, and is none of memory that ran out.
    """
    doc = make_doc()
    try:
        with limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shim = load()
            shim.set_runtime(device="cpu", precision="float32")
            with torch.inference_mode():
                links, _ = shim([doc], False)
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
    found = answer(lambda: CorefShim(None).from_disk(folder))
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


@SETTINGS
@given(st.one_of(FILES, st.just(SUMS)), file_changes())
def test_changed_folders(folder, expected, name, change):
    """Whatever is changed in a folder, checksums tell."""
    data = change(name, (folder / name).read_bytes())
    with changed(folder, name, data, has_sums=True):
        found = answer(lambda: CorefShim(None).from_disk(folder), folder)
    assert found is None or found == expected


@SETTINGS
@given(FILES, file_changes())
def test_hostile_folders(folder, name, change):
    """Without checksums anything may be in a folder, and answer what it likes."""
    data = change(name, (folder / name).read_bytes())
    with changed(folder, name, data, has_sums=False):
        answer(lambda: CorefShim(None).from_disk(folder), folder)


@SETTINGS
@given(FILES, file_changes())
def test_hostile_fastcoref_folders(checkpoint, tmp_path_factory, name, change):
    folder = tmp_path_factory.getbasetemp() / "fastcoref"
    if not folder.exists():
        write_fastcoref(checkpoint, folder)
    data = change(name, (folder / name).read_bytes())
    with changed(folder, name, data, has_sums=False):
        answer(lambda: CorefShim(TrainedSource(str(folder))), folder, "config.json")


@SETTINGS
@given(byte_changes())
def test_hostile_bytes(checkpoint, expected, change):
    model = build_model(TrainedSource("no/such"))
    model.shim.set_checkpoint(checkpoint)
    data = model.to_bytes()
    empty = build_model(TrainedSource("no/such"))
    found = answer(lambda: empty.from_bytes(change(data)).shim, "bytes")
    assert found is None or found == expected


@SETTINGS
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
        load = functools.partial(CorefShim, TrainedSource(str(folder)))
        answer(load, folder, memory=["allocate"])
