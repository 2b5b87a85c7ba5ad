"""Read a Doc's annotation as arrays: tags, labels, morphology, and who does what.

A dependency scheme is a table of labels, in schemes.json. Rules use only the roles of
labels, so that they work with ClearNLP (spaCy's English pipelines), Universal
Dependencies (French, Polish, Dutch and most others) and TIGER (German).
"""

import json
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

import numpy as np
from spacy import attrs
from spacy.tokens import Doc

from ..errors import Warnings
from ..graph import find_roots
from .features import list_feats
from .lexicon import Lexicon, get_lexicon
from .word_index import JoinedDocs, Marks, Rows, Text, WordIndex

# The maximum number of steps from a token to its ancestors.
_MAX_DEPTH = 24


@dataclass(frozen=True)
class Scheme:
    """Hold one dependency scheme."""

    name: str
    # The roles of each label in lower case, none for some. An "oblique" is the object
    # of a preposition, an "agent" that of a passive ("by Ann"), a "clause" any other
    # clause that modifies a noun or the main one. The subject of an "open
    # complement" is determined by the clause above it: "she wants to go".
    roles: Dict[str, FrozenSet[str]]
    signs: FrozenSet[str]  # Labels that no other scheme has.
    # Whether the head of a noun is its preposition, and not the other way round.
    has_preposition_heads: bool = False
    # Whether a conjunct is below the coordinator, and that below the conjunct before.
    has_coordinator_heads: bool = False

    def find_roles(self, label: str) -> Optional[FrozenSet[str]]:
        """Find the roles of a label, without subtypes that the scheme doesn't have;
        None for a label of another scheme."""
        label = label.lower()
        while label not in self.roles and ":" in label:
            label = label.rpartition(":")[0]
        return self.roles.get(label)


def _read_scheme(
    name: str, roles: Dict[str, str], signs: str = "", others: str = "", **heads: bool
) -> Scheme:
    """Read a table: labels by role, and labels without a role."""
    by_label: Dict[str, Set[str]] = {
        label: set() for label in f"{signs} {others}".split()
    }
    for role, labels in roles.items():
        for label in labels.split():
            by_label.setdefault(label, set()).add(role)
    frozen = {label: frozenset(found) for label, found in by_label.items()}
    return Scheme(name, frozen, frozenset(signs.split()), **heads)


_TABLES = json.loads(Path(__file__).with_name("schemes.json").read_text("utf8"))
SCHEMES = {name: _read_scheme(name, **table) for name, table in _TABLES.items()}
# The scheme of labels that belong to none of the others: they have no roles.
UNKNOWN = Scheme("unknown", {}, frozenset())
# Labels that say nothing about the scheme.
_ANY = frozenset(("", "root", "dep"))
# The labels of unknown schemes that there was a warning about.
_named: Set[str] = set()


def find_scheme(labels: Iterable[str]) -> Scheme:
    """Find the scheme of which the most distinctive labels occur; "ud" if none do.

    It is UNKNOWN if it has less than half of the labels, with one warning for each.
    """
    found = {label.lower() for label in labels} - _ANY
    best = max(SCHEMES.values(), key=lambda scheme: len(scheme.signs & found))
    best = SCHEMES["ud"] if best.signs.isdisjoint(found) else best
    strange = {label for label in found if best.find_roles(label) is None}
    if 2 * len(strange) <= len(found):
        return best
    # Two texts of a scheme have some of their labels in common.
    if strange.isdisjoint(_named):
        known = ", ".join(SCHEMES)
        message = Warnings.FCW32.format(labels=sorted(strange), available=known)
        warnings.warn(message, stacklevel=2)
    _named.update(strange)
    return UNKNOWN


def _read_labels(doc: Text) -> List[str]:
    """List the labels that occur in a parse, with "" for tokens without any."""
    labels = np.unique(doc.to_array([attrs.DEP]))
    return [doc.vocab.strings[int(label)] for label in labels]


