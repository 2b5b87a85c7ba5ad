"""Define `check` and `evaluate`, which read annotated files."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Dict, List, Optional, Union

import spacy
import srsly
from spacy.cli._util import Arg, Opt, import_code
from wasabi import msg

from ..factories import FACTORY, list_components
from ..files import replace_file
from ..training.check import check_corpus
from ..training.evaluation import Evaluation, evaluate, read_gold
from ..training.readers.around import annotate_examples
from . import coref_cli
from .console import print_message
from .options import CORPUS, FROM, TOKENIZER_LANGUAGE, check_writable

_SHOWN = 20
NEAREST = "spacy_fastcoref.NearestAntecedent.v1"
# The rows of the table, by the name of the score.
_METRICS = {
    "CoNLL": "coref",
    "MUC": "coref_muc",
    "B-cubed": "coref_b_cubed",
    "CEAF-e": "coref_ceaf_e",
    "LEA": "coref_lea",
    "mentions": "coref_mentions",
}


@coref_cli.command("check")
def check_cli(
    paths: List[Path] = CORPUS,
    source: Optional[str] = FROM,
    max_span_words: int = Opt(
        30,
        "--max-span-words",
        "-w",
        min=1,
        help="The longest mention that the model can predict",
    ),
    model: Optional[str] = Opt(
        None,
        "--model",
        "-m",
        help="A pipeline, to count the gold mentions that its model keeps as "
        "candidates; its tokenizer is used for texts",
    ),
    lang: str = TOKENIZER_LANGUAGE,
) -> None:
    """Print statistics of a corpus, and its errors with file and line.

    The exit code is 1 if any document can't be read.
    """
    nlp = None if model is None else spacy.load(model)
    report = check_corpus(
        paths, name=source, max_span_words=max_span_words, nlp=nlp, lang=lang
    )
    rows: Dict[str, Union[int, str]] = {**report.counts}
    if "Gold mentions kept" in rows and rows["Mentions"]:
        kept = report.counts["Gold mentions kept"] / report.counts["Mentions"]
        rows["Gold mentions kept"] = f"{kept:.1%}"
    msg.table([*rows.items()])
    for name, messages in (("fail", report.errors), ("warn", report.warnings)):
        for message in messages[:_SHOWN]:
            print_message(name, message, file=sys.stdout)
        if len(messages) > _SHOWN:
            print(f"and {len(messages) - _SHOWN} more")
    if report.errors:
        print_message("fail", f"{len(report.errors)} documents can't be read")
        sys.exit(1)
    print_message("good", "All documents can be read")


@coref_cli.command("evaluate")
def evaluate_cli(
    model: str = Arg(
        ...,
        help="A pipeline: a folder or the name of a package. Without a coreference "
        "component, it gets the default one",
    ),
    paths: List[Path] = CORPUS,
    source: Optional[str] = FROM,
    output: Optional[Path] = Opt(
        None,
        "--output",
        "-o",
        help="A JSON file for the scores and the wrong links",
        dir_okay=False,
    ),
    annotator: Optional[str] = Opt(
        None,
        "--annotator",
        "-a",
        help="A pipeline that tags and parses the documents before, for a model that "
        "was trained on its annotation",
    ),
    annotated: bool = Opt(
        False,
        "--annotated",
        "-A",
        help="Keep the tags and the parse of files that have them, such as .spacy",
    ),
    nearest: bool = Opt(
        False,
        "--nearest",
        "-n",
        help=f"Evaluate {NEAREST}, which has no weights, in place of the pipeline's "
        "own component",
    ),
    singletons: bool = Opt(
        False, "--singletons", "-s", help="Count clusters of one mention, too"
    ),
    match: str = Opt(
        "exact",
        "--match",
        "-m",
        help="Compare the boundaries of mentions ('exact') or their heads ('head')",
    ),
    genre: Optional[str] = Opt(
        None,
        "--genre",
        "-g",
        help="Score each genre: a regular expression that matches the genre at the "
        "start of a document's name, such as '[a-z]+', or as its first group",
    ),
    wrong: int = Opt(
        0, "--wrong", "-w", min=0, help="The number of wrong links to print"
    ),
    code: Optional[Path] = Opt(
        None, "--code", "-c", help="A Python file with additional code to import"
    ),
) -> None:
    """Score clusters, and the antecedents of anaphors, on annotated files.

    The accuracy of anaphors is the share of the annotated anaphors whose antecedent is
    in their annotated cluster.
    """
    import_code(code)
    if output is not None:
        check_writable(output.parent)
    nlp = spacy.load(model)
    components = list_components(nlp.pipe_factories)
    if nearest:
        for name in components:
            nlp.remove_pipe(name)
        nlp.add_pipe(FACTORY, config={"model": {"@architectures": NEAREST}})
    elif not components:
        nlp.add_pipe(FACTORY)
    examples = read_gold(paths, nlp, source, annotated)
    if annotator is not None:
        examples = annotate_examples(examples, spacy.load(annotator))
    found = evaluate(nlp, examples, singletons=singletons, match=match, genre=genre)
    msg.table(
        _make_rows(found), header=("", "P", "R", "F"), aligns=("l", "r", "r", "r")
    )
    if found.genres:
        rows = [
            (name, _percent(scores["coref_f"]), _percent(scores["anaphors"]))
            for name, scores in found.genres.items()
        ]
        msg.table(rows, header=("", "CoNLL", "anaphors"))
    for link in found.wrong_links[:wrong]:
        chosen = "nothing" if link.antecedent is None else link.antecedent
        expected = ", ".join(link.expected[:3])
        sentence = " ".join(link.sentence.split())
        print(f"{link.key}: {link.anaphor} -> {chosen}, not {expected}: {sentence}")
    if output is not None:
        with replace_file(output) as new:
            srsly.write_json(new, asdict(found))
        print_message("good", f"Written to {output}")


def _make_rows(found: Evaluation) -> List[tuple]:
    rows: List[tuple] = [
        (name, *(_percent(found.scores[f"{key}_{part}"]) for part in "prf"))
        for name, key in _METRICS.items()
    ]
    rows.append(("anaphors", "", "", _percent(found.scores["anaphors"])))
    rows.append(("annotated anaphors", "", "", found.n_anaphors))
    rows.append(("documents", "", "", found.n_documents))
    rows.append(("words", "", "", found.n_words))
    rows.append(("words per second", "", "", round(found.words_per_second)))
    return rows


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
