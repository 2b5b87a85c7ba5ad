"""List the rules on pairs of mentions that hold in all languages."""

from dataclasses import dataclass
from typing import Callable, Tuple

import numpy as np

from ..types import DOUBTFUL, FORBIDDEN
from . import binding, cataphora, coordination, nesting, noun_pairs, pairs, speakers
from .facts import Facts

Check = Callable[[Facts, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class PairRule:
    """Define a rule that forbids links between pairs of mentions, or doubts them.

    name (str): The name of the rule, to disable it and to look up its reason.
    check (Check): A function that takes the facts and two arrays of mentions, each of
        shape (n_pairs,), the later mentions first, and returns an array of bool that is
        True for pairs to which the rule objects. It has to be vectorised.
    verdict (int): FORBIDDEN or DOUBTFUL.
    is_cluster_wide (bool): Whether the two mentions can't be in one cluster, either,
        not even by links to other mentions.
    needs (Tuple[str, ...]): The annotation that the rule requires, "pos", "dep" or
        "entities". Without it, the rule is not applied.
    reason (str): The reason in words, for `explain`, in a rule of another package;
        those of this package's rules are in errors.REASONS by their names.
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
    PairRule("cataphora", cataphora.is_no_cataphora, needs=("dep",)),
    PairRule("crossover", cataphora.is_crossover, DOUBTFUL, needs=("dep",)),
    PairRule("noun", noun_pairs.are_other_nouns),
    PairRule("description", noun_pairs.are_descriptions, DOUBTFUL),
    PairRule("pleonastic", pairs.is_pleonastic),
    PairRule("collective", pairs.is_collective, DOUBTFUL),
    PairRule("one_thing", pairs.is_one_thing),
    PairRule("lifeless", pairs.is_lifeless, DOUBTFUL),
    PairRule("indefinite", pairs.is_new, DOUBTFUL),
    PairRule("given_name", pairs.are_other_names, DOUBTFUL),
)
