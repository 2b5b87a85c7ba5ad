"""Apply the rules' must-links, which overrule the model."""

from dataclasses import replace
from typing import Tuple

import numpy as np

from ..graph import find_roots
from ..types import Links, RuleOutput
from .constraints import Constraints


def apply_must_links(
    links: Links, rule_output: RuleOutput, constraints: Constraints
) -> Tuple[Links, RuleOutput, Constraints]:
    """Join mentions by the rules' must-links.

    The must-links of a mention lead to a deciding mention, such as the speaker for "I"
    in a quotation. The joined mentions are linked in text order, and the first of them
    gets the candidate antecedents of the deciding mention. Constraints of the user take
    precedence, and mentions that do not agree are not joined.

    RETURNS (Tuple[Links, RuleOutput, Constraints]): What to decode instead of the
        arguments; the arguments themselves if no mentions are joined.
    """
    rows = np.arange(len(links))
    is_free = (constraints.forced < 0) & (constraints.apart == 0)
    is_free[constraints.forced[constraints.forced >= 0]] = False
    must_links = rule_output.must_links
    is_tied = (must_links >= 0) & is_free & is_free[must_links]
    if not is_tied.any():
        return links, rule_output, constraints
    deciders = find_roots(np.where(is_tied, must_links, rows))
    is_tied |= np.isin(rows, deciders[is_tied])
    members = np.flatnonzero(is_tied)
    members = members[np.argsort(deciders[members], kind="stable")]
    starts = np.flatnonzero(np.diff(deciders[members], prepend=-1))
    sizes = np.diff(np.append(starts, len(members)))
    agreement = np.bitwise_and.reduceat(rule_output.agreement[members], starts)
    agrees = (agreement > 0).all(1)
    members = members[np.repeat(agrees, sizes)]
    sizes, agreement = sizes[agrees], agreement[agrees]
    starts = np.cumsum(sizes) - sizes
    firsts, deciders = members[starts], deciders[members[starts]]
    forced = constraints.forced.copy()
    forced[members[1:]] = members[:-1]
    forced[firsts] = -1
    # The antecedent of the deciding mention has to precede all joined mentions.
    is_before = links.antecedents[deciders] < firsts[:, None]
    antecedents = np.where(is_before, links.antecedents[deciders], -1)
    scores = np.where(is_before, links.scores[deciders], -np.inf)
    representatives = rows.copy()
    representatives[members] = np.repeat(firsts, sizes)
    conflicts = np.sort(representatives[rule_output.conflicts], axis=1)
    return (
        replace(
            links,
            antecedents=_set_rows(links.antecedents, firsts, antecedents),
            scores=_set_rows(links.scores, firsts, scores),
            log_norms=_set_rows(links.log_norms, firsts, links.log_norms[deciders]),
        ),
        replace(
            rule_output,
            verdicts=_set_rows(
                rule_output.verdicts, firsts, rule_output.verdicts[deciders]
            ),
            agreement=_set_rows(rule_output.agreement, firsts, agreement),
            is_anaphor=_set_rows(
                rule_output.is_anaphor, firsts, rule_output.is_anaphor[deciders]
            ),
            conflicts=conflicts[conflicts[:, 0] < conflicts[:, 1]],
        ),
        constraints._replace(
            forced=forced,
            scores=np.where(
                constraints.forced < 0, links.find_scores(forced), constraints.scores
            ),
        ),
    )


def _set_rows(values: np.ndarray, rows: np.ndarray, new: np.ndarray) -> np.ndarray:
    values = values.copy()
    values[rows] = new
    return values
