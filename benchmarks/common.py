"""Read the arguments and input of the benchmarks, and print their results."""

import argparse
import gzip
import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import spacy
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_fastcoref.metrics.gap import GapRow

PLOT_SUFFIXES = (".svg", ".png", ".pdf")


class Parser(argparse.ArgumentParser):
    """Parse arguments, `--json` among them, and report errors in a single line."""

    def __init__(
        self, description: Optional[str] = None, prog: Optional[str] = None
    ) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument("--json", type=output_file(), help="a file for the results")

    def error(self, message: str) -> Any:
        """Exit with an error.

        message (str): The error message.
        """
        self.exit(2, f"{self.prog}: {message}\n")


def run(main: Callable[[], None]) -> None:
    """Run a benchmark, and report errors of the input in a single line.

    main (Callable[[], None]): The benchmark.
    """
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(str(error).split())}")


def input_file(*suffixes: str) -> Callable[[str], Path]:
    """Make an argument type: a file that can be read and is not empty.

    *suffixes (str): The valid suffixes of the file name; none for any name.
    RETURNS (Callable[[str], Path]): The type.
    """

    def check(value: str) -> Path:
        path = Path(value)
        if not path.is_file() or not os.access(path, os.R_OK):
            raise argparse.ArgumentTypeError(f"{value!r} is not a readable file")
        if suffixes and not path.name.endswith(suffixes):
            expected = " or ".join(suffixes)
            raise argparse.ArgumentTypeError(f"{value!r} does not end in {expected}")
        if not path.stat().st_size:
            raise argparse.ArgumentTypeError(f"{value!r} is empty")
        return path

    return check


def output_file(*suffixes: str) -> Callable[[str], Path]:
    """Make an argument type: a file that can be written.

    *suffixes (str): The valid suffixes of the file name; none for any name.
    RETURNS (Callable[[str], Path]): The type.
    """

    def check(value: str) -> Path:
        path = Path(value)
        if suffixes and path.suffix not in suffixes:
            expected = " or ".join(suffixes)
            raise argparse.ArgumentTypeError(f"{value!r} does not end in {expected}")
        folder = path.resolve().parent
        target = path if path.exists() else folder
        if path.is_dir() or not folder.is_dir() or not os.access(target, os.W_OK):
            raise argparse.ArgumentTypeError(f"{value!r} cannot be written")
        return path

    return check


