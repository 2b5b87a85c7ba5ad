"""Raise or lower links of some kinds, as in the model that ships.

python benchmarks/raise_links.py [--limit 20] PIPELINE OUTPUT TRAIN.jsonl …
    --by same_pronouns.pronoun=0.5 other.name=0.5 …

PIPELINE is one with LingMess's experts. --by says by how much the links of an expert's
pairs change whose antecedent is a pronoun, a name or a noun. Nothing in an expert is a
constant, so its biases get what comes nearest: the least squares over the mentions of
--limit documents of each file, as antecedents. What is printed is the mean of what was
added to links with each kind of antecedent, and its standard deviation.
"""

import argparse
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

import numpy as np
import torch
from pipelines import load_pipeline
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor
from wasabi import msg

from spacy_fastcoref.models.categories import CATEGORIES
from spacy_fastcoref.models.lingmess import LingMessScorer
from spacy_fastcoref.models.spans import Side, Spans
from spacy_fastcoref.rules.en import EnglishRules
from spacy_fastcoref.training.corpora import make_jsonl_corpus

KINDS = ("pronoun", "name", "noun")
# What each expert's antecedents can be.
_MET = {"same_pronouns": KINDS[:1], "pronouns": KINDS[:1], "pronoun": KINDS}
_MET.update(dict.fromkeys(("match", "contain", "other"), KINDS[1:]))
# What keeps the fit from using differences that hardly any mention has.
_RIDGE = 0.01

Changes = Dict[str, Dict[str, float]]


class Antecedents(NamedTuple):
    """Hold mentions as experts see them.

    vectors (Tensor): Shape (n_mentions, n_experts, 2 * hidden_size), float64.
    kinds (Tensor): Shape (n_mentions,), indexes of KINDS.
    weights (Tensor): Shape (n_mentions,), how likely each is a mention.
    """

    vectors: Tensor
    kinds: Tensor
    weights: Tensor


def main() -> None:
    """Change the links of a pipeline's model and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("output", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--by", nargs="+", required=True)
    parser.add_argument("--limit", type=int, default=20)
    args = parser.parse_args()
    changes = read_changes(args.by)
    exact = load_pipeline(args.pipeline, "float32")
    docs = [
        eg.predicted
        for path in args.files
        for eg in islice(make_jsonl_corpus(path)(exact), args.limit)
    ]
    found = read_antecedents(exact, docs)
    added = {name: find_biases(found, name, by) for name, by in changes.items()}
    nlp = load_pipeline(args.pipeline)
    add_biases(nlp, added)
    nlp.to_disk(args.output)
    rows = []
    for name, biases in added.items():
        sums = found.vectors[:, CATEGORIES.index(name)] @ biases
        for kind in _MET[name]:
            part = sums[found.kinds == KINDS.index(kind)]
            deviation = part.std(correction=0)
            rows.append((name, kind, f"{part.mean():.3f}", f"{deviation:.3f}"))
    msg.table(rows, header=("expert", "antecedent", "mean", "deviation"))
    msg.good(f"Written to {args.output}")


def read_changes(arguments: List[str]) -> Changes:
    """Read what is to change, by expert and kind of antecedent."""
    changes: Changes = {}
    for argument in arguments:
        names, number = argument.split("=")
        expert, kind = names.split(".")
        if kind not in _MET.get(expert, ()):
            available = [f"{key}.{kind}" for key in _MET for kind in _MET[key]]
            raise SystemExit(f"--by {argument}: there are {', '.join(available)}")
        changes.setdefault(expert, {})[kind] = float(number)
    return changes


def read_antecedents(nlp: Language, docs: List[Doc]) -> Antecedents:
    """Read the mentions of documents as the experts see them.

    nlp (Language): The pipeline.
    docs (List[Doc]): The documents.
    RETURNS (Antecedents): The mentions, as antecedents.
    """
    coref = nlp.get_pipe("fastcoref")
    network, _ = coref.model.shims[0].get_network()
    (scorer,) = [m for m in network.modules() if isinstance(m, LingMessScorer)]
    represent, vectors = scorer.represent, []

    def watch(spans: Spans) -> Tuple[Side, Side]:
        anaphors, antecedents = represent(spans)
        vectors.append(antecedents[-1].double())
        return anaphors, antecedents

    scorer.represent = watch
    rules = EnglishRules(warns=False)
    kinds, weights = [], []
    for doc in docs:
        (links,) = coref.predict([doc])
        facts = rules.read(doc, links.mentions)
        chosen = np.where(facts.is_name, KINDS.index("name"), KINDS.index("noun"))
        kinds.append(np.where(facts.is_pronoun, KINDS.index("pronoun"), chosen))
        weights.append(links.mention_scores)
    del scorer.represent
    return Antecedents(
        torch.cat(vectors),
        torch.from_numpy(np.concatenate(kinds)),
        torch.from_numpy(np.concatenate(weights)).double().sigmoid(),
    )


def find_biases(found: Antecedents, expert: str, by: Dict[str, float]) -> Tensor:
    """Find what has the wanted product with all vectors, or comes nearest.

    found (Antecedents): The mentions.
    expert (str): One of CATEGORIES.
    by (Dict[str, float]): What to add by kind of antecedent; nothing to the others.
    RETURNS (Tensor): Shape (2 * hidden_size,), for its start and its end.
    """
    met = torch.tensor([KINDS.index(kind) for kind in _MET[expert]])
    wanted = torch.tensor([by.get(kind, 0.0) for kind in KINDS]).double()
    is_met = torch.isin(found.kinds, met)
    vectors = found.vectors[is_met, CATEGORIES.index(expert)]
    weighted = vectors * found.weights[is_met, None] / found.weights[is_met].sum()
    covariance = weighted.T @ vectors
    covariance += _RIDGE * torch.eye(len(covariance), dtype=covariance.dtype)
    return torch.linalg.solve(covariance, weighted.T @ wanted[found.kinds[is_met]])


def add_biases(nlp: Language, added: Dict[str, Tensor]) -> None:
    """Add to the biases with which every anaphor meets an antecedent's two ends.

    nlp (Language): The pipeline, changed in place.
    added (Dict[str, Tensor]): By expert, see find_biases.
    """
    shim = nlp.get_pipe("fastcoref").model.shims[0]
    checkpoint = shim.load()
    tensors = dict(checkpoint.tensors)
    for end, name in enumerate(("start_to_start", "start_to_end")):
        (key,) = [k for k in tensors if k.endswith(f"{name}.bias")]
        bias = tensors[key].double()
        for expert, biases in added.items():
            bias[CATEGORIES.index(expert)] += biases.chunk(2)[end]
        tensors[key] = bias.to(tensors[key].dtype)
    shim.set_checkpoint(replace(checkpoint, tensors=tensors))


if __name__ == "__main__":
    main()
