"""Provide fastcoref's trainer, with fastcoref's arguments and spaCy's training loop."""

import math
import shutil
import warnings
from collections import deque
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Dict, Optional, Union

import spacy
from spacy.language import Language
from spacy.training.batchers import minibatch_by_words
from spacy.training.initialize import init_nlp
from spacy.training.loop import DIR_MODEL_BEST, train
from thinc.api import Config

from ..about import DEFAULT_LANG
from ..errors import Errors, Warnings, check_setting
from ..files import replace_folder
from ..models.checkpoints.sources import is_trained
from ..registry import registry  # noqa: F401 (configs need the registries)
from ..training.readers.corpora import make_jsonl_corpus
from .predictor import get_nlp

CONFIG = Path(__file__).with_name("trainer.cfg")
# fastcoref's names for the scores of coref_scorer.
SCORES = {
    "precision": "coref_p",
    "recall": "coref_r",
    "f1": "coref_f",
    "mention precision": "coref_mentions_p",
    "mention recall": "coref_mentions_r",
    "mention f1": "coref_mentions_f",
}


@dataclass
class TrainingArgs:
    """Hold the arguments of a training, with fastcoref's names and defaults.

    model_name_or_path (Union[str, Path]): A folder or hub name of an encoder, for a new
        model; or of a trained model, or of a pipeline with one, to continue its
        training. A trained model keeps its dimensions.
    output_dir (Union[str, Path]): The folder for the trained pipelines.
    overwrite_output_dir (bool): Whether the folder may contain files. Earlier models in
        it are replaced.
    learning_rate (float): The learning rate of the encoder.
    head_learning_rate (float): The learning rate of the scorers; 0 for that of the
        encoder.
    dropout_prob (float): The dropout rate of a new model's scorers.
    weight_decay (float): The weight decay, applied only to matrices.
    adam_beta1, adam_beta2, adam_epsilon (float): The settings of Adam.
    epochs (float): The number of passes over the data; decimals are cut off.
    ffnn_size (int): The hidden size of a new model's scorers.
    logging_steps (int): Ignored, since losses are printed with each evaluation.
    eval_steps (int): The number of steps between evaluations.
    seed (int): The random seed.
    max_span_length (int): The maximum length of a mention in word pieces, for a new
        model.
    top_lambda (float): The number of mentions per word piece that a new model keeps.
    cache_dir (str): Ignored, since the hub's client has a cache of its own, and texts
        are not cached.
    max_segment_len (int): The maximum number of word pieces in a segment, for a new
        model.
    max_doc_len (Optional[int]): Ignored, since no document is left out.
    max_tokens_in_batch (int): The maximum number of words in a batch; a longer document
        makes a batch of its own. fastcoref counts word pieces.
    device (Optional[str]): "cpu", "cuda" or a numbered device such as "cuda:1"; None
        for CUDA if it is available.
    """

    model_name_or_path: Union[str, Path]
    output_dir: Union[str, Path]
    overwrite_output_dir: bool = False
    learning_rate: float = 1e-5
    head_learning_rate: float = 3e-4
    dropout_prob: float = 0.3
    weight_decay: float = 0.01
    adam_beta1: float = 0.9
    adam_beta2: float = 0.98
    adam_epsilon: float = 1e-6
    epochs: float = 3
    ffnn_size: int = 1024
    logging_steps: int = 500
    eval_steps: int = 500
    seed: int = 42
    max_span_length: int = 30
    top_lambda: float = 0.4
    cache_dir: str = "cache"
    max_segment_len: int = 512
    max_doc_len: Optional[int] = None
    max_tokens_in_batch: int = 5000
    device: Optional[str] = None

    def check(self) -> None:
        """Check values that spaCy's config does not check; warn of ignored ones."""
        for name, least in _LEAST.items():
            value = getattr(self, name)
            is_number = isinstance(value, Real) and math.isfinite(value)
            expected = f"a number, {least} or more"
            check_setting(name, value, is_number and value >= least, expected)
        rate = self.learning_rate
        is_above_0 = isinstance(rate, Real) and 0 < rate < math.inf
        check_setting("learning_rate", rate, is_above_0, "a number above 0")
        for name, reason in _IGNORED.items():
            value = getattr(self, name)
            if value != getattr(TrainingArgs, name):
                message = Warnings.FCW23.format(name=name, value=value, reason=reason)
                warnings.warn(message, stacklevel=3)


_LEAST = {
    "epochs": 1,
    "eval_steps": 1,
    "max_tokens_in_batch": 1,
    "head_learning_rate": 0,
    "weight_decay": 0,
}
_IGNORED = {
    "logging_steps": "losses are printed with each evaluation, see eval_steps",
    "cache_dir": "the hub's client has a cache of its own",
    "max_doc_len": "no document is left out, however long",
}


