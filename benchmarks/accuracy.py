"""Score a pipeline on gold clusters: CoNLL F1 and its parts, and GAP's F1.

python benchmarks/accuracy.py [--pipeline NAME] [--precision NAME] [--json FILE]
    DEV.jsonl … GAP.tsv …

Files that end in .jsonl hold documents, those that end in .tsv GAP's rows, which are
scored with mentions as the model detects them, and with the three that are annotated
given. Without a pipeline it is the one that add_pipe("fastcoref") makes. Clusters of
one do not count. In float32 scores are the same on all machines; a pipeline whose
precision is "auto" computes in bfloat16 where the hardware has it.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Dict, List, Optional

from pipelines import load_pipeline, read_gap_rows
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from spacy_fastcoref.metrics.gap import GapRow, score_gap
from spacy_fastcoref.training.readers.corpora import make_jsonl_corpus
from spacy_fastcoref.training.readers.pronouns import make_gap_doc

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
    # Mentions that contain the name count, too.
    "lenient F1": "gap_lenient_f",
}


def main() -> None:
    """Score the pipeline on every file and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--precision")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    nlp = load_pipeline(args.pipeline, args.precision)
    results: Dict[str, Dict[str, float]] = {}
    for path in args.files:
        if path.suffix == ".tsv":
            names = GAP_SCORES
            found = {
                str(path): measure_gap(nlp, path),
                f"{path}, mentions given": measure_gap(nlp, path, is_given=True),
            }
        else:
            names = CLUSTER_SCORES
            found = {str(path): measure_clusters(nlp, path)}
        results.update(found)
        header: List[str] = ["file", *names, "words/s"]
        rows = [
            (
                name,
                *(write_score(scores[key]) for key in names.values()),
                f"{scores['speed']:.0f}",
            )
            for name, scores in found.items()
        ]
        msg.table(rows, header=header)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def write_score(score: Optional[float]) -> str:
    """Write a score in points; there is none where nothing could be scored."""
    return "–" if score is None else f"{100 * score:.2f}"


def measure_clusters(nlp: Language, path: Path) -> Dict[str, float]:
    """Score gold clusters."""
    return nlp.evaluate(list(make_jsonl_corpus(path)(nlp)))


def measure_gap(
    nlp: Language, path: Path, *, is_given: bool = False
) -> Dict[str, float]:
    """Score GAP's pronouns, with mentions detected, or with the three given."""
    rows = read_gap_rows(path)
    begin = time.perf_counter()
    make_doc = make_gap_doc if is_given else _make_doc
    docs = list(nlp.pipe(make_doc(nlp, row) for row in rows))
    seconds = time.perf_counter() - begin
    scores = score_gap(rows, [doc._.coref_clusters for doc in docs])
    return {**scores, "speed": sum(map(len, docs)) / seconds}


def _make_doc(nlp: Language, row: GapRow) -> Doc:
    return nlp.make_doc(row.text)


if __name__ == "__main__":
    main()
