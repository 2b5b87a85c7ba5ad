"""Link the mentions of a new turn to those of earlier turns."""

from dataclasses import replace
from typing import Dict, List, Optional, Tuple

import numpy as np

from ..types import Cluster, Links
from .context import Context
from .memory import Changes, Member, Memory, Mention

Offsets = Tuple[int, int]


def keep_new_links(links: Links, starts: List[int], length: int) -> Links:
    """Drop the links of earlier turns, and mentions that cross excerpts.

    links (Links): The model's predictions.
    starts (List[int]): The first token of each excerpt, that of the new turn last.
    length (int): The number of tokens.
    RETURNS (Links): The links of the new turn's mentions.
    """
    if not len(links):
        return links
    first, last = links.mentions[:, 0], links.mentions[:, 1] - 1
    bounds = np.array([*starts, length])
    parts = np.searchsorted(bounds, first, side="right")
    is_kept = parts == np.searchsorted(bounds, last, side="right")
    rows = np.flatnonzero(is_kept)
    places = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    antecedents = links.antecedents[rows]
    antecedents = np.where(antecedents >= 0, places[antecedents], -1)
    antecedents[first[rows] < starts[-1]] = -1
    scores = np.where(antecedents >= 0, links.scores[rows], -np.inf)
    # Links are sorted by score, the best first.
    order = np.argsort(-scores, axis=1, kind="stable")
    return replace(
        links,
        mentions=links.mentions[rows],
        mention_scores=links.mention_scores[rows],
        antecedents=np.take_along_axis(antecedents, order, 1).astype(np.int32),
        scores=np.take_along_axis(scores, order, 1),
        log_norms=links.log_norms[rows],
        types=None if links.types is None else links.types[rows],
    )


def find_changes(clusters: List[Cluster], context: Context, memory: Memory) -> Changes:
    """Find the new mentions of each cluster.

    A mention of the new turn is put into the cluster of its antecedent. Clusters of
    earlier turns are never joined.

    clusters (List[Cluster]): The clusters of the context.
    context (Context): The context.
    memory (Memory): The earlier turns.
    RETURNS (Changes): The new mentions by the number of the cluster. A new cluster can
        begin with a mention of an earlier turn.
    """
    changes: Changes = {}
    first = context.starts[-1]
    found = []
    for cluster in clusters:
        ends = [end for _, end in cluster.mentions]
        n_known = sum(end <= first for end in ends)
        if n_known < len(ends):
            found.append((cluster.mentions[n_known], cluster))
    # Number new clusters in the order of their first mentions in the turn.
    for _, cluster in sorted(found, key=lambda pair: pair[0]):
        _add(cluster, context, memory, changes)
    return changes


def _add(cluster: Cluster, context: Context, memory: Memory, changes: Changes) -> None:
    # The place of each mention of the cluster that is known so far.
    members: Dict[int, Member] = {}
    for i, (start, _) in enumerate(cluster.mentions):
        if start < context.starts[-1]:
            continue
        j = cluster.antecedents[i]
        if j >= 0 and j not in members:
            members[j] = _find_member(cluster, j, context, memory, changes)
        number = members[j].number if j >= 0 else _get_next_number(memory, changes)
        antecedent = members[j].index if j >= 0 else -1
        mention = _make_mention(cluster, i, context, antecedent)
        members[i] = _append(mention, number, memory, changes)


def _find_member(
    cluster: Cluster, i: int, context: Context, memory: Memory, changes: Changes
) -> Member:
    """Find the place of an earlier mention, or found a cluster with it."""
    mention = _make_mention(cluster, i, context, -1)
    turn = memory.turns[mention.turn]
    known = turn.members.get((mention.start, mention.end))
    if known is not None:
        return known
    mention = mention._replace(score=0.0, prob=1.0)
    return _append(mention, _get_next_number(memory, changes), memory, changes)


def _make_mention(
    cluster: Cluster, i: int, context: Context, antecedent: int
) -> Mention:
    start, end = cluster.mentions[i]
    part = int(np.searchsorted(context.starts, start, side="right")) - 1
    excerpt, shift = context.excerpts[part], context.starts[part]
    shift = excerpt.start - shift
    heads: Optional[List[int]] = None
    if cluster.heads:
        heads = [head + shift for head in cluster.heads[i]]
    return Mention(
        excerpt.turn,
        start + shift,
        end + shift,
        antecedent,
        float(cluster.scores[i]),
        float(cluster.probs[i]),
        heads,
    )


def _append(mention: Mention, number: int, memory: Memory, changes: Changes) -> Member:
    mentions = changes.setdefault(number, [])
    mentions.append(mention)
    return Member(number, len(memory.clusters.get(number, ())) + len(mentions) - 1)


def _get_next_number(memory: Memory, changes: Changes) -> int:
    n_new = sum(number not in memory.clusters for number in changes)
    return len(memory.clusters) + n_new + 1
