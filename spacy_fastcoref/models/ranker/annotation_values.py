"""Turn tags, morphology and dependencies of mentions into vectors of zeros and ones.

The values that occurred in training have a column each. They are listed by slot: what
is read, and of which token, such as "head dep".
"""

from collections import Counter, defaultdict
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy as np
from spacy.attrs import DEP, ENT_TYPE, MORPH, POS, TAG
from spacy.morphology import Morphology
from thinc.types import Floats2d

from ...errors import Errors
from ...graph import pair_ranges
from .candidates import Candidates

Values = Dict[str, List[str]]
# What can be read of a word.
_ATTRS = {"tag": TAG, "pos": POS, "dep": DEP, "entity": ENT_TYPE, "morph": MORPH}
ANNOTATION = tuple(_ATTRS)
# What is read of a mention's head, of the word that governs it, and of its children.
_READ = {"head": ANNOTATION, "governor": ANNOTATION, "child": ("dep", "pos")}
SLOTS = [f"{where} {name}" for where, names in _READ.items() for name in names]
# A value that is rarer than this in training is ignored.
_MIN_COUNT = 5
# In fewer mentions, all labels can be rare ones.
_MIN_HEADS = 8
# Values that say nothing.
_EMPTY = "", Morphology.EMPTY_MORPH
_LABELS = {"tag": "tags", "dep": "dependencies"}


def count_values(found: Iterable[Candidates], annotation: Sequence[str]) -> Values:
    """List the values that occur in documents, but for rare ones.

    annotation (Sequence[str]): What is read, of ANNOTATION.
    """
    slots = [slot for slot in SLOTS if slot.split()[1] in annotation]
    counts: Dict[str, Counter] = defaultdict(Counter)
    for one in found:
        for slot, _, index, parts in _read_slots(one, slots):
            for values, n in zip(parts, np.bincount(index).tolist(), strict=True):
                for value in values:
                    counts[slot][value] += n
    return {
        slot: sorted(value for value, n in found.items() if n >= _MIN_COUNT)
        for slot, found in sorted(counts.items())
    }


def read_values(candidates: Candidates, values: Values) -> Floats2d:
    """Read which values mentions have; shape (n_mentions, n_values)."""
    width = sum(map(len, values.values()))
    table = np.zeros((len(candidates.facts), width), dtype=np.float32)
    first = 0
    for slot, rows, index, parts in _read_slots(candidates, values):
        known = values[slot]
        has = np.array([[value in one for value in known] for one in parts], dtype=bool)
        places, columns = np.nonzero(has.reshape(len(parts), len(known))[index])
        table[rows[places], first + columns] = 1
        first += len(known)
    return table


def check_values(candidates: Candidates, values: Values) -> None:
    """Check that a document is annotated like those of training.

    RAISES (ValueError): It lacks tags, a parse or morphology; or no tag, or no
        dependency, of its mentions is known.
    """
    doc, heads = candidates.doc, candidates.facts.heads
    used = {slot.split()[1] for slot in values if values[slot]}
    # Entities may be missing: a text can have none.
    names = [name for name in ANNOTATION if name in used and name != "entity"]
    missing = [name for name in names if not doc.has_annotation(name.upper())]
    if missing and len(doc):
        raise ValueError(Errors.FC190.format(missing=", ".join(missing)))
    for name, kind in _LABELS.items() if len(heads) >= _MIN_HEADS else ():
        known = values.get(f"head {name}")
        ids = np.unique(doc.to_array(_ATTRS[name])[heads]).tolist()
        found = [doc.vocab.strings[one] for one in ids if one]
        if known and not set(found) & set(known):
            seen, expected = ", ".join(found[:3]) or "none", ", ".join(known[:5])
            message = Errors.FC196.format(name=kind, found=seen, known=expected)
            raise ValueError(message)


def _read_slots(
    candidates: Candidates, slots: Iterable[str]
) -> Iterator[Tuple[str, np.ndarray, np.ndarray, List[List[str]]]]:
    """Read slots: the mention and the form of each token, and the values in a form."""
    doc, heads = candidates.doc, candidates.facts.heads
    above = candidates.facts.tokens.heads
    children = np.flatnonzero(above != np.arange(len(above)))
    children = children[np.argsort(above[children], kind="stable")]
    firsts = np.searchsorted(above[children], heads)
    lasts = np.searchsorted(above[children], heads, side="right")
    mentions = np.arange(len(heads))
    rows, places = pair_ranges(mentions, firsts, lasts)
    tokens = {
        "head": (mentions, heads),
        "governor": (mentions, above[heads]),
        "child": (rows, children[places]),
    }
    for slot in slots:
        where, name = slot.split()
        rows, of_rows = tokens[where]
        ids = doc.to_array(_ATTRS[name])[of_rows]
        forms, index = np.unique(ids, return_inverse=True)
        texts = [doc.vocab.strings[form] for form in forms.tolist()]
        parts = [text.split("|") if name == "morph" else [text] for text in texts]
        yield slot, rows, index, [[p for p in one if p not in _EMPTY] for one in parts]
