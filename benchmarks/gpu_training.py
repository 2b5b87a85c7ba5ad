"""Train a config on a GPU within a given time, from documents that are prepared before.

python benchmarks/gpu_training.py prepare CONFIG FILE START [--paths.NAME VALUE …]
python benchmarks/gpu_training.py train FILE START OUTPUT [--seconds N] [--words N]
    [--device DEVICE] [--learn-rate N] [--decay N] [--dropout N] [--seed N]
    [--max-steps N]

`prepare` reads the corpora of the config once, with and without augmentation, and
writes word pieces and labels to FILE (.npz). `train` continues from the weights in the
folder START. All mentions of a batch are scored at once, and pairs of different
documents left out, so that a step takes few calls. The learning rate is constant, and
falls to 0 in the last --decay of the time. The averaged weights are written to OUTPUT
in 8 bits, in the middle of a run too, and a later run can start from them. The F1 of
links on the documents of the dev corpus goes to the standard output.
"""

import random
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import common
import numpy as np
import spacy
import torch
from spacy.util import load_config, registry
from thinc.api import Adam
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from spacy_fastcoref.models.batching import Batch, Pieces, write_band
from spacy_fastcoref.models.checkpoints.building import build_network
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.storage import Stored, get_storage
from spacy_fastcoref.models.learning.learner import Learner
from spacy_fastcoref.models.learning.loss import get_link_loss
from spacy_fastcoref.models.network.network import CorefNetwork, read_tensors
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.pipeline.gold import align_gold, restrict

# The share of examples that an augmenter may change.
_AUGMENTED = 0.5
_STORAGE = "spacy_fastcoref.Int8Groups.v1"
_WARMUP = 100
_N_CHECKS = 8
_ARRAYS = ("ids", "first", "last", "tokens", "is_name")


def list_corpora(
    block: Dict[str, Any],
    name: str = "",
    weight: float = 1.0,
    lang: Any = None,
    augmenter: Any = None,
) -> Iterator[Tuple[str, float, List[Dict[str, Any]]]]:
    """Find the corpora of a mixture: name, weight, and readers plain and augmented."""
    augmenter = block.get("augmenter") or augmenter
    if "lang" in block:
        lang = block["lang"]
    if "corpora" in block:
        for key, one in block["corpora"].items():
            own = (block.get("weights") or {}).get(key, 1.0)
            yield from list_corpora(one, f"{name}/{key}", weight * own, lang, augmenter)
    elif "corpus" in block:
        yield from list_corpora(block["corpus"], name, weight, lang, augmenter)
    else:
        if lang:
            block = {
                "@readers": "spacy_fastcoref.LanguageCorpus.v1",
                "lang": lang,
                "corpus": block,
            }
        readers = [block]
        if augmenter:
            for one in augmenter["augmenters"].values():
                one["level"] = 1.0
            readers.append(
                {
                    "@readers": "spacy_fastcoref.MixedCorpus.v1",
                    "corpora": {"one": block},
                    "augmenter": augmenter,
                }
            )
        yield name, weight, readers


def prepare(config: Path, output: Path, start: Path, overrides: Dict[str, Any]) -> None:
    """Write the word pieces and labels of all documents of a config's corpora."""
    settings = load_config(config, overrides, interpolate=True)
    nlp = spacy.blank(settings["nlp"]["lang"])
    pipe = nlp.add_pipe("fastcoref", config={"model_path": str(start)})
    model = pipe.model
    network, tokenizer = model.get_network()
    columns: Dict[str, List[np.ndarray]] = {}
    docs: List[Tuple[int, int, bool, bool]] = []
    names: List[str] = []
    weights: List[float] = []
    for part in ("train", "dev"):
        for name, weight, readers in list_corpora(settings["corpora"][part], part):
            names.append(name)
            weights.append(weight)
            for kind, block in enumerate(readers):
                n_before = len(docs)
                for eg in registry.resolve({"corpus": block})["corpus"](nlp):
                    gold = align_gold(eg)
                    pieces = model.encode(network, tokenizer, restrict(eg, gold))
                    if not len(pieces.tokens):
                        continue
                    found = describe(pieces, gold, network)
                    for key, array in found.items():
                        columns.setdefault(key, []).append(array)
                    is_partial = gold.annotated is not None
                    docs.append((len(names) - 1, kind, is_partial, bool(gold.types)))
                print(name, weight, kind, len(docs) - n_before, flush=True)
    arrays = {
        "docs": np.array(docs),
        "weights": np.array(weights),
        "names": np.array(names),
    }
    for key, parts in columns.items():
        arrays[f"sizes.{key}"] = np.array([len(one) for one in parts], dtype=np.int32)
        whole = np.concatenate(parts)
        small = np.int16 if whole.size and abs(whole).max() < 1 << 15 else np.int32
        arrays[f"all.{key}"] = whole.astype(small)
    np.savez(output, **arrays)


