"""Dependency schemes: the labels of a parser -> the roles that grammar asks for.

A scheme is a table. Rules ask for roles alone, so that one rule works with ClearNLP's
labels (spaCy's English pipelines), with Universal Dependencies (French, Polish, Dutch
and most others) and with TIGER's (German).
"""

from dataclasses import dataclass
from typing import Dict, FrozenSet, Iterable, Mapping

SUBJECT = "subject"
CLAUSAL_SUBJECT = "clausal subject"
OBJECT = "object"
# What a preposition governs, and the same where the verb asks for the preposition.
OBLIQUE = "oblique"
OBLIQUE_ARGUMENT = "oblique argument"
# Who acts, in a passive: "by Ann".
AGENT = "agent"
POSSESSOR = "possessor"
CONJUNCT = "conjunct"
COORDINATOR = "coordinator"
COMITATIVE = "comitative"
APPOSITION = "apposition"
RELATIVE = "relative clause"
# Other clauses within a noun phrase, or beside the main clause.
CLAUSE = "clause"
COMPLEMENT = "complement"
# A complement that has its subject from the clause above: "she wants to go".
OPEN_COMPLEMENT = "open complement"
EXPLETIVE = "expletive"
AUXILIARY = "auxiliary"
PREPOSITION = "preposition"


@dataclass(frozen=True)
class Scheme:
    """Hold one dependency scheme.

    name (str): What it is called.
    roles (Mapping[str, FrozenSet[str]]): The labels of each role, in lower case.
    signs (FrozenSet[str]): Labels that no other scheme has.
    has_preposition_heads (bool): Whether a noun hangs on its preposition, and not the
        preposition on the noun.
    has_coordinator_heads (bool): Whether a conjunct hangs on the coordinator, and that
        on the conjunct before it.
    """

    name: str
    roles: Mapping[str, FrozenSet[str]]
    signs: FrozenSet[str] = frozenset()
    has_preposition_heads: bool = False
    has_coordinator_heads: bool = False

    def find_labels(self, *roles: str) -> FrozenSet[str]:
        """Find the labels of some roles.

        *roles (str): The roles.
        RETURNS (FrozenSet[str]): The labels of all of them.
        """
        return frozenset().union(*(self.roles.get(role, ()) for role in roles))


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
            EXPLETIVE: "ep",
            PREPOSITION: "mnr op sbp pg",
        }
    ),
    frozenset("sb oa da nk ag cj cd oc sbp mnr".split()),
    has_preposition_heads=True,
    has_coordinator_heads=True,
)
SCHEMES = (CLEARNLP, UD, TIGER)


def find_scheme(labels: Iterable[str]) -> Scheme:
    """Find the scheme that a parse follows.

    labels (Iterable[str]): The labels of a Doc.
    RETURNS (Scheme): The one of whose own labels most are there; Universal Dependencies
        where no label tells.
    """
    found = {label.lower() for label in labels}
    counts = {scheme.name: len(scheme.signs & found) for scheme in SCHEMES}
    best = max(SCHEMES, key=lambda scheme: counts[scheme.name])
    return best if counts[best.name] else UD
