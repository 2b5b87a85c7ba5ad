"""Raise the links between pronouns of one group, as in the model that ships.

python benchmarks/raise_links.py [--by 1.0] [--limit 20] PIPELINE OUTPUT TRAIN.jsonl …

PIPELINE is one with LingMess's experts. Nothing in them is a constant, so the biases of
the expert for such pairs get what comes nearest to one: the least squares over the
pronouns of --limit documents of each file, as antecedents. What is printed is
the mean of what was added to their links, and its standard deviation.
"""

import argparse
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import List, Tuple

import torch
from pipelines import load_pipeline
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor
from wasabi import msg

from spacy_fastcoref.models.categories import CATEGORIES
from spacy_fastcoref.models.lingmess import LingMessScorer
from spacy_fastcoref.models.spans import Side, Spans
from spacy_fastcoref.training.corpora import make_jsonl_corpus

_EXPERT = CATEGORIES.index("same_pronouns")
# What keeps the fit from using differences that hardly any pronoun has.
_RIDGE = 0.01


def main() -> None:
    """Raise the links of a pipeline's model and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("output", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--by", type=float, default=1.0)
    parser.add_argument("--limit", type=int, default=20)
    args = parser.parse_args()
    exact = load_pipeline(args.pipeline, "float32")
    docs = [
        eg.predicted
        for path in args.files
        for eg in islice(make_jsonl_corpus(path)(exact), args.limit)
    ]
    vectors = read_pronouns(exact, docs)
    added = args.by * find_constant(vectors)
    nlp = load_pipeline(args.pipeline)
    raise_links(nlp, added)
    nlp.to_disk(args.output)
    sums = vectors @ added
    msg.table({"mean": f"{sums.mean():.3f}", "deviation": f"{sums.std():.3f}"})
    msg.good(f"Written to {args.output}")


def read_pronouns(nlp: Language, docs: List[Doc]) -> Tensor:
    """Read the pronouns of documents as the expert sees them.

    nlp (Language): The pipeline.
    docs (List[Doc]): The documents.
    RETURNS (Tensor): Shape (n_pronouns, 2 * hidden_size), as antecedents.
    """
    coref = nlp.get_pipe("fastcoref")
    network, _ = coref.model.shims[0].get_network()
    (scorer,) = [m for m in network.modules() if isinstance(m, LingMessScorer)]
    represent, found = scorer.represent, []

    def watch(spans: Spans) -> Tuple[Side, Side]:
        anaphors, antecedents = represent(spans)
        groups, *_, vectors = antecedents
        found.append(vectors[groups > 0, _EXPERT].double())
        return anaphors, antecedents

    scorer.represent = watch
    coref.predict(docs)
    del scorer.represent
    return torch.cat(found)


def find_constant(vectors: Tensor) -> Tensor:
    """Find what has a product of 1 with all vectors, or comes nearest.

    vectors (Tensor): Shape (n, width).
    RETURNS (Tensor): Shape (width,).
    """
    covariance = vectors.T @ vectors / len(vectors)
    covariance += _RIDGE * torch.eye(len(covariance), dtype=vectors.dtype)
    return torch.linalg.solve(covariance, vectors.mean(0))


def raise_links(nlp: Language, added: Tensor) -> None:
    """Add to the biases with which every anaphor meets an antecedent's two ends.

    nlp (Language): The pipeline, changed in place.
    added (Tensor): Shape (2 * hidden_size,), for its start and its end.
    """
    shim = nlp.get_pipe("fastcoref").model.shims[0]
    checkpoint = shim.load()
    tensors = dict(checkpoint.tensors)
    names = "start_to_start", "start_to_end"
    for name, part in zip(names, added.chunk(2), strict=True):
        (key,) = [k for k in tensors if k.endswith(f"{name}.bias")]
        bias = tensors[key].double()
        bias[_EXPERT] += part
        tensors[key] = bias.to(tensors[key].dtype)
    shim.set_checkpoint(replace(checkpoint, tensors=tensors))


if __name__ == "__main__":
    main()
