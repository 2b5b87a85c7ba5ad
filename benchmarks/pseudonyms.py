"""Measure pseudonyms: the share of the mentions of people by name that are replaced.

The names are the proper nouns, by the pipeline's tags, of the annotated mentions of
people whose head is one, without titles. A mention counts if all of them are replaced.
People are those with this entity type, or, in a file without types, clusters with "he"
or "she".

python benchmarks/pseudonyms.py --pipeline en_core_web_sm DEV.jsonl …
"""

from collections import Counter

import common
import spacy

from spacy_fastcoref import get_clusters, pseudonymize, restore
from spacy_fastcoref.clusters.index import get_heads
from spacy_fastcoref.grammar.lexicon import get_lexicon

PERSON = ("person", "PER")
HE_SHE = frozenset("he him his she her hers".split())


def main() -> None:
    parser = common.Parser(__doc__, "pipeline", files=common.input_file)
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline)
    nlp.add_pipe("fastcoref", config={"precision": "float32"})
    read_title = get_lexicon("en").read_title
    rows, results = [], {}
    for path in args.files:
        count, missed = Counter(), Counter()
        for eg in common.read_examples(nlp, path):
            doc = nlp(eg.predicted.copy())
            found = pseudonymize(doc)
            text = {token.lower_ for token in doc}
            new = {w.casefold() for false in found.key for w in false.split()}
            old = {w.casefold() for true in found.key.values() for w in true.split()}
            count["in the text"] += len((new - old) & text)
            count["undone"] += restore(found.text, found.key) == doc.text
            count["texts"] += 1
            edits = found.replacements
            covered = {i for e in edits for i in range(e.source_start, e.source_end)}
            reported = {i for u in found.uncovered for i in range(u.start, u.end)}
            for cluster in get_clusters(eg.reference):
                words = {mention.text.lower() for mention in cluster}
                types = {*cluster.data.types}
                if types.isdisjoint(PERSON) and (
                    any(types) or words.isdisjoint(HE_SHE)
                ):
                    continue
                for mention in cluster:
                    span = doc[mention.start : mention.end]
                    heads = get_heads(doc, mention.start, mention.end)
                    name = [t for t in span if t.pos_ == "PROPN"]
                    name = [t for t in name if t.text.isalpha()]
                    name = [t for t in name if not read_title(t.lower_)]
                    # The names inside of a longer phrase are mentions of their own.
                    name = [t for t in name if abs(t.i - heads[0]) < len(name)]
                    if len(heads) > 1 or doc[heads[0]] not in name:
                        continue
                    left = [t for t in name if t.idx not in covered]
                    count["mentions"] += 1
                    count["replaced"] += not left
                    count["reported"] += any(t.idx in reported for t in left)
                    missed.update(t.text for t in left)
        share = f"{100 * count['replaced'] / max(count['mentions'], 1):.1f}"
        n_left = count["mentions"] - count["replaced"]
        told = f"{count['reported']} of {n_left}", count["in the text"]
        undone = f"{count['undone']} of {count['texts']}"
        rows.append((path, count["mentions"], share, *told, undone))
        results[str(path)] = {**count, "missed": dict(missed.most_common())}
    header = ("", "names", "replaced %", "others reported", "false in text", "undone")
    common.print_table(header, rows)
    for path, result in results.items():
        print(path, *(f"{word} ({n})" for word, n in result["missed"].items()))
    common.write_json(args.json, results)


if __name__ == "__main__":
    common.run(main)
