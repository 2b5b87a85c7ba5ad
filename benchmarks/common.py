"""Read the arguments and input of the benchmarks, and print their results."""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from spacy_fastcoref.formats.base import find_inputs, read_inputs
from spacy_fastcoref.metrics.gap import GapRow
from spacy_fastcoref.metrics.scorer import CorefAccumulator
from spacy_fastcoref.training.readers.pronouns import GAP, read_pronoun_rows


class Parser(argparse.ArgumentParser):
    """Parse arguments, `--json` among them, and report errors in a single line.

    options (str): The names of options with a text, or None.
    files (Optional[Callable[[str], Any]]): The type of positional arguments.
    numbers (Optional[int]): The defaults of options with a number.
    """

    def __init__(
        self,
        description: Optional[str] = None,
        *options: str,
        files: Optional[Callable[[str], Any]] = None,
        prog: Optional[str] = None,
        **numbers: Optional[int],
    ) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument("--json", type=output_file, help="a file for the results")
        for name in options:
            self.add_argument(f"--{name}")
        for name, default in numbers.items():
            option = f"--{name.replace('_', '-')}"
            self.add_argument(option, type=positive, default=default)
        if files is not None:
            self.add_argument("files", nargs="+", type=files)

    def error(self, message: str) -> Any:
        self.exit(2, f"{self.prog}: {message}\n")


def run(main: Callable[[], None]) -> None:
    """Run a benchmark, and report errors of the input in a single line."""
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(str(error).split())}")


def input_file(value: str) -> Path:
    """Check an argument: a file that can be read."""
    path = Path(value)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{value!r} is not a readable file")
    return path


def output_file(value: str) -> Path:
    """Check an argument: a file that can be written."""
    path = Path(value)
    target = path if path.exists() else path.parent
    if path.is_dir() or not os.access(target, os.W_OK):
        raise argparse.ArgumentTypeError(f"{value!r} cannot be written")
    return path


def positive(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number above 0")
    return int(value)


def lang_file(value: str) -> Tuple[str, Path]:
    """Check an argument: a language and a file."""
    lang, found, path = value.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"{value!r} is not LANG=FILE")
    return lang, input_file(path)


def load_pipeline(
    name: Optional[str] = None,
    precision: Optional[str] = None,
    lang: str = "en",
    **settings: Any,
) -> Language:
    """Load a pipeline with coreference, or make a blank one with the component.

    precision (Optional[str]): None for the pipeline's own.
    """
    if precision is not None:
        settings["precision"] = precision
    if name is not None:
        named = {"components": {"fastcoref": settings}} if settings else {}
        return spacy.load(name, config=named)
    nlp = spacy.blank(lang)
    nlp.add_pipe("fastcoref", config=settings)
    return nlp


def read_examples(nlp: Language, path: Path) -> List[Example]:
    """Read annotated documents from a jsonlines file of words or of texts."""
    make_corpus = spacy.registry.readers.get("spacy_fastcoref.JsonlCorpus.v1")
    examples = list(make_corpus(path)(nlp))
    if not examples:
        raise ValueError(f"{path} has no documents")
    return examples


def run_pipe(nlp: Language, docs: List[Doc]) -> Tuple[List[Doc], float]:
    """Run a pipeline on Docs, and measure the number of words per second."""
    begin = time.perf_counter()
    docs = list(nlp.pipe(docs))
    return docs, sum(map(len, docs)) / (time.perf_counter() - begin)


def predict(nlp: Language, examples: List[Example]) -> Tuple[List[Example], float]:
    """Run a pipeline on copies of examples, and measure its words per second."""
    docs, speed = run_pipe(nlp, [eg.predicted.copy() for eg in examples])
    pairs = zip(docs, examples, strict=True)
    return [Example(doc, eg.reference) for doc, eg in pairs], speed


def read_gap_rows(path: Path) -> List[GapRow]:
    rows = []
    for row in read_pronoun_rows(path, GAP):
        if isinstance(row, ValueError):
            raise row
        rows.append(row)
    if not rows:
        raise ValueError(f"{path} has no rows")
    return rows


def read_pieces(nlp: Language, paths: Sequence[Path], n_words: int) -> List[List[str]]:
    """Read files as short documents.

    Files that end in .jsonl have annotated documents, and others a text on each line;
    those that end in .gz are compressed texts.
    """
    pieces: List[List[str]] = []
    for path in paths:
        kind = None if path.suffix == ".jsonl" else "lines"
        for entry in read_inputs(find_inputs([path], kind), nlp):
            if isinstance(entry, ValueError):
                raise entry
            words = [token.text for token in entry.doc if not token.is_space]
            pieces += (words[i : i + n_words] for i in range(0, len(words), n_words))
    if not pieces:
        raise ValueError(f"there are no words in {', '.join(map(str, paths))}")
    return pieces


def score_clusters(pairs: Iterable[Tuple[Any, Any]]) -> float:
    """Score the clusters of documents against others: CoNLL F1."""
    total = CorefAccumulator()
    for right, found in pairs:
        total.add(right, found)
    return total.get_scores()["coref_f"]


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table with right-aligned numbers."""
    aligns = ["l", *"r" * (len(header) - 1)]
    msg.table(rows, header=header, aligns=aligns, divider=True)


def write_points(score: Optional[float]) -> str:
    """Format a score in points: 0.5 as 50.00."""
    return "–" if score is None else f"{100 * score:.2f}"


def write_json(path: Optional[Path], results: Any) -> None:
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")
