"""Test every config: train a few steps on a tiny encoder, then predict."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy import util
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from thinc.api import Optimizer

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import write_fastcoref
from spacy_fastcoref.training.readers.corpora import make_jsonl_corpus

from ..conftest import blank, load_model, run_spacy
from .readers.test_partial import KNOWREF, make_article, write_json, write_paragraphs
from .test_train import (  # noqa: F401
    INNER,
    TINY,
    TINY_MODEL,
    list_paths,
    tiny_encoder,
    write_data,
)

pytestmark = pytest.mark.slow

CONFIGS = Path(__file__).parent.parent.parent / "configs"
STEPS = {"training.max_steps": 6, "training.eval_frequency": 3}
SMALL_TOK2VEC = {
    "components.fastcoref.model.mention_scorer.hidden_size": 12,
    "components.fastcoref.model.antecedent_scorer.scorer.hidden_size": 12,
    "components.tok2vec.model.encode.width": 32,
    "components.tok2vec.model.embed.width": 32,
    "components.tok2vec.model.encode.depth": 1,
}


def test_refined(tiny_encoder, tmp_path):  # noqa: F811
    check("en_refined", tmp_path, {**TINY_MODEL, "paths.encoder": tiny_encoder})


def test_small_then_student(tiny_encoder, tmp_path):  # noqa: F811
    """The labels of one, with all that it has to learn from, teach the other."""
    settings = {**TINY_MODEL, "paths.encoder": tiny_encoder}
    data = write_data(tmp_path / "data", n_dev=2)
    (data / "entity-coref").mkdir()
    write_paragraphs(data / "entity-coref" / "wiki-grounded.json")
    for name in ("wiki", "news"):
        path = data / "entity-coref" / f"{name}-fair-v2.benchmark.jsonl"
        path.write_text(make_article() + "\n")
    contradiction = {**KNOWREF, "correct_candidate_idx": 0}
    write_json(data / "knowref" / "knowref.json", [KNOWREF, contradiction])
    settings = {**TINY, **settings, **STEPS, **list_paths(data)}
    with pytest.warns(UserWarning, match="FCW02.*knowref.json, item 2"):
        teacher = train("en_small", tmp_path / "output", settings)
    # After so few steps no link is sure.
    changes = {"components.fastcoref.threshold": -20.0}
    spacy.load(teacher, config=changes).to_disk(tmp_path / "teacher")
    (tmp_path / "texts.txt").write_text("anna saw boris and she said so .\n\n" * 20)
    silver = tmp_path / "silver"
    run_spacy(
        *("coref", "distill", tmp_path / "teacher", tmp_path / "texts.txt", silver),
        *("--soft", "--max-words", 16),
    )
    start = teacher / "fastcoref" / "model"
    settings |= {"paths.silver": silver, "paths.start": start}
    with pytest.warns(UserWarning, match="FCW02.*knowref.json, item 2"):
        student = train("en_student", tmp_path / "student", settings)
    one, other = (
        Checkpoint.from_disk(path).tensors
        for path in (start, student / "fastcoref" / "model")
    )
    assert one.keys() == other.keys()
    assert any(not torch.equal(other[key], one[key]) for key in one)


def test_lingmess(tiny_encoder, tmp_path):  # noqa: F811
    settings = place_scorer("antecedent_scorer")
    nlp = check("en_lingmess", tmp_path, {**settings, "paths.encoder": tiny_encoder})
    # What its header promises.
    checkpoint = nlp.get_pipe("fastcoref").model.get_checkpoint()
    write_fastcoref(checkpoint, tmp_path / "theirs")
    assert (tmp_path / "theirs" / "model.safetensors").stat().st_size > 0


def test_multilingual(tiny_encoder, tmp_path):  # noqa: F811
    data = tmp_path / "data"
    english = write_data(data / "en", n_dev=2)
    for lang in ("en", "de", "fr", "pl", "nl"):
        shutil.copytree(english / "written", data / "written" / lang)
        shutil.copytree(english / "real", tmp_path / "real" / lang)
        (tmp_path / "brackets" / lang).mkdir(parents=True)
        shutil.copy(english / "brackets.txt", tmp_path / "brackets" / lang)
    polish = data / "written" / "pl"
    shutil.copy(polish / "train.jsonl", polish / "hard_train.jsonl")
    for path in ("de/gerdracor", "fr/litbank-fr", "nl/openboek"):
        shutil.copytree(english / "litbank", data / path)
    settings = {
        **{**TINY, **TINY_MODEL, **STEPS},
        "paths.encoder": tiny_encoder,
        "paths.data": data,
        "paths.brackets": tmp_path / "brackets",
        "paths.real": tmp_path / "real",
    }
    trained = train("xx_small", tmp_path / "output", settings)
    model = {
        "@architectures": "spacy_fastcoref.Pretrained.v1",
        "name_or_path": str(trained / "fastcoref" / "model"),
    }
    nlp = load_model(lang="pl", model=model)
    (links,) = nlp.get_pipe("fastcoref").predict([nlp("anna saw boris . she ran .")])
    assert len(links)


def test_pretrain(tiny_encoder, tmp_path):  # noqa: F811
    """Pretrain on plain text, then train on labels with all but the pronoun head."""
    text = "Alice met Tom. Then she asked Tom whether he had seen Alice.\n\n" * 20
    (tmp_path / "text.txt").write_text(text)
    settings = {
        **{k: v for k, v in TINY.items() if "batcher" not in k},
        **place_scorer("antecedent_scorer.scorer.scorer"),
        **STEPS,
        "paths.encoder": tiny_encoder,
        "paths.text": tmp_path / "text.txt",
        "components.fastcoref.model.pronoun_head.hidden_size": 12,
        "corpora.train.max_words": 15,
        "corpora.dev.max_words": 15,
        "corpora.train.held_out": 5,
        "corpora.dev.held_out": 5,
        "training.batcher.size": 60,
    }
    output = train("en_pretrain", tmp_path / "pretrained", settings)
    folder = output / "fastcoref" / "model"
    assert "pronoun_head" in Checkpoint.from_disk(folder).config
    overrides = {**TINY_MODEL, "paths.start": str(folder)}
    nlp = util.load_model_from_config(
        util.load_config(CONFIGS / "en_small.cfg", overrides=overrides), auto_fill=True
    )
    with pytest.warns(UserWarning, match="FCW11.*: .*mention_types.*word_features"):
        nlp.get_pipe("fastcoref").initialize(lambda: [])
    found = nlp.get_pipe("fastcoref").model.get_checkpoint().tensors
    for key, tensor in Checkpoint.from_disk(folder).tensors.items():
        # en_small.cfg has one scorer more, around the others.
        inner = key.replace("antecedent_scorer.scorer.", f"{2 * 'scorer.'}")
        key = next((name for name in found if name.endswith(inner)), None)
        assert (key is None) == inner.startswith("pronoun_head.")
        assert key is None or torch.equal(found[key], tensor)


def place_scorer(place):
    """Make TINY_MODEL for a config without entity types and with fewer scorers."""
    prefix = "components.fastcoref.model."
    return {
        key.replace(INNER, f"{prefix}{place}"): value
        for key, value in TINY_MODEL.items()
        if "mention_types" not in key
    }


def train(name, output, settings):
    args = ["train", CONFIGS / f"{name}.cfg", "--output", output]
    for setting, value in settings.items():
        args += [f"--{setting}", value]
    assert "COREF_F" in run_spacy(*args)
    return output / "model-last"


def read_config(name):
    return (CONFIGS / f"{name}.cfg").read_text(encoding="utf8")


def check(name, tmp_path, settings):
    data = write_data(tmp_path / "data", n_dev=2)
    paths = {"paths.data": data}
    if "brackets" in read_config(name):
        paths = list_paths(data)
    settings = {**TINY, **settings, **STEPS, **paths}
    nlp = spacy.load(train(name, tmp_path / "output", settings))
    docs = list(nlp.pipe(["anna saw boris and she said her dog ran .", ""]))
    assert len(docs) == 2
    # It can be trained on in Python.
    assert isinstance(nlp.resume_training(), Optimizer)
    return nlp


def add_tree(doc):
    """Add tags, and a parse in which the first word is the head of all others."""
    heads = [sent.start for sent in doc.sents for _ in sent]
    annotated = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        heads=heads,
        deps=["ROOT" if head == i else "dep" for i, head in enumerate(heads)],
        tags=["NN" if i % 2 else "VB" for i in range(len(doc))],
    )
    groups = [group for key, group in doc.spans.items() if "clusters" in key]
    set_clusters(annotated, [[(s.start, s.end) for s in group] for group in groups])
    return annotated


SMALL_RANKER = {
    "components.fastcoref.model.hidden": "[8, 4]",
    "components.fastcoref.model.words.hash.width": 8,
}


def make_annotator(lang, rows):
    """Make a pipeline with a tagger and parser, and the corpus that it can annotate."""
    annotator = blank(lang)
    annotator.add_pipe(
        "tok2vec", config={"model": {"width": 16, "depth": 1, "embed_size": 50}}
    )
    annotator.add_pipe("tagger")
    annotator.add_pipe("parser")
    examples = [
        Example(eg.predicted, add_tree(eg.reference))
        for eg in make_jsonl_corpus(rows)(annotator)
    ]
    annotator.initialize(lambda: examples)
    ruler = annotator.add_pipe("attribute_ruler")
    names = "(anna|boris|dog|car)$"
    for pattern, pos in ((f"^{names}", "PROPN"), (f"^(?!{names})", "ADV")):
        ruler.add([[{"LOWER": {"REGEX": pattern}}]], {"POS": pos})
    return annotator, [eg.reference for eg in examples]


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_ranker(tmp_path, lang):
    """Train on the annotation of a pipeline, and add the ranker to that pipeline."""
    data = write_data(tmp_path / "data", n_dev=2)
    for name in ("litbank-fr", "democrat"):
        shutil.copytree(data / "litbank", data / name)
    annotator, _ = make_annotator(lang, data / "ontogum" / "train.jsonl")
    annotator.to_disk(tmp_path / "annotator")
    settings = {
        **{**TINY, **STEPS, **list_paths(data), **SMALL_RANKER},
        "paths.pipeline": tmp_path / "annotator",
        "components.fastcoref.model.words.context.widths": "[8, 4]",
    }
    trained = spacy.load(train(f"ranker_{lang}", tmp_path / "output", settings))
    annotator.add_pipe("fastcoref", source=trained)
    annotator.to_disk(tmp_path / "all")
    nlp = spacy.load(tmp_path / "all")
    docs = list(nlp.pipe(["anna saw boris and she said her dog ran .", ""]))
    assert len(docs) == 2
    if lang == "en":
        found = nlp.get_pipe("fastcoref").predict(docs[:1])[0]
        assert len(found) and np.isfinite(found.scores).any()


@pytest.mark.parametrize("lang", ["de", "pl"])
def test_ranker_on_annotated_texts(tmp_path, lang):
    data = write_data(tmp_path / "data", n_dev=2)
    _, docs = make_annotator(lang, data / "ontogum" / "train.jsonl")
    for doc in docs:
        doc[0].pos_ = "PROPN"
        for token in doc[1:]:
            token.pos_ = "PRON" if token.text == "she" else "PROPN"
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    paths = {"paths.train": tmp_path / "train.spacy"}
    paths["paths.dev"] = paths["paths.train"]
    if lang == "de":
        paths["paths.plays"] = paths["paths.train"]
    settings = {**TINY, **STEPS, **SMALL_RANKER, **paths}
    nlp = spacy.load(train(f"ranker_{lang}", tmp_path / "output", settings))
    model = nlp.get_pipe("fastcoref").model
    assert {slot.split()[1] for slot in model.settings.values} <= {"pos", "morph"}


def test_shared_transformer(tiny_encoder, tmp_path):  # noqa: F811
    """Train tagger, parser and coreference on a shared encoder, and save them."""
    pytest.importorskip("spacy_transformers")
    rows = write_data(tmp_path / "data", n_dev=2) / "ontogum" / "train.jsonl"
    examples = make_jsonl_corpus(rows)(blank("en"))
    docs = [add_tree(eg.reference) for eg in examples]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    settings = {
        "paths.encoder": tiny_encoder,
        "paths.train": tmp_path / "train.spacy",
        "paths.dev": tmp_path / "train.spacy",
        "components.transformer.model.tokenizer_config": json.dumps(
            {"use_fast": True, "pad_token": "[PAD]", "unk_token": "[UNK]"}
        ),
        "components.parser.min_action_freq": 1,
        "components.transformer.model.get_spans.window": 8,
        "components.transformer.model.get_spans.stride": 6,
        "components.fastcoref.model.mention_scorer.hidden_size": 12,
        "components.fastcoref.model.antecedent_scorer.scorer.hidden_size": 12,
        **STEPS,
    }
    nlp = spacy.load(train("en_shared_transformer", tmp_path / "output", settings))
    assert nlp.meta["performance"].keys() >= {"tag_acc", "dep_las", "coref_f"}
    assert nlp.pipe_names == ["transformer", "tagger", "parser", "fastcoref"]
    doc = nlp("anna saw boris and she said her dog ran .")
    assert doc.has_annotation("TAG") and doc.has_annotation("DEP")
    (links,) = nlp.get_pipe("fastcoref").predict([doc])
    assert len(links)
