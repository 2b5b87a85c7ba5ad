"""Check a corpus before training on it."""

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
    """Hold the counts and errors of a corpus.

    n_long (int): Mentions that are too long for the model to predict.
    n_crossing (int): Pairs of mentions that overlap without nesting.
    n_shared (int): Mentions in more than one cluster, which are kept in the first.
    n_widened (int): Mentions that start or end inside a token.
    n_candidates (Optional[int]): Mentions that the pipeline's model keeps when it
        prunes candidates; None without a pipeline.
    n_kept (Optional[int]): The gold mentions among them.
    errors (List[str]): The documents that can't be read, with file and line.
    warnings (List[str]): The mentions that a model can't learn, with file and line.
    """

    n_documents: int = 0
    n_words: int = 0
    n_clusters: int = 0
    n_mentions: int = 0
    n_singletons: int = 0
    n_long: int = 0
    n_crossing: int = 0
    n_shared: int = 0
    n_widened: int = 0
    n_candidates: Optional[int] = None
    n_kept: Optional[int] = None
    errors: List[str] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)

    @property
    def pruning_recall(self) -> Optional[float]:
        """The share of gold mentions that the model keeps; None without a pipeline."""
        if self.n_kept is None or not self.n_mentions:
            return None
        return self.n_kept / self.n_mentions


def check_corpus(
    paths: Iterable[Union[str, Path]],
    *,
    name: Optional[str] = None,
    max_span_words: int = 30,
    nlp: Optional[Language] = None,
    lang: str = DEFAULT_LANG,
) -> CorpusReport:
    """Read files, count their contents and collect errors in them.

    max_span_words (int): The maximum length of a mention in words. Models count word
        pieces, so their limit is a little lower.
    """
    report = CorpusReport()
    tokenizer = spacy.blank(lang) if nlp is None else nlp
    component = None if nlp is None else find_last_component(nlp)
    if component is not None:
        report.n_candidates = report.n_kept = 0
    inputs = find_inputs(paths, name)
    for one in inputs:
        for entry in read_inputs([one], tokenizer, needs_clusters=True):
            if isinstance(entry, ValueError):
                report.errors.append(str(entry))
                continue
            _check_document(report, entry, one[0], max_span_words)
            if nlp is not None:
                _check_pruning(report, entry, nlp, component)
    n_read = report.n_documents or len(report.errors)
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
    doc = document.doc
    clusters = list_clusters(doc)
    mentions = sorted(mention for cluster in clusters for mention in cluster)
    report.n_documents += 1
    report.n_words += sum(not token.is_space for token in doc)
    report.n_clusters += len(clusters)
    report.n_mentions += len(mentions)
    report.n_singletons += sum(len(cluster) == 1 for cluster in clusters)
    report.n_shared += len(document.shared)
    report.n_widened += len(document.widened)
    said = [*document.widened]
    for start, end in mentions:
        if end - start > max_span_words:
            report.n_long += 1
            said.append(f"{_describe(start, end)} has {end - start} words")
    for mention in document.shared:
        said.append(f"{_describe(*mention)} is in more than one cluster")
    for one, two in find_crossing(mentions):
        report.n_crossing += 1
        said.append(f"{_describe(*one)} overlaps {_describe(*two)} without nesting")
    report.warnings += [f"{path}, line {document.line}: {one}." for one in said]


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
    kept = {(start, end) for start, end in links.mentions.tolist()}
    report.n_candidates += len(kept)
    report.n_kept += sum(m in kept for c in list_clusters(eg.reference) for m in c)
