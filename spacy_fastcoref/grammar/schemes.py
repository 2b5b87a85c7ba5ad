"""Map the labels of dependency schemes to the syntactic roles that rules use.

A scheme is a table of labels. Rules use only roles, so that they work with ClearNLP
(spaCy's English pipelines), Universal Dependencies (French, Polish, Dutch and most
others) and TIGER (German).
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Dict, FrozenSet, Iterable, Mapping, Set

from ..errors import Warnings

SUBJECT = "subject"
CLAUSAL_SUBJECT = "clausal subject"
OBJECT = "object"
# The object of a preposition, and the object of a preposition that is an argument of
# the verb.
OBLIQUE = "oblique"
OBLIQUE_ARGUMENT = "oblique argument"
# The agent of a passive: "by Ann".
AGENT = "agent"
POSSESSOR = "possessor"
CONJUNCT = "conjunct"
COORDINATOR = "coordinator"
APPOSITION = "apposition"
RELATIVE = "relative clause"
# Other clauses that modify a noun or the main clause.
CLAUSE = "clause"
COMPLEMENT = "complement"
# A complement whose subject is determined by the clause above it: "she wants to go".
OPEN_COMPLEMENT = "open complement"
EXPLETIVE = "expletive"
AUXILIARY = "auxiliary"
PREPOSITION = "preposition"


@dataclass(frozen=True)
class Scheme:
    """Hold one dependency scheme.

    name (str): The name of the scheme.
    roles (Mapping[str, FrozenSet[str]]): The labels of each role, in lower case.
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
        return frozenset().union(*(self.roles.get(role, ()) for role in roles))

    @cached_property
    def labels(self) -> FrozenSet[str]:
        """All labels of the scheme."""
        return self.find_labels(*self.roles) | self.signs | self.others

    def simplify(self, label: str) -> str:
        """Find the label of the scheme that a treebank's label belongs to.

        RETURNS (str): The label in lower case, without subtypes that the scheme doesn't
            have: "ccomp".
        """
        label = label.lower()
        while label not in self.labels and ":" in label:
            label = label.rpartition(":")[0]
        return label


def _split(table: Dict[str, str]) -> Dict[str, FrozenSet[str]]:
    return {role: frozenset(labels.split()) for role, labels in table.items()}


CLEARNLP = Scheme(
    "clearnlp",
    _split(
        {
            SUBJECT: "nsubj nsubjpass",
            CLAUSAL_SUBJECT: "csubj csubjpass",
            OBJECT: "dobj dative obj iobj",
            OBLIQUE: "pobj",
            AGENT: "agent",
            POSSESSOR: "poss",
            CONJUNCT: "conj",
            COORDINATOR: "cc",
            APPOSITION: "appos",
            RELATIVE: "relcl",
            CLAUSE: "acl advcl",
            COMPLEMENT: "ccomp",
            OPEN_COMPLEMENT: "xcomp",
            EXPLETIVE: "expl",
            AUXILIARY: "aux auxpass",
            PREPOSITION: "prep dative agent",
        }
    ),
    frozenset("dobj pobj nsubjpass auxpass prep poss relcl attr dative".split()),
    frozenset(
        "acomp advmod amod case complm compound det hmod hyph infmod intj mark meta "
        "neg nmod nn npadvmod npmod num number nummod oprd parataxis partmod pcomp "
        "possessive preconj predet prt punct quantmod rcmod".split()
    ),
    has_preposition_heads=True,
)
UD = Scheme(
    "ud",
    _split(
        {
            SUBJECT: "nsubj nsubj:pass nsubj:outer",
            CLAUSAL_SUBJECT: "csubj csubj:pass",
            OBJECT: "obj iobj",
            OBLIQUE: "obl obl:arg obl:agent obl:mod",
            OBLIQUE_ARGUMENT: "obl:arg",
            AGENT: "obl:agent",
            POSSESSOR: "nmod:poss det:poss",
            CONJUNCT: "conj",
            COORDINATOR: "cc",
            APPOSITION: "appos",
            RELATIVE: "acl:relcl",
            CLAUSE: "acl advcl",
            COMPLEMENT: "ccomp",
            OPEN_COMPLEMENT: "xcomp",
            EXPLETIVE: "expl expl:subj",
            AUXILIARY: "aux aux:pass aux:tense cop",
            PREPOSITION: "case",
        }
    ),
    frozenset("obl case acl:relcl nmod nsubj:pass aux:pass flat".split()),
    frozenset(
        "advmod amod clf compound det discourse dislocated fixed goeswith list mark "
        "nummod orphan parataxis punct reparandum vocative".split()
    ),
)
TIGER = Scheme(
    "tiger",
    _split(
        {
            SUBJECT: "sb",
            OBJECT: "oa da og oa2",
            OBLIQUE: "nk",
            OBLIQUE_ARGUMENT: "op",
            AGENT: "sbp",
            POSSESSOR: "ag pg",
            CONJUNCT: "cj",
            COORDINATOR: "cd",
            APPOSITION: "app",
            RELATIVE: "rc",
            CLAUSE: "mo re",
            COMPLEMENT: "oc",
            OPEN_COMPLEMENT: "oc",
            EXPLETIVE: "ep ph",
            PREPOSITION: "mnr op sbp pg",
        }
    ),
    frozenset("sb oa da nk ag cj cd oc sbp mnr".split()),
    frozenset(
        "ac adc ams avc cc cm cp cvc dh dm ju ng nmc par pd pm pnc punct rs svp uc "
        "vo".split()
    ),
    has_preposition_heads=True,
    has_coordinator_heads=True,
)
SCHEMES = (CLEARNLP, UD, TIGER)
# The scheme of labels that belong to none of the others: they have no roles.
UNKNOWN = Scheme("unknown", {})
# Labels that say nothing about the scheme.
_ANY = frozenset(("", "root", "dep"))
# The labels of unknown schemes that there was a warning about.
_named: Set[str] = set()


def find_scheme(labels: Iterable[str]) -> Scheme:
    """Find the scheme that a parse follows.

    RETURNS (Scheme): The scheme of which the most distinctive labels occur; Universal
        Dependencies if none do. UNKNOWN if the scheme has less than half of the labels;
        there is one warning for each such scheme.
    """
    found = {label.lower() for label in labels} - _ANY
    counts = {scheme.name: len(scheme.signs & found) for scheme in SCHEMES}
    best = max(SCHEMES, key=lambda scheme: counts[scheme.name])
    best = best if counts[best.name] else UD
    strange = {label for label in found if best.simplify(label) not in best.labels}
    if 2 * len(strange) <= len(found):
        return best
    # Two texts of a scheme have some of their labels in common.
    if strange.isdisjoint(_named):
        known = ", ".join(scheme.name for scheme in SCHEMES)
        message = Warnings.FCW32.format(labels=sorted(strange), available=known)
        warnings.warn(message, stacklevel=2)
    _named.update(strange)
    return UNKNOWN
