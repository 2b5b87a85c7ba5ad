"""Score a pipeline on gold clusters: CoNLL F1 and its parts, and GAP's F1.

python benchmarks/accuracy.py [--pipeline NAME] [--json FILE] DEV.jsonl … GAP.tsv …

Files that end in .jsonl hold documents, those that end in .tsv GAP's rows. Without a
pipeline it is the one that add_pipe("fastcoref") makes. Clusters of one do not count.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Dict, List, Optional

import spacy
from spacy.language import Language
from wasabi import msg

from spacy_fastcoref.metrics.gap import score_gap
from spacy_fastcoref.training.corpora import make_jsonl_corpus
from spacy_fastcoref.training.gap import read_gap

CLUSTER_SCORES = {
    "CoNLL": "coref_f",
    "MUC": "coref_muc_f",
    "B³": "coref_b_cubed_f",
    "CEAFe": "coref_ceaf_e_f",
    "LEA": "coref_lea_f",
    "mentions": "coref_mentions_f",
}
GAP_SCORES = {
    "F1": "gap_f",
    "masculine": "gap_masculine_f",
    "feminine": "gap_feminine_f",
    "bias": "gap_bias",
}


def main() -> None:
    """Score the pipeline on every file and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.pipeline:
        nlp = spacy.load(args.pipeline)
    else:
        nlp = spacy.blank("en")
        nlp.add_pipe("fastcoref")
    results: Dict[str, Dict[str, float]] = {}
    for path in args.files:
        measure, names = (
            (measure_gap, GAP_SCORES)
            if path.suffix == ".tsv"
            else (measure_clusters, CLUSTER_SCORES)
        )
        scores = measure(nlp, path)
        results[str(path)] = scores
        header: List[str] = ["file", *names, "words/s"]
        row = [str(path), *(write_score(scores[name]) for name in names.values())]
        row.append(f"{scores['speed']:.0f}")
        msg.table([row], header=header)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def write_score(score: Optional[float]) -> str:
    """Write a score in points; there is none where nothing could be scored."""
    return "–" if score is None else f"{100 * score:.2f}"


def measure_clusters(nlp: Language, path: Path) -> Dict[str, float]:
    """Score gold clusters."""
    return nlp.evaluate(list(make_jsonl_corpus(path)(nlp)))


def measure_gap(nlp: Language, path: Path) -> Dict[str, float]:
    """Score GAP's pronouns, with mentions as the model detects them."""
    rows = list(read_gap(path))
    begin = time.perf_counter()
    docs = list(nlp.pipe(row.text for row in rows))
    seconds = time.perf_counter() - begin
    scores = score_gap(rows, [doc._.coref_clusters for doc in docs])
    return {**scores, "speed": sum(map(len, docs)) / seconds}


if __name__ == "__main__":
    main()
