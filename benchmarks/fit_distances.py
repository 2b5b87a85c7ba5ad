"""Teach a model how much distance tells, and nothing else, as in the model that ships.

python benchmarks/fit_distances.py [--dropout 0.3] [--decay 30000] [--rounds 2]
    PIPELINE OUTPUT TRAIN.jsonl … GAP.tsv …

PIPELINE is one with an encoder of its own. Its antecedent scorer is put into a
DistanceScorer if it is in none. The slopes of its lines are those that make right
antecedents likely among all of a mention, the intercepts such that the best link is as
strong as before, as nearly as can be: whether a mention has any is left to the rest.
All of it under dropout, since a model knows its training set, and then distance tells
little. What is printed is how often the best antecedent is right where one is there, in
every fifth document with the others' lines.
"""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import torch
from pipelines import load_pipeline
from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example
from torch import Tensor, nn
from wasabi import msg

from spacy_fastcoref.models.blocks import BLOCK_KEY
from spacy_fastcoref.models.distance import DistanceScorerBlock, measure_distances
from spacy_fastcoref.models.loss import make_labels
from spacy_fastcoref.models.sources import take_weights
from spacy_fastcoref.pipeline.gold import align_gold
from spacy_fastcoref.tokens.clusters import CANDIDATES
from spacy_fastcoref.training.corpora import make_gap_corpus, make_jsonl_corpus

_N_BEST = 12
_SCORER = "antecedent_scorer"
_LINE = f"{_SCORER}.line"
# What keeps intercepts from using differences that hardly any mention has.
_RIDGE = 100.0
_HELD_OUT = 5
_N_STEPS = 80


class Rows(NamedTuple):
    """Hold anaphors and their best antecedents.

    docs (Tensor): Shape (n,), the number of the document.
    is_whole (Tensor): Shape (n,), bool: whether all of it is labelled.
    vectors (Tensor): Shape (n, 2 * width), the anaphors' two ends.
    scores (Tensor): Shape (n, n_best), those of links, best first; -inf for none.
    distances (Tensor): Shape (n, n_best).
    is_right (Tensor): Shape (n, n_best), bool.
    """

    docs: Tensor
    is_whole: Tensor
    vectors: Tensor
    scores: Tensor
    distances: Tensor
    is_right: Tensor

    def take(self, chosen: Tensor) -> "Rows":
        """Take some of the rows.

        chosen (Tensor): Shape (n,), bool.
        RETURNS (Rows): The rows.
        """
        return Rows(*(field[chosen] for field in self))


