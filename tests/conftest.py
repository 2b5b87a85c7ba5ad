"""Tiny models built here, and the one that ships. Nothing is fetched."""

import contextlib
import copy
import dataclasses
import functools
import io
import json
import os
import pickle
import runpy
import string
import subprocess
import sys
import textwrap

import pytest
import safetensors.torch
import spacy
import torch
from hypothesis import settings
from spacy.cli import app
from spacy.util import fix_random_seed
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from typer.testing import CliRunner

import spacy_fastcoref.cli  # noqa: F401 (registers the commands)
from spacy_fastcoref import pretrained
from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.checkpoints.checkpoint import FORMAT, Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import (
    list_prefixes,
    rename_tensors,
)
from spacy_fastcoref.models.checkpoints.sources import TrainedSource
from spacy_fastcoref.models.encoders.encoder import TransformerBlock
from spacy_fastcoref.models.network.network import CorefNetwork
from spacy_fastcoref.models.scorers.s2e import (
    S2EAntecedentScorerBlock,
    S2EMentionScorerBlock,
)

from .forking import fork_python

# Machines are noisy; how long an example takes is no failure. What lands does not
# depend on which examples are drawn: new ones are tried where somebody sees them fail.
settings.register_profile(
    "default", deadline=None, derandomize="CI" in os.environ, max_examples=30
)
settings.load_profile("default")

TEXT = (
    "Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked "
    "her about the new contract. Tom said that he had read it twice."
)
# The model without weights.
NEAREST = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] she he her his the and said that they".split()
ENCODER = {
    "model_type": "bert",
    "vocab_size": 200,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}
HEAD = {
    "max_span_length": 6,
    "top_lambda": 0.4,
    "ffnn_size": 24,
    "dropout_prob": 0.1,
    "max_segment_len": 32,
}


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the slow tests, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes seconds, and runs with --slow only")


def pytest_collection_modifyitems(config, items):
    """Put the tests on a cluster first: side by side, one process has all of them."""
    items.sort(key=lambda item: "cluster" not in getattr(item, "fixturenames", ()))
    if not config.getoption("slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="it is slow: see --slow"))


@pytest.fixture
def two_threads():
    """Give torch two threads, so that there are workers."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@functools.lru_cache(maxsize=None)
def _get_tokenizer(lang):
    return spacy.blank(lang).tokenizer


def blank(lang):
    """Make a pipeline as spacy.blank does, with a tokenizer that others have as well.

    Its special cases take most of the time of what uses one.
    """
    tokenizer = _get_tokenizer(lang)
    make = spacy.util.get_lang_class(lang)
    return make(tokenizer.vocab, create_tokenizer=lambda nlp: tokenizer)


def read_links(all_links):
    """Read what can be compared of a model's answers."""
    return [
        (links.mentions.tolist(), links.antecedents.tolist(), links.scores.tolist())
        for links in all_links
    ]


def make_tokenizer():
    """Make a word piece tokenizer that knows every letter."""
    vocab = {word: i for i, word in enumerate(WORDS)}
    for letter in string.ascii_lowercase + string.digits + ".,!?'\"-":
        vocab[letter] = len(vocab)
        vocab[f"##{letter}"] = len(vocab)
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(WORDS[:5])
    return tokenizer


def make_config(**changes):
    layer = {"hidden_size": HEAD["ffnn_size"], "dropout": HEAD["dropout_prob"]}
    layer["eps"] = ENCODER["layer_norm_eps"]
    return {
        "format": FORMAT,
        "top_lambda": HEAD["top_lambda"],
        "max_span_length": HEAD["max_span_length"],
        "max_segment_len": HEAD["max_segment_len"],
        "encoder": describe_block(TransformerBlock()),
        "encoder_config": ENCODER,
        "mention_scorer": describe_block(S2EMentionScorerBlock(**layer)),
        "antecedent_scorer": describe_block(S2EAntecedentScorerBlock(**layer)),
        **changes,
    }


def make_network(seed=0, **changes):
    """Make a network with random weights, large enough to make some links."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = CorefNetwork(make_config(**changes), "a test")
        with torch.no_grad():
            scorer = network.antecedent_scorer
            while hasattr(scorer, "scorer"):
                scorer = scorer.scorer
            for linear in (scorer.start_to_start, scorer.end_to_end):
                linear.weight *= 16
            network.mention_scorer.span_score.weight *= 5
    return network.eval()


def write_fastcoref(folder, network, kind="safetensors"):
    """Write a folder as fastcoref's models are saved."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**ENCODER, "architectures": ["FCorefModel"], "coref_head": HEAD}
    (folder / "config.json").write_text(json.dumps(config))
    tensors = rename_tensors(dict(network.state_dict()), list_prefixes("bert", False))
    # Both are in real checkpoints and of no use.
    tensors["bert.pooler.dense.weight"] = torch.zeros(16, 16)
    tensors["bert.embeddings.position_ids"] = torch.arange(64)[None]
    if kind == "safetensors":
        safetensors.torch.save_file(tensors, folder / "model.safetensors")
    else:
        torch.save(tensors, folder / "pytorch_model.bin")
    tokenizer = make_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    vocab = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("\n".join(word for word, _ in vocab))
    tokenizer_config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    for name, i in (("pad", 0), ("unk", 1), ("cls", 2), ("sep", 3), ("mask", 4)):
        tokenizer_config[f"{name}_token"] = WORDS[i]
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return folder


def load_model(path=None, lang="en", **settings):
    """Make a pipeline with the model of a folder, of the language or of settings."""
    nlp = blank(lang)
    config = {"model_path": path and str(path), "device": "cpu", **settings}
    nlp.add_pipe("fastcoref", config=config)
    return nlp


def reload_in_each_way(nlp, folder):
    """Save a pipeline, and load it from a folder, from bytes and from a pickle."""
    nlp.to_disk(folder)
    again = blank(nlp.lang).from_config(nlp.config).from_bytes(nlp.to_bytes())
    return [spacy.load(folder), again, pickle.loads(pickle.dumps(nlp))]


def make_nlp(folder, network, **changes):
    """Make a pipeline around a network that make_network made with these changes."""
    tensors = {key: t.clone() for key, t in network.state_dict().items()}
    tokenizer = make_tokenizer().to_str()
    Checkpoint(make_config(**changes), tensors, tokenizer).to_disk(folder)
    return load_model(folder)


def run_python(code="", args=()):
    """Run code, or Python with arguments, in a new process; it has to succeed.

    To import torch and spaCy once more takes seconds: only for what needs a process.
    """
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, *(args or ["-c", textwrap.dedent(code)])],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, **offline},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def run_spacy(*args):
    """Run `python -m spacy` in this process, and return what it prints."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, (result.output[-3000:], result.exception)
    return result.output


def invoke_coref(*args, **settings):
    """Run `python -m spacy coref` in this process, whatever becomes of it."""
    return CliRunner().invoke(app, ["coref", *map(str, args)], **settings)


def run_script(path, *args):
    """Run a script in this process, and return what it prints."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(sys, "argv", [str(path), *map(str, args)])
        patch.syspath_prepend(str(path.parent))
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue()


