"""Check a corpus before training on it."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..about import DEFAULT_LANG
from ..errors import Errors
from ..factories import list_components
from .readers.brackets import BracketRecord, read_brackets
from .readers.conll import read_conll
from .readers.jsonl import AnyRecord, read_jsonl
from .readers.parsing import name_line
from .readers.records import Record
from .readers.text_record import TextRecord

READERS: Dict[str, Callable[[Path], Iterator[Union[AnyRecord, ValueError]]]] = {
    ".jsonl": read_jsonl,
    ".jsonlines": read_jsonl,
    ".txt": read_brackets,
    ".conll": read_conll,
}


@dataclass
class CorpusReport:
    """Hold the counts and errors of a corpus.

    n_documents, n_words, n_clusters, n_mentions (int): The size of the corpus.
    n_singletons (int): The number of clusters of one mention.
    n_long (int): The number of mentions that are too long for the model to predict.
    n_crossing (int): The number of pairs of mentions that overlap without nesting.
    n_shared (int): The number of mentions in more than one cluster. Readers keep such a
        mention only in the first of them.
    n_widened (int): The number of mentions that start or end inside a token. Readers
        widen them to whole tokens.
    n_candidates (Optional[int]): The number of mentions that the pipeline's model keeps
        when it prunes candidates; None without a pipeline.
    n_kept (Optional[int]): The number of gold mentions among them; None without a
        pipeline.
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
    max_span_words: int = 30,
    nlp: Optional[Language] = None,
    lang: str = DEFAULT_LANG,
) -> CorpusReport:
    """Read files, count their contents and collect errors in them.

    paths (Iterable[Union[str, Path]]): The files, which end in .jsonl, .jsonlines,
        .conll (CoNLL-2012) or .txt (mentions in brackets).
    max_span_words (int): The maximum length of a mention in words. Models count word
        pieces, so their limit is a little lower.
    nlp (Optional[Language]): A pipeline, to count the gold mentions that its model
        keeps when it prunes candidates.
    lang (str): The language of the tokenizer for texts, if there is no pipeline.
    RETURNS (CorpusReport): The counts and errors.
    RAISES (ValueError): A file does not exist or has another ending, no file has
        documents, or the pipeline has no coreference component.
    """
    paths = [Path(path) for path in paths]
    report = CorpusReport()
    tokenizer = spacy.blank(lang) if nlp is None else nlp
    name = None if nlp is None else _find_component(nlp)
    if name is not None:
        report.n_candidates = report.n_kept = 0
    for path in paths:
        check_ending(path)
        for found in READERS[path.suffix](path):
            try:
                record = _tokenize(report, found, tokenizer)
            except ValueError as error:
                report.errors.append(str(error))
                continue
            _check_record(report, record, max_span_words)
            if name is not None:
                _check_pruning(report, record, nlp, name)
    if not report.n_documents and not report.errors:
        path, reason = ", ".join(map(str, paths)), "there are no documents in it"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return report


def read_docs(paths: Iterable[Union[str, Path]], nlp: Language) -> Iterator[Doc]:
    """Read the texts of annotated files, without their clusters.

    paths (Iterable[Union[str, Path]]): The files, see `check_corpus`.
    nlp (Language): The pipeline, for its tokenizer.
    YIELDS (Doc): The documents, with sentences and speakers.
    RAISES (ValueError): A file does not exist, has another ending, or has a document
        that can't be read.
    """
    for path in map(Path, paths):
        check_ending(path)
        for record in READERS[path.suffix](path):
            if isinstance(record, ValueError):
                raise record
            yield record.tokenize(nlp).make_doc(nlp.vocab)


def check_ending(path: Path) -> None:
    """Check that there is a file that can be read.

    path (Path): The file.
    RAISES (ValueError): It does not exist or has another ending.
    """
    if path.suffix not in READERS or not path.is_file():
        known = ", ".join(READERS)
        reason = f"there has to be a file that ends in {known}"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))


def _find_component(nlp: Language) -> str:
    found = list_components(nlp.pipe_factories)
    if not found:
        raise ValueError(Errors.FC095.format(names=nlp.pipe_names))
    # Of several components, the last one overwrites the clusters of the others.
    return found[-1]


def _tokenize(
    report: CorpusReport,
    record: Union[AnyRecord, BracketRecord, ValueError],
    nlp: Language,
) -> Record:
    if isinstance(record, ValueError):
        raise record
    with name_line(record.path, record.line):
        tokenized = record.tokenize(nlp)
    if isinstance(record, TextRecord):
        for (start, end), widened in record.find_widened(nlp):
            report.n_widened += 1
            where = f"{record.path}, line {record.line}: the mention of characters"
            mention = f"{start} to {end}, {record.text[start:end]!r},"
            report.warnings.append(
                f"{where} {mention} starts or ends inside a token; it is read as "
                f"{widened!r}."
            )
    return tokenized


def _check_record(report: CorpusReport, record: Record, max_span_words: int) -> None:
    mentions = sorted(mention for cluster in record.clusters for mention in cluster)
    report.n_documents += 1
    report.n_words += len(record.words)
    report.n_clusters += len(record.clusters)
    report.n_mentions += len(mentions)
    report.n_singletons += sum(len(cluster) == 1 for cluster in record.clusters)
    for start, end in mentions:
        if end - start > max_span_words:
            report.n_long += 1
            _warn(report, record, (start, end), f"has {end - start} words")
    shared = [mention for mention, n in Counter(mentions).items() if n > 1]
    for mention in shared:
        report.n_shared += 1
        _warn(report, record, mention, "is in more than one cluster")
    for one, two in find_crossing(sorted(set(mentions))):
        report.n_crossing += 1
        other = f"the mention of words {two[0]} to {two[1] - 1}"
        _warn(report, record, one, f"overlaps {other} without nesting")


def _warn(
    report: CorpusReport, record: Record, mention: Tuple[int, int], reason: str
) -> None:
    where = f"the mention of words {mention[0]} to {mention[1] - 1}"
    report.warnings.append(f"{record.path}, line {record.line}: {where} {reason}.")


def find_crossing(
    mentions: List[Tuple[int, int]],
) -> Iterator[Tuple[Tuple[int, int], Tuple[int, int]]]:
    """Find pairs of mentions that overlap without nesting.

    mentions (List[Tuple[int, int]]): Mentions, sorted by start, then end.
    YIELDS (Tuple[Tuple[int, int], Tuple[int, int]]): Each such pair, the earlier
        mention first.
    """
    open_mentions: List[Tuple[int, int]] = []
    for start, end in mentions:
        open_mentions = [mention for mention in open_mentions if mention[1] > start]
        for mention in open_mentions:
            if mention[0] < start and mention[1] < end:
                yield mention, (start, end)
        open_mentions.append((start, end))


def _check_pruning(
    report: CorpusReport, record: Record, nlp: Language, name: str
) -> None:
    pipe = nlp.get_pipe(name)
    # The model may listen to components before it.
    later = nlp.pipe_names[nlp.pipe_names.index(name) :]
    (links,) = pipe.predict([nlp(record.make_doc(nlp.vocab), disable=later)])
    kept = {(start, end) for start, end in links.mentions.tolist()}
    report.n_candidates += len(kept)
    # A mention of two clusters counts twice, as in n_mentions.
    report.n_kept += sum(
        mention in kept for cluster in record.clusters for mention in cluster
    )
