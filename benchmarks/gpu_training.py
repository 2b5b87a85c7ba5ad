"""Train a config on a GPU within a given time, from documents that are prepared before.

python benchmarks/gpu_training.py prepare CONFIG FILE START [--paths.NAME VALUE …]
python benchmarks/gpu_training.py train FILE START OUTPUT [--seconds N] [--words N]
    [--device DEVICE] [--learn-rate N] [--max-steps N]

`prepare` reads the corpora of the config once, with and without augmentation, and
writes word pieces and labels to FILE (.gz). `train` continues from the weights in the
folder START. The learning rate is constant, and falls to 0 in the last 30 % of the
time. The averaged weights are written to OUTPUT in 8 bits, in the middle of a run too,
and a later run can start from them. The F1 of links on the documents of the dev corpus
goes to the standard output.
"""

import gzip
import pickle
import random
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

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
from spacy_fastcoref.models.network.train_scores import TrainScores, score_for_training
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.pipeline.gold import AlignedGold, align_gold, restrict

# The share of examples that an augmenter may change.
_AUGMENTED = 0.5
_STORAGE = "spacy_fastcoref.Int8Groups.v1"
_WARMUP = 100
# The share of the time in which the learning rate falls.
_DECAY = 0.3
_DROPOUT = 0.1
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


def prepare(config: Path, output: Path, start: Path, overrides: Dict[str, Any]) -> None:
    settings = load_config(config, overrides, interpolate=True)
    nlp = common.load_pipeline(lang=settings["nlp"]["lang"], model_path=str(start))
    model = nlp.get_pipe("fastcoref").model
    _, read = model.get_network()
    docs: List[Tuple[int, bool, Pieces, AlignedGold]] = []
    corpora: List[Tuple[str, float]] = []
    for part in ("train", "dev"):
        for name, weight, readers in list_corpora(settings["corpora"][part], part):
            n_before = len(docs)
            for kind, block in enumerate(readers):
                for eg in registry.resolve({"corpus": block})["corpus"](nlp):
                    gold = align_gold(eg)
                    pieces = read(restrict(eg, gold), None, model.runtime)
                    if len(pieces.tokens):
                        docs.append((len(corpora), kind > 0, pieces, gold))
            corpora.append((name, weight))
            print(name, weight, len(docs) - n_before, flush=True)
    with gzip.open(output, "wb") as file:
        pickle.dump((*zip(*corpora, strict=True), docs), file)


class Docs:
    """Hold the prepared documents.

    corpora (np.ndarray): The index of each document's corpus.
    are_changed (np.ndarray): Whether an augmenter may have changed it.
    """

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rb") as file:
            self.names, self.weights, docs = pickle.load(file)
        corpora, are_changed, self.pieces, self.golds = zip(*docs, strict=True)
        self.corpora, self.are_changed = np.array(corpora), np.array(are_changed)
        self.n_words = np.array([len(pieces.tokens) for pieces in self.pieces])

    def score(
        self, network: CorefNetwork, chosen: Sequence[int]
    ) -> Tuple[List[TrainScores], List[AlignedGold]]:
        batch = Batch.from_pieces([self.pieces[i] for i in chosen])
        golds = [self.golds[i] for i in chosen]
        return score_for_training(network, batch, Runtime()), golds

    def draw(self, rng: random.Random, n_words: int) -> Iterator[List[int]]:
        """Draw batches without end, each corpus as often as its weight says."""
        while True:
            chosen: List[int] = []
            for corpus, weight in enumerate(self.weights):
                if self.names[corpus].startswith("dev"):
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
        for corpus, name in enumerate(self.names):
            if name.startswith("dev"):
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


def check(network: CorefNetwork, docs: Docs, n_words: int) -> str:
    """Compute the F1 of links on each dev corpus."""
    network.eval()
    counts: Dict[str, Any] = {}
    with torch.inference_mode():
        for name, chosen in docs.list_dev(n_words):
            for one, golds in split_golds(*docs.score(network, chosen)):
                counts[name] = counts.get(name, 0) + count_links(one, golds)
    shown = []
    for name, (right, found, gold) in counts.items():
        f_score = 200 * float(right) / max(1.0, float(found) + float(gold))
        shown.append(f"{name.removeprefix('dev/')} {f_score:.1f}")
    return ", ".join(shown)


def train(args: Any) -> None:
    begin = time.time()
    docs = Docs(args.file)
    checkpoint = Checkpoint.from_disk(args.start)
    network = build_network(checkpoint, str(args.start), copies=True)
    network.to(args.device)
    dropout = {"dropout": _DROPOUT, "word_dropout": _DROPOUT}
    learner = Learner(network, {**checkpoint.config["encoder"], **dropout})
    learner.set_drop(0.0)
    optimizer = Adam(args.learn_rate, beta2=0.98, eps=1e-6, L2=0.01)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    settings = {"mention_weight": 0.3, "partial_mention_weight": 0.3}
    settings |= {"partial_weight": 2.0, "type_weight": 0.3}
    is_gpu = network.device.type == "cuda"
    loaded = f"loaded {time.time() - begin:.0f} s"
    print(loaded, check(network, docs, args.words), flush=True)
    begin = time.time()
    n_checks = n_seen = 0
    losses: List[torch.Tensor] = []

    def report() -> None:
        loss = float(torch.stack(losses).mean()) if losses else float("nan")
        seconds = time.time() - begin
        found = check(learner.average.module, docs, args.words)
        counts = f"step {step}, {seconds:.0f} s, {n_seen} words"
        print(f"{counts}, loss {loss:.4f}; {found}", flush=True)

    for step, chosen in enumerate(docs.draw(random.Random(0), args.words)):
        done = (time.time() - begin) / args.seconds
        if done >= 1 or step == args.max_steps:
            break
        if n_checks < int(done * _N_CHECKS):
            n_checks = int(done * _N_CHECKS)
            report()
            losses = []
            if n_checks >= _N_CHECKS // 2:
                save(learner, checkpoint, args.output)
        factor = min(1.0, (step + 1) / _WARMUP, (1 - done) / _DECAY)
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
    tensors = read_tensors(learner.average.module)
    new = checkpoint.with_tensors(tensors)
    new.stored = Stored(_STORAGE, get_storage(_STORAGE, str(output)).encode(tensors))
    new.to_disk(output)


def main() -> None:
    parser = common.Parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    places = {"prepare": "config file start", "train": "file start output"}
    for command, names in places.items():
        one = commands.add_parser(command)
        for name in names.split():
            one.add_argument(name, type=Path)
    one.add_argument("--device", default="cuda")
    one.add_argument("--seconds", type=float, default=480)
    one.add_argument("--words", type=int, default=3000)
    one.add_argument("--max-steps", type=int)
    one.add_argument("--learn-rate", type=float, default=4e-4)
    args, left = parser.parse_known_args()
    if args.command == "train":
        train(args)
        return
    keys = (key.removeprefix("--") for key in left[::2])
    overrides = dict(zip(keys, left[1::2], strict=True))
    prepare(args.config, args.file, args.start, overrides)


if __name__ == "__main__":
    common.run(main)
