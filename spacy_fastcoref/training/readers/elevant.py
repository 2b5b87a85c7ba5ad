"""ELEVANT's benchmarks: articles whose named entities are labelled, pronouns too."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Union

from .parsing import open_lines, parse_lines
from .partial import LabelledMention, PartialRecord

# Dates and quantities are labelled, too, and are no entities.
_ENTITY = re.compile(r"Q\d+")
_UNKNOWN = "<NIL>"


def read_elevant(path: Union[str, Path]) -> Iterator[Union[PartialRecord, ValueError]]:
    """Read a benchmark in ELEVANT's format (Bast et al. 2023), such as wiki-fair.

    path (Union[str, Path]): The file, one article a line.
    YIELDS (Union[PartialRecord, ValueError]): The labelled part of each article, or
        what is wrong with it, with file and line.
    """
    with open_lines(path) as lines:
        numbered = enumerate(lines, start=1)
        yield from parse_lines(path, numbered, _parse_article, "an article of ELEVANT")


def _parse_article(line: str) -> PartialRecord:
    article = json.loads(line)
    begin, end = article["evaluation_span"]
    # Outside of it nothing is labelled. Inside, all that names an entity is, and what
    # takes it up, so that it is known of a name where it is new.
    text = article["text"][begin:end]
    labels = [
        {**label, "span": tuple(offset - begin for offset in label["span"])}
        for label in article["labels"]
        if label["entity_id"] == _UNKNOWN or _ENTITY.fullmatch(label["entity_id"])
    ]
    labels.sort(key=lambda label: (label["span"][0], -label["span"][1]))
    return PartialRecord(text, list(_make_mentions(labels)))


def _make_mentions(labels: List[Dict[str, Any]]) -> Iterator[LabelledMention]:
    """Make mentions of labels, the outer ones first."""
    # What no pronoun or description takes up may be a concept: two actresses are both
    # "actress", and not one.
    individuals = {label["entity_id"] for label in labels if label["coref"]}
    n_labels = Counter(label["span"] for label in labels)
    ends: Dict[str, int] = {}
    for label in labels:
        name, (start, end) = label["entity_id"], label["span"]
        is_known, is_first = name != _UNKNOWN, name not in ends
        # "Louis" in "Louis, Landgrave of Hesse" is the same mention.
        is_inside = is_known and not is_first and end <= ends[name]
        ends[name] = max(end, ends.get(name, end))
        # Two labels for the same words are two ways to understand them.
        if is_inside or n_labels[label["span"]] > 1:
            continue
        yield LabelledMention(
            start,
            end,
            name if is_known and name in individuals else None,
            is_certain=is_known and is_first and not label["coref"],
        )
