"""Define the commands for models: `average`, `export`, `pack`, `prune-vocabulary`."""

from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import spacy
from spacy.cli._util import Arg, Opt
from spacy.lang.xx import MultiLanguage
from spacy.language import Language

from ..errors import Errors, check_setting
from ..factories import get_component
from ..files import replace_folder
from ..formats.base import find_inputs
from ..training.check import read_docs
from ..training.passages import PassageReader, find_texts
from . import coref_cli
from .console import print_message
from .options import COMPONENT, FROM, PIPELINE, check_output

# The commands import what needs torch, because every spaCy command imports this module.
# The files by which to recognize the folder of a pipeline, a model, an encoder.
PIPELINE_FILES = ("config.cfg", "meta.json")
MODEL_FILES = ("config.json", "model.safetensors")
_ENCODER_FILES = (*MODEL_FILES, "tokenizer.json")
_CARD = "README.md"
_MAX_WORDS = 500
# The settings that models to average may differ in: those that affect only training,
# the source of the encoder, and those that can be changed without training again.
_IGNORED = frozenset(
    "calibration dropout frozen_layers layer_decay learn_rate min_mentions name "
    "word_dropout".split()
)
_PATH = Arg(..., help="The output folder; a model that is there is replaced")


@coref_cli.command("average")
def average_cli(
    output: Path = Arg(
        ..., help="The output folder; a pipeline that is there is replaced"
    ),
    models: List[str] = Arg(..., help="Pipelines: folders or names of packages"),
    component: str = COMPONENT,
) -> None:
    """Write the first pipeline with the mean of all models' weights.

    Models that were fine-tuned from the same weights, on other data or with other
    seeds, can be averaged; the mean is often better than each of them.
    """
    check_setting("MODELS", models, len(models) > 1, "two pipelines or more")
    check_output(output, PIPELINE_FILES, models)
    nlp = average([spacy.load(model) for model in models], models, component)
    with replace_folder(output) as new:
        nlp.to_disk(new)
    print_message("good", f"Written to {output}")


def average(
    pipelines: Sequence[Language], names: Sequence[str], component: str = "fastcoref"
) -> Language:
    """Replace the weights of the first pipeline with the mean of all pipelines."""
    models = [get_component(nlp, component).model for nlp in pipelines]
    checkpoints = [model.get_checkpoint() for model in models]
    vectors = [_read_vectors(nlp, component) for nlp in pipelines]
    models[0].set_checkpoint(average_checkpoints(checkpoints, names, vectors))
    return pipelines[0]


def average_checkpoints(
    checkpoints: Sequence[Any],
    names: Sequence[str],
    vectors: Sequence[Dict[str, Any]] = (),
) -> Any:
    """Average the weights of models that continued the same training.

    The average is often better than each of them; see Wortsman et al. (2022), "Model
    soups". Models with different initial weights have no useful one. What is in
    `vectors` has to be the same for all, too.
    """
    import torch

    first, *others = (
        {
            **_drop_ignored(one.config),
            "weights": {key: tensor.shape for key, tensor in one.tensors.items()},
            "tokenizer": one.tokenizer,
            **vector,
        }
        for one, vector in zip_longest(checkpoints, vectors, fillvalue={})
    )
    for name, other in zip(names[1:], others, strict=True):
        keys = {*first, *other}
        differ = sorted(key for key in keys if first.get(key) != other.get(key))
        if differ:
            message = Errors.FC092.format(first=names[0], other=name, names=differ)
            raise ValueError(message)
    tensors = {}
    for key, tensor in checkpoints[0].tensors.items():
        versions = torch.stack([other.tensors[key].float() for other in checkpoints])
        tensors[key] = versions.mean(0).to(tensor.dtype)
    return checkpoints[0].with_tensors(tensors)


def _drop_ignored(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    # None counts as missing, because a model need not have all settings of a block.
    return {
        key: _drop_ignored(value[key])
        for key in value
        if key not in _IGNORED and value[key] is not None
    }


def _read_vectors(nlp: Language, component: str) -> Dict[str, bytes]:
    """Serialize the layers and components that compute a model's token vectors."""
    _, *layers = get_component(nlp, component).model.walk()
    vectors = {component: b"".join(layer.to_bytes() for layer in layers)}
    for name, pipe in nlp.pipeline:
        if component in getattr(pipe, "listening_components", ()):
            vectors[name] = pipe.model.to_bytes()
    return vectors


@coref_cli.command("export")
def export_cli(
    model: str = PIPELINE, path: Path = _PATH, component: str = COMPONENT
) -> None:
    """Write a trained model in fastcoref's format, F-coref or LingMess.

    The model has to consist of layers that fastcoref has, too.
    """
    from ..models.checkpoints.fastcoref_format import write_fastcoref

    check_output(path, MODEL_FILES, [model])
    pipe = get_component(spacy.load(model), component)
    write_fastcoref(pipe.model.get_checkpoint(), path)
    print_message("good", f"Written to {path}")


@coref_cli.command("pack")
def pack_cli(
    model: str = PIPELINE,
    path: Path = _PATH,
    storage: Optional[str] = Opt(
        None,
        "--storage",
        "-s",
        help="The registered format of the weights. By default it has 8 bits; that of "
        "a ranker 16",
    ),
    texts: Optional[List[Path]] = Opt(
        None,
        "--texts",
        "-t",
        help="A corpus of any format for whose texts rounding keeps the outputs of "
        "layers close; can be given several times",
        exists=True,
    ),
    source: Optional[str] = FROM,
    component: str = COMPONENT,
) -> None:
    """Write a pipeline's model in a smaller format, with a card.

    The folder can be the `model_path` of a component, or ship with a package.
    """
    from ..models.folders import write_folder
    from ..training.model_card import make_card

    check_output(path, MODEL_FILES, [model])
    nlp = spacy.load(model)
    pipe = get_component(nlp, component)
    docs = None
    if texts:
        pipe.precision = "float32"
        docs = read_docs(texts, nlp, source)
    name, files = pipe.model.pack(storage, docs)
    card = make_card(nlp, component, name).encode("utf8")
    write_folder(path, {**files, _CARD: card})
    print_message("good", f"Written to {path}")


@coref_cli.command("prune-vocabulary")
def prune_vocabulary_cli(
    encoder: str = Arg(..., help="The encoder: a folder or a name on the hub"),
    path: Path = Arg(..., help="The output folder; an encoder there is replaced"),
    texts: List[Path] = Opt(
        ...,
        "--texts",
        "-t",
        help="Plain text in the languages: files, or folders of .txt and .txt.gz; can "
        "be given several times",
        exists=True,
    ),
    corpora: Optional[List[Path]] = Opt(
        None,
        "--corpora",
        "-c",
        help="Annotated files of any format to count, too",
        exists=True,
    ),
    source: Optional[str] = FROM,
    size: int = Opt(64_000, "--size", "-s", help="The most word pieces to keep"),
) -> None:
    """Write an encoder with only the word pieces that some languages need.

    All letters of the Latin script are kept, so that any word can still be spelt.
    """
    from ..training.pretraining.vocabulary import prune_encoder

    check_output(path, _ENCODER_FILES, [encoder])
    # Before the encoder is read.
    find_inputs(corpora or [], source)
    nlp = spacy.blank(MultiLanguage.lang)
    reader = PassageReader(find_texts(texts), _MAX_WORDS)
    passages = (nlp.make_doc(passage.text) for passage in reader)
    docs = chain(passages, read_docs(corpora or [], nlp, source))
    n_kept = prune_encoder(encoder, path, docs, size)
    print_message("good", f"Written to {path}: {n_kept} word pieces")
