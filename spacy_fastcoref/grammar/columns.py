"""Read the columns of a Doc's annotation: tags, labels, morphology and entities."""

from functools import cached_property, lru_cache
from typing import Dict, FrozenSet, List, Sequence, Tuple, Union

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

from .joined import JoinedDocs
from .schemes import UD, UNKNOWN, Scheme, find_scheme
from .word_index import Text, WordIndex

_NOMINAL = (NOUN, PROPN, PRON)


class Columns:
    """Hold the columns of a Doc's annotation as arrays.

    doc (Union[Doc, Span, JoinedDocs]): The document, a span, or many documents.

    ATTRIBUTES, each of shape (n_tokens,) except the last two:
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
    """

    def __init__(self, doc: Text) -> None:
        self.doc = doc
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

    def is_pos(self, *names: str) -> np.ndarray:
        """Find tokens by part of speech.

        names (str): Universal tags, such as "NOUN".
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return self._is_one_of(self.pos, names)

    def has_role(self, *roles: str) -> np.ndarray:
        """Find tokens by their role, independently of the parse's dependency scheme.

        roles (str): Roles of schemes.py, such as SUBJECT.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        wanted = self.scheme.find_labels(*roles)
        labels = [label for label, name in self._labels.items() if name in wanted]
        return is_one_of(self.dep, labels)

    @cached_property
    def _labels(self) -> Dict[int, str]:
        """The labels of the parse, and the label of the scheme that each belongs to."""
        strings, labels = self.doc.vocab.strings, np.unique(self.dep).tolist()
        return {label: self.scheme.simplify(strings[label]) for label in labels}

    def has_label(self, *names: str) -> np.ndarray:
        """Find tokens by their label in the parse's own scheme.

        names (str): Labels, such as "cop". Prefer roles, which all schemes have.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return self._is_one_of(self.dep, names)

    def has_tag(self, *names: str) -> np.ndarray:
        """Find tokens by the tag of the language's own tag set.

        names (str): Tags, such as "VVFIN".
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        tags = self.doc.to_array([TAG]).reshape(-1)
        return self._is_one_of(tags, names)

    def has_morph(self, *feats: str) -> np.ndarray:
        """Find tokens by a morphological feature.

        feats (str): Features of Universal Dependencies, such as "VerbForm=Fin"; a token
            has to have one of them.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        forms, index = self._morphs
        found = [not form.isdisjoint(feats) for form in forms]
        return np.array(found, dtype=bool)[index]

    @cached_property
    def _morphs(self) -> Tuple[List[FrozenSet[str]], np.ndarray]:
        """The features of each analysis that occurs, and the analysis of each token."""
        morphs = self.doc.to_array([MORPH]).reshape(-1)
        forms, index = np.unique(morphs, return_inverse=True)
        strings = self.doc.vocab.strings
        return [_split_feats(strings[int(form)]) for form in forms], index

    @cached_property
    def has_lemmas(self) -> bool:
        """Whether the words have lemmas."""
        return bool(self.doc.to_array([LEMMA]).any())

    @cached_property
    def lemmas(self) -> WordIndex:
        """The lemmas of the words."""
        return WordIndex(self.doc, LEMMA)

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
    def is_preposition(self) -> np.ndarray:
        """Shape (n_tokens,), bool."""
        return is_one_of(self.pos, (ADP,))

    @cached_property
    def is_nominal(self) -> np.ndarray:
        """Shape (n_tokens,), bool: nouns, names and pronouns."""
        return is_one_of(self.pos, _NOMINAL)


def read_kinds(doc: Doc) -> Tuple[Tuple[bool, ...], str]:
    """Read what kinds of annotation a Doc has.

    doc (Doc): The document.
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


@lru_cache(maxsize=None)
def _split_feats(feats: str) -> FrozenSet[str]:
    """Split a morphological analysis: "Gender=Fem,Masc" has two features."""
    pairs = (part.split("=", 1) for part in feats.split("|") if "=" in part)
    return frozenset(
        f"{name}={value}" for name, values in pairs for value in values.split(",")
    )


def is_one_of(values: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Check which values are in a short list, faster than np.isin, which sorts.

    values (numpy.ndarray): An array of any shape.
    wanted (Sequence[int]): The list.
    RETURNS (numpy.ndarray): An array of the same shape, bool.
    """
    found = np.zeros(values.shape, dtype=bool)
    for value in wanted:
        found |= values == value
    return found
