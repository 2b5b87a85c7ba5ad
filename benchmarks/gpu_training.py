"""Train a config on a GPU within a given time, from documents that are prepared before.

python benchmarks/gpu_training.py prepare CONFIG FILE START [--paths.NAME VALUE …]
python benchmarks/gpu_training.py train FILE START OUTPUT [--seconds N] [--words N]
    [--device DEVICE] [--learn-rate N] [--decay N] [--dropout N] [--seed N]
    [--max-steps N]

`prepare` reads the corpora of the config once, with and without augmentation, and
writes word pieces and labels to FILE (.gz). `train` continues from the weights in the
folder START. The learning rate is constant, and falls to 0 in the last --decay of the
time. The averaged weights are written to OUTPUT in 8 bits, in the middle of a run too,
and a later run can start from them. The F1 of links on the documents of the dev corpus
goes to the standard output.
"""

import gzip
import pickle
import random
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import common
import numpy as np
import torch
from spacy.util import load_config, registry
from thinc.api import Adam

from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.checkpoints.building import build_network
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.storage import Stored, get_storage
from spacy_fastcoref.models.learning.learner import Learner
from spacy_fastcoref.models.learning.loss import compute_loss, make_labels, split_golds
from spacy_fastcoref.models.network.network import CorefNetwork, read_tensors
from spacy_fastcoref.models.network.train_scores import TrainScores
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.pipeline.gold import AlignedGold, align_gold, restrict

# The share of examples that an augmenter may change.
_AUGMENTED = 0.5
_STORAGE = "spacy_fastcoref.Int8Groups.v1"
_WARMUP = 100
_N_CHECKS = 8


def list_corpora(
    block: Dict[str, Any],
    name: str = "",
    weight: float = 1.0,
    lang: Any = None,
    augmenter: Any = None,
) -> Iterator[Tuple[str, float, List[Dict[str, Any]]]]:
    """Find the corpora of a mixture: name, weight, and readers plain and augmented."""
    lang, augmenter = block.get("lang", lang), block.get("augmenter") or augmenter
    if "corpus" in block:
        yield from list_corpora(block["corpus"], name, weight, lang, augmenter)
        return
    if "corpora" in block:
        for key, one in block["corpora"].items():
            own = weight * (block.get("weights") or {}).get(key, 1.0)
            yield from list_corpora(one, f"{name}/{key}", own, lang, augmenter)
        return
    if lang:
        reader = "spacy_fastcoref.LanguageCorpus.v1"
        block = {"@readers": reader, "lang": lang, "corpus": block}
    readers = [block]
    if augmenter:
        for one in augmenter["augmenters"].values():
            one["level"] = 1.0
        mixed = {"corpora": {"one": block}, "augmenter": augmenter}
        readers.append({"@readers": "spacy_fastcoref.MixedCorpus.v1", **mixed})
    yield name, weight, readers


class Document(NamedTuple):
    """Hold a prepared document.

    corpus (int): The index of its corpus.
    is_changed (bool): Whether an augmenter may have changed it.
    """

    corpus: int
    is_changed: bool
    pieces: Pieces
    gold: AlignedGold


def prepare(config: Path, output: Path, start: Path, overrides: Dict[str, Any]) -> None:
    """Write the word pieces and labels of all documents of a config's corpora."""
    settings = load_config(config, overrides, interpolate=True)
    nlp = common.load_pipeline(lang=settings["nlp"]["lang"], model_path=str(start))
    model = nlp.get_pipe("fastcoref").model
    network, tokenizer = model.get_network()
    docs: List[Document] = []
    corpora: List[Tuple[str, float]] = []
    for part in ("train", "dev"):
        for name, weight, readers in list_corpora(settings["corpora"][part], part):
            n_before = len(docs)
            for kind, block in enumerate(readers):
                for eg in registry.resolve({"corpus": block})["corpus"](nlp):
                    gold = align_gold(eg)
                    pieces = model.encode(network, tokenizer, restrict(eg, gold))
                    if len(pieces.tokens):
                        docs.append(Document(len(corpora), kind > 0, pieces, gold))
            corpora.append((name, weight))
            print(name, weight, len(docs) - n_before, flush=True)
    with gzip.open(output, "wb") as file:
        # Plain tuples: here, the class is one of __main__.
        pickle.dump((*zip(*corpora, strict=True), [tuple(doc) for doc in docs]), file)


