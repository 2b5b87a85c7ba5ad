"""The rules on pairs of mentions, in any language."""

from dataclasses import dataclass
from typing import Callable, Tuple

import numpy as np

from ..types import DOUBTFUL, FORBIDDEN
from . import binding, coordination, nesting, pairs, speakers
from .facts import Facts

Check = Callable[[Facts, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class PairRule:
    """Say which pairs of mentions cannot be one, and why.

    name (str): What it is switched off by, and what its reason is found by.
    check (Check): A function of the facts and of two arrays of mentions, each of shape
        (n_pairs,), the later ones first. It returns an array of bool: where the rule
        holds. It loops over no pairs.
    verdict (int): FORBIDDEN or DOUBTFUL.
    is_cluster_wide (bool): Whether the two cannot be in one cluster either, by whatever
        other links.
    reason (str): Why, in words, for people who ask; its name if there are none.
    needs (Tuple[str, ...]): The annotation without which it is not asked: "pos", "dep",
        "entities". Where it lacks other annotation it says False.
    """

    name: str
    check: Check
    verdict: int = FORBIDDEN
    is_cluster_wide: bool = False
    needs: Tuple[str, ...] = ()
    reason: str = ""


PAIR_RULES = (
    PairRule("within", nesting.is_within, is_cluster_wide=True),
    PairRule("crossing", nesting.is_crossing),
    PairRule("name_part", nesting.is_name_part),
    PairRule("coordination", coordination.is_coordinated, is_cluster_wide=True),
    PairRule("person", speakers.are_other_persons, is_cluster_wide=True),
    PairRule("speaker", speakers.are_other_speakers),
    PairRule("narrator", speakers.are_inside_and_outside, is_cluster_wide=True),
    PairRule("reflexive", binding.is_unbound, needs=("dep",)),
    PairRule("binding", binding.are_arguments, is_cluster_wide=True),
    PairRule("oblique", binding.are_oblique_arguments, DOUBTFUL, needs=("dep",)),
    PairRule("cataphora", binding.is_under_pronoun, needs=("dep",)),
    PairRule("pleonastic", pairs.is_pleonastic),
    PairRule("lifeless", pairs.is_lifeless, DOUBTFUL),
    PairRule("indefinite", pairs.is_new, DOUBTFUL),
    PairRule("given_name", pairs.are_other_names, DOUBTFUL),
)
