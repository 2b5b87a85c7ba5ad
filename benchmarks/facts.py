"""Measure facts: how many name their subject and object, and how many of these rightly.

Three ways to find facts in the same texts: without coreference; in a text in which each
mention is replaced by its cluster's main mention, as a string; and by `find_facts`. A
fact is right if a fact of the parsed source has the same verb, and its subject and its
object are the named entities by the annotated clusters.

python benchmarks/facts.py --pipeline en_core_web_sm DEV.jsonl
"""

from collections import Counter
from typing import Dict, Iterator, List, Set, Tuple

import common
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_fastcoref import find_facts, get_clusters
from spacy_fastcoref.clusters.index import get_heads
from spacy_fastcoref.resolution.resolve import Edit, write_edits
from spacy_fastcoref.uses.facts import Fact

# The tokens of subject, verb and object in the source, and whether both are named.
Found = Tuple[int, int, int, bool]


def main() -> None:
    parser = common.Parser(__doc__, "pipeline")
    parser.add_argument("file", type=common.input_file)
    args = parser.parse_args()
    plain = spacy.load(args.pipeline)
    coref = spacy.load(args.pipeline)
    coref.add_pipe("fastcoref", config={"precision": "float32"})
    counts: Dict[str, Counter] = {}
    for eg in common.read_examples(coref, args.file):
        doc = coref(eg.predicted.copy())
        entities = read_entities(eg.reference, doc)
        source = [*read_facts(find_facts(doc, min_probability=2))]
        ways = {
            "no coreference": source,
            "strings replaced": [*read_replaced(plain, doc)],
            "find_facts": [*read_facts(find_facts(doc))],
        }
        for name, found in ways.items():
            count = counts.setdefault(name, Counter())
            named = [fact for fact in found if fact[3]]
            count["facts"] += len(found)
            count["named"] += len(named)
            count["right"] += sum(is_right(f, source, entities) for f in named)
    n_facts = counts["no coreference"]["facts"]
    rows = []
    for name, count in counts.items():
        n_named, n_right = count["named"], count["right"]
        shares = n_named / count["facts"], n_right / n_named, n_right / n_facts
        rows.append((name, count["facts"], *(f"{100 * one:.1f}" for one in shares)))
    header = ("", "facts", "named %", "of these right %", "named and right %")
    common.print_table(header, rows)
    common.write_json(args.json, {name: dict(count) for name, count in counts.items()})


def read_entities(gold: Doc, doc: Doc) -> Dict[int, Set[int]]:
    """Map the heads of the annotated mentions to the numbers of their clusters."""
    found: Dict[int, Set[int]] = {}
    for cluster in get_clusters(gold):
        for mention in cluster:
            for head in get_heads(doc, mention.start, mention.end):
                found.setdefault(head, set()).add(cluster.i)
    return found


def read_facts(facts: List[Fact]) -> Iterator[Found]:
    """Yield the tokens of facts; a name stands for the head of its mention."""
    for fact in facts:
        subject, object = (
            get_heads(span.doc, span.start, span.end)[0]
            for span in (fact.subject, fact.object)
        )
        yield subject, fact.verb.i, object, fact.is_named


def read_replaced(nlp: Language, doc: Doc) -> Iterator[Found]:
    """Yield the facts of the text in which the outermost mentions are replaced."""
    mentions = {
        (m.start_char, -m.end_char): c.main for c in get_clusters(doc) for m in c
    }
    edits: List[Edit] = []
    by_start = {}
    for (start, end), by in sorted(mentions.items()):
        if not edits or start >= edits[-1].end:
            edits.append(Edit(start, -end, by.text))
            by_start[start] = get_heads(doc, by.start, by.end)[0]
    resolved = write_edits(doc.text, edits, 0, len(doc.text))
    tokens = {token.idx + k: token.i for token in doc for k in range(len(token))}
    for fact in find_facts(nlp(resolved.text)):
        subject, verb, object = (
            by_start.get(start, tokens[start])
            for start, _ in (
                resolved.to_source(token.idx, token.idx + 1)
                for token in (fact.subject.root, fact.verb, fact.object.root)
            )
        )
        yield subject, verb, object, fact.is_named


def is_right(fact: Found, source: List[Found], entities: Dict[int, Set[int]]) -> bool:
    """Check whether the source has a fact with the same verb and the same entities."""

    def is_same(one: int, other: int) -> bool:
        shared = entities.get(one, set()) & entities.get(other, set())
        return one == other or bool(shared)

    return any(
        fact[1] == verb and is_same(fact[0], subject) and is_same(fact[2], object)
        for subject, verb, object, _ in source
    )


if __name__ == "__main__":
    common.run(main)
