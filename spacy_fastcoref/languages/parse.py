"""A Doc's tags and trees as arrays, with what rules ask of them."""

from functools import cached_property
from typing import FrozenSet, Sequence

import numpy as np
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, POS, SENT_START
from spacy.symbols import AUX, NOUN, PRON, PROPN, VERB
from spacy.tokens import Doc

from ..decoding.components import find_roots
from .word_index import WordIndex

_NOMINAL = (NOUN, PROPN, PRON)
# How far up trees are followed.
_MAX_DEPTH = 24


class Parse:
    """Hold a Doc's annotation as arrays.

    doc (Doc): The document; whatever annotation it lacks is 0.
    words (WordIndex): Its words.
    prepositions (FrozenSet[str]): The words of the language that a verb may ask for, as
        in "talk to", and not of place, as in "look behind".

    ATTRIBUTES, each of shape (n_tokens,):
        pos, dep, entity (numpy.ndarray): uint64, ids of spaCy's strings.
        heads (numpy.ndarray): int64, each token's syntactic head; a root's is itself.
        sentences (numpy.ndarray): int64, the index of each token's sentence.

    And annotation (FrozenSet[str]): which of "pos", "dep" and "entities" there is.
    """

    def __init__(
        self,
        doc: Doc,
        words: WordIndex,
        prepositions: FrozenSet[str] = frozenset(),
    ) -> None:
        self.doc = doc
        self.words = words
        self.prepositions = prepositions
        columns = [POS, DEP, ENT_TYPE, HEAD, SENT_START, ENT_IOB]
        table = doc.to_array(columns).reshape(len(doc), len(columns))
        self.pos, self.dep, self.entity = table[:, 0], table[:, 1], table[:, 2]
        self.heads = np.arange(len(doc)) + table[:, 3].astype(np.int64)
        self.sentences = np.cumsum(table[:, 4].astype(np.int64) == 1)
        self.has_pos = bool(self.pos.any())
        self.has_dep = bool(self.dep.any())
        found = {
            "pos": self.has_pos,
            "dep": self.has_dep,
            "entities": bool((table[:, 5] != 0).any()),
        }
        self.annotation = frozenset(name for name in found if found[name])

    def is_pos(self, *names: str) -> np.ndarray:
        """Find tokens by part of speech.

        names (str): Universal tags, such as "NOUN".
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return self._is_one_of(self.pos, names)

    def is_dep(self, *names: str) -> np.ndarray:
        """Find tokens by their relation to their head.

        names (str): Labels, such as "nsubj".
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return self._is_one_of(self.dep, names)

    def is_entity(self, *names: str) -> np.ndarray:
        """Find tokens by entity label.

        names (str): Labels, such as "PERSON".
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
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
    def first_conjunct(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the conjunct that stands for a coordination."""
        heads = np.where(self.is_dep("conj"), self.heads, np.arange(len(self.heads)))
        return find_roots(heads)

    @cached_property
    def subject(self) -> np.ndarray:
        """Shape (n_tokens,), int64: who does what each verb says, -1 if not known.

        A verb without a subject shares that of the verb it hangs on, or has this
        one's object for it ("asked Bob to help").
        """
        tokens = np.arange(len(self.heads))
        found = np.full(len(self.heads), -1)
        is_subject = self.is_dep("nsubj", "nsubjpass", "csubj", "sb")
        found[self.heads[is_subject]] = tokens[is_subject]
        objects = np.full(len(self.heads), -1)
        is_object = self.is_dep("dobj", "obj", "iobj", "dative")
        objects[self.heads[is_object]] = tokens[is_object]
        is_complement = self.is_dep("xcomp", "ccomp")
        shares = self.is_verb & self.is_dep("xcomp", "conj")
        above = np.where(self.is_verb, self.heads, tokens)
        for _ in range(4):
            controlled = is_complement & (objects[above] >= 0) & (above != tokens)
            shared = np.where(controlled, objects[above], found[above])
            usable = shares & (found < 0) & self.is_verb[above] & (above != tokens)
            found = np.where(usable, shared, found)
        return found

    @cached_property
    def verb(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the verb that a token is an object of, -1 for none.

        Objects of prepositions count as those of the verb.
        """
        first = self.first_conjunct
        is_object = self.is_dep("dobj", "obj", "iobj", "dative")
        above = self.heads
        verb = np.where(is_object & self.is_verb[above], above, -1)
        is_pobj = self.is_dep("pobj") & ~self.is_verb[above]
        further = self.heads[above]
        verb = np.where(is_pobj & self.is_verb[further], further, verb)
        # "believed him to be honest": the subject of an infinitive.
        is_infinitive = np.zeros(len(above), dtype=bool)
        is_infinitive[self.heads[self.is_dep("aux") & self.is_pos("PART")]] = True
        is_complement = self.is_dep("ccomp", "xcomp") & is_infinitive
        is_raised = self.is_dep("nsubj") & is_complement[above]
        verb = np.where(is_raised & self.is_verb[further], further, verb)
        return verb[first]

    @cached_property
    def is_direct(self) -> np.ndarray:
        """Shape (n_tokens,), bool: objects that no preposition governs."""
        is_agent = self.is_dep("agent")[self.heads]
        return (~self.is_dep("pobj") | is_agent)[self.first_conjunct]

    @cached_property
    def is_oblique(self) -> np.ndarray:
        """Shape (n_tokens,), bool: objects of a preposition that the verb asks for."""
        is_asked = self.words.find(self.prepositions)[self.heads]
        has_object = np.zeros(len(is_asked), dtype=bool)
        has_object[self.heads[self.is_dep("dobj", "obj")]] = True
        is_oblique = self.is_dep("pobj") & is_asked
        return (is_oblique & ~has_object[self.heads[self.heads]])[self.first_conjunct]

    @cached_property
    def is_nominal(self) -> np.ndarray:
        """Shape (n_tokens,), bool: nouns, names and pronouns."""
        return is_one_of(self.pos, _NOMINAL)

    def is_below(self, tokens: np.ndarray, tops: np.ndarray) -> np.ndarray:
        """Tell whether tokens hang below others, at whatever depth.

        tokens, tops (numpy.ndarray): Shape (n_pairs,), token indexes.
        RETURNS (numpy.ndarray): Shape (n_pairs,), bool; a token is not below itself.
        """
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            tokens = self.heads[tokens]
            found |= tokens == tops
        return found

    def passes(
        self, tokens: np.ndarray, tops: np.ndarray, marks: np.ndarray
    ) -> np.ndarray:
        """Tell whether the way up from tokens to others meets a mark.

        tokens, tops (numpy.ndarray): Shape (n_pairs,), token indexes.
        marks (numpy.ndarray): Shape (n_tokens,), bool.
        RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
        """
        found = np.zeros(len(tokens), dtype=bool)
        for _ in range(_MAX_DEPTH):
            on_way = tokens != tops
            found |= on_way & marks[tokens]
            tokens = np.where(on_way, self.heads[tokens], tokens)
        return found


def is_one_of(values: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Find a few values, faster than np.isin, which sorts.

    values (numpy.ndarray): Of any shape.
    wanted (Sequence[int]): What to find.
    RETURNS (numpy.ndarray): Of the same shape, bool.
    """
    found = np.zeros(values.shape, dtype=bool)
    for value in wanted:
        found |= values == value
    return found
