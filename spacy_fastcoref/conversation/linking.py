"""Link the mentions of a new turn to those of earlier turns."""

from dataclasses import replace
from typing import Dict, List, Sequence

import numpy as np

from ..types import Cluster, Links
from .memory import Member, Memory


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


def link_turn(clusters: Sequence[Cluster], memory: Memory) -> Dict[int, Cluster]:
    """Put the mentions of a new turn into clusters of the conversation.

    A mention of the new turn is put into the cluster of its antecedent. Clusters of
    earlier turns are never joined.

    clusters (Sequence[Cluster]): The clusters that were found, by the offsets of the
        whole conversation.
    memory (Memory): The earlier turns.
    RETURNS (Dict[int, Cluster]): The new mentions of each cluster by its number, with
        antecedents in the whole cluster. A new cluster can begin with a mention of an
        earlier turn.
    """
    first = memory.n_tokens
    firsts = [
        (next((m for m in one.mentions if m[0] >= first), None), i)
        for i, one in enumerate(clusters)
    ]
    new: Dict[int, Cluster] = {}
    # Number new clusters in the order of their first mentions in the turn.
    for _, i in sorted(pair for pair in firsts if pair[0] is not None):
        _add(clusters[i], memory, new)
    return new


def _add(cluster: Cluster, memory: Memory, new: Dict[int, Cluster]) -> None:
    # The place of each mention of the cluster that is known so far.
    members: Dict[int, Member] = {}
    for i, (start, _) in enumerate(cluster.mentions):
        if start < memory.n_tokens:
            continue
        number, antecedent = _next_number(memory, new), -1
        j = cluster.antecedents[i]
        if j >= 0:
            if j not in members:
                members[j] = _find_member(cluster, j, memory, new)
            number, antecedent = members[j]
        one = replace(cluster.select([i]), antecedents=[antecedent])
        members[i] = _append(one, number, memory, new)


def _find_member(
    cluster: Cluster, i: int, memory: Memory, new: Dict[int, Cluster]
) -> Member:
    """Find the place of an earlier mention, or found a cluster with it."""
    mention = cluster.mentions[i]
    known = memory.turns[memory.find_part(*mention).turn].members.get(mention)
    if known is not None:
        return known
    one = replace(cluster.select([i]), scores=[0.0], probs=[1.0])
    return _append(one, _next_number(memory, new), memory, new)


def _append(
    one: Cluster, number: int, memory: Memory, new: Dict[int, Cluster]
) -> Member:
    cluster = new.setdefault(number, Cluster([], number=number))
    cluster.extend(one)
    known = memory.clusters.get(number)
    n_known = 0 if known is None else len(known.mentions)
    return Member(number, n_known + len(cluster.mentions) - 1)


def _next_number(memory: Memory, new: Dict[int, Cluster]) -> int:
    return len(memory.clusters) + sum(i not in memory.clusters for i in new) + 1
