"""Read a Doc's annotation as arrays: tags, labels, morphology, and who does what."""

from functools import cached_property
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    List,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

import numpy as np
from spacy.attrs import (
    DEP,
    ENT_IOB,
    ENT_TYPE,
    HEAD,
    LEMMA,
    MORPH,
    POS,
    SENT_START,
    TAG,
)
from spacy.symbols import ADP, AUX, NOUN, PRON, PROPN, VERB
from spacy.tokens import Doc, Span

from ..graph import find_roots
from .features import list_feats
from .lexicon import Lexicon, get_lexicon
from .schemes import UD, UNKNOWN, Scheme, find_scheme
from .word_index import JoinedDocs, Marks, Text, WordIndex

ReadT = TypeVar("ReadT")
_NOMINAL = (NOUN, PROPN, PRON)
# The maximum number of steps from a token to its ancestors.
_MAX_DEPTH = 24


class Annotation:
    """Hold a Doc's annotation as arrays, with the relations of its parse.

    doc (Union[Doc, Span, JoinedDocs]): The document, a span, or many documents.
    lexicon (Optional[Lexicon]): The closed-class words; None for those of the language.

    ATTRIBUTES, each of shape (n_tokens,) unless said otherwise:
        pos, dep, entity (numpy.ndarray): uint64, hashes of spaCy's strings; 0 without
            annotation.
        heads (numpy.ndarray): int64, the syntactic head of each token; the head of a
            root is the root itself, and so is that of a token whose head is outside of
            the span.
        outer_heads (numpy.ndarray): int64, the syntactic heads, also outside of the
            span.
        sentences (numpy.ndarray): int64, the index of each token's sentence.
        scheme (Scheme): The dependency scheme of the parse.
        annotation (FrozenSet[str]): The available annotation, of "pos", "dep" and
            "entities". A parse of an unknown scheme is not available.
        is_zero_subject (Marks): Verbs that stand for the subject that they don't have,
            see Tokens.set_zero_subjects.
        words (WordIndex): The words of the document.
        lexicon (Lexicon): The closed-class words of its language.
    """

    def __init__(self, doc: Text, lexicon: Optional[Lexicon] = None) -> None:
        self.doc = doc
        self.words = WordIndex(doc)
        self.lexicon = lexicon or get_lexicon(doc.vocab.lang)
        self.is_zero_subject = np.zeros(len(doc), dtype=bool)
        columns = [POS, DEP, ENT_TYPE, HEAD, SENT_START, ENT_IOB]
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
        self.has_pos = bool(self.pos.any())
        self.has_dep = bool(self.dep.any())
        found = {
            "pos": self.has_pos,
            "dep": self.has_dep,
            "entities": bool((table[:, 5] != 0).any()),
        }
        self.annotation = frozenset(name for name in found if found[name])
        self._once: Dict[Callable, Any] = {}

    def once(self, read: Callable[[Any], ReadT]) -> ReadT:
        """Read something of the whole annotation, or get what was read before."""
        if read not in self._once:
            self._once[read] = read(self)
        return self._once[read]

    def is_pos(self, *names: str) -> Marks:
        """Find tokens by part of speech.

        names (str): Universal tags, such as "NOUN".
        """
        return self._is_one_of(self.pos, names)

    def has_role(self, *roles: str) -> Marks:
        """Find tokens by their role, independently of the parse's dependency scheme."""
        wanted = self.scheme.find_labels(*roles)
        labels = [label for label, name in self._labels.items() if name in wanted]
        return is_one_of(self.dep, labels)

    @cached_property
    def _labels(self) -> Dict[int, str]:
        """The labels of the parse, and the label of the scheme that each belongs to."""
        strings, labels = self.doc.vocab.strings, np.unique(self.dep).tolist()
        return {label: self.scheme.simplify(strings[label]) for label in labels}

    def has_label(self, *names: str) -> Marks:
        """Find tokens by their label in the parse's own scheme.

        names (str): Labels, such as "cop". Prefer roles, which all schemes have.
        """
        return self._is_one_of(self.dep, names)

    def has_tag(self, *names: str) -> Marks:
        """Find tokens by the tag of the language's own tag set.

        names (str): Tags, such as "VVFIN".
        """
        return self._is_one_of(self.doc.to_array([TAG]).reshape(-1), names)

    def has_word(self, *words: str) -> Marks:
        """Find tokens by their words, in lower case."""
        return self.words.find(frozenset(words))

    def is_listed(self, name: str) -> Marks:
        """Find the words of one of the lexicon's `lists`."""
        return self.words.find(self.lexicon.lists[name])

    def has_morph(self, *feats: str) -> Marks:
        """Find tokens by a morphological feature.

        feats (str): Features of Universal Dependencies, such as "VerbForm=Fin"; a token
            has to have one of them.
        """
        wanted = frozenset(feats)
        return self.map_morphs(lambda form: not wanted.isdisjoint(list_feats(form)))

    @cached_property
    def morphs(self) -> Tuple[List[str], np.ndarray]:
        """The analyses that occur, and the number of that of each token."""
        forms, index = np.unique(
            self.doc.to_array([MORPH]).reshape(-1), return_inverse=True
        )
        strings = self.doc.vocab.strings
        # Also without tokens, what is read has a type.
        return [strings[int(form)] for form in forms] or [""], index

    def map_morphs(self, read: Callable[[str], Any]) -> np.ndarray:
        """Read something from the morphological analysis of each token.

        read (Callable[[str], Any]): Function that is called with each analysis.
        """
        forms, index = self.morphs
        return np.array([*map(read, forms)])[index]

    @cached_property
    def has_lemmas(self) -> bool:
        """Whether the words have lemmas."""
        return bool(self.doc.to_array([LEMMA]).any())

    @cached_property
    def lemmas(self) -> WordIndex:
        """The lemmas of the words."""
        return WordIndex(self.doc, LEMMA)

    def is_entity(self, *names: str) -> Marks:
        """Find tokens by entity label.

        names (str): Labels, such as "PERSON".
        """
        return self._is_one_of(self.entity, names)

    def _is_one_of(self, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
        strings = self.doc.vocab.strings
        return is_one_of(values, [strings[name] for name in names if name in strings])

    @cached_property
    def is_verb(self) -> np.ndarray:
        """Shape (n_tokens,), bool."""
        return is_one_of(self.pos, (VERB, AUX))

    @cached_property
    def is_preposition(self) -> np.ndarray:
        """Shape (n_tokens,), bool."""
        return is_one_of(self.pos, (ADP,))

    @cached_property
    def is_nominal(self) -> np.ndarray:
        """Shape (n_tokens,), bool: nouns, names and pronouns."""
        return is_one_of(self.pos, _NOMINAL)

    def has_child(self, marks: np.ndarray) -> Marks:
        """Find tokens with a marked child in the parse."""
        found = np.zeros(len(self.heads), dtype=bool)
        tokens = np.arange(len(self.heads))
        found[self.heads[marks & (self.heads != tokens)]] = True
        return found

    @cached_property
    def edges(self) -> Tuple[np.ndarray, np.ndarray]:
        """The first and the last token below each token; each of shape (n_tokens,)."""
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
    def _above(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the head of each token, skipping coordinators."""
        above = self.heads
        if self.scheme.has_coordinator_heads:
            above = np.where(self.has_role("coordinator")[above], above[above], above)
        return above

    @cached_property
    def first_conjunct(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the first conjunct of each token's coordination."""
        tokens, above = np.arange(len(self.heads)), self._above
        is_conjunct = self.has_role("conjunct")
        # Only heads that precede the token are followed, since others can form a cycle.
        return find_roots(np.where(is_conjunct & (above < tokens), above, tokens))

    @cached_property
    def governors(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the head of each token, skipping prepositions."""
        if not self.scheme.has_preposition_heads:
            return self.heads
        return np.where(
            self.is_preposition[self.heads], self.heads[self.heads], self.heads
        )

    @cached_property
    def _is_governed(self) -> np.ndarray:
        """Shape (n_tokens,), bool: objects of prepositions."""
        found = self.has_role("oblique")
        if self.scheme.has_preposition_heads:
            # TIGER has the same label for objects of prepositions and other parts of a
            # phrase.
            found = found & self.is_preposition[self.heads] if self.has_pos else found
        return found

    @cached_property
    def own_subject(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the subject below each verb, -1 for none."""
        tokens = np.arange(len(self.heads))
        found = np.full(len(self.heads), -1)
        is_subject = self.has_role("subject", "clausal subject")
        found[self.heads[is_subject]] = tokens[is_subject]
        return found

    @cached_property
    def subject(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the subject of each verb, -1 if unknown.

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
    def verb(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the verb of which a token is an object; -1 if none.

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
        is_infinitive = np.zeros(len(above), dtype=bool)
        is_infinitive[above[self.has_role("auxiliary") & self.is_pos("PART")]] = True
        is_complement = self.has_role("complement", "open complement") & is_infinitive
        is_raised = self.has_role("subject") & is_complement[above]
        raising = above[above]
        verb = np.where(is_raised & self.is_verb[raising], raising, verb)
        return verb[self.first_conjunct]

    @cached_property
    def is_direct(self) -> np.ndarray:
        """Shape (n_tokens,), bool: objects without a preposition, and agents."""
        is_agent = self.has_role("agent")
        is_agent = is_agent | is_agent[self.heads]
        return (~self._is_governed | is_agent)[self.first_conjunct]

    @cached_property
    def is_oblique(self) -> np.ndarray:
        """Shape (n_tokens,), bool: objects of prepositions that are arguments."""
        is_argument = self._is_object_of(self.lexicon.argument_prepositions)
        by_label = self.has_role("oblique argument")
        is_argument = is_argument | by_label | by_label[self.heads]
        has_object = np.zeros(len(is_argument), dtype=bool)
        has_object[self.heads[self.has_role("object")]] = True
        found = self._is_governed & is_argument & ~has_object[self.governors]
        return found[self.first_conjunct]

    def find_nouns(self, prepositions: FrozenSet[str]) -> np.ndarray:
        """Find the nouns of which tokens are objects: "opinion" for "opinion of him".

        RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the nouns; -1 for none.
        """
        above = self.governors
        is_object = self._is_object_of(prepositions) & ~self.is_verb[above]
        return np.where(is_object, above, -1)[self.first_conjunct]

    def _is_object_of(self, prepositions: FrozenSet[str]) -> np.ndarray:
        """Find objects of some prepositions; shape (n_tokens,), bool."""
        found = self.words.find(prepositions)
        if self.scheme.has_preposition_heads:
            return found[self.heads] & ~found
        has_preposition = np.zeros(len(found), dtype=bool)
        has_preposition[self.heads[found]] = True
        return has_preposition

    def is_below(self, tokens: np.ndarray, tops: np.ndarray) -> Marks:
        """Check whether tokens are descendants of other tokens."""
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            tokens = self.heads[tokens]
            found |= tokens == tops
        return found

    def passes(self, tokens: np.ndarray, tops: np.ndarray, marks: np.ndarray) -> Marks:
        """Check whether a marked token is on the path from tokens to their ancestors.

        tokens, tops (numpy.ndarray): Shape (n_pairs,), the indexes of tokens and of
            their ancestors.
        """
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            is_below = tokens != tops
            found |= is_below & marks[tokens]
            tokens = np.where(is_below, self.heads[tokens], tokens)
        return found


def read_kinds(doc: Doc) -> Tuple[Tuple[bool, ...], str]:
    """Read what kinds of annotation a Doc has.

    RETURNS (Tuple[Tuple[bool, ...], str]): Whether it has each kind, and the dependency
        scheme. Documents for which they are equal can be read like one.
    """
    table = doc.to_array([POS, DEP, ENT_IOB, LEMMA]).reshape(len(doc), -1)
    return tuple((table != 0).any(axis=0).tolist()), _read_scheme(doc).name


def _read_scheme(doc: Union[Doc, Span]) -> Scheme:
    labels = np.unique(doc.to_array([DEP]))
    if not labels.any():
        return UD
    strings = doc.vocab.strings
    return find_scheme(strings[int(label)] for label in labels)


def is_one_of(values: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Check which values are in a short list, faster than np.isin, which sorts."""
    found = np.zeros(values.shape, dtype=bool)
    for value in wanted:
        found |= values == value
    return found
