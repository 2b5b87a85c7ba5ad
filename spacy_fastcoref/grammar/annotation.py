"""Read a Doc's annotation as arrays: tags, labels, morphology, and who does what."""

from functools import cached_property
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

import numpy as np
from spacy import attrs
from spacy.tokens import Doc

from ..graph import find_roots
from .features import list_feats
from .lexicon import Lexicon, get_lexicon
from .schemes import UD, UNKNOWN, Scheme, find_scheme
from .word_index import JoinedDocs, Marks, Rows, Text, WordIndex

# The maximum number of steps from a token to its ancestors.
_MAX_DEPTH = 24


class Annotation:
    """Hold a Doc's annotation as arrays, with the relations of its parse.

    lexicon (Optional[Lexicon]): The closed-class words; None for those of the language.

    ATTRIBUTES, each of shape (n_tokens,) unless said otherwise:
        pos, dep, entity (numpy.ndarray): uint64, hashes of spaCy's strings; 0 without
            annotation.
        heads (Rows): The syntactic heads. A root is its own head, and so is a token
            whose head is outside of the span.
        outer_heads (Rows): The syntactic heads, also outside of the span.
        sentences (Rows): The index of each token's sentence.
        annotation (FrozenSet[str]): The available annotation, of "pos", "dep" and
            "entities". A parse of an unknown scheme is not available.
        is_zero_subject (Marks): Verbs that stand for the subject that they don't have,
            see Tokens.set_zero_subjects.
    """

    def __init__(self, doc: Text, lexicon: Optional[Lexicon] = None) -> None:
        self.doc = doc
        self.words = WordIndex(doc)
        self.lexicon = lexicon or get_lexicon(doc.vocab.lang)
        self.is_zero_subject = np.zeros(len(doc), dtype=bool)
        columns = [attrs.POS, attrs.DEP, attrs.ENT_TYPE]
        columns += [attrs.HEAD, attrs.SENT_START, attrs.ENT_IOB]
        table = doc.to_array(columns).reshape(len(doc), len(columns))
        self.pos, self.dep, self.entity = table[:, 0], table[:, 1], table[:, 2]
        tokens = np.arange(len(doc))
        heads = tokens + table[:, 3].astype(np.int64)
        # The documents that are joined have the same.
        one = doc.docs[0] if isinstance(doc, JoinedDocs) else doc
        self.scheme = _read_scheme(one)
        if self.scheme is UNKNOWN:
            self.dep, heads = np.zeros_like(self.dep), tokens
        # A token whose head is outside of the span is a root of the span.
        is_inside = (heads >= 0) & (heads < len(doc))
        self.heads = np.where(is_inside, heads, tokens)
        self.outer_heads = heads
        self.sentences = np.cumsum(table[:, 4].astype(np.int64) == 1)
        found = {"pos": self.pos, "dep": self.dep, "entities": table[:, 5]}
        self.annotation = frozenset(name for name in found if found[name].any())
        self.has_pos, self.has_dep = (one in self.annotation for one in ("pos", "dep"))
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
        wanted = self.scheme.find_labels(*roles)
        labels = [label for label, simple in self._labels.items() if simple in wanted]
        return self.has_label(*labels)

    @cached_property
    def _labels(self) -> Dict[str, str]:
        """The labels of the parse, and the label of the scheme that each belongs to."""
        labels = map(self.doc.vocab.strings.__getitem__, np.unique(self.dep).tolist())
        return {label: self.scheme.simplify(label) for label in labels}

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
    def has_lemmas(self) -> bool:
        """Whether the words have lemmas."""
        return bool(self.doc.to_array([attrs.LEMMA]).any())

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

    @cached_property
    def is_verb(self) -> Marks:
        """Verbs and auxiliaries."""
        return self.is_pos("VERB", "AUX")

    @cached_property
    def is_preposition(self) -> Marks:
        """Prepositions and postpositions."""
        return self.is_pos("ADP")

    @cached_property
    def is_nominal(self) -> Marks:
        """Nouns, names and pronouns."""
        return self.is_pos("NOUN", "PROPN", "PRON")

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
        above = self.heads
        if self.scheme.has_coordinator_heads:
            above = np.where(self.has_role("coordinator")[above], above[above], above)
        return above

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
        above = self.heads
        return np.where(self.is_preposition[above], above[above], above)

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
        tokens = np.arange(len(self.heads))
        found = np.full(len(self.heads), -1)
        is_subject = self.has_role("subject", "clausal subject")
        found[self.heads[is_subject]] = tokens[is_subject]
        return found

    @cached_property
    def subject(self) -> Rows:
        """The subject of each verb, -1 if unknown.

        The subject of a verb without one is the subject of its head, or the object of
        its head ("asked Bob to help").
        """
        tokens = np.arange(len(self.heads))
        found = self.own_subject.copy()
        zero = np.flatnonzero(self.is_zero_subject)
        # An auxiliary has the person of the verb above it.
        is_helper = self.has_role("auxiliary")[zero]
        found[np.where(is_helper, self.heads[zero], zero)] = zero
        objects = np.full(len(self.heads), -1)
        is_object = self.has_role("object")
        objects[self.heads[is_object]] = tokens[is_object]
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
        """The verb of which a token is an object; -1 if none.

        Objects of the verb's prepositions count as objects of the verb.
        """
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

    def passes(self, tokens: Rows, tops: Rows, marks: Marks) -> Marks:
        """Check for marked tokens on the paths from tokens to their ancestors."""
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            is_below = tokens != tops
            found |= is_below & marks[tokens]
            tokens = np.where(is_below, self.heads[tokens], tokens)
        return found


def read_kinds(doc: Doc) -> Tuple[Tuple[bool, ...], str]:
    """Read whether a Doc has each kind of annotation, and its dependency scheme.

    Documents for which they are equal can be read like one.
    """
    columns = [attrs.POS, attrs.DEP, attrs.ENT_IOB, attrs.LEMMA]
    table = doc.to_array(columns).reshape(len(doc), -1)
    return tuple((table != 0).any(axis=0).tolist()), _read_scheme(doc).name


def _read_scheme(doc: Text) -> Scheme:
    labels = np.unique(doc.to_array([attrs.DEP]))
    if not labels.any():
        return UD
    return find_scheme(doc.vocab.strings[int(label)] for label in labels)
