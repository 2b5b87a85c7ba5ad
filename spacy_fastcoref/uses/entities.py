"""Give each mention the entity label and the id in a knowledge base of its cluster."""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Callable, Sequence

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..clusters.chains import get_clusters
from ..clusters.store import set_clusters
from ..errors import check_setting
from ..resolution.policies import compute_probabilities

# What spaCy's entity linker writes where it finds no entry.
_NIL = "NIL"


@Language.factory(
    "entity_coref",
    assigns=["span._.coref_ent_type", "span._.coref_kb_id"],
    requires=["doc.ents"],
    default_config={"min_probability": 0.5, "min_share": 0.75, "extend_ents": False},
)
def make_entity_coref(
    nlp: Language,
    name: str,
    min_probability: float,
    min_share: float,
    extend_ents: bool,
) -> Callable[[Doc], Doc]:
    """Make a pipe that gives mentions the labels and ids that their clusters have.

    It comes after the coreference component and `ner` or `entity_linker`.

    nlp (Language): The pipeline.
    name (str): The name of the pipe.
    min_probability (float): The least probability of the links from a mention to the
        main one with which it gets the cluster's label and id.
    min_share (float): The least share of the votes that a label or id needs. If none
        has it, the cluster has none.
    extend_ents (bool): Whether to add mentions with a label to doc.ents, except those
        that overlap an entity.
    RETURNS (Callable[[Doc], Doc]): The pipe.
    RAISES (ValueError): A number is not from 0 to 1, or a share not above a half.
    """
    for key, value, low in (
        ("min_probability", min_probability, 0),
        ("min_share", min_share, 0.5),
    ):
        expected = f"a number from {low} to 1"
        check_setting(f"{name}.{key}", value, low <= value <= 1, expected)
    return partial(_label_mentions, min_probability, min_share, extend_ents)


def _label_mentions(
    min_probability: float, min_share: float, extend_ents: bool, doc: Doc
) -> Doc:
    """Give mentions what their heads' entities vote for, each with the probability of
    the links from it to the main mention."""
    clusters, spans = [], []
    for cluster in get_clusters(doc):
        # Of a coordination, the members can be of different kinds.
        only = [doc[h[0]] if len(h) == 1 else None for h in cluster.data.heads]
        weights = compute_probabilities(cluster, cluster.data.main)
        kept = [
            w >= min_probability and t is not None
            for w, t in zip(weights, only, strict=True)
        ]
        found = {}
        for name, attr in (("ent_types", "ent_type_"), ("kb_ids", "ent_kb_id_")):
            values = [getattr(t, attr) if t else "" for t in only]
            value = _vote(values, weights, min_share)
            found[name] = [value if keep else "" for keep in kept]
        clusters.append(replace(cluster.data, **found))
        # Those with a label that overlap no entity.
        spans += [
            Span(doc, mention.start, mention.end, label=label, kb_id=kb_id)
            for mention, label, kb_id in zip(cluster, *found.values(), strict=True)
            if label and not any(token.ent_type for token in mention)
        ]
    if clusters:
        set_clusters(doc, clusters)
    if extend_ents:
        doc.set_ents(filter_spans(spans), default="unmodified")
    return doc


def _vote(values: Sequence[str], weights: Sequence[float], min_share: float) -> str:
    """Find the value with the share of the votes that is asked for; "" for none."""
    votes: Counter = Counter()
    for value, weight in zip(values, weights, strict=True):
        if value not in ("", _NIL):
            votes[value] += weight  # type: ignore[assignment]
    total = sum(votes.values())
    best, n_votes = votes.most_common(1)[0] if votes else ("", 0)
    return best if total and n_votes >= min_share * total else ""
