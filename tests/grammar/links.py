"""Make and decode links, without a model."""

import numpy as np

from spacy_fastcoref.decoding.constraints import Constraints
from spacy_fastcoref.decoding.decode import collect_clusters, decide
from spacy_fastcoref.types import Costs, Links


def decode(links, rule_output=None, constraints=None, threshold=0.0, costs=None):
    """Decode links to clusters."""
    costs = costs or Costs()
    if not len(links):
        return []
    constraints = constraints or Constraints.none(links)
    return collect_clusters(decide(links, rule_output, constraints, threshold, costs))


def link_all(mentions):
    """Link every mention with all earlier mentions."""
    n = len(mentions)
    antecedents = np.tile(np.arange(n), (n, 1))
    antecedents = np.where(antecedents < np.arange(n)[:, None], antecedents, -1)
    scores = np.where(antecedents >= 0, 1.0, -np.inf)
    return Links(np.asarray(mentions), np.zeros(n), antecedents, scores, np.zeros(n))
