"""Measure what each grammar rule contributes to the scores.

python benchmarks/rules.py DEV.jsonl … GAP.tsv …

The model runs once. Its links are then decoded with the language's default rules,
without rules, and with one rule changed: without each rule that is on by default, and
with each rule that is off by default. The rules only read words. For each file the
table has CoNLL F1, or F1 on GAP. The first row has scores, and the other rows have
differences to it.
"""

from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import common
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.metrics.gap import score_gap
from spacy_fastcoref.metrics.scorer import score_coref
from spacy_fastcoref.pipeline.component import FastCoref, RulesFunction
from spacy_fastcoref.types import Links


def main() -> None:
    parser = common.Parser(__doc__, "lang", "precision", files=common.input_file)
    parser.set_defaults(lang="en", precision="float32")
    args = parser.parse_args()
    choices = list_choices(args.lang)
    nlp = common.load_pipeline(None, args.precision, args.lang)
    coref = nlp.get_pipe("fastcoref")
    predictions = {
        "/".join(path.with_suffix("").parts[-3:]): predict_links(nlp, path)
        for path in args.files
    }
    results: Dict[str, Dict[str, float]] = {}
    for choice, rules in choices.items():
        coref.rules = rules
        results[choice] = {
            name: measure(coref, *found) for name, found in predictions.items()
        }
    base = results["default"]
    rows = [["default", *map(common.write_points, base.values())]]
    for choice, scores in results.items():
        if choice != "default":
            changes = (100 * (scores[name] - base[name]) for name in base)
            rows.append([choice, *(f"{change:+.2f}" for change in changes)])
    common.print_table(["rules", *base], rows)
    common.write_json(args.json, results)


def list_choices(lang: str) -> Dict[str, Optional[RulesFunction]]:
    name = f"spacy_fastcoref.{lang}.v1"
    if name not in spacy.registry.coref_rules:
        raise ValueError(f"there are no rules for the language {lang!r}")
    make_rules = spacy.registry.coref_rules.get(name)
    default = make_rules()
    disabled = set(default.disabled)
    choices: Dict[str, Optional[RulesFunction]] = {"default": default, "none": None}
    for rule in default.list_names():
        label = f"with {rule}" if rule in disabled else f"without {rule}"
        # ^ turns on a rule that is disabled by default, and turns off any other rule.
        choices[label] = make_rules(disabled=sorted(disabled ^ {rule}))
    return choices


def predict_links(nlp: Language, path: Path) -> Tuple[List[Doc], List[Links], Any]:
    """Read a file and predict the links: documents, links, and rows of GAP or gold."""
    gold: Any
    if path.suffix == ".tsv":
        gold = common.read_gap_rows(path)
        docs = [nlp.make_doc(row.text) for row in gold]
    else:
        examples = common.read_examples(nlp, path)
        docs = [eg.predicted for eg in examples]
        gold = [eg.reference for eg in examples]
    return docs, nlp.get_pipe("fastcoref").predict(docs), gold


def measure(coref: FastCoref, docs: List[Doc], links: List[Links], gold: Any) -> float:
    """Score the documents of one file, decoded with the component's rules."""
    for doc, found in zip(docs, links, strict=True):
        set_clusters(doc, coref.decode(doc, found))
    if isinstance(gold[0], Doc):
        return score_coref(list(map(Example, docs, gold)))["coref_f"]
    return score_gap(gold, [doc._.coref_clusters for doc in docs])["gap_f"]


if __name__ == "__main__":
    common.run(main)
