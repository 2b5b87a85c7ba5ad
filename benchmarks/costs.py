"""Measure what rules should cost, on training sets, best on those that the model has
not seen.

python benchmarks/costs.py [--pipeline NAME] [--jsonl FILE …] [--gap FILE …]
    [--knowref FILE …] [--elevant FILE …] [--grounded FILE …]

The model answers once; its links are decoded without rules, and with every pair of
costs. Where a text is labelled in part, only its labelled mentions count; rows that
can't be read are left out.
"""

import argparse
import json
from itertools import product
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Set

from pipelines import Clusters, load_pipeline, read_gold
from spacy import registry
from spacy.tokens import Doc
from wasabi import msg

from spacy_fastcoref.decoding.links import Links
from spacy_fastcoref.metrics.accumulator import CorefAccumulator
from spacy_fastcoref.pipeline.component import FastCoref
from spacy_fastcoref.rules.en import DISABLED, EnglishRules
from spacy_fastcoref.training.records import ANNOTATED

READERS = {
    "jsonl": "spacy_fastcoref.JsonlCorpus.v1",
    "gap": "spacy_fastcoref.GapCorpus.v1",
    "knowref": "spacy_fastcoref.KnowRefCorpus.v1",
    "elevant": "spacy_fastcoref.ElevantCorpus.v1",
    "grounded": "spacy_fastcoref.GroundedCorpus.v1",
}
DOUBTFUL = 0.0, 1.0, 2.0, 4.0
ALONE = 0.0, 0.5, 1.0, 2.0


class Answer(NamedTuple):
    """Hold one document, what the model says of it, and what is right."""

    doc: Doc
    links: Links
    clusters: Clusters
    labelled: Optional[Set[tuple]]


def main() -> None:
    """Decode with every pair of costs and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipeline")
    parser.add_argument("--json", type=Path)
    for kind in READERS:
        parser.add_argument(f"--{kind}", nargs="+", default=[])
    args = parser.parse_args()
    coref = load_pipeline(args.pipeline).get_pipe("fastcoref")
    answers = {
        kind: read_answers(coref, kind, getattr(args, kind))
        for kind in READERS
        if getattr(args, kind)
    }
    choices: Dict[str, Optional[EnglishRules]] = {"no rules": None}
    for doubtful, alone in product(DOUBTFUL, ALONE):
        rules = EnglishRules(DISABLED, doubtful=doubtful, alone=alone, warns=False)
        choices[f"doubtful {doubtful:g}, alone {alone:g}"] = rules
    results = {}
    for choice, coref.rules in choices.items():
        results[choice] = {kind: measure(coref, answers[kind]) for kind in answers}
    rows = [
        (choice, *(f"{100 * score:.2f}" for score in scores.values()))
        for choice, scores in results.items()
    ]
    msg.table(rows, header=["costs", *answers], divider=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def read_answers(coref: FastCoref, kind: str, paths: Sequence[str]) -> List[Answer]:
    """Read documents, and ask the model."""
    nlp = load_pipeline(None)
    reader = registry.readers.get(READERS[kind])(path=list(paths), on_error="skip")
    examples = list(reader(nlp))
    # Of these Docs nothing is known but the words.
    docs = [eg.predicted for eg in examples]
    return [
        Answer(doc, links, read_gold(eg.reference), find_labelled(eg.reference))
        for doc, links, eg in zip(docs, coref.predict(docs), examples, strict=True)
    ]


def find_labelled(reference: Doc) -> Optional[Set[tuple]]:
    """Find the mentions that are labelled; None for all."""
    if ANNOTATED not in reference.spans:
        return None
    return {(span.start, span.end) for span in reference.spans[ANNOTATED]}


def measure(coref: FastCoref, answers: Sequence[Answer]) -> float:
    """Score the clusters of labelled mentions."""
    scores = CorefAccumulator()
    for doc, links, gold, labelled in answers:
        found = [
            list(map(tuple, cluster.mentions)) for cluster in coref.decode(doc, links)
        ]
        if labelled is not None:
            found = [[m for m in cluster if m in labelled] for cluster in found]
        scores.add(gold, [cluster for cluster in found if len(cluster) > 1])
    return scores.get_scores()["coref_f"]


if __name__ == "__main__":
    main()
