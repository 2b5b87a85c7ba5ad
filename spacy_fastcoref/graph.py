"""Find connected components and roots of graphs by array operations."""

from typing import List, Tuple

import numpy as np


def number_components(n_nodes: int, ends: Tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Number the connected components of a graph.

    n_nodes (int): The number of nodes.
    ends (Tuple[numpy.ndarray, numpy.ndarray]): The nodes at both ends of each edge,
        each of shape (n_edges,).
    RETURNS (numpy.ndarray): Shape (n_nodes,), the number of each node's component, in
        the order of their first nodes.
    """
    parents = np.arange(n_nodes)
    while True:
        found = np.sort(parents[np.stack(ends)], 0)
        if np.array_equal(*found):
            return np.unique(parents, return_inverse=True)[1]
        # A root goes below the least one that an edge leads to.
        np.minimum.at(parents, found[1], found[0])
        parents = find_roots(parents)


def split_components(labels: np.ndarray) -> List[np.ndarray]:
    """List the nodes of each component.

    labels (numpy.ndarray): Shape (n_nodes,), see number_components.
    RETURNS (List[numpy.ndarray]): By number, each in ascending order.
    """
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def find_roots(parents: np.ndarray) -> np.ndarray:
    """Find the root above every node.

    parents (numpy.ndarray): Shape (n_nodes,), int64, each node's parent; a root is its
        own.
    RETURNS (numpy.ndarray): Shape (n_nodes,), each node's root.
    """
    # Twice as far each time: enough for any number, and an end for what has none.
    for _ in range(64):
        further = parents[parents]
        if np.array_equal(further, parents):
            break
        parents = further
    return parents


def find_depths(parents: np.ndarray) -> np.ndarray:
    """Count the steps from every node to the root above it.

    parents (numpy.ndarray): Shape (n_nodes,), int64, see find_roots.
    RETURNS (numpy.ndarray): Shape (n_nodes,), int64; the number of nodes for a node
        without a root.
    """
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
    """Pair each node with a range of other nodes.

    nodes, firsts, lasts (numpy.ndarray): Shape (n_nodes,), the node, and the range from
        the first one to before the last one.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Shape (n_pairs,) each, the nodes and
        the others.
    """
    counts = np.maximum(lasts - firsts, 0)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    others = np.arange(len(starts)) - starts + np.repeat(firsts, counts)
    return np.repeat(nodes, counts), others
