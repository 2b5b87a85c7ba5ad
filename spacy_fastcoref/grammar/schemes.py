"""Map the labels of dependency schemes to the syntactic roles that rules use.

A scheme is a table of labels. Rules use only roles, so that they work with ClearNLP
(spaCy's English pipelines), Universal Dependencies (French, Polish, Dutch and most
others) and TIGER (German). The tables are in schemes.json.
"""

import json
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Dict, FrozenSet, Iterable, Mapping, Set

from ..errors import Warnings


@dataclass(frozen=True)
class Scheme:
    """Hold one dependency scheme.

    roles (Mapping[str, FrozenSet[str]]): The labels of each role, in lower case. An
        "oblique" is the object of a preposition, an "agent" that of a passive ("by
        Ann"), and a "clause" any other clause that modifies a noun or the main clause.
        The subject of an "open complement" is determined by the clause above it: "she
        wants to go".
    signs (FrozenSet[str]): Labels that no other scheme has.
    others (FrozenSet[str]): Labels that have no role, by which the scheme is known.
    has_preposition_heads (bool): Whether the head of a noun is its preposition, rather
        than the head of a preposition its noun.
    has_coordinator_heads (bool): Whether the head of a conjunct is the coordinator, and
        the head of the coordinator the conjunct before it.
    """

    name: str
    roles: Mapping[str, FrozenSet[str]]
    signs: FrozenSet[str] = frozenset()
    others: FrozenSet[str] = frozenset()
    has_preposition_heads: bool = False
    has_coordinator_heads: bool = False

    def find_labels(self, *roles: str) -> FrozenSet[str]:
        """Find the labels of some roles."""
        return frozenset().union(*(self.roles[role] for role in roles))

    @cached_property
    def labels(self) -> FrozenSet[str]:
        """All labels of the scheme."""
        return self.find_labels(*self.roles) | self.signs | self.others

    def simplify(self, label: str) -> str:
        """Find the label of the scheme that a treebank's belongs to: "ccomp".

        It is in lower case, without subtypes that the scheme doesn't have.
        """
        label = label.lower()
        while label not in self.labels and ":" in label:
            label = label.rpartition(":")[0]
        return label


def _read_schemes() -> Dict[str, Scheme]:
    path = Path(__file__).with_name("schemes.json")
    tables = json.loads(path.read_text(encoding="utf8"))
    # All schemes have all roles, so that another name for one is an error.
    names = {role for table in tables.values() for role in table["roles"]}
    schemes = {}
    for name, table in tables.items():
        labels = table.pop("roles")
        roles = {role: frozenset(labels.get(role, "").split()) for role in names}
        lists = (frozenset(table.pop(key, "").split()) for key in ("signs", "others"))
        schemes[name] = Scheme(name, roles, *lists, **table)
    return schemes


SCHEMES = _read_schemes()
# The scheme of labels that belong to none of the others: they have no roles.
UD, UNKNOWN = SCHEMES["ud"], SCHEMES.pop("unknown")
# Labels that say nothing about the scheme.
_ANY = frozenset(("", "root", "dep"))
# The labels of unknown schemes that there was a warning about.
_named: Set[str] = set()


def find_scheme(labels: Iterable[str]) -> Scheme:
    """Find the scheme of which the most distinctive labels occur; UD if none do.

    It is UNKNOWN if it has less than half of the labels, with one warning for each.
    """
    found = {label.lower() for label in labels} - _ANY
    best = max(SCHEMES.values(), key=lambda scheme: len(scheme.signs & found))
    best = UD if best.signs.isdisjoint(found) else best
    strange = {label for label in found if best.simplify(label) not in best.labels}
    if 2 * len(strange) <= len(found):
        return best
    # Two texts of a scheme have some of their labels in common.
    if strange.isdisjoint(_named):
        known = ", ".join(SCHEMES)
        message = Warnings.FCW32.format(labels=sorted(strange), available=known)
        warnings.warn(message, stacklevel=2)
    _named.update(strange)
    return UNKNOWN