class Docs:
    """Hold the prepared documents."""

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rb") as file:
            self.names, self.weights, docs = pickle.load(file)
        self.docs = [Document(*doc) for doc in docs]
        self.n_words = np.array([len(doc.pieces.tokens) for doc in self.docs])
        self.corpora = np.array([doc.corpus for doc in self.docs])
        self.are_changed = np.array([doc.is_changed for doc in self.docs])

    def is_train(self, corpus: int) -> bool:
        return self.names[corpus].startswith("train")

    def score(
        self, network: CorefNetwork, chosen: Sequence[int]
    ) -> Tuple[List[TrainScores], List[AlignedGold]]:
        """Score a batch of documents, and get their annotation."""
        batch = Batch.from_pieces([self.docs[i].pieces for i in chosen])
        golds = [self.docs[i].gold for i in chosen]
        return network.score_for_training(batch, Runtime()), golds

    def draw(self, rng: random.Random, n_words: int) -> Iterator[List[int]]:
        """Draw batches without end, each corpus as often as its weight says."""
        while True:
            chosen: List[int] = []
            for corpus, weight in enumerate(self.weights):
                if not self.is_train(corpus):
                    continue
                is_own = self.corpora == corpus
                plain = np.flatnonzero(is_own & ~self.are_changed).tolist()
                changed = np.flatnonzero(is_own & self.are_changed).tolist()
                if len(changed) != len(plain):
                    changed = plain
                whole, rest = divmod(weight, 1)
                for pair in zip(plain, changed, strict=True):
                    for _ in range(int(whole) + (rng.random() < rest)):
                        chosen.append(pair[rng.random() < _AUGMENTED])
            rng.shuffle(chosen)
            yield from self.cut(chosen, n_words * 1.2)

    def list_dev(self, n_words: int) -> Iterator[Tuple[str, List[int]]]:
        """List batches of the dev documents, each of one corpus."""
        for corpus, name in enumerate(self.names):
            if not self.is_train(corpus):
                chosen = np.flatnonzero(self.corpora == corpus).tolist()
                yield from ((name, batch) for batch in self.cut(chosen, n_words))

    def cut(self, chosen: Sequence[int], most: float) -> Iterator[List[int]]:
        """Cut documents into batches of so many words at most."""
        batch: List[int] = []
        for i in chosen:
            if batch and self.n_words[[*batch, i]].sum() > most:
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch


def count_links(scores: TrainScores, golds: Sequence[AlignedGold]) -> torch.Tensor:
    """Count the links that are right, all that are found, and all of the gold."""
    pairs = torch.cat([torch.zeros_like(scores.pairs[0, :, :1]), scores.pairs[0]], 1)
    best = pairs.argmax(1)
    is_link = best > 0
    labels = make_labels(scores, [gold.clusters for gold in golds])
    gold = labels[scores.starts, scores.ends - scores.starts]
    is_right = is_link & (gold >= 0) & (gold[(best - 1).clamp(min=0)] == gold)
    n_links = sum(len(one) - 1 for gold in golds for one in gold.clusters)
    return torch.stack([is_right.sum(), is_link.sum(), best.new_tensor(n_links)])


def check(network: CorefNetwork, docs: Docs, args: Any) -> str:
    """Compute the F1 of links on each dev corpus."""
    network.eval()
    counts: Dict[str, Any] = {}
    with torch.inference_mode():
        for name, chosen in docs.list_dev(args.words):
            for one, golds in split_golds(*docs.score(network, chosen)):
                counts[name] = counts.get(name, 0) + count_links(one, golds)
    shown = []
    for name, (right, found, gold) in counts.items():
        f_score = 200 * float(right) / max(1.0, float(found) + float(gold))
        shown.append(f"{name.removeprefix('dev/')} {f_score:.1f}")
    return ", ".join(shown)