def main() -> None:
    """Fit the lines of a pipeline's model and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("output", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--decay", type=float, default=30000.0)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)
    exact = load_pipeline(args.pipeline, "float32")
    set_lines(exact, None)
    examples = [
        eg
        for path in args.files
        for eg in (make_gap_corpus if path.suffix == ".tsv" else make_jsonl_corpus)(
            path
        )(exact)
    ]
    rows = read_rows(exact, examples, args.dropout, args.rounds)
    held_out = rows.docs % _HELD_OUT == 0
    slopes = fit_slopes(rows.take(~held_out), args.decay)
    before, after = (
        measure(rows.take(held_out), by) for by in (torch.zeros_like(slopes), slopes)
    )
    slopes = fit_slopes(rows, args.decay)
    nlp = load_pipeline(args.pipeline)
    set_lines(nlp, torch.stack([slopes, fit_intercepts(rows, slopes)]))
    nlp.to_disk(args.output)
    mean = (widen(rows.vectors) @ slopes).mean()
    msg.table(
        {"before": f"{before:.4f}", "after": f"{after:.4f}", "slope": f"{mean:.2f}"}
    )
    msg.good(f"Written to {args.output}")


def set_lines(nlp: Language, lines: Optional[Tensor]) -> None:
    """Put lines into a pipeline's model.

    nlp (Language): The pipeline, changed in place.
    lines (Optional[Tensor]): Shape (2, 2 * width + 1), slopes and intercepts, the
        constants last; None for lines that say nothing.
    """
    shim = nlp.get_pipe("fastcoref").model.shims[0]
    checkpoint = shim.load()
    config, scorer = checkpoint.config, checkpoint.config[_SCORER]
    name = DistanceScorerBlock.registered_name
    if scorer[BLOCK_KEY] != name:
        config = {**config, _SCORER: {BLOCK_KEY: name, "scorer": scorer}}
    with warnings.catch_warnings():
        # That lines start anew.
        warnings.simplefilter("ignore")
        new = take_weights(checkpoint, config, nlp.meta["name"])
    tensors = dict(new.tensors)
    if lines is None:
        lines = torch.zeros((2, tensors[f"{_LINE}.weight"].shape[1] + 1))
    tensors[f"{_LINE}.weight"], tensors[f"{_LINE}.bias"] = lines[:, :-1], lines[:, -1]
    # As they were saved, such as in half precision.
    (dtype,) = {tensor.dtype for tensor in checkpoint.tensors.values()}
    tensors = {key: tensor.to(dtype).contiguous() for key, tensor in tensors.items()}
    shim.set_checkpoint(replace(new, tensors=tensors))


def read_rows(
    nlp: Language, examples: List[Example], dropout: float, n_rounds: int
) -> Rows:
    """Score documents as in training, under dropout.

    nlp (Language): The pipeline.
    examples (List[Example]): The documents.
    dropout (float): The rate of all layers.
    n_rounds (int): How often each document is scored.
    RETURNS (Rows): The anaphors of which something is known, and those of whole
        documents that the model may link.
    """
    shim = nlp.get_pipe("fastcoref").model.shims[0]
    network = shim.get_learner()[0].network
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    vectors: List[Tensor] = []
    network.antecedent_scorer.line.register_forward_pre_hook(
        lambda _, inputs: vectors.append(inputs[0])
    )
    found = []
    with torch.no_grad():
        for i, eg in [*enumerate(examples)] * n_rounds:
            found.append(_read_document(shim, i, eg, vectors))
            vectors.clear()
    return Rows(*map(torch.cat, zip(*found, strict=True)))


def _read_document(shim: Any, number: int, eg: Example, vectors: List[Tensor]) -> Rows:
    gold, doc = align_gold(eg), eg.predicted
    if gold.annotated is not None:
        doc.spans[CANDIDATES] = [Span(doc, *span) for span in gold.annotated]
    ((scores,), _) = shim.begin_update([doc])
    labels = make_labels(scores, gold.clusters)
    is_unsure = make_labels(scores, [[span] for span in gold.unsure]) >= 0
    places = scores.starts, scores.ends - scores.starts
    kinds = labels[places]
    best = scores.pairs[0].topk(min(_N_BEST, len(kinds)))
    distances = measure_distances(scores.starts[:, None], scores.ends[best.indices])
    is_right = (kinds[best.indices] == kinds[:, None]) & (kinds[:, None] >= 0)
    is_right &= best.values.isfinite()
    is_whole = torch.full((len(kinds),), gold.annotated is None)
    rows = Rows(
        torch.full((len(kinds),), number),
        is_whole,
        # A second-order model asks once a round, and the last counts.
        torch.cat(vectors)[-len(kinds) :],
        *(
            nn.functional.pad(part, (0, _N_BEST - part.shape[1]), value=value)
            for part, value in (
                (best.values, -torch.inf),
                (distances, 0.0),
                (is_right, False),
            )
        ),
    )
    is_linked = best.values[:, 0] > -1 if len(kinds) else is_whole
    return rows.take((is_right.any(1) & ~is_unsure[places]) | (is_linked & is_whole))


def fit_slopes(rows: Rows, decay: float) -> Tensor:
    """Find the slopes by which right antecedents are likely, if there is one.

    rows (Rows): The anaphors.
    decay (float): What the squares of weights cost, of vectors that are made alike.
    RETURNS (Tensor): Shape (2 * width + 1,), the constant last.
    """
    rows = rows.take(rows.is_right.any(1))
    vectors, restore = make_alike(rows.vectors)
    weights = torch.zeros(vectors.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights], max_iter=_N_STEPS, line_search_fn="strong_wolfe"
    )

    def get_loss() -> Tensor:
        optimizer.zero_grad()
        scores = rows.scores + (vectors @ weights)[:, None] * rows.distances
        right = scores.masked_fill(~rows.is_right, -torch.inf)
        loss = (scores.logsumexp(1) - right.logsumexp(1)).sum()
        loss = loss + decay * weights[:-1].square().sum()
        loss.backward()
        return loss

    optimizer.step(get_loss)
    return restore(weights.detach())


def fit_intercepts(rows: Rows, slopes: Tensor) -> Tensor:
    """Find what takes back, of each mention's best link, what its slope adds.

    rows (Rows): The anaphors; only whole documents count.
    slopes (Tensor): Shape (2 * width + 1,).
    RETURNS (Tensor): Shape (2 * width + 1,), by least squares.
    """
    rows = rows.take(rows.is_whole & (rows.scores[:, 0] > -1))
    added = (widen(rows.vectors) @ slopes) * rows.distances[:, 0]
    vectors, restore = make_alike(rows.vectors)
    vectors = vectors.double()
    cost = torch.full((vectors.shape[1],), _RIDGE).double()
    cost[-1] = 0
    products = vectors.T @ vectors + cost.diag()
    weights = torch.linalg.solve(products, -vectors.T @ added.double())
    return restore(weights.float())


def make_alike(vectors: Tensor) -> Tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Give all dimensions a mean of 0 and a deviation of 1, and add a constant.

    vectors (Tensor): Shape (n, width).
    RETURNS (Tuple[Tensor, Callable]): Shape (n, width + 1), and what makes, of weights
        for these, weights for `widen` of the vectors as they were.
    """
    mean, deviation = vectors.mean(0), vectors.std(0) + 1e-6

    def restore(weights: Tensor) -> Tensor:
        own = weights[:-1] / deviation
        return torch.cat([own, weights[-1:] - own @ mean])

    return widen((vectors - mean) / deviation), restore


def widen(vectors: Tensor) -> Tensor:
    """Add a constant 1.

    vectors (Tensor): Shape (n, width).
    RETURNS (Tensor): Shape (n, width + 1).
    """
    return nn.functional.pad(vectors, (0, 1), value=1.0)


def measure(rows: Rows, slopes: Tensor) -> float:
    """Tell how often the best antecedent is right where a right one is there.

    rows (Rows): The anaphors.
    slopes (Tensor): Shape (2 * width + 1,).
    RETURNS (float): The share.
    """
    rows = rows.take(rows.is_right.any(1))
    scores = rows.scores + (widen(rows.vectors) @ slopes)[:, None] * rows.distances
    best = scores.argmax(1, keepdim=True)
    return rows.is_right.gather(1, best).float().mean().item()


if __name__ == "__main__":
    main()
