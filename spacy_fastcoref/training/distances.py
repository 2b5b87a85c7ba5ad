"""Teach a trained model how much distances tell, and nothing else."""

import warnings
from dataclasses import dataclass, replace
from typing import Iterable, List, Tuple

import torch
from spacy.language import Language
from spacy.training import Example
from torch import Tensor, nn
from torch.nn.functional import pad

from ..errors import Errors
from ..factories import get_component
from ..models.blocks import BLOCK_KEY
from ..models.checkpoint import Checkpoint
from ..models.distance import DistanceScorerBlock, measure_distances
from ..models.line_fit import Rows, fit_intercepts, fit_slopes, is_linked, measure_order
from ..models.loss import TrainScores, make_labels
from ..models.shim import CorefShim
from ..models.sources import take_weights
from ..pipeline.gold import AlignedGold, align_gold, restrict
from ..progress import show_progress

_SCORER = "antecedent_scorer"
_LINE = f"{_SCORER}.line"
_N_BEST = 12
# Every such document has no part in the lines by which it is judged.
_HELD_OUT = 5


@dataclass(frozen=True)
class DistanceReport:
    """Hold what distances gave.

    n_docs (int): The number of documents.
    n_anaphors (int): How many anaphors have a right antecedent among their best ones,
        each once a round.
    before (float): The share of those whose best antecedent is right without distances,
        in every fifth document.
    after (float): The same with distances, by lines of the other documents.
    """

    n_docs: int
    n_anaphors: int
    before: float
    after: float


def fit_distances(
    nlp: Language,
    examples: Iterable[Example],
    *,
    component: str = "fastcoref",
    dropout: float = 0.3,
    decay: float = 30000.0,
    n_rounds: int = 2,
    enable_progress_bar: bool = False,
) -> DistanceReport:
    """Fit the lines of a model's DistanceScorer; a model that has none gets one.

    The slopes are those that make right antecedents likely among all of a mention, the
    intercepts such that the best link is as strong as before, as nearly as can be:
    whether a mention has any antecedent is left to the rest of the model. All of it is
    under dropout, since a model knows its training texts, and then distances tell
    little. Lines that the model has are forgotten, but not how strong its links are by
    them.

    nlp (Language): The pipeline, changed in place.
    examples (Iterable[Example]): Labelled documents, such as the model was trained on.
    component (str): The component's name in the pipeline.
    dropout (float): The rate of all layers but attention's.
    decay (float): What the squares of the slopes' weights cost.
    n_rounds (int): How often each document is scored.
    enable_progress_bar (bool): Whether to show progress.
    RETURNS (DistanceReport): What it gave.
    RAISES (ValueError): The component is another package's, or its vectors are made by
        other components, or there are too few documents with anaphors; the pipeline is
        then as it was.
    """
    shim = get_component(nlp, component).model.shims[0]
    checkpoint = shim.load()
    if not checkpoint.tokenizer:
        raise ValueError(Errors.FC097.format(component=component))
    start = _make_start(checkpoint, component)
    documents = [*enumerate(examples)]
    stream = show_progress(
        documents * n_rounds, enabled=enable_progress_bar, desc="Score"
    )
    try:
        shim.set_checkpoint(_add_dropout(start, dropout))
        found = _read_rows(shim, stream, dropout)
    finally:
        shim.set_checkpoint(checkpoint)
    # Both what is learned from and what is judged.
    if len({n % _HELD_OUT == 0 for n, part in found if part.is_right.any()}) < 2:
        raise ValueError(Errors.FC098.format(n_docs=len(documents)))
    is_held_out = torch.cat(
        [torch.full(part.is_whole.shape, n % _HELD_OUT == 0) for n, part in found]
    )
    rows = Rows(*map(torch.cat, zip(*(part for _, part in found), strict=True)))
    slopes = fit_slopes(rows.take(~is_held_out), decay)
    before, after = (
        measure_order(rows.take(is_held_out), by) for by in (0 * slopes, slopes)
    )
    slopes = fit_slopes(rows, decay)
    lines = torch.stack([slopes, fit_intercepts(rows, slopes)])
    shim.set_checkpoint(_set_lines(start, lines))
    n_anaphors = int(rows.is_right.any(1).sum())
    return DistanceReport(len(documents), n_anaphors, before, after)


