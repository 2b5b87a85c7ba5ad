"""Make an artificial corpus that a tiny model can overfit."""

import json
import random

PEOPLE = [("anna", "she", "her"), ("boris", "he", "his"), ("clara", "she", "her")]
VERBS = "saw likes met helps calls".split()


def make_rows(n, seed=0):
    """Make documents of a few sentences about two people."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        sentences, clusters, at = [], {}, 0
        for _ in range(rng.randint(2, 4)):
            (one, *pronouns), (two, *_) = rng.sample(PEOPLE, 2)
            words = [one, rng.choice(VERBS), two, "and", pronouns[0], "said"]
            words += [pronouns[1], "dog", "ran", "."]
            clusters.setdefault(one, []).extend([[at, at], [at + 4, at + 4]])
            clusters[one].append([at + 6, at + 6])
            clusters.setdefault(two, []).append([at + 2, at + 2])
            sentences.append(words)
            at += len(words)
        kept = [cluster for cluster in clusters.values() if len(cluster) > 1]
        rows.append({"doc_key": str(i), "sentences": sentences, "clusters": kept})
    return rows


def write_rows(path, rows):
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(lines, encoding="utf8")
    return path
