"""Group documents, and put their inputs together."""

from typing import Any, Dict, List, Optional, Sequence

import numpy as np
from spacy.tokens import Doc

from .candidates import Candidates
from .feature_table import FeatureTable
from .mention_features import read_mentions
from .network import Batch
from .pair_features import read_pairs

# Documents are scored together up to this number of tokens.
_TOKENS_AT_ONCE = 2000


def group_docs(docs: Sequence[Doc]) -> List[List[Doc]]:
    """Group documents that are scored together.

    docs (Sequence[Doc]): The documents.
    RETURNS (List[List[Doc]]): The groups, in order.
    """
    groups: List[List[Doc]] = []
    size = 0
    for doc in docs:
        if not groups or size + len(doc) > _TOKENS_AT_ONCE:
            groups.append([])
            size = 0
        groups[-1].append(doc)
        size += len(doc)
    return groups


def make_batch(
    found: Sequence[Candidates],
    table: FeatureTable,
    conversions: Optional[Dict[str, Any]] = None,
) -> Batch:
    """Put the inputs of several documents together.

    found (Sequence[Candidates]): The candidates of each document.
    table (FeatureTable): The values of annotation that occurred in training.
    conversions (Optional[Dict[str, Any]]): See Batch.
    RETURNS (Batch): The inputs.
    """
    firsts = np.cumsum([0, *(len(one.facts) for one in found)])[:-1]
    return Batch(
        [one.doc for one in found],
        [read_mentions(one, table) for one in found],
        np.concatenate(
            [one.later + first for one, first in zip(found, firsts, strict=True)]
        ),
        np.concatenate(
            [one.earlier + first for one, first in zip(found, firsts, strict=True)]
        ),
        np.concatenate([read_pairs(one) for one in found]),
        conversions or {},
    )
