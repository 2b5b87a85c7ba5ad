"""Compare fastcoref and this package on the same checkpoint and the same texts.

python benchmarks/peer.py --peer PYTHON --model FOLDER [--lingmess] [--json FILE] FILE …

PYTHON is the interpreter of an environment with fastcoref 2.1.6. FOLDER is a checkpoint
that fastcoref can load: F-coref, or with --lingmess LingMess. Files that end in .jsonl
have documents, other files have a text on each line. Both are cut into documents of at
most --words words. The two packages run in turn, each in its own process, --rounds
times. Each ratio is the median over the rounds. Neither package uses grammar rules.

With --default, each package runs as users get it: this one with the model that ships
and its rules, fastcoref with its default encoder, DistilRoBERTa, whose weights are
random: time and memory do not depend on them. FOLDER is where that checkpoint goes.
"""

import json
import os
import subprocess
import sys
import tempfile
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any, Dict, List

import common
import spacy

from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import write_fastcoref
from spacy_fastcoref.models.encoders.encoder import TransformerBlock
from spacy_fastcoref.models.network.network import CorefNetwork, read_tensors
from spacy_fastcoref.models.scorers.s2e import (
    S2EAntecedentScorerBlock,
    S2EMentionScorerBlock,
)
from spacy_fastcoref.pretrained import get_folder

MODES = ("predictor", "component")
ROBERTA = {
    "model_type": "roberta",
    "vocab_size": 50265,
    "hidden_size": 768,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "pad_token_id": 0,
    "layer_norm_eps": 1e-5,
}
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
WORKER = """
import importlib, json, resource, sys, time
started = time.perf_counter()
import spacy
job = json.load(open(sys.argv[1]))
package = importlib.import_module(job["package"])
chosen = [job["model"]] if job["model"] else []
config = {"model_path": job["model"], "device": "cpu"}
settings = {"device": "cpu", "enable_progress_bar": False}
if job["package"] == "fastcoref":
    from fastcoref import spacy_component
    settings["nlp"] = spacy.blank("en")
    config |= {"model_architecture": job["kind"], "enable_progress_bar": False}
else:
    settings["precision"] = config["precision"] = job["precision"]
    if chosen:
        config["rules"] = None
def measure(function):
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result
nlp = spacy.blank("en")
nlp.add_pipe("fastcoref", config=config)
docs, texts = job["docs"], [" ".join(words) for words in job["docs"]]
nlp(" ".join(docs[0][:12]))
out = {"first": time.perf_counter() - started}
model = getattr(package, job["kind"])(*chosen, **settings)
model.predict(texts=docs[:4], is_split_into_words=True)
list(nlp.pipe(texts[:4]))
out["predictor"], results = measure(
    lambda: model.predict(texts=docs, is_split_into_words=True)
)
out["component"], _ = measure(lambda: list(nlp.pipe(texts)))
out["clusters"] = [result.get_clusters(as_strings=False) for result in results]
out["MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
json.dump(out, open(job["out"], "w"))
"""


def main() -> None:
    numbers = {"words": 450, "docs": 120, "rounds": 3}
    parser = common.Parser(__doc__, files=common.input_file, **numbers)
    parser.add_argument("--peer", required=True, type=common.input_file)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--lingmess", action="store_true")
    parser.add_argument("--default", action="store_true")
    args = parser.parse_args()
    if args.default:
        write_default(args.model)
    if not (args.model / "config.json").is_file():
        parser.error(f"argument --model: {str(args.model)!r} is not a checkpoint")
    docs = common.read_pieces(spacy.blank("en"), args.files, args.words)
    job = {
        "model": str(args.model.resolve()),
        "kind": "LingMessCoref" if args.lingmess else "FCoref",
        "docs": docs[: args.docs],
        "precision": "auto",
    }
    peer = str(args.peer.absolute())
    own = {**job, "package": "spacy_fastcoref"}
    if args.default:
        own["model"] = None
    theirs, ours = [], []
    runs = {"fastcoref": theirs, "spacy_fastcoref": ours}
    for _ in range(args.rounds):
        theirs.append(call(peer, {**job, "package": "fastcoref"}))
        ours.append(call(sys.executable, own))
    report = compare(job["docs"], runs)
    if args.default:
        folders = args.model, get_folder("en")
        for name, folder in zip(runs, folders, strict=True):
            size = sum(path.stat().st_size for path in folder.iterdir())
            report[f"{name}, MB on disk"] = round(size / 1e6)
    else:
        exact = call(sys.executable, {**own, "precision": "float32"})
        for name, result in (("float32", exact), ("default precision", ours[-1])):
            both = theirs[-1]["clusters"], result["clusters"]
            pairs = zip(*(map(read_clusters, docs) for docs in both), strict=True)
            f_score = common.score_clusters(pairs)
            report[f"agreement, {name}: CoNLL F1"] = round(100 * f_score, 2)
    common.print_table(["what", "value"], list(report.items()))
    common.write_json(args.json, report)


def call(python: str, job: Dict[str, Any]) -> Dict[str, Any]:
    """Run one package in its own process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "worker.py").write_text(WORKER)
        job = {**job, "out": str(folder / "out.json")}
        (folder / "job.json").write_text(json.dumps(job))
        command = [python, "-W", "ignore", "worker.py", "job.json"]
        env = {**os.environ, **OFFLINE}
        done = subprocess.run(command, cwd=folder, env=env, stderr=subprocess.PIPE)
        if done.returncode:
            # The last line of a traceback has the error.
            lines = done.stderr.decode(errors="replace").strip().splitlines() or [""]
            raise ValueError(f"{job['package']} failed: {lines[-1]}")
        return json.loads((folder / "out.json").read_text())


def write_default(folder: Path) -> None:
    """Write a checkpoint of fastcoref's default shape, with random weights."""
    layer = {"hidden_size": 1024, "dropout": 0.3}
    config = {
        "top_lambda": 0.25,
        "max_span_length": 30,
        "max_segment_len": 512,
        "encoder": describe_block(TransformerBlock()),
        "encoder_config": ROBERTA,
        "mention_scorer": describe_block(S2EMentionScorerBlock(**layer)),
        "antecedent_scorer": describe_block(S2EAntecedentScorerBlock(**layer)),
    }
    tensors = read_tensors(CorefNetwork(config, str(folder)))
    tokenizer = (get_folder("en") / "tokenizer.json").read_text("utf8")
    write_fastcoref(Checkpoint(config, tensors, tokenizer), folder)


def compare(docs: List[List[str]], runs: Dict[str, List[Any]]) -> Dict[str, Any]:
    n_words = sum(map(len, docs))
    report: Dict[str, Any] = {"documents": len(docs), "words": n_words}
    for mode in MODES:
        seconds = {name: [run[mode] for run in found] for name, found in runs.items()}
        ratios = map(truediv, *seconds.values())
        report[f"{mode}: times faster"] = round(median(ratios), 2)
        for name, found in seconds.items():
            report[f"{mode}: {name}, words/s"] = round(n_words / median(found))
    for name, found in runs.items():
        report[f"{name}, peak MiB"] = round(found[-1]["MiB"])
        first = median(run["first"] for run in found)
        report[f"{name}, seconds to the first answer"] = round(first, 2)
    return report


def read_clusters(clusters: Any) -> List[List[tuple]]:
    """Read clusters; those of fastcoref have None for special tokens."""
    whole = ([tuple(m) for m in c if m and None not in m] for c in clusters)
    return [cluster for cluster in whole if len(cluster) > 1]


if __name__ == "__main__":
    common.run(main)
