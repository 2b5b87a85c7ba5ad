"""Check a corpus before training on it."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, Union

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..about import DEFAULT_LANG
from ..factories import find_last_component
from ..formats.base import Document, find_inputs, read_inputs
from ..formats.docs import find_crossing, list_clusters
from .readers.examples import make_examples
from .readers.reading import check_any


@dataclass
class CorpusReport:
    """Hold the counts of a corpus, as the command prints them, the documents that can't
    be read, and the mentions that a model can't learn, with file and line."""

    counts: Counter = field(default_factory=Counter)
    errors: List[str] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)


def check_corpus(
    paths: Iterable[Union[str, Path]],
    *,
    name: Optional[str] = None,
    max_span_words: int = 30,
    nlp: Optional[Language] = None,
    lang: str = DEFAULT_LANG,
) -> CorpusReport:
    """Read files, count their contents and collect errors in them.

    Models count word pieces, so their limit is a little below max_span_words.
    """
    report = CorpusReport()
    tokenizer = spacy.blank(lang) if nlp is None else nlp
    component = None if nlp is None else find_last_component(nlp)
    inputs = find_inputs(paths, name)
    for one in inputs:
        for entry in read_inputs([one], tokenizer, needs_clusters=True):
            if isinstance(entry, ValueError):
                report.errors.append(str(entry))
                continue
            _check_document(report, entry, one[0], max_span_words)
            if nlp is not None:
                _check_pruning(report, entry, nlp, component)
    n_read = report.counts["Documents"] or len(report.errors)
    check_any(n_read, (path for path, _ in inputs))
    return report


def read_docs(
    paths: Iterable[Union[str, Path]], nlp: Language, name: Optional[str] = None
) -> Iterator[Doc]:
    """Read the texts of files, without their clusters."""
    for entry in read_inputs(find_inputs(paths, name), nlp):
        if isinstance(entry, ValueError):
            raise entry
        (eg,) = make_examples(entry)
        yield eg.predicted


def _check_document(
    report: CorpusReport, document: Document, path: str, max_span_words: int
) -> None:
    clusters = list_clusters(document.doc)
    mentions = sorted(mention for cluster in clusters for mention in cluster)
    long = [
        f"{_describe(start, end)} has {end - start} words"
        for start, end in mentions
        if end - start > max_span_words
    ]
    shared = [
        f"{_describe(*one)} is in more than one cluster" for one in document.shared
    ]
    crossing = [
        f"{_describe(*one)} overlaps {_describe(*two)} without nesting"
        for one, two in find_crossing(mentions)
    ]
    said = [*document.widened, *long, *shared, *crossing]
    report.warnings += [f"{path}, line {document.line}: {one}." for one in said]
    report.counts.update(
        {
            "Documents": 1,
            "Words": sum(not token.is_space for token in document.doc),
            "Clusters": len(clusters),
            "Singletons": sum(len(cluster) == 1 for cluster in clusters),
            "Mentions": len(mentions),
            "Mentions too long to predict": len(long),
            "Crossing mentions": len(crossing),
            "Mentions in more than one cluster": len(shared),
            "Mentions widened to whole tokens": len(document.widened),
        }
    )


def _describe(start: int, end: int) -> str:
    return f"the mention of words {start} to {end - 1}"


def _check_pruning(
    report: CorpusReport, document: Document, nlp: Language, name: str
) -> None:
    pipe = nlp.get_pipe(name)
    # The model may listen to components before it.
    later = nlp.pipe_names[nlp.pipe_names.index(name) :]
    (eg,) = make_examples(document)
    (links,) = pipe.predict([nlp(eg.predicted, disable=later)])
    gold = [mention for one in list_clusters(eg.reference) for mention in one]
    n_kept = sum(mention in links.rows for mention in gold)
    counts = {"Gold mentions kept": n_kept, "Candidates kept": len(links)}
    report.counts.update(counts)
