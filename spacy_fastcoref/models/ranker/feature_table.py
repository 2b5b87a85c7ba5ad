"""Turn tags, morphology and dependencies of mentions into vectors of zeros and ones."""

from typing import Dict, Iterable, List, Sequence, Tuple

import numpy as np
from spacy.attrs import DEP, ENT_TYPE, MORPH, POS, TAG
from spacy.tokens import Doc
from thinc.types import Floats2d

from ...errors import Errors
from ...grammar.annotation import Annotation

# What is read of a mention's head, of the word that governs it, and of its children.
_ATTRS = {"tag": TAG, "pos": POS, "dep": DEP, "entity": ENT_TYPE}
_HEAD, _GOVERNOR, _CHILD = "head", "governor", "child"
_MORPH = "morph"
# All that can be read of a word.
ANNOTATION = (*_ATTRS, _MORPH)
# Entities may be missing: a text can have none.
_NEEDED = {"tag": "TAG", "pos": "POS", "dep": "DEP", "morph": "MORPH"}
SLOTS = frozenset(
    f"{where} {name}"
    for where in (_HEAD, _GOVERNOR, _CHILD)
    for name in (*_ATTRS, _MORPH)
)
# A value that is rarer than this in training is ignored.
_MIN_COUNT = 5
# In fewer mentions, all labels can be rare ones.
_MIN_HEADS = 8
_LABELS = {"tag": "tags", "dep": "dependencies"}


class FeatureTable:
    """List the values of annotation that occurred in training, with a column for each.

    values (Dict[str, List[str]]): The values of each slot, such as "head dep".

    ATTRIBUTES:
        width (int): The number of columns.
    """

    def __init__(self, values: Dict[str, List[str]]) -> None:
        self.values = values
        self.width = sum(map(len, values.values()))

    def read(self, doc: Doc, annotation: Annotation, heads: np.ndarray) -> Floats2d:
        """Read the values of mentions.

        doc (Doc): The document.
        annotation (Annotation): Its annotation.
        heads (numpy.ndarray): Shape (n_mentions,), the head of each mention.
        RETURNS (Floats2d): Shape (n_mentions, width), 1 for values that a mention has.
        """
        table = np.zeros((len(heads), self.width), dtype=np.float32)
        if not len(heads):
            return table
        columns = 0
        for slot, values in self.values.items():
            where, name = slot.split(" ")
            part = table[:, columns : columns + len(values)]
            columns += len(values)
            by_token = _find_values(doc, name, values)
            if where == _HEAD:
                part[:] = by_token[heads]
            elif where == _GOVERNOR:
                part[:] = by_token[annotation.heads[heads]]
            else:
                _add_children(part, by_token, annotation.heads, heads)
        return table


def count_values(
    docs: Iterable[Tuple[Doc, np.ndarray]], annotation: Sequence[str] = ANNOTATION
) -> FeatureTable:
    """Make the table of the values that occur in Docs.

    docs (Iterable[Tuple[Doc, numpy.ndarray]]): The documents, each with the heads of
        its mentions.
    annotation (Sequence[str]): Which of ANNOTATION to read.
    RETURNS (FeatureTable): The table.
    """
    counts: Dict[str, Dict[str, int]] = {}
    for doc, heads in docs:
        governors = [doc[int(i)].head.i for i in heads]
        children = [child.i for i in heads for child in doc[int(i)].children]
        for where, tokens in (
            (_HEAD, heads),
            (_GOVERNOR, governors),
            (_CHILD, children),
        ):
            for i in tokens:
                for name, value in _list_values(doc, int(i)):
                    if name not in annotation:
                        continue
                    # Of children, their number matters less than what they are.
                    if where == _CHILD and name not in ("dep", "pos"):
                        continue
                    slot = counts.setdefault(f"{where} {name}", {})
                    slot[value] = slot.get(value, 0) + 1
    return FeatureTable(
        {
            slot: sorted(value for value, n in found.items() if n >= _MIN_COUNT)
            for slot, found in sorted(counts.items())
        }
    )


def check_annotation(doc: Doc, table: FeatureTable) -> None:
    """Check that a Doc has the annotation that occurred in training.

    doc (Doc): The document.
    table (FeatureTable): The table.
    RAISES (ValueError): The document lacks tags, a parse or morphology.
    """
    used = {slot.split(" ")[1] for slot, values in table.values.items() if values}
    missing = [
        name
        for name, attr in _NEEDED.items()
        if name in used and not doc.has_annotation(attr)
    ]
    if missing and len(doc):
        raise ValueError(Errors.FC190.format(missing=", ".join(missing)))


def check_labels(doc: Doc, heads: np.ndarray, table: FeatureTable) -> None:
    """Check that the labels of mentions are those that occurred in training.

    doc (Doc): The document.
    heads (numpy.ndarray): Shape (n_mentions,), the head of each mention.
    table (FeatureTable): The table.
    RAISES (ValueError): The table has none of the tags or dependencies of the heads.
    """
    if len(heads) < _MIN_HEADS:
        return
    for name in ("tag", "dep"):
        known = table.values.get(f"{_HEAD} {name}")
        if not known:
            continue
        ids = np.unique(doc.to_array([_ATTRS[name]]).reshape(-1)[heads])
        found = [doc.vocab.strings[int(one)] for one in ids if one]
        if not set(found) & set(known):
            kind = _LABELS[name]
            examples = ", ".join(found[:3]) or "none"
            raise ValueError(
                Errors.FC196.format(
                    name=kind, found=examples, known=", ".join(known[:5])
                )
            )


def _list_values(doc: Doc, i: int) -> List[Tuple[str, str]]:
    token = doc[i]
    found = [
        ("tag", token.tag_),
        ("pos", token.pos_),
        ("dep", token.dep_),
        ("entity", token.ent_type_),
    ]
    found += [(_MORPH, feature) for feature in str(token.morph).split("|")]
    return [(name, value) for name, value in found if value]


def _find_values(doc: Doc, name: str, values: Sequence[str]) -> np.ndarray:
    """Find which of the values each token has; shape (n_tokens, n_values)."""
    if name == _MORPH:
        return _find_features(doc, values)
    strings = doc.vocab.strings
    wanted = np.array([strings.add(value) for value in values], dtype=np.uint64)
    found = doc.to_array([_ATTRS[name]]).reshape(-1)
    return found[:, None] == wanted[None]


def _find_features(doc: Doc, values: Sequence[str]) -> np.ndarray:
    column = {value: i for i, value in enumerate(values)}
    forms, index = np.unique(doc.to_array([MORPH]).reshape(-1), return_inverse=True)
    found = np.zeros((len(forms), len(values)), dtype=bool)
    for row, form in enumerate(forms):
        for feature in doc.vocab.strings[int(form)].split("|"):
            if feature in column:
                found[row, column[feature]] = True
    return found[index]


def _add_children(
    part: np.ndarray, by_token: np.ndarray, parents: np.ndarray, heads: np.ndarray
) -> None:
    """Mark the values of the children of each mention's head, in place."""
    tokens, columns = np.nonzero(by_token)
    is_child = parents[tokens] != tokens
    tokens, columns = tokens[is_child], columns[is_child]
    has_value = np.zeros((len(parents), by_token.shape[1]), dtype=bool)
    has_value[parents[tokens], columns] = True
    part[:] = has_value[heads]
