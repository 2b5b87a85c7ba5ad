"""Find components and roots of graphs, whose nodes are numbered from 0."""

from typing import List, Tuple

import numpy as np


def number_components(n_nodes: int, ends: Tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Number the component of each node in the order of their first nodes, given the
    nodes at both ends of each edge."""
    parents = np.arange(n_nodes)
    while True:
        found = np.sort(parents[np.stack(ends)], 0)
        if np.array_equal(*found):
            return np.unique(parents, return_inverse=True)[1]
        # A root goes below the least one that an edge leads to.
        np.minimum.at(parents, found[1], found[0])
        parents = find_roots(parents)


def split_components(labels: np.ndarray) -> List[np.ndarray]:
    """List the nodes of each component in order, by its number."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def find_roots(parents: np.ndarray) -> np.ndarray:
    """Find the root above every node, given its parent; a root is its own."""
    # Twice as far each time: enough for any number, and an end for what has none.
    for _ in range(64):
        further = parents[parents]
        if np.array_equal(further, parents):
            break
        parents = further
    return parents


def find_depths(parents: np.ndarray) -> np.ndarray:
    """Count the steps from every node to its root; n_nodes if it has none."""
    n_nodes = len(parents)
    steps = (parents != np.arange(n_nodes)).astype(np.int64)
    for _ in range(64):
        if not steps[parents].any():
            break
        steps = np.minimum(steps + steps[parents], n_nodes)
        parents = parents[parents]
    return steps


def pair_ranges(
    nodes: np.ndarray, firsts: np.ndarray, lasts: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Pair each node with the others in a range, from `firsts` to before `lasts`."""
    counts = np.maximum(lasts - firsts, 0)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    others = np.arange(len(starts)) - starts + np.repeat(firsts, counts)
    return np.repeat(nodes, counts), others