def describe(pieces: Pieces, gold: Any, network: CorefNetwork) -> Dict[str, np.ndarray]:
    """Describe a document in arrays. Labels are rows of first word, width and value."""
    width = network.max_span_length

    def rows(groups: Any) -> np.ndarray:
        band = write_band(pieces.tokens, width, groups)
        at = np.argwhere(band >= 0)
        return np.column_stack([at, band[tuple(at.T)]])

    clusters = rows(gold.clusters)
    targets = clusters if gold.annotated is None else rows([gold.annotated])
    types = network.mention_types.names[1:] if network.mention_types else ()
    by_type = [[s for s, one in gold.types.items() if one == name] for name in types]
    candidates = pieces.candidates
    found = {name: getattr(pieces, name) for name in _ARRAYS}
    found |= {f"code.{name}": codes for name, codes in pieces.codes.items()}
    return found | {
        "clusters": clusters,
        "targets": targets,
        "unsure": rows([gold.unsure]),
        "types": rows(by_type),
        "candidates": np.array(candidates or [], dtype=np.int64).reshape(-1, 2),
    }


class Docs:
    """Hold the prepared documents."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file)
        self.table = arrays["docs"]
        self.weights = arrays["weights"]
        self.names = arrays["names"].tolist()
        self.columns = {}
        for key in (key[4:] for key in arrays if key.startswith("all.")):
            ends = np.cumsum(arrays[f"sizes.{key}"])[:-1]
            whole = arrays[f"all.{key}"].astype(np.int64)
            self.columns[key] = np.split(whole, ends)
        self.n_words = arrays["sizes.tokens"]
        self.pieces = [self._make(i) for i in range(len(self.table))]

    def _make(self, i: int) -> Pieces:
        get = {key: column[i] for key, column in self.columns.items()}
        candidates = [tuple(span) for span in get["candidates"].tolist()]
        return Pieces(
            *(get[name] for name in ("ids", "first", "last", "tokens")),
            candidates if self.table[i, 2] else None,
            {key[5:]: one for key, one in get.items() if key.startswith("code.")},
            get["is_name"] > 0,
        )

    def is_train(self, corpus: int) -> bool:
        return self.names[corpus].startswith("train")

    def draw(self, rng: random.Random, n_words: int) -> Iterator[List[int]]:
        """Draw batches without end, each corpus as often as its weight says."""
        while True:
            chosen: List[int] = []
            for corpus, weight in enumerate(self.weights):
                if not self.is_train(corpus):
                    continue
                is_own = self.table[:, 0] == corpus
                plain = np.flatnonzero(is_own & (self.table[:, 1] == 0)).tolist()
                changed = np.flatnonzero(is_own & (self.table[:, 1] == 1)).tolist()
                if len(changed) != len(plain):
                    changed = plain
                whole, rest = divmod(weight, 1)
                times = [int(whole) + (rng.random() < rest) for _ in plain]
                for n, pair in zip(
                    times, zip(plain, changed, strict=True), strict=True
                ):
                    for _ in range(n):
                        chosen.append(pair[rng.random() < _AUGMENTED])
            rng.shuffle(chosen)
            batch: List[int] = []
            total = 0
            for i in chosen:
                if batch and total + self.n_words[i] > n_words * 1.2:
                    yield batch
                    batch, total = [], 0
                batch.append(i)
                total += self.n_words[i]

    def list_dev(self, n_words: int) -> Iterator[Tuple[str, List[int]]]:
        """List batches of the dev documents, each of one corpus."""
        for corpus, name in enumerate(self.names):
            if self.is_train(corpus):
                continue
            batch: List[int] = []
            for i in np.flatnonzero(self.table[:, 0] == corpus).tolist():
                batch.append(i)
                if sum(self.n_words[batch]) > n_words:
                    yield name, batch
                    batch = []
            if batch:
                yield name, batch


class Scores:
    """Score a batch of documents as if it were one, with its labels."""

    def __init__(self, network: CorefNetwork, docs: Docs, chosen: List[int]) -> None:
        batch = Batch.from_pieces([docs.pieces[i] for i in chosen])
        words = network.encode_words(batch, Runtime())
        self.band, mentions, represented = network.find_mentions(batch, words)
        self.starts, ends, scores = (
            torch.cat(one) for one in zip(*mentions, strict=True)
        )
        joined = represented[0].join(represented[-1])
        pairs = network.score_pairs(scores, joined, 0, len(scores), for_training=True)
        self.move = network._move
        word_docs = self.move(batch.word_docs)
        self.word_docs = word_docs
        self.mention_docs = word_docs[self.starts]
        is_other = self.mention_docs[:, None] != self.mention_docs
        self.pairs = pairs.masked_fill(is_other, -torch.inf)
        self.widths = ends - self.starts
        head = network.mention_types
        self.types = None
        if head is not None and docs.table[chosen, 3].any():
            self.types = head(words.get_spans(self.starts, ends))
        table = self.move(docs.table[chosen])
        self.is_partial, self.is_typed = table[:, 2] > 0, table[:, 3] > 0
        self.columns = {}
        begins = np.append(0, batch.word_ends[:-1])
        for name in ("clusters", "targets", "unsure", "types"):
            parts = [docs.columns[name][i].reshape(-1, 3) for i in chosen]
            rows = np.concatenate(parts)
            sizes = [len(part) for part in parts]
            rows = rows + np.repeat(begins, sizes)[:, None] * [1, 0, 0]
            # The numbers of clusters differ between documents.
            if name == "clusters":
                rows[:, 2] += np.repeat(np.arange(len(parts)) << 20, sizes)
            self.columns[name] = self.move(rows)
        self.clusters = self._label("clusters")[self.starts, self.widths]

    def _label(self, name: str) -> torch.Tensor:
        labels = torch.full_like(self.band, -1, dtype=torch.long)
        first, width, value = self.columns[name].T
        labels[first, width] = value
        return labels

    def compute_loss(self, settings: Dict[str, float]) -> torch.Tensor:
        """Compute the loss of the component, averaged over mentions; see get_loss."""
        counts = torch.where(self.is_partial, settings["partial_weight"], 1.0)
        weights = counts * torch.where(
            self.is_partial,
            settings["partial_mention_weight"],
            settings["mention_weight"],
        )
        is_sure = self._label("unsure")[self.starts, self.widths] < 0
        is_partial = self.is_partial[self.mention_docs]
        loss = get_link_loss(self.pairs, self.clusters, is_sure & ~is_partial)
        loss = loss + settings["partial_weight"] * get_link_loss(
            self.pairs, self.clusters, is_sure & is_partial
        )
        is_candidate = self.band.isfinite()
        entropy = binary_cross_entropy_with_logits(
            self.band.masked_fill(~is_candidate, 0.0),
            (self._label("targets") >= 0).to(self.band),
            reduction="none",
        )
        rows = weights[self.word_docs]
        loss = loss + (entropy.masked_fill(~is_candidate, 0.0).sum(1) * rows).sum()
        if self.types is not None:
            classes = 1 + self._label("types")[self.starts, self.widths]
            classes = classes.masked_fill(~self.is_typed[self.mention_docs], -1)
            loss = loss + settings["type_weight"] * cross_entropy(
                self.types, classes, ignore_index=-1, reduction="sum"
            )
        return loss / counts[self.mention_docs].sum().clamp(min=1.0)

    def count_links(self) -> torch.Tensor:
        """Count the links that are right, all that are found, and all of the gold."""
        pairs = torch.cat([torch.zeros_like(self.pairs[0, :, :1]), self.pairs[0]], 1)
        best = pairs.argmax(1)
        is_link = best > 0
        gold = self.clusters
        is_right = is_link & (gold >= 0) & (gold[(best - 1).clamp(min=0)] == gold)
        rows = self.columns["clusters"]
        n_clusters = len(rows[:, 2].unique()) if len(rows) else 0
        return torch.stack(
            [is_right.sum(), is_link.sum(), rows.new_tensor(len(rows) - n_clusters)]
        )


def check(network: CorefNetwork, docs: Docs, args: Any) -> str:
    """Compute the F1 of links on each dev corpus."""
    network.eval()
    counts: Dict[str, Any] = {}
    with torch.inference_mode():
        for name, chosen in docs.list_dev(args.words):
            found = Scores(network, docs, chosen).count_links()
            counts[name] = counts.get(name, 0) + found
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
    settings = {
        "mention_weight": 0.3,
        "partial_mention_weight": 0.3,
        "partial_weight": 2.0,
        "type_weight": 0.3,
    }
    is_gpu = network.device.type == "cuda"
    print(
        f"loaded {time.time() - begin:.0f} s",
        check(network, docs, args),
        flush=True,
    )
    begin = time.time()
    n_checks = n_seen = 0
    losses: List[torch.Tensor] = []
    for step, chosen in enumerate(docs.draw(random.Random(args.seed), args.words)):
        done = (time.time() - begin) / args.seconds
        if done >= 1 or step == args.max_steps:
            break
        if n_checks < int(done * _N_CHECKS):
            n_checks = int(done * _N_CHECKS)
            report(
                step,
                begin,
                losses,
                n_seen,
                check(learner.average.module, docs, args),
            )
            losses = []
            if n_checks >= _N_CHECKS // 2:
                save(learner, checkpoint, args.output)
        factor = min(1.0, (step + 1) / _WARMUP, (1 - done) / args.decay)
        optimizer.learn_rate = args.learn_rate * factor
        network.train()
        network.encoder.train(learner.has_encoder_dropout)
        network.autocast_dtype = torch.bfloat16 if is_gpu else None
        loss = Scores(network, docs, chosen).compute_loss(settings)
        loss.backward()
        losses.append(loss.detach())
        learner.finish_update(optimizer)
        n_seen += sum(docs.n_words[chosen].tolist())
    report(step, begin, losses, n_seen, check(learner.average.module, docs, args))
    save(learner, checkpoint, args.output)
    if is_gpu:
        print(f"GPU memory {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


def report(step: int, begin: float, losses: List[Any], n_seen: int, found: str) -> None:
    loss = float(torch.stack(losses).mean()) if losses else float("nan")
    seconds = time.time() - begin
    print(
        f"step {step}, {seconds:.0f} s, {n_seen} words, loss {loss:.4f}; {found}",
        flush=True,
    )


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
    one = commands.add_parser("prepare")
    one.add_argument("config", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("start", type=Path)
    two = commands.add_parser("train")
    two.add_argument("file", type=Path)
    two.add_argument("start", type=Path)
    two.add_argument("output", type=Path)
    two.add_argument("--seconds", type=float, default=480)
    two.add_argument("--words", type=int, default=3000)
    two.add_argument("--device", default="cuda")
    two.add_argument("--learn-rate", type=float, default=4e-4)
    two.add_argument("--decay", type=float, default=0.3)
    two.add_argument("--dropout", type=float, default=0.1)
    two.add_argument("--seed", type=int, default=0)
    two.add_argument("--max-steps", type=int, default=-1)
    args, left = parser.parse_known_args()
    if args.command == "train":
        train(args)
        return
    overrides = {
        key[2:]: value for key, value in zip(left[::2], left[1::2], strict=True)
    }
    prepare(args.config, args.file, args.start, overrides)


if __name__ == "__main__":
    common.run(main)
