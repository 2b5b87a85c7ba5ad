"""Turn tags, morphology and dependencies of mentions into vectors of zeros and ones."""

from collections import Counter, defaultdict
from typing import Dict, Iterable, List, Sequence

import numpy as np
from spacy.attrs import DEP, ENT_TYPE, MORPH, POS, TAG
from spacy.morphology import Morphology
from spacy.tokens import Doc
from thinc.types import Floats2d

from ...errors import Errors
from .candidates import Candidates

# What can be read of a word. Of a child, only what it is.
_ATTRS = {"tag": TAG, "pos": POS, "dep": DEP, "entity": ENT_TYPE, "morph": MORPH}
_OF_CHILDREN = ("dep", "pos")
ANNOTATION = tuple(_ATTRS)
# What is read: of a mention's head, of the word that governs it, and of its children.
_HEAD, _GOVERNOR, _CHILD = "head", "governor", "child"
# A value that is rarer than this in training is ignored.
_MIN_COUNT = 5
# In fewer mentions, all labels can be rare ones.
_MIN_HEADS = 8
# Values that say nothing.
_EMPTY = "", Morphology.EMPTY_MORPH
_LABELS = {"tag": "tags", "dep": "dependencies"}


class AnnotationValues:
    """List the values of annotation that occurred in training, with a column for each.

    values (Dict[str, List[str]]): The values of each slot, such as "head dep".
    RAISES (Exception): The values are of any other form.
    """

    def __init__(self, values: Dict[str, List[str]]) -> None:
        self.values = values
        self.width = sum(map(len, values.values()))
        self.slots = []
        for slot in values:
            where, name = slot.split(" ")
            is_known = where in (_HEAD, _GOVERNOR, _CHILD) and name in _ATTRS
            if not is_known or not isinstance(values[slot], list):
                raise ValueError(f"there are no values of {slot!r}")
            self.slots.append((where, name, values[slot]))

    @classmethod
    def count(
        cls, found: Iterable[Candidates], annotation: Sequence[str] = ANNOTATION
    ) -> "AnnotationValues":
        """List the values that occur in documents, but for rare ones."""
        counts: Dict[str, Counter] = defaultdict(Counter)
        for one in found:
            doc, heads = one.doc, one.facts.heads.tolist()
            places = {
                _HEAD: heads,
                _GOVERNOR: [doc[i].head.i for i in heads],
                _CHILD: [child.i for i in heads for child in doc[i].children],
            }
            for where, tokens in places.items():
                for name in _OF_CHILDREN if where == _CHILD else ANNOTATION:
                    if name in annotation:
                        ids = doc.to_array([_ATTRS[name]]).reshape(-1)[tokens]
                        for value, n in Counter(ids.tolist()).items():
                            for part in _split(doc, name, value):
                                counts[f"{where} {name}"][part] += n
        return cls(
            {
                slot: sorted(value for value, n in found.items() if n >= _MIN_COUNT)
                for slot, found in sorted(counts.items())
            }
        )

    def read(self, candidates: Candidates) -> Floats2d:
        """Read which values mentions have, shape (n_mentions, width)."""
        doc, heads = candidates.doc, candidates.facts.heads
        parents = candidates.facts.tokens.heads
        table = np.zeros((len(heads), self.width), dtype=np.float32)
        columns = 0
        for where, name, values in self.slots if len(heads) else ():
            by_token = _find_values(doc, name, values)
            if where == _CHILD:
                of_child, by_token = by_token, np.zeros_like(by_token)
                tokens, found = np.nonzero(of_child)
                is_child = parents[tokens] != tokens
                by_token[parents[tokens[is_child]], found[is_child]] = True
            rows = parents[heads] if where == _GOVERNOR else heads
            table[:, columns : columns + len(values)] = by_token[rows]
            columns += len(values)
        return table

    def check_annotation(self, doc: Doc) -> None:
        """Check that a Doc has the annotation that occurred in training.

        RAISES (ValueError): The document lacks tags, a parse or morphology.
        """
        used = {name for _, name, values in self.slots if values}
        # Entities may be missing: a text can have none.
        names = [name for name in ANNOTATION if name in used and name != "entity"]
        missing = [name for name in names if not doc.has_annotation(name.upper())]
        if missing and len(doc):
            raise ValueError(Errors.FC190.format(missing=", ".join(missing)))

    def check_labels(self, doc: Doc, heads: np.ndarray) -> None:
        """Check that the labels of mentions are those that occurred in training.

        RAISES (ValueError): No tag, or no dependency, of the heads is known.
        """
        for name, kind in _LABELS.items() if len(heads) >= _MIN_HEADS else ():
            known = self.values.get(f"{_HEAD} {name}")
            ids = np.unique(doc.to_array([_ATTRS[name]]).reshape(-1)[heads])
            found = [doc.vocab.strings[int(one)] for one in ids if one]
            if known and not set(found) & set(known):
                examples = ", ".join(found[:3]) or "none"
                raise ValueError(
                    Errors.FC196.format(
                        name=kind, found=examples, known=", ".join(known[:5])
                    )
                )


def _split(doc: Doc, name: str, value: int) -> List[str]:
    text = doc.vocab.strings[value]
    if name == "morph":
        return [part for part in text.split("|") if part not in _EMPTY]
    return [text] if text else []


def _find_values(doc: Doc, name: str, values: Sequence[str]) -> np.ndarray:
    ids = doc.to_array([_ATTRS[name]]).reshape(-1)
    forms, index = np.unique(ids, return_inverse=True)
    parts = [set(_split(doc, name, int(form))) for form in forms]
    found = [[value in has for value in values] for has in parts]
    return np.array(found, dtype=bool).reshape(-1, len(values))[index.reshape(-1)]