class Annotation:
    """Hold a Doc's annotation as arrays, with the relations of its parse.

    Arrays are of shape (n_tokens,) unless said otherwise.

    lexicon (Optional[Lexicon]): The closed-class words; None for those of the language.
    """

    def __init__(self, doc: Text, lexicon: Optional[Lexicon] = None) -> None:
        self.doc = doc
        self.words = WordIndex(doc)
        self.lexicon = lexicon or get_lexicon(doc.vocab.lang)
        # Verbs that stand for the subject that they don't have.
        self.is_zero_subject = np.zeros(len(doc), dtype=bool)
        columns = [attrs.POS, attrs.DEP, attrs.ENT_TYPE]
        columns += [attrs.HEAD, attrs.SENT_START, attrs.ENT_IOB, attrs.LEMMA]
        table = doc.to_array(columns).reshape(len(doc), len(columns))
        # Hashes of spaCy's strings; 0 without annotation.
        self.pos, self.dep, self.entity = table[:, 0], table[:, 1], table[:, 2]
        tokens = np.arange(len(doc))
        heads = tokens + table[:, 3].astype(np.int64)
        # The documents that are joined have the same scheme.
        one = doc.docs[0] if isinstance(doc, JoinedDocs) else doc
        self.scheme = find_scheme(_read_labels(one))
        if self.scheme is UNKNOWN:
            self.dep, heads = np.zeros_like(self.dep), tokens
        # A root is its own head, and so is a token whose head is outside of the span.
        is_inside = (heads >= 0) & (heads < len(doc))
        self.heads = np.where(is_inside, heads, tokens)
        self.outer_heads = heads
        self.sentences = np.cumsum(table[:, 4].astype(np.int64) == 1)
        # What there is of the kinds; a parse of an unknown scheme is not there.
        found = {"pos": self.pos, "dep": self.dep, "entities": table[:, 5]}
        self.annotation = frozenset(name for name in found if found[name].any())
        self.has_pos, self.has_dep = (one in self.annotation for one in ("pos", "dep"))
        self.has_lemmas = bool(table[:, 6].any())
        self.is_verb = self.is_pos("VERB", "AUX")
        self.is_preposition = self.is_pos("ADP")  # Or a postposition.
        self.is_nominal = self.is_pos("NOUN", "PROPN", "PRON")
        self._once: Dict[Callable, Any] = {}

    def once(self, read: Callable[[Any], Any]) -> Any:
        """Read something of the whole annotation, or get what was read before."""
        if read not in self._once:
            self._once[read] = read(self)
        return self._once[read]

    def is_pos(self, *names: str) -> Marks:
        """Find tokens by part of speech, in universal tags such as "NOUN"."""
        return self._is_one_of(self.pos, names)

    def has_role(self, *roles: str) -> Marks:
        """Find tokens by their role, independently of the parse's dependency scheme."""
        found = self._roles.items()
        return self.has_label(*(one for one, own in found if not own.isdisjoint(roles)))

    @cached_property
    def _roles(self) -> Dict[str, FrozenSet[str]]:
        """The roles of each label of the parse."""
        read = self.scheme.find_roles
        return {label: read(label) or frozenset() for label in _read_labels(self.doc)}

    def has_label(self, *names: str) -> Marks:
        """Find tokens by their label in the parse's own scheme, such as "cop".

        Prefer roles, which all schemes have.
        """
        return self._is_one_of(self.dep, names)

    def has_tag(self, *names: str) -> Marks:
        """Find tokens by the tag of the language's own tag set, such as "VVFIN"."""
        return self._is_one_of(self.doc.to_array([attrs.TAG]).reshape(-1), names)

    def has_word(self, *words: str) -> Marks:
        """Find tokens by their words, in lower case."""
        return self.words.find(frozenset(words))

    def is_listed(self, name: str) -> Marks:
        """Find the words of one of the lexicon's `lists`."""
        return self.words.find(self.lexicon.lists[name])

    def has_morph(self, *feats: str) -> Marks:
        """Find tokens with one of some morphological features: "VerbForm=Fin"."""
        wanted = frozenset(feats)
        return self.map_morphs(lambda form: not wanted.isdisjoint(list_feats(form)))

    @cached_property
    def morphs(self) -> Tuple[List[str], Rows]:
        """The analyses that occur, and the number of that of each token."""
        column = self.doc.to_array([attrs.MORPH]).reshape(-1)
        forms, index = np.unique(column, return_inverse=True)
        strings = self.doc.vocab.strings
        # Also without tokens, what is read has a type.
        return [strings[int(form)] for form in forms] or [""], index

    def map_morphs(self, read: Callable[[str], Any]) -> np.ndarray:
        """Read something from the morphological analysis of each token."""
        forms, index = self.morphs
        return np.array([*map(read, forms)])[index]

    @cached_property
    def lemmas(self) -> WordIndex:
        """The lemmas of the words."""
        return WordIndex(self.doc, attrs.LEMMA)

    def is_entity(self, *names: str) -> Marks:
        """Find tokens by entity label, such as "PERSON"."""
        return self._is_one_of(self.entity, names)

    def _is_one_of(self, values: np.ndarray, names: Iterable[str]) -> Marks:
        strings, found = self.doc.vocab.strings, np.zeros(len(values), dtype=bool)
        # For a short list, this is faster than np.isin, which sorts.
        for name in names:
            if name in strings:
                found |= values == strings[name]
        return found

    def has_child(self, marks: Marks) -> Marks:
        """Find tokens with a marked child in the parse."""
        found = np.zeros(len(self.heads), dtype=bool)
        tokens = np.arange(len(self.heads))
        found[self.heads[marks & (self.heads != tokens)]] = True
        return found

    @cached_property
    def edges(self) -> Tuple[Rows, Rows]:
        """The first and the last token below each token."""
        tokens = np.arange(len(self.heads))
        first, last = tokens.copy(), tokens.copy()
        # Parses are rarely deeper than this.
        for _ in range(4 * _MAX_DEPTH):
            before = first.copy(), last.copy()
            np.minimum.at(first, self.heads, before[0])
            np.maximum.at(last, self.heads, before[1])
            if np.array_equal(first, before[0]) and np.array_equal(last, before[1]):
                break
        return first, last

    @cached_property
    def _above(self) -> Rows:
        """The head of each token, skipping coordinators."""
        if not self.scheme.has_coordinator_heads:
            return self.heads
        return self._skip(self.has_role("coordinator"))

    def _skip(self, marks: Marks) -> Rows:
        above = self.heads
        return np.where(marks[above], above[above], above)

    @cached_property
    def first_conjunct(self) -> Rows:
        """The first conjunct of each token's coordination."""
        tokens, above = np.arange(len(self.heads)), self._above
        is_conjunct = self.has_role("conjunct")
        # Only heads that precede the token are followed, since others can form a cycle.
        return find_roots(np.where(is_conjunct & (above < tokens), above, tokens))

    @cached_property
    def governors(self) -> Rows:
        """The head of each token, skipping prepositions."""
        if not self.scheme.has_preposition_heads:
            return self.heads
        return self._skip(self.is_preposition)

    @cached_property
    def _is_governed(self) -> Marks:
        """Objects of prepositions."""
        found = self.has_role("oblique")
        if self.scheme.has_preposition_heads:
            # TIGER has the same label for objects of prepositions and other parts of a
            # phrase.
            found = found & self.is_preposition[self.heads] if self.has_pos else found
        return found

    @cached_property
    def own_subject(self) -> Rows:
        """The subject below each verb, -1 for none."""
        return self._find_below(self.has_role("subject", "clausal subject"))

    def _find_below(self, marks: Marks) -> Rows:
        """Find the last marked token below each token, -1 for none."""
        found = np.full(len(self.heads), -1)
        found[self.heads[marks]] = np.flatnonzero(marks)
        return found

    @cached_property
    def subject(self) -> Rows:
        """The subject of each verb, or else the subject or the object of its head:
        "asked Bob to help"; -1 if unknown."""
        tokens = np.arange(len(self.heads))
        found = self.own_subject.copy()
        zero = np.flatnonzero(self.is_zero_subject)
        # An auxiliary has the person of the verb above it.
        is_helper = self.has_role("auxiliary")[zero]
        found[np.where(is_helper, self.heads[zero], zero)] = zero
        objects = self._find_below(self.has_role("object"))
        is_complement = self.has_role("complement", "open complement")
        shares = self.is_verb & self.has_role("open complement", "conjunct")
        above = np.where(self.is_verb, self._above, tokens)
        for _ in range(4):
            controlled = is_complement & (objects[above] >= 0) & (above != tokens)
            shared = np.where(controlled, objects[above], found[above])
            usable = shares & (found < 0) & self.is_verb[above] & (above != tokens)
            found = np.where(usable, shared, found)
        return found

    @cached_property
    def verb(self) -> Rows:
        """The verb of which a token is an object, also by a preposition; -1 if none."""
        above = self.heads
        if not self.is_verb.any():
            return np.full(len(above), -1)
        verb = np.where(self.has_role("object") & self.is_verb[above], above, -1)
        further = self.governors
        is_governed = self._is_governed & self.is_verb[further]
        verb = np.where(is_governed, further, verb)
        # The subject of an infinitive is the object of the verb above it: "believed him
        # to be honest".
        is_infinitive = self.has_child(self.has_role("auxiliary") & self.is_pos("PART"))
        is_complement = self.has_role("complement", "open complement") & is_infinitive
        is_raised = self.has_role("subject") & is_complement[above]
        raising = above[above]
        verb = np.where(is_raised & self.is_verb[raising], raising, verb)
        return verb[self.first_conjunct]

    @cached_property
    def is_direct(self) -> Marks:
        """Objects without a preposition, and agents."""
        is_agent = self.has_role("agent")
        is_agent = is_agent | is_agent[self.heads]
        return (~self._is_governed | is_agent)[self.first_conjunct]

    @cached_property
    def is_oblique(self) -> Marks:
        """Objects of prepositions that are arguments."""
        is_argument = self._is_object_of(self.lexicon.argument_prepositions)
        by_label = self.has_role("oblique argument")
        is_argument = is_argument | by_label | by_label[self.heads]
        has_object = self.has_child(self.has_role("object"))[self.governors]
        return (self._is_governed & is_argument & ~has_object)[self.first_conjunct]

    def find_nouns(self, prepositions: FrozenSet[str]) -> Rows:
        """Find the noun of which each token is an object: "opinion of him"."""
        above = self.governors
        is_object = self._is_object_of(prepositions) & ~self.is_verb[above]
        return np.where(is_object, above, -1)[self.first_conjunct]

    def _is_object_of(self, prepositions: FrozenSet[str]) -> Marks:
        """Find objects of some prepositions."""
        found = self.words.find(prepositions)
        if self.scheme.has_preposition_heads:
            return found[self.heads] & ~found
        return self.has_child(found)

    def passes(
        self, tokens: Rows, is_below: Callable[[Rows], Marks], marks: Marks
    ) -> Marks:
        """Check for marked tokens on the paths up from tokens, as far as they are below
        what they lead to."""
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            is_on_path = is_below(tokens)
            if not is_on_path.any():
                break
            found |= is_on_path & marks[tokens]
            tokens = np.where(is_on_path, self.heads[tokens], tokens)
        return found


def read_kinds(doc: Doc) -> Tuple[Tuple[bool, ...], str]:
    """Read whether a Doc has each kind of annotation, and its dependency scheme."""
    columns = [attrs.POS, attrs.DEP, attrs.ENT_IOB, attrs.LEMMA]
    table = doc.to_array(columns).reshape(len(doc), -1)
    kinds = tuple((table != 0).any(axis=0).tolist())
    return kinds, find_scheme(_read_labels(doc)).name
