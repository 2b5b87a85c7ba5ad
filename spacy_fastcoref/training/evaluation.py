"""Evaluate a pipeline on annotated files: clusters, and antecedents of anaphors."""

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Dict, Hashable, Iterable, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..clusters.index import find_characters, make_index
from ..errors import Errors
from ..factories import find_last_component
from ..formats.base import find_inputs, name_file, read_inputs
from ..formats.brackets import NAME as BRACKETS
from ..formats.docs import widen
from ..grammar.heads import find_all_heads
from ..grammar.questions import find_anaphors
from ..metrics.clusters import Counts
from ..metrics.scorer import (
    CorefAccumulator,
    check_match,
    get_mentions,
    score_anaphors,
)
from .readers.examples import make_examples

# The name of a mention is its heads, so that it doesn't matter where it ends.
Heads = Tuple[int, ...]


@dataclass
class WrongLink:
    """Hold an anaphor whose antecedent is not in its gold cluster, and the other
    mentions of that cluster, nearest first."""

    key: str
    anaphor: str
    antecedent: Optional[str]
    expected: List[str]
    sentence: str


@dataclass
class Evaluation:
    """Hold the scores of a pipeline on a corpus, and on its genres: the accuracy of
    annotated anaphors, and those of CorefAccumulator."""

    n_documents: int
    n_words: int
    words_per_second: float
    n_anaphors: int
    scores: Dict[str, float]
    genres: Dict[str, Dict[str, float]] = field(default_factory=dict)
    wrong_links: List[WrongLink] = field(default_factory=list)


def evaluate(
    nlp: Language,
    examples: Iterable[Tuple[str, Example]],
    *,
    singletons: bool = False,
    match: str = "exact",
    genre: Optional[str] = None,
) -> Evaluation:
    """Evaluate a pipeline on documents and their names.

    genre (Optional[str]): A regular expression. Its match at the start of a document's
        name, or its first group, is the document's genre.
    """
    check_match(match)
    find_last_component(nlp)
    keyed = list(examples)
    if not any(make_index(eg.reference).clusters for _, eg in keyed):
        raise ValueError(Errors.FC180)
    begin = time.perf_counter()
    docs = list(nlp.pipe(eg.predicted for _, eg in keyed))
    seconds = time.perf_counter() - begin
    make = partial(CorefAccumulator, singletons=singletons)
    # Of each genre, and, as None, of all.
    clusters: Dict[Optional[str], CorefAccumulator] = defaultdict(make)
    anaphors: Dict[Optional[str], Counts] = defaultdict(Counts)
    wrong: List[WrongLink] = []
    for doc, (key, eg) in zip(docs, keyed, strict=True):
        gold, given = get_mentions(eg.reference, match), get_mentions(doc, match)
        heads, antecedents = _find_heads(doc, eg.reference), find_chosen(doc)
        counts, names = score_anaphors(heads, antecedents)
        for name in {None, _find_genre(key, genre)}:
            clusters[name].add(gold, given)
            anaphors[name] += counts
        wrong += _describe_wrong(doc, key, heads, antecedents, names)
    scores = {
        name: {"anaphors": anaphors[name].recall, **one.get_scores()}
        for name, one in clusters.items()
    }
    genres = sorted(name for name in scores if name is not None)
    n_words = sum(map(len, docs))
    return Evaluation(
        len(docs),
        n_words,
        n_words / seconds,
        int(anaphors[None].expected),
        scores[None],
        {name: scores[name] for name in genres},
        wrong,
    )


def read_gold(
    paths: Iterable[Path],
    nlp: Language,
    name: Optional[str] = None,
    is_annotated: bool = False,
) -> Iterator[Tuple[str, Example]]:
    """Read the documents of annotated files.

    is_annotated (bool): Whether documents keep the tags and the parse of their file.
    """
    for path, format in find_inputs(paths, name):
        # Texts in brackets are often numbered in each file.
        prefix = f"{name_file(path)}_" if format.name == BRACKETS else ""
        for entry in read_inputs([(path, format)], nlp, needs_clusters=True):
            if isinstance(entry, ValueError):
                raise entry
            (eg,) = make_examples(entry, is_annotated=is_annotated)
            yield f"{prefix}{entry.key}", eg


def find_chosen(doc: Doc) -> Dict[Hashable, Optional[Hashable]]:
    """Find the heads of the antecedent that was chosen for each anaphor, by its heads.

    The antecedent of an anaphor that is the first of its cluster is the mention after
    it, by cataphora.
    """
    found: Dict[Hashable, Optional[Hashable]] = {
        (span.start,): None for span in find_anaphors(doc) if len(span) == 1
    }
    for cluster in make_index(doc).clusters:
        heads = [tuple(mention) for mention in cluster.heads]
        for i, name in enumerate(heads):
            chosen = cluster.antecedents[i] if cluster.antecedents else i - 1
            if name in found and len(heads) > 1:
                found[name] = heads[chosen if chosen >= 0 else 1]
    return found


def _find_heads(doc: Doc, reference: Doc) -> List[List[Heads]]:
    found = []
    for cluster in make_index(reference).clusters:
        places = (find_characters(reference, *mention) for mention in cluster.mentions)
        offsets = [widen(doc, *place) for place in places]
        found.append([tuple(heads) for heads in find_all_heads(doc, offsets)])
    return found


def _describe_wrong(
    doc: Doc,
    key: str,
    gold: List[List[Heads]],
    antecedents: Dict[Hashable, Optional[Hashable]],
    wrong: Iterable[Any],
) -> Iterator[WrongLink]:
    clusters = {name: cluster for cluster in reversed(gold) for name in cluster}
    for name in wrong:
        chosen = antecedents[name]
        others = sorted(
            (other for other in clusters[name] if other != name),
            key=lambda other: abs(other[0] - name[0]),
        )
        token = doc[name[0]]
        yield WrongLink(
            key,
            token.text,
            None if chosen is None else _name(doc, chosen),
            [_name(doc, other) for other in others],
            token.sent.text if doc.has_annotation("SENT_START") else doc.text,
        )


def _name(doc: Doc, heads: Heads) -> str:
    return "; ".join(f"{doc[i].text} ({i})" for i in heads)


def _find_genre(key: str, genre: Optional[str]) -> Optional[str]:
    if genre is None:
        return None
    match = re.match(genre, key)
    return "" if match is None else match[1 if match.re.groups else 0]
