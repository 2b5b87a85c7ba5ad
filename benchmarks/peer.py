"""Measure fastcoref and this package on the same checkpoint and the same texts.

python benchmarks/peer.py --peer PYTHON --model FOLDER [--lingmess] [--json FILE] FILE …

PYTHON is that of an environment with fastcoref 2.1.6; FOLDER a checkpoint that it can
load, with --lingmess one of LingMess. Files that end in .jsonl hold annotated
documents, which are cut into pieces of --words words; others are texts, one a line. The
two run in turn, each in a process of its own, --rounds times; a ratio is the median
over rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

import spacy
from wasabi import msg

from spacy_fastcoref.metrics.accumulator import CorefAccumulator
from spacy_fastcoref.training.readers.jsonl import read_jsonl

MODES = ("predictor", "component")
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
WORKER = """
import importlib, json, resource, sys, time
import spacy, torch
job = json.load(open(sys.argv[1]))
package = importlib.import_module(job["package"])
config = {"model_path": job["model"], "device": job["device"]}
settings = {"device": job["device"], "enable_progress_bar": False}
if job["package"] == "fastcoref":
    from fastcoref import spacy_component
    settings["nlp"] = spacy.blank("en")
    config |= {"model_architecture": job["kind"], "enable_progress_bar": False}
else:
    settings["precision"] = config["precision"] = job["precision"]
    config["rules"] = None
def measure(function):
    begin = time.perf_counter()
    result = function()
    if job["device"] != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - begin, result
model = getattr(package, job["kind"])(job["model"], **settings)
nlp = spacy.blank("en")
nlp.add_pipe("fastcoref", config=config)
docs, texts = job["docs"], [" ".join(words) for words in job["docs"]]
model.predict(texts=docs[:4], is_split_into_words=True)
list(nlp.pipe(texts[:4]))
out = {}
out["predictor"], results = measure(
    lambda: model.predict(texts=docs, is_split_into_words=True)
)
out["component"], _ = measure(lambda: list(nlp.pipe(texts)))
out["clusters"] = [result.get_clusters(as_strings=False) for result in results]
out["MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
json.dump(out, open(job["out"], "w"))
"""


def main() -> None:
    """Run both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--lingmess", action="store_true")
    parser.add_argument("--words", type=int, default=450)
    parser.add_argument("--docs", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    docs = [words for path in args.files for words in read_words(path, args.words)]
    job = {
        "model": str(Path(args.model).resolve()),
        "kind": "LingMessCoref" if args.lingmess else "FCoref",
        "docs": docs[: args.docs],
        "device": args.device,
        "precision": args.precision,
    }
    theirs, ours = [], []
    for _ in range(args.rounds):
        theirs.append(call(args.peer, {**job, "package": "fastcoref"}))
        ours.append(call(sys.executable, {**job, "package": "spacy_fastcoref"}))
    exact = {**job, "package": "spacy_fastcoref", "precision": "float32"}
    exact = call(sys.executable, exact)
    report = compare(job["docs"], theirs, ours, exact)
    msg.table(list(report.items()), header=["what", "value"])
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


def read_words(path: Path, n_words: int) -> List[List[str]]:
    """Read documents as tokens."""
    if path.suffix == ".jsonl":
        return [
            record.words[begin : begin + n_words]
            for record in read_jsonl(path)
            for begin in range(0, len(record.words), n_words)
        ]
    tokenizer = spacy.blank("en").tokenizer
    lines = path.read_text(encoding="utf8").splitlines()
    return [[t.text for t in tokenizer(line)] for line in lines if line.strip()]


def call(python: str, job: Dict[str, Any]) -> Dict[str, Any]:
    """Run one package in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "worker.py").write_text(WORKER)
        job = {**job, "out": str(folder / "out.json")}
        (folder / "job.json").write_text(json.dumps(job))
        command = [python, "-W", "ignore", "worker.py", "job.json"]
        env = {**os.environ, **OFFLINE}
        done = subprocess.run(command, cwd=folder, env=env, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(done.stderr.decode())
        return json.loads((folder / "out.json").read_text())


def compare(
    docs: List[List[str]],
    theirs: List[Dict[str, Any]],
    ours: List[Dict[str, Any]],
    exact: Dict[str, Any],
) -> Dict[str, Any]:
    """Write the numbers down."""
    n_words = sum(map(len, docs))
    report: Dict[str, Any] = {"documents": len(docs), "words": n_words}
    for mode in MODES:
        ratios = [
            their[mode] / our[mode] for their, our in zip(theirs, ours, strict=True)
        ]
        report[f"{mode}: times faster"] = round(statistics.median(ratios), 2)
        for name, runs in (("fastcoref", theirs), ("spacy_fastcoref", ours)):
            seconds = statistics.median(run[mode] for run in runs)
            report[f"{mode}: {name}, words/s"] = round(n_words / seconds)
    for name, runs in (("fastcoref", theirs), ("spacy_fastcoref", ours)):
        report[f"{name}, peak MiB"] = round(runs[-1]["MiB"])
    for name, run in (("float32", exact), ("default precision", ours[-1])):
        pairs = list(zip(theirs[-1]["clusters"], run["clusters"], strict=True))
        report[f"agreement, {name}: CoNLL F1"] = round(100 * agree(pairs), 2)
    return report


def agree(pairs: List[Any]) -> float:
    """Score our clusters as an answer to theirs."""
    total = CorefAccumulator()
    for pair in pairs:
        total.add(*map(clean, pair))
    return total.get_scores()["coref_f"]


def clean(clusters: List[Any]) -> List[Any]:
    """Leave out what is no mention: fastcoref has None for special tokens."""
    whole = [
        [tuple(m) for m in cluster if m is not None and None not in m]
        for cluster in clusters
    ]
    return [cluster for cluster in whole if len(cluster) > 1]


if __name__ == "__main__":
    main()
