"""Read ELEVANT's benchmarks, which label named entities and their pronouns."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Union

from .parsing import open_lines, parse_lines
from .partial import LabelledMention, PartialRecord

# The IDs of entities in Wikidata. Other labels are dates and quantities.
_ENTITY = re.compile(r"Q\d+")
# The label of entities that are not in Wikidata.
_UNKNOWN = "<NIL>"


def read_elevant(path: Union[str, Path]) -> Iterator[Union[PartialRecord, ValueError]]:
    """Read a benchmark in ELEVANT's format (Bast et al. 2023), such as wiki-fair.

    path (Union[str, Path]): The file, with one article per line.
    YIELDS (Union[PartialRecord, ValueError]): The labelled part of each article, or an
        error that names the file and the line.
    """
    with open_lines(path) as lines:
        numbered = enumerate(lines, start=1)
        yield from parse_lines(path, numbered, _parse_article, "an article of ELEVANT")


def _parse_article(line: str) -> PartialRecord:
    article = json.loads(line)
    begin, end = article["evaluation_span"]
    # Only this part of the text is labelled. In it, all names and all mentions of named
    # entities are labelled, so the first name of an entity has no antecedent.
    text = article["text"][begin:end]
    labels = [
        {**label, "span": tuple(offset - begin for offset in label["span"])}
        for label in article["labels"]
        if label["entity_id"] == _UNKNOWN or _ENTITY.fullmatch(label["entity_id"])
    ]
    labels.sort(key=lambda label: (label["span"][0], -label["span"][1]))
    return PartialRecord(text, list(_make_mentions(labels)))


def _make_mentions(labels: List[Dict[str, Any]]) -> Iterator[LabelledMention]:
    """Make mentions of labels, which are sorted with outer spans before inner ones."""
    # An entity without a pronoun or description can be a concept, whose mentions don't
    # always corefer, such as two mentions of "actress".
    individuals = {label["entity_id"] for label in labels if label["coref"]}
    n_labels = Counter(label["span"] for label in labels)
    ends: Dict[str, int] = {}
    for label in labels:
        name, (start, end) = label["entity_id"], label["span"]
        is_known, is_first = name != _UNKNOWN, name not in ends
        # A label inside a mention of the same entity is part of that mention, such as
        # "Louis" in "Louis, Landgrave of Hesse".
        is_inside = is_known and not is_first and end <= ends[name]
        ends[name] = max(end, ends.get(name, end))
        # Two labels of the same words are alternatives, of which either can be wrong.
        if is_inside or n_labels[label["span"]] > 1:
            continue
        yield LabelledMention(
            start,
            end,
            name if is_known and name in individuals else None,
            is_certain=is_known and is_first and not label["coref"],
        )
