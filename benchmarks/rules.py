"""Measure what each rule of grammar gives: CoNLL F1, GAP's F1, precision of pronouns.

python benchmarks/rules.py [--pipeline NAME] [--model FOLDER] [--precision NAME]
    DEV.jsonl … GAP.tsv …

The model answers once; its links are decoded without rules, with those that are on by
default, with all of them, and with each alone. --pipeline names one that parses;
without it the rules have words alone.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import spacy
from pipelines import read_gap_rows, read_gold
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from spacy_fastcoref.decoding.decode import Costs, DecodedCluster, decode
from spacy_fastcoref.languages.en.rules import DISABLED, EnglishRules
from spacy_fastcoref.languages.lexicon import get_lexicon
from spacy_fastcoref.metrics.accumulator import CorefAccumulator
from spacy_fastcoref.metrics.gap import GapAccumulator, GapRow, predict_row
from spacy_fastcoref.pipeline.component import FastCoref
from spacy_fastcoref.training.readers.corpora import make_jsonl_corpus
from spacy_fastcoref.types import Links, RuleOutput

Offsets = Tuple[int, int]


class Answer(NamedTuple):
    """Hold one annotated document and what the model says of it."""

    doc: Doc
    links: Links
    clusters: Optional[List[List[Offsets]]]
    row: Optional[GapRow]


def main() -> None:
    """Decode with every choice of rules and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--model")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline) if args.pipeline else spacy.blank("en")
    settings = {"model_path": args.model, "precision": args.precision}
    coref = spacy.blank("en").add_pipe("fastcoref", config=settings)
    answers = {path: list(read_answers(nlp, coref, path)) for path in args.files}
    names = EnglishRules.list_names()
    choices: Dict[str, Optional[EnglishRules]] = {
        "no rules": None,
        "default": EnglishRules(DISABLED, warns=False),
        "all": EnglishRules((), warns=False),
    }
    for name in names:
        others = [other for other in names if other != name]
        choices[f"only {name}"] = EnglishRules(others, warns=False)
    results: Dict[str, Dict[str, float]] = {}
    for choice, rules in choices.items():
        scores: Dict[str, float] = {}
        for path, documents in answers.items():
            name = f"{path.parent.name}/{path.stem}"
            scores.update(measure(name, documents, rules))
        results[choice] = scores
    columns = list(results["no rules"])
    rows = [
        (choice, *(f"{100 * scores[column]:.2f}" for column in columns))
        for choice, scores in results.items()
    ]
    msg.table(rows, header=["rules", *columns], divider=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def read_answers(nlp: Language, coref: FastCoref, path: Path) -> Iterator[Answer]:
    """Annotate the documents of a file, and ask the model."""
    if path.suffix == ".tsv":
        pairs: List[Any] = [
            (nlp.make_doc(row.text), None, row) for row in read_gap_rows(path)
        ]
    else:
        pairs = [
            (eg.predicted, read_gold(eg.reference), None)
            for eg in make_jsonl_corpus(path)(nlp)
        ]
    for doc, clusters, row in pairs:
        for _, pipe in nlp.pipeline:
            doc = pipe(doc)
        yield Answer(doc, coref.predict([doc])[0], clusters, row)


def measure(
    name: str, answers: Sequence[Answer], rules: Optional[EnglishRules]
) -> Dict[str, float]:
    """Score the answers under some rules."""
    clusters, gap = CorefAccumulator(), GapAccumulator()
    right, total = 0, 0
    for answer in answers:
        rule_output: Optional[RuleOutput] = None
        costs = Costs()
        if rules is not None:
            rule_output, costs = rules(answer.doc, answer.links), rules.costs
        found = decode(answer.links, rule_output, costs=costs)
        if answer.row is not None:
            gap.add(answer.row, predict_row(answer.row, write_chars(answer.doc, found)))
            continue
        mentions = [list(map(tuple, cluster.mentions.tolist())) for cluster in found]
        clusters.add(answer.clusters, mentions)
        for is_right in check_pronouns(answer, found):
            right, total = right + is_right, total + 1
    if answers[0].row is not None:
        return {f"{name} F1": gap.get_scores()["gap_f"]}
    return {
        f"{name} F1": clusters.get_scores()["coref_f"],
        f"{name} pronouns": right / max(1, total),
    }


def write_chars(doc: Doc, found: Sequence[DecodedCluster]) -> List[List[Offsets]]:
    """Write clusters as characters."""
    return [
        [(doc[a].idx, doc[z - 1].idx + len(doc[z - 1])) for a, z in c.mentions.tolist()]
        for c in found
    ]


def check_pronouns(answer: Answer, found: Sequence[DecodedCluster]) -> Iterator[bool]:
    """Tell of each link with a pronoun whether both are one in the gold clusters."""
    groups = get_lexicon("en").groups
    gold = {m: i for i, cluster in enumerate(answer.clusters) for m in cluster}
    for cluster in found:
        mentions = [tuple(offsets) for offsets in cluster.mentions.tolist()]
        for i, antecedent in enumerate(cluster.antecedents):
            if antecedent < 0:
                continue
            pair = mentions[i], mentions[antecedent]
            texts = [answer.doc[a:z].text.lower() for a, z in pair]
            if any(text in groups for text in texts):
                yield gold.get(pair[0], -1) == gold.get(pair[1], -2)


if __name__ == "__main__":
    main()
