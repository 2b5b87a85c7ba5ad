"""Measure what each grammar rule contributes to the scores.

python benchmarks/rules.py DEV.jsonl … GAP.tsv …

The model runs once. Its links are then decoded with the language's default rules,
without rules, and with one rule changed: without each rule that is on by default, and
with each rule that is off by default. --parser names a pipeline that annotates the
texts for the rules; without it, the rules only read words. For each file the table has
CoNLL F1, or F1 on GAP. The first row has scores, and the other rows have differences to
it.
"""

from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import common
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.metrics.gap import GapRow, score_gap
from spacy_fastcoref.metrics.scorer import score_coref
from spacy_fastcoref.pipeline.component import FastCoref, RulesFunction
from spacy_fastcoref.types import Links

Scores = Dict[str, float]


class Prediction(NamedTuple):
    """Hold one document and the links that the model predicts."""

    doc: Doc
    links: Links
    gold: Optional[Doc]
    row: Optional[GapRow]


def main() -> None:
    """Decode with each set of rules and print a table."""
    options = "lang", "parser", "model", "precision"
    parser = common.Parser(__doc__, *options, files=(".jsonl", ".tsv"))
    parser.set_defaults(lang="en", precision="float32")
    args = parser.parse_args()
    choices = list_choices(args.lang)
    nlp = spacy.load(args.parser) if args.parser else spacy.blank(args.lang)
    pipeline = common.load_pipeline(
        None, args.precision, args.lang, model_path=args.model
    )
    coref = pipeline.get_pipe("fastcoref")
    predictions = {path: predict_links(nlp, coref, path) for path in args.files}
    results: Dict[str, Scores] = {}
    for choice, rules in choices.items():
        results[choice] = {}
        for path, found in predictions.items():
            name = "/".join(path.with_suffix("").parts[-3:])
            results[choice] |= measure(name, coref, found, rules)
    base = results["default"]
    rows = [["default", *map(common.write_points, base.values())]]
    for choice, scores in results.items():
        if choice != "default":
            changes = (100 * (scores[name] - base[name]) for name in base)
            rows.append([choice, *(f"{change:+.2f}" for change in changes)])
    common.print_table(["rules", *base], rows)
    common.write_json(args.json, results)


def list_choices(lang: str) -> Dict[str, Optional[RulesFunction]]:
    """List the sets of rules to compare."""
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


def predict_links(nlp: Language, coref: FastCoref, path: Path) -> List[Prediction]:
    """Annotate the documents of a file and predict their links."""
    documents: List[Tuple[Doc, Optional[Doc], Optional[GapRow]]]
    if path.suffix == ".tsv":
        rows = common.read_gap_rows(path)
        documents = [(nlp.make_doc(row.text), None, row) for row in rows]
    else:
        examples = common.read_examples(nlp, path)
        documents = [(eg.predicted, eg.reference, None) for eg in examples]
    docs, *known = zip(*documents, strict=True)
    docs = list(nlp.pipe(docs))
    return [*map(Prediction, docs, coref.predict(docs), *known)]


def measure(
    name: str,
    coref: FastCoref,
    predictions: Sequence[Prediction],
    rules: Optional[RulesFunction],
) -> Scores:
    """Score the predictions of one file, decoded with a set of rules."""
    coref.rules = rules
    for found in predictions:
        set_clusters(found.doc, coref.decode(found.doc, found.links))
    if predictions[0].row is not None:
        clusters = [found.doc._.coref_clusters for found in predictions]
        rows = [found.row for found in predictions]
        return {name: score_gap(rows, clusters)["gap_f"]}
    examples = [Example(found.doc, found.gold) for found in predictions]
    return {name: score_coref(examples)["coref_f"]}


if __name__ == "__main__":
    common.run(main)
