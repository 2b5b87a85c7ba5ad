"""Measure resolved text: how many mentions are replaced, and how often rightly.

For each threshold of `min_probability`, a row has the share of the replaceable mentions
that the policy replaces, and the share of these whose representative is in the same
annotated cluster. The last line has the expected calibration error of the links'
probabilities, in ten bins.

python benchmarks/resolution.py en=DEV.jsonl en=OTHER.jsonl de=DEV.jsonl
"""

from typing import Dict, List, Set, Tuple

import numpy as np
import spacy
from common import Parser, run
from spacy.tokens import Doc, Span
from wasabi import msg

from spacy_fastcoref import get_clusters
from spacy_fastcoref.clusters.index import get_heads
from spacy_fastcoref.formats.docs import list_clusters
from spacy_fastcoref.resolution.forms import fit_place
from spacy_fastcoref.resolution.policies import (
    compute_probabilities,
    make_readable_policy,
)

THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
N_BINS = 10


def main() -> None:
    """Resolve the texts and print a table a file."""
    parser = Parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="LANG=FILE")
    parser.add_argument("--precision", default="float32")
    args = parser.parse_args()
    for name in args.files:
        lang, _, path = name.partition("=")
        measure(lang, path, args.precision)


def measure(lang: str, path: str, precision: str) -> None:
    """Print the table of one file."""
    nlp = spacy.blank(lang)
    nlp.add_pipe("fastcoref", config={"precision": precision})
    read = spacy.registry.readers.get("spacy_fastcoref.JsonlCorpus.v1")(path)
    policy = make_readable_policy(0.0)
    replaced: List[Tuple[float, bool]] = []
    linked: List[Tuple[float, bool]] = []
    for eg in read(nlp):
        gold = {
            mention: i
            for i, cluster in enumerate(list_clusters(eg.reference))
            for mention in cluster
        }
        heads: Dict[int, Set[int]] = {}
        for (start, end), entity in gold.items():
            for head in get_heads(eg.reference, start, end):
                heads.setdefault(head, set()).add(entity)
        doc = nlp(
            Doc(
                nlp.vocab,
                [t.text for t in eg.reference],
                spaces=[bool(t.whitespace_) for t in eg.reference],
            )
        )
        for cluster in get_clusters(doc):
            for i, mention in enumerate(cluster):
                entity = gold.get((mention.start, mention.end))
                if cluster.antecedents[i] >= 0:
                    other = cluster[cluster.antecedents[i]]
                    is_right = entity is not None and entity == gold.get(
                        (other.start, other.end)
                    )
                    linked.append((cluster.probs[i], is_right))
                by = policy(cluster, mention)
                if by is None or changes_nothing(mention, by):
                    continue
                # The annotation of a representative may have a relative clause more.
                head = get_heads(doc, by.start, by.end)[0]
                is_right = entity is not None and entity in heads.get(head, ())
                at = cluster.mentions.index(by)
                probability = compute_probabilities(cluster, at)[i]
                replaced.append((probability, is_right))
    print_table(f"{lang} {path}", replaced, linked)


def changes_nothing(mention: Span, by: Span) -> bool:
    """Check whether a mention stays as it is by this representative."""
    overlaps = by.start < mention.end and mention.start < by.end
    is_same = by.text.casefold() == mention.text.casefold()
    return overlaps or is_same or fit_place(by, mention) is None


def print_table(
    name: str, replaced: List[Tuple[float, bool]], linked: List[Tuple[float, bool]]
) -> None:
    """Print the shares by threshold, and the calibration of all links."""
    probabilities, are_right = np.array(replaced).reshape(-1, 2).T
    rows = []
    for threshold in THRESHOLDS:
        kept = probabilities >= threshold
        if kept.any():
            right = are_right[kept].mean()
            rows.append((threshold, f"{100 * kept.mean():.1f}", f"{100 * right:.1f}"))
    msg.divider(f"{name}: {len(replaced)} replaceable mentions")
    msg.table(rows, header=("at least", "replaced %", "right %"), divider=True)
    print(f"Expected calibration error of {len(linked)} links: {calibrate(linked):.3f}")


def calibrate(linked: List[Tuple[float, bool]]) -> float:
    """Compute the expected calibration error, the mean distance in ten bins between
    probability and share of right links (Guo et al. 2017, equation 3)."""
    probabilities, are_right = np.array(linked, float).T
    bins = np.minimum((probabilities * N_BINS).astype(int), N_BINS - 1)
    return sum(
        abs(probabilities[bins == i].sum() - are_right[bins == i].sum())
        for i in range(N_BINS)
    ) / len(linked)


if __name__ == "__main__":
    run(main)