def _make_start(checkpoint: Checkpoint, component: str) -> Checkpoint:
    """Put the scorer into a DistanceScorer, if it is none; new lines say nothing."""
    config, scorer = checkpoint.config, checkpoint.config[_SCORER]
    name = DistanceScorerBlock.registered_name
    if scorer[BLOCK_KEY] != name:
        config = {**config, _SCORER: {BLOCK_KEY: name, "scorer": scorer}}
    with warnings.catch_warnings():
        # That the lines start anew.
        warnings.simplefilter("ignore")
        start = take_weights(checkpoint, config, component)
    # As they were saved, such as in half precision.
    dtype = next(iter(checkpoint.tensors.values())).dtype
    tensors = {key: tensor.to(dtype) for key, tensor in start.tensors.items()}
    return replace(start, tensors=tensors)


def _set_lines(checkpoint: Checkpoint, lines: Tensor) -> Checkpoint:
    """Set slopes and intercepts, shape (2, 2 * width + 1), the constants last."""
    parts = {f"{_LINE}.weight": lines[:, :-1], f"{_LINE}.bias": lines[:, -1]}
    tensors = dict(checkpoint.tensors)
    for key, part in parts.items():
        tensors[key] = part.to(tensors[key].dtype).contiguous()
    return replace(checkpoint, tensors=tensors)


def _add_dropout(checkpoint: Checkpoint, dropout: float) -> Checkpoint:
    """Set the dropout of the encoder, in the layers that can have it."""
    encoder = {**checkpoint.config["encoder"], "dropout": dropout}
    return replace(checkpoint, config={**checkpoint.config, "encoder": encoder})


def _read_rows(
    shim: CorefShim, documents: Iterable[Tuple[int, Example]], dropout: float
) -> List[Tuple[int, Rows]]:
    """Score documents as in training, and keep what is known of their anaphors."""
    network = shim.get_learner()[0].network
    # The encoder has it by its settings.
    for name, module in network.named_modules():
        if isinstance(module, nn.Dropout) and not name.startswith("encoder."):
            module.p = dropout
    # Of a document's mentions, block by block.
    blocks: List[Tuple[Tensor, Tensor]] = []
    network.antecedent_scorer.line.register_forward_hook(
        lambda _, inputs, lines: blocks.append((inputs[0].float(), lines.float()))
    )
    found = []
    with torch.no_grad():
        for number, eg in documents:
            gold = align_gold(eg)
            blocks.clear()
            ((scores,), _) = shim.begin_update([restrict(eg, gold)])
            n_mentions = len(scores.starts)
            if n_mentions:
                # A second-order model asks for all once a round, and the last counts.
                vectors, lines = (
                    torch.cat(parts)[-n_mentions:]
                    for parts in zip(*blocks, strict=True)
                )
                found.append((number, _find_rows(gold, scores, vectors, lines)))
    return found


def _find_rows(
    gold: AlignedGold, scores: TrainScores, vectors: Tensor, lines: Tensor
) -> Rows:
    """Find a document's anaphors with a right antecedent, and all that may be linked if
    all of it is labelled.
    """
    labels = make_labels(scores, gold.clusters)
    is_unsure = make_labels(scores, [[span] for span in gold.unsure]) >= 0
    places = scores.starts, scores.ends - scores.starts
    clusters, is_unsure = labels[places], is_unsure[places]
    n_missing = max(_N_BEST - len(clusters), 0)
    best = scores.pairs[0].topk(_N_BEST - n_missing)
    distances = measure_distances(scores.starts[:, None], scores.ends[best.indices])
    is_right = clusters[best.indices] == clusters[:, None]
    is_right &= (clusters[:, None] >= 0) & best.values.isfinite()
    is_whole = gold.annotated is None
    slopes, intercepts = lines.unbind(1)
    without = best.values - intercepts[:, None] - slopes[:, None] * distances
    rows = Rows(
        torch.full_like(is_unsure, is_whole),
        vectors,
        best.values[:, 0],
        pad(without, (0, n_missing), value=-torch.inf),
        pad(distances, (0, n_missing)),
        pad(is_right, (0, n_missing)),
    )
    is_chosen = is_right.any(1) & ~is_unsure
    if is_whole:
        is_chosen |= is_linked(rows)
    return Rows(*(field[is_chosen].cpu() for field in rows))
