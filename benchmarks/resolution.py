"""Measure resolved text: how many mentions are replaced, and how often rightly.

For each threshold of `min_probability`, a row has the share of the replaceable mentions
that the policy replaces, and the share of these whose representative is in the same
annotated cluster. The last line has the expected calibration error of the links'
probabilities, in ten bins.

python benchmarks/resolution.py en=DEV.jsonl en=OTHER.jsonl de=DEV.jsonl

With --fit, it fits slope and bias of the log-odds of links (Platt 1999) for the weights
that ship for these languages, by the log loss, and shows the calibration error without
them, with one pair for all languages and with one for each; both are measured on the
documents of even number with the pair of the others, and the reverse. Where one pair is
not enough, each language gets its own. --write stores them in the config.json of the
weights. With --model, other weights than those that ship are measured or fitted.
"""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import common
import numpy as np
from scipy.optimize import minimize
from spacy.language import Language
from spacy.tokens import Doc, Span
from wasabi import msg

from spacy_fastcoref import get_clusters
from spacy_fastcoref.clusters.chains import ClusterView
from spacy_fastcoref.clusters.index import get_heads
from spacy_fastcoref.formats.docs import list_clusters
from spacy_fastcoref.models import folders
from spacy_fastcoref.models.checkpoints.checkpoint import describe_config
from spacy_fastcoref.pretrained import get_folder
from spacy_fastcoref.resolution import policies
from spacy_fastcoref.resolution.forms import fit_place

THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
N_BINS = 10
# How much worse one pair for all languages may be than one for each.
MAX_LOSS = 0.01
Mention = Tuple[int, int]


def main() -> None:
    parser = common.Parser(__doc__, "model", files=common.lang_file)
    parser.add_argument("--fit", action="store_true", help="fit slope and bias")
    parser.add_argument("--write", action="store_true", help="store it, too")
    args = parser.parse_args()
    if args.fit or args.write:
        fit_all(args.files, args.model, is_stored=args.write)
        return
    for lang, path in args.files:
        measure(path, load(lang, args.model))


def load(lang: str, model: Optional[str]) -> Language:
    return common.load_pipeline(None, "float32", lang, model_path=model)


def measure(path: Path, nlp: Language) -> None:
    policy = policies.make_readable_policy(0.0)
    replaced: List[Tuple[float, bool]] = []
    linked: List[Tuple[float, bool]] = []
    for reference, doc in annotate(nlp, path):
        gold = find_entities(reference)
        heads: Dict[int, Set[int]] = {}
        for (start, end), entity in gold.items():
            for head in get_heads(reference, start, end):
                heads.setdefault(head, set()).add(entity)
        for cluster in get_clusters(doc):
            linked += judge_links(cluster, gold)
            for i, mention in enumerate(cluster):
                entity = gold.get((mention.start, mention.end))
                by = policy(cluster, mention)
                if by is None or changes_nothing(mention, by):
                    continue
                # The annotation of a representative may have a relative clause more.
                head = get_heads(doc, by.start, by.end)[0]
                is_right = entity is not None and entity in heads.get(head, ())
                at = cluster.mentions.index(by)
                probability = policies.compute_probabilities(cluster, at)[i]
                replaced.append((probability, is_right))
    probabilities, are_right = np.array(replaced).reshape(-1, 2).T
    rows = []
    for threshold in THRESHOLDS:
        kept = probabilities >= threshold
        if kept.any():
            right = are_right[kept].mean()
            rows.append((threshold, f"{100 * kept.mean():.1f}", f"{100 * right:.1f}"))
    msg.divider(f"{nlp.lang} {path}: {len(replaced)} replaceable mentions")
    common.print_table(("at least", "replaced %", "right %"), rows)
    print(f"Expected calibration error of {len(linked)} links: {calibrate(linked):.3f}")


def annotate(nlp: Language, path: Path) -> Iterator[Tuple[Doc, Doc]]:
    """Yield each document of a file with its clusters, and with those of a pipeline."""
    for eg in common.read_examples(nlp, path):
        words = [t.text for t in eg.reference]
        spaces = [bool(t.whitespace_) for t in eg.reference]
        yield eg.reference, nlp(Doc(nlp.vocab, words, spaces=spaces))


def find_entities(reference: Doc) -> Dict[Mention, int]:
    """Number the entity of each annotated mention."""
    clusters = enumerate(list_clusters(reference))
    return {mention: i for i, cluster in clusters for mention in cluster}


def judge_links(
    cluster: ClusterView, gold: Dict[Mention, int]
) -> Iterator[Tuple[float, bool]]:
    """Yield the probability of each link of a cluster, and whether it is right."""
    for i, antecedent in enumerate(cluster.antecedents):
        if antecedent >= 0:
            ends = (cluster[i], cluster[antecedent])
            later, earlier = (gold.get((m.start, m.end)) for m in ends)
            yield cluster.probs[i], later is not None and later == earlier