def train(args: Any) -> None:
    """Train for some seconds, and write the averaged weights."""
    begin = time.time()
    docs = Docs(args.file)
    checkpoint = Checkpoint.from_disk(args.start)
    network = build_network(checkpoint, str(args.start), copies=True)
    network.to(args.device)
    dropout = {"dropout": args.dropout, "word_dropout": args.dropout}
    learner = Learner(network, {**checkpoint.config["encoder"], **dropout})
    learner.set_drop(0.0)
    optimizer = Adam(
        args.learn_rate,
        beta1=0.9,
        beta2=0.98,
        eps=1e-6,
        L2=0.01,
        L2_is_weight_decay=True,
        grad_clip=1.0,
        use_averages=True,
    )
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    settings = {"mention_weight": 0.3, "partial_mention_weight": 0.3}
    settings |= {"partial_weight": 2.0, "type_weight": 0.3}
    is_gpu = network.device.type == "cuda"
    print(f"loaded {time.time() - begin:.0f} s", check(network, docs, args), flush=True)
    begin = time.time()
    n_checks = n_seen = 0
    losses: List[torch.Tensor] = []

    def report() -> None:
        loss = float(torch.stack(losses).mean()) if losses else float("nan")
        seconds = time.time() - begin
        found = check(learner.average.module, docs, args)
        counts = f"step {step}, {seconds:.0f} s, {n_seen} words"
        print(f"{counts}, loss {loss:.4f}; {found}", flush=True)

    for step, chosen in enumerate(docs.draw(random.Random(args.seed), args.words)):
        done = (time.time() - begin) / args.seconds
        if done >= 1 or step == args.max_steps:
            break
        if n_checks < int(done * _N_CHECKS):
            n_checks = int(done * _N_CHECKS)
            report()
            losses = []
            if n_checks >= _N_CHECKS // 2:
                save(learner, checkpoint, args.output)
        factor = min(1.0, (step + 1) / _WARMUP, (1 - done) / args.decay)
        optimizer.learn_rate = args.learn_rate * factor
        network.train()
        network.encoder.train(learner.has_encoder_dropout)
        network.autocast_dtype = torch.bfloat16 if is_gpu else None
        loss = compute_loss(*docs.score(network, chosen), **settings)
        loss.backward()
        losses.append(loss.detach())
        learner.finish_update(optimizer)
        n_seen += sum(docs.n_words[chosen].tolist())
    report()
    save(learner, checkpoint, args.output)
    if is_gpu:
        print(f"GPU memory {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


def save(learner: Learner, checkpoint: Checkpoint, output: Path) -> None:
    """Write the averaged weights in 8 bits."""
    tensors = read_tensors(learner.average.module)
    new = checkpoint.with_tensors(tensors)
    new.stored = Stored(_STORAGE, get_storage(_STORAGE, str(output)).encode(tensors))
    new.to_disk(output)


def main() -> None:
    """Run `prepare` or `train`."""
    parser = common.Parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command, places in (
        ("prepare", ("config", "file", "start")),
        ("train", ("file", "start", "output")),
    ):
        one = commands.add_parser(command)
        for place in places:
            one.add_argument(place, type=Path)
    one.add_argument("--device", default="cuda")
    numbers: Dict[str, float] = {"seconds": 480.0, "words": 3000, "max-steps": -1}
    numbers |= {"learn-rate": 4e-4, "decay": 0.3, "dropout": 0.1, "seed": 0}
    for name, default in numbers.items():
        one.add_argument(f"--{name}", type=type(default), default=default)
    args, left = parser.parse_known_args()
    if args.command == "train":
        train(args)
        return
    names = (key.removeprefix("--") for key in left[::2])
    overrides = dict(zip(names, left[1::2], strict=True))
    prepare(args.config, args.file, args.start, overrides)


if __name__ == "__main__":
    common.run(main)