class CorefTrainer:
    """Train a model, like fastcoref's class of the same name.

    Each line of a file is a JSON object with `clusters`, and with `text`, `tokens` or
    `sentences`; see read_jsonl.

    args (TrainingArgs): The arguments.
    train_file (Union[str, Path]): The training data.
    dev_file (Optional[Union[str, Path]]): The data on which the best model is chosen;
        None to keep the last model.
    test_file (Optional[Union[str, Path]]): The data for `evaluate(test=True)`.
    nlp (Optional[Union[Language, str]]): A pipeline with the language and the tokenizer
        to use, or its name or folder; None for a blank English pipeline.
    RAISES (ValueError): An argument is not valid, the output folder is not empty or is
        a file, or a file or the model can't be read.
    """

    def __init__(
        self,
        args: TrainingArgs,
        train_file: Union[str, Path],
        dev_file: Optional[Union[str, Path]] = None,
        test_file: Optional[Union[str, Path]] = None,
        nlp: Optional[Union[Language, str]] = None,
    ) -> None:
        args.check()
        self.args = args
        self.dev_file = dev_file
        self.test_file = test_file
        self.output = Path(args.output_dir)
        reason = "it is a file" if self.output.is_file() else None
        is_used = self.output.is_dir() and any(self.output.iterdir())
        if is_used and not args.overwrite_output_dir:
            reason = "it is not empty, and overwrite_output_dir=True is not given"
        if reason is not None:
            raise ValueError(Errors.FC103.format(path=self.output, reason=reason))
        base = get_nlp(nlp)
        size = args.max_tokens_in_batch
        examples = make_jsonl_corpus(train_file)(base)
        n_batches = sum(1 for _ in minibatch_by_words(examples, size, tolerance=0.0))
        # Read the other files now, so that errors in them are raised before training.
        for file in (dev_file, test_file):
            if file is not None:
                deque(make_jsonl_corpus(file)(base), maxlen=0)
        config = make_config(args, train_file, dev_file, n_batches)
        config["nlp"]["lang"] = base.lang
        config["nlp"]["tokenizer"] = base.config["nlp"]["tokenizer"]
        self.nlp = init_nlp(config)
        self.nlp.tokenizer.from_bytes(base.tokenizer.to_bytes(exclude=["vocab"]))

    def train(self) -> Path:
        """Train the model.

        RETURNS (Path): The folder of the trained pipeline, output_dir/model, for
            spacy.load or the argument model_name_or_path of FCoref.
        """
        self.output.mkdir(parents=True, exist_ok=True)
        nlp, chosen = train(self.nlp, self.output)
        if self.dev_file is not None:
            # spaCy has not evaluated the model after the last steps.
            best = self.output / DIR_MODEL_BEST
            score = spacy.util.load_meta(best / "meta.json")["performance"]["coref_f"]
            if (self.evaluate()["f1"] or 0.0) <= score:
                chosen = best
        path = self.output / "model"
        with replace_folder(path) as new:
            shutil.copytree(chosen, new, dirs_exist_ok=True)
        self.nlp = spacy.load(path)
        return path

    def evaluate(self, test: bool = False, prefix: str = "") -> Dict[str, float]:
        """Evaluate the present model.

        test (bool): Whether to evaluate on the test file rather than the dev file.
        prefix (str): Accepted for compatibility with fastcoref and ignored.
        RETURNS (Dict[str, float]): The scores by fastcoref's names. The first three are
            the means of MUC, B-cubed and CEAF-e. Empty if there is no such file.
        """
        file = self.test_file if test else self.dev_file
        if file is None:
            return {}
        scores = self.nlp.evaluate(make_jsonl_corpus(file)(self.nlp))
        return {name: scores[key] for name, key in SCORES.items()}


def make_config(
    args: TrainingArgs,
    train_file: Union[str, Path],
    dev_file: Optional[Union[str, Path]],
    n_batches: int,
) -> Config:
    """Convert fastcoref's arguments to a spaCy config."""
    epochs = int(args.epochs)
    n_steps = n_batches * epochs
    head_rate = args.head_learning_rate or args.learning_rate
    model = _make_model(args, args.learning_rate / head_rate)
    overrides = {
        "nlp.lang": DEFAULT_LANG,
        "components.fastcoref.device": str(args.device or "auto"),
        "corpora.train.path": str(train_file),
        "training.seed": args.seed,
        "training.max_epochs": epochs,
        "training.eval_frequency": int(args.eval_steps),
        "training.batcher.size": args.max_tokens_in_batch,
        "training.optimizer.beta1": args.adam_beta1,
        "training.optimizer.beta2": args.adam_beta2,
        "training.optimizer.eps": args.adam_epsilon,
        "training.optimizer.L2": args.weight_decay,
        "training.optimizer.learn_rate.warmup_steps": n_steps // 10,
        "training.optimizer.learn_rate.total_steps": n_steps,
        "training.optimizer.learn_rate.initial_rate": head_rate,
    }
    config = Config().from_disk(CONFIG, overrides=overrides)
    config["components"]["fastcoref"]["model"] = model
    if dev_file is not None:
        config["corpora"]["dev"] = {**config["corpora"]["train"], "path": str(dev_file)}
    return config


def _make_model(args: TrainingArgs, learn_rate: float) -> Dict[str, Any]:
    name_or_path = str(args.model_name_or_path)
    encoder = {
        "@coref_layers": "spacy_fastcoref.Transformer.v1",
        "dropout": 0.1,
        "learn_rate": learn_rate,
    }
    if is_trained(name_or_path):
        return {
            "@architectures": "spacy_fastcoref.Pretrained.v1",
            "name_or_path": name_or_path,
            "encoder": encoder,
        }
    layer = {"hidden_size": args.ffnn_size, "dropout": args.dropout_prob}
    return {
        "@architectures": "spacy_fastcoref.CorefModel.v1",
        "encoder": {**encoder, "name": name_or_path},
        "mention_scorer": {
            "@coref_layers": "spacy_fastcoref.S2EMentionScorer.v1",
            **layer,
        },
        "antecedent_scorer": {
            "@coref_layers": "spacy_fastcoref.S2EAntecedentScorer.v1",
            **layer,
        },
        "top_lambda": args.top_lambda,
        "max_span_length": args.max_span_length,
        "max_segment_len": args.max_segment_len,
    }