def fit_all(
    files: List[Tuple[str, Path]], model: Optional[str], *, is_stored: bool
) -> None:
    links: Dict[Path, Dict[str, List[np.ndarray]]] = {}
    for lang, path in files:
        langs = links.setdefault(Path(model or get_folder(lang)), {})
        langs.setdefault(lang, []).extend(read_links(load(lang, model), path))
    for folder, langs in links.items():
        calibration = fit_weights(folder.name, langs)
        print(f'{folder / folders.CONFIG}: "calibration": {json.dumps(calibration)}')
        if is_stored:
            store_calibration(folder, calibration)


def read_links(nlp: Language, path: Path) -> Iterator[np.ndarray]:
    """Yield an array for each document: the log-odds of each link, and whether the link
    is right."""
    network, _ = nlp.get_pipe("fastcoref").model.get_network()
    network.calibrations = {"default": (1.0, 0.0)}
    for reference, doc in annotate(nlp, path):
        gold = find_entities(reference)
        found = [one for c in get_clusters(doc) for one in judge_links(c, gold)]
        probabilities, are_right = np.array(found).reshape(-1, 2).T
        # The links of rules have a probability of 1, whatever the calibration.
        with np.errstate(divide="ignore"):
            log_odds = np.log(probabilities) - np.log1p(-probabilities)
        yield np.stack([log_odds, are_right], 1)


def fit_weights(name: str, langs: Dict[str, List[np.ndarray]]) -> Any:
    """Print the calibration of each language, and choose one pair or several."""
    halves = [[one for docs in langs.values() for one in docs[k::2]] for k in (0, 1)]
    chosen = {"default": fit(halves[0] + halves[1])}
    rows, found = [], []
    for lang, docs in langs.items():
        chosen[lang] = fit(docs)
        own = docs[::2], docs[1::2]
        by_other = [
            np.concatenate([apply(own[k], fit(fitted[1 - k])) for k in (0, 1)])
            for fitted in (halves, own)
        ]
        found.append([apply(docs, [1.0, 0.0]), *by_other])
        rows.append([lang, *describe_errors(found[-1]), *chosen[lang]])
    together = [*map(np.concatenate, zip(*found, strict=True))]
    rows.append(["all", *describe_errors(together), *chosen["default"]])
    msg.divider(name)
    common.print_table(
        ("language", "links", "none", "one", "own", "slope", "bias"), rows
    )
    is_enough = calibrate(together[1]) <= calibrate(together[2]) + MAX_LOSS
    return chosen["default"] if is_enough else chosen


def describe_errors(found: List[np.ndarray]) -> List[str]:
    return [str(len(found[0])), *(f"{calibrate(one):.3f}" for one in found)]


def fit(docs: List[np.ndarray]) -> List[float]:
    """Find the slope and the bias with the lowest log loss of the links."""
    log_odds, are_right = np.concatenate(docs).T
    is_known = np.isfinite(log_odds)
    log_odds, signs = log_odds[is_known], np.where(are_right[is_known], 1, -1)

    def compute_loss(pair: np.ndarray) -> float:
        return np.logaddexp(0, -signs * (pair[0] * log_odds + pair[1])).mean()

    found = minimize(compute_loss, [1.0, 0.0], bounds=[(0.01, 100), (-100, 100)])
    return [round(float(one), 3) for one in found.x]


def apply(docs: List[np.ndarray], calibration: List[float]) -> np.ndarray:
    """Compute the probability of each link, beside whether it is right."""
    log_odds, are_right = np.concatenate(docs).T
    slope, bias = calibration
    return np.stack([1 / (1 + np.exp(-slope * log_odds - bias)), are_right], 1)


def store_calibration(folder: Path, calibration: Any) -> None:
    name = folders.CONFIG
    kept = (name, folders.WEIGHTS, folders.TOKENIZER)
    files = folders.read_folder(folder, kept, dict)
    config = {**json.loads(files[name]), "calibration": calibration}
    files = folders.add_sums({**files, name: describe_config(config)})
    for changed in (name, folders.SUMS):
        (folder / changed).write_bytes(files[changed])


def changes_nothing(mention: Span, by: Span) -> bool:
    """Check whether a mention stays as it is by this representative."""
    overlaps = by.start < mention.end and mention.start < by.end
    is_same = by.text.casefold() == mention.text.casefold()
    return overlaps or is_same or fit_place(by, mention) is None


def calibrate(linked: Any) -> float:
    """Compute the expected calibration error, the mean distance in ten bins between
    probability and share of right links (Guo et al. 2017, equation 3)."""
    probabilities, are_right = np.array(linked, float).T
    bins = np.minimum((probabilities * N_BINS).astype(int), N_BINS - 1)
    return sum(
        abs(probabilities[bins == i].sum() - are_right[bins == i].sum())
        for i in range(N_BINS)
    ) / len(linked)


if __name__ == "__main__":
    common.run(main)
