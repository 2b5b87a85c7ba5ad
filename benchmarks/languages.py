"""Evaluate the weights that ship on annotated files of several languages.

python benchmarks/languages.py LANG=FILE …

The pipelines are blank. --weights is a folder, or a language whose weights are used for
all files, such as xx; each language's own by default. Scores are CoNLL F1 with the
rules of the language and without rules, and the accuracy of anaphors: the share of
those that are annotated whose antecedent is in their annotated cluster. Verbs are the
annotated ones of one word, which stand for subjects that are not said: the share whose
neighbour in the predicted cluster is in the annotated cluster. They need a .spacy file
with parts of speech, which are hidden from the model. Clusters of one mention do not
count.
"""

from pathlib import Path
from typing import Any, Dict, Iterator, Optional

import common
from spacy.tokens import Doc

from spacy_fastcoref.formats.docs import list_clusters
from spacy_fastcoref.training.evaluation import evaluate, read_gold

_FINITE = ("VERB", "AUX")


def main() -> None:
    parser = common.Parser(__doc__, "weights", "precision", files=common.lang_file)
    args = parser.parse_args()
    results = {
        f"{lang}={path}": measure(lang, path, args.weights, args.precision)
        for lang, path in args.files
    }
    columns = "CoNLL", "no rules", "anaphors", "verbs"
    rows = []
    for name, found in results.items():
        points = (common.write_points(found[key]) for key in columns)
        rows.append([name, *points, f"{found['speed']:.0f}"])
    common.print_table(["file", *columns, "words/s"], rows)
    common.write_json(args.json, results)


def measure(
    lang: str, path: Path, weights: Optional[str], precision: Optional[str]
) -> Dict[str, Optional[float]]:
    model: Dict[str, Any] = {"@architectures": "spacy_fastcoref.Pretrained.v1"}
    if weights is not None:
        model["name_or_path" if Path(weights).is_dir() else "lang"] = weights
    nlp = common.load_pipeline(None, precision, lang, model=model)
    examples = list(read_gold([path], nlp))
    with_rules = evaluate(nlp, examples)
    pairs = [(eg.predicted, eg.reference) for _, eg in examples]
    verbs = [is_right for doc, gold in pairs for is_right in judge_verbs(doc, gold)]
    bare = common.load_pipeline(None, precision, lang, model=model, rules=None)
    without = evaluate(bare, list(read_gold([path], bare)))
    return {
        "CoNLL": with_rules.scores["coref_f"],
        "no rules": without.scores["coref_f"],
        "anaphors": with_rules.scores["anaphors"],
        "verbs": sum(verbs) / len(verbs) if verbs else None,
        "speed": with_rules.words_per_second,
    }


def judge_verbs(doc: Doc, gold: Doc) -> Iterator[bool]:
    predicted = {
        mention: cluster for cluster in list_clusters(doc) for mention in cluster
    }
    for cluster in list_clusters(gold):
        for start, end in cluster:
            if end - start == 1 and gold[start].pos_ in _FINITE and len(cluster) > 1:
                found = predicted.get((start, end), [])
                before = [one for one in found if one < (start, end)]
                after = [one for one in found if one > (start, end)]
                neighbours = before[-1:] or after[:1]
                yield bool(neighbours) and neighbours[0] in cluster


if __name__ == "__main__":
    common.run(main)
