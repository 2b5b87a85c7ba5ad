"""Evaluate a pipeline on gold clusters (CoNLL F1) and on GAP (F1).

python benchmarks/accuracy.py DEV.jsonl … GAP.tsv …

Files that end in .jsonl have annotated documents, and files that end in .tsv have rows
of GAP. GAP is scored twice: with the mentions that the model detects, and with the
pronoun and the two names given. Clusters of one mention do not count. "all right" is
the share of documents whose predicted clusters equal the gold clusters. The default
pipeline is a blank English pipeline with the component. In float32 the scores are the
same on all machines. With the precision "auto", the model runs in bfloat16 where the
hardware supports it.
"""

from pathlib import Path
from typing import Dict, Optional

import common
from spacy.language import Language
from spacy.training import Example

from spacy_fastcoref.metrics.gap import score_gap
from spacy_fastcoref.metrics.scorer import score_coref
from spacy_fastcoref.span_keys import CANDIDATES

CLUSTER_SCORES = {
    "CoNLL": "coref_f",
    "mentions": "coref_mentions_f",
    "all right": "exact",
}
GAP_SCORES = {
    "F1": "gap_f",
    "masculine": "gap_masculine_f",
    "feminine": "gap_feminine_f",
    "bias": "gap_bias",
    # Mentions that contain the name count as correct, too.
    "lenient F1": "gap_lenient_f",
}


def main() -> None:
    parser = common.Parser(__doc__, "pipeline", "precision", files=common.input_file)
    args = parser.parse_args()
    nlp = common.load_pipeline(args.pipeline, args.precision)
    results: Dict[str, Dict[str, Optional[float]]] = {}
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
        rows = []
        for name, scores in found.items():
            points = (common.write_points(scores.get(key)) for key in names.values())
            rows.append([name, *points, f"{scores['speed']:.0f}"])
        common.print_table(["file", *names, "words/s"], rows)
    common.write_json(args.json, results)


def measure_clusters(nlp: Language, path: Path) -> Dict[str, Optional[float]]:
    examples, speed = common.predict(nlp, common.read_examples(nlp, path))
    exact = sum(map(is_exact, examples)) / len(examples)
    return {**score_coref(examples), "exact": exact, "speed": speed}


def is_exact(eg: Example) -> bool:
    """Check whether the predicted clusters equal the gold clusters of two or more."""
    predicted, gold = (
        {frozenset(cluster) for cluster in doc._.coref_clusters if len(cluster) > 1}
        for doc in (eg.predicted, eg.reference)
    )
    return predicted == gold


def measure_gap(
    nlp: Language, path: Path, *, is_given: bool = False
) -> Dict[str, Optional[float]]:
    rows = common.read_gap_rows(path)
    docs = [nlp.make_doc(row.text) for row in rows]
    if is_given:
        for doc, row in zip(docs, rows, strict=True):
            doc.spans[CANDIDATES] = [
                doc.char_span(*offsets, alignment_mode="expand")
                for offsets in (row.pronoun, *row.names)
            ]
    docs, speed = common.run_pipe(nlp, docs)
    scores = score_gap(rows, [doc._.coref_clusters for doc in docs])
    return {**scores, "speed": speed}


if __name__ == "__main__":
    common.run(main)