@pytest.fixture(autouse=True)
def seed():
    """Let a test see the same weights and inputs whichever tests ran before it."""
    fix_random_seed(0)


@pytest.fixture(autouse=True)
def float32(monkeypatch):
    """Compare numbers that do not depend on what this machine's CPU can do."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict, raising=False)


@pytest.fixture(scope="session", autouse=True)
def shipped_weights():
    """Read the weights of each folder of this package once; each network copies them.

    Tests of what is read, and of other folders, read it each time.
    """
    read, seen = TrainedSource.load, {}

    def read_once(self):
        if self.name is not None or self.encoder is not None:
            return read(self)
        folder = pretrained.get_folder(self.lang)
        if folder not in seen:
            seen[folder] = read(self)
        old = seen[folder]
        config = copy.deepcopy(old.config)
        return dataclasses.replace(old, config=config, tensors=dict(old.tensors))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainedSource, "load", read_once)
        yield


@pytest.fixture(scope="session")
def cluster():
    """Start a cluster on this machine: it takes seconds, and each actor some more."""
    # Ray would ask services that are not there, and log each failure.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    pytest.importorskip("ray.data")
    import ray
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": 2, "object_store_memory": 80 * 1024**2}
    # No test needs these processes.
    settings |= {"include_dashboard": False, "include_log_monitor": False}
    settings |= {"no_monitor": True}
    for n_left in (2, 1, 0):
        try:
            cluster = Cluster(initialize_head=True, head_node_args=settings)
            break
        except Exception as error:
            # Ray waits for 30 seconds, in which a busy machine does not start it.
            if "timed out" not in str(error) or not n_left:
                raise
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="session")
def tiny_network():
    return make_network()


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory, tiny_network):
    return write_fastcoref(tmp_path_factory.mktemp("models") / "tiny", tiny_network)


@pytest.fixture
def tiny_nlp(tiny_path):
    return load_model(tiny_path)


@pytest.fixture(scope="session")
def shipped_nlp():
    return load_model()


@pytest.fixture(scope="session")
def en_vocab():
    return blank("en").vocab


@pytest.fixture
def forked(monkeypatch):
    """Let the processes that a script runs, with this Python, be forked."""
    run = subprocess.run

    def run_or_fork(command, cwd=None, env=None, **settings):
        python, *args = map(str, command)
        if python != sys.executable:
            return run(command, cwd=cwd, env=env, **settings)
        if args[:2] == ["-W", "ignore"]:
            del args[:2]
        with monkeypatch.context() as patch:
            patch.chdir(cwd or ".")
            return fork_python(args=args, env=env)

    monkeypatch.setattr(subprocess, "run", run_or_fork)