def plot_file(value: str) -> Path:
    """Check an argument: a picture that can be written, and needs matplotlib.

    value (str): The argument.
    RETURNS (Path): The file.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise argparse.ArgumentTypeError("a plot needs matplotlib: pip install it")
    return output_file(*PLOT_SUFFIXES)(value)


def positive(value: str) -> int:
    """Check an argument: a whole number above 0.

    value (str): The argument.
    RETURNS (int): The number.
    """
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number above 0")
    return int(value)


def duration(value: str) -> float:
    """Check an argument: a number of seconds above 0.

    value (str): The argument.
    RETURNS (float): The seconds.
    """
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{value!r} is not a number above 0")
    return seconds


def load_pipeline(name: Optional[str], precision: Optional[str] = None) -> Language:
    """Load a pipeline with coreference.

    name (Optional[str]): The pipeline's folder or package; None for a blank English
        pipeline with the component.
    precision (Optional[str]): The encoder's precision, such as "float32"; None for the
        pipeline's own.
    RETURNS (Language): The pipeline.
    """
    settings = {} if precision is None else {"precision": precision}
    if name is not None:
        named = {"components": {"fastcoref": settings}} if settings else {}
        return spacy.load(name, config=named)
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref", config=settings)
    return nlp


def read_examples(nlp: Language, path: Path) -> List[Example]:
    """Read annotated documents from a jsonlines file of words or of texts.

    nlp (Language): The pipeline, to tokenize texts.
    path (Path): The file.
    RETURNS (List[Example]): The documents.
    RAISES (ValueError): A document is not valid, or the file has no documents.
    """
    make_corpus = spacy.registry.readers.get("spacy_fastcoref.JsonlCorpus.v1")
    examples = list(make_corpus(path)(nlp))
    if not examples:
        raise ValueError(f"{path} has no documents")
    return examples


def predict(nlp: Language, examples: List[Example]) -> Tuple[List[Example], float]:
    """Run a pipeline on examples.

    nlp (Language): The pipeline.
    examples (List[Example]): The documents with their gold clusters.
    RETURNS (Tuple[List[Example], float]): The documents with predicted clusters too,
        and the number of words per second.
    """
    docs = [eg.predicted.copy() for eg in examples]
    begin = time.perf_counter()
    docs = list(nlp.pipe(docs))
    seconds = time.perf_counter() - begin
    pairs = zip(docs, examples, strict=True)
    found = [Example(doc, eg.reference) for doc, eg in pairs]
    return found, sum(map(len, docs)) / seconds


def read_gap_rows(path: Path) -> List[GapRow]:
    """Read all rows of a GAP file.

    path (Path): The file.
    RETURNS (List[GapRow]): The rows.
    RAISES (ValueError): A row is not valid, or the file has no rows.
    """
    # GAP does not quote its fields, so split the lines without the csv module.
    header, *lines = path.read_text(encoding="utf8").splitlines()
    rows = []
    for number, line in enumerate(lines, start=2):
        row = dict(zip(header.split("\t"), line.split("\t"), strict=False))
        try:
            spans = [_find_span(row, name) for name in ("Pronoun", "A", "B")]
            labels = row["A-coref"] == "TRUE", row["B-coref"] == "TRUE"
            rows.append(GapRow(row["Text"], spans[0], (spans[1], spans[2]), labels))
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: not a row of GAP") from error
    if not rows:
        raise ValueError(f"{path} has no rows")
    return rows


def _find_span(row: Dict[str, str], name: str) -> Tuple[int, int]:
    start = int(row[f"{name}-offset"])
    end = start + len(row[name])
    if not row[name] or row["Text"][start:end] != row[name]:
        raise ValueError(name)
    return start, end


def read_pieces(nlp: Language, paths: Sequence[Path], n_words: int) -> List[List[str]]:
    """Read files as short documents.

    nlp (Language): The pipeline, to tokenize texts.
    paths (Sequence[Path]): The files. Those that end in .jsonl have annotated
        documents, and others a text on each line; those that end in .gz are texts, too,
        and compressed.
    n_words (int): The most words in a document. Longer documents are cut.
    RETURNS (List[List[str]]): The words of each document.
    RAISES (ValueError): The files have no words.
    """
    pieces: List[List[str]] = []
    for path in paths:
        for words in _read_words(nlp, path):
            pieces += (words[i : i + n_words] for i in range(0, len(words), n_words))
    if not pieces:
        raise ValueError(f"there are no words in {', '.join(map(str, paths))}")
    return pieces


def _read_words(nlp: Language, path: Path) -> Iterator[List[str]]:
    if path.suffix == ".jsonl":
        for eg in read_examples(nlp, path):
            yield [token.text for token in eg.reference if not token.is_space]
        return
    opener: Callable = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf8") as lines:
        for line in lines:
            yield [token.text for token in nlp.tokenizer(line) if not token.is_space]


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table with right-aligned numbers.

    header (Sequence[str]): The names of the columns.
    rows (Sequence[Sequence[Any]]): The rows. The first value of each row is its name.
    """
    aligns = ["l", *"r" * (len(header) - 1)]
    msg.table(rows, header=header, aligns=aligns, divider=True)


def write_points(score: Optional[float]) -> str:
    """Format a score in points: 0.5 as 50.00.

    score (Optional[float]): The score, between 0 and 1; None if there is no score.
    RETURNS (str): The formatted score.
    """
    return "–" if score is None else f"{100 * score:.2f}"


def write_json(path: Optional[Path], results: Dict[str, Any]) -> None:
    """Write results to a file.

    path (Optional[Path]): The file; None to write no file.
    results (Dict[str, Any]): The results.
    """
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")
