"""Define `python -m spacy coref evaluate`: score a pipeline on annotated files."""

from pathlib import Path
from typing import Dict, List, Optional

import spacy
import srsly
from spacy.cli._util import Arg, Opt, import_code
from wasabi import msg

from ..factories import FACTORY, list_components
from ..training.evaluation import Evaluation, WrongLink, evaluate, read_gold
from ..training.readers.around import annotate_examples
from . import coref_cli
from .documents import FROM
from .messages import print_message
from .output import check_writable

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


@coref_cli.command("evaluate")
def evaluate_cli(
    model: str = Arg(
        ...,
        help="A pipeline: a folder or the name of a package. Without a coreference "
        "component, it gets the default one",
    ),
    paths: List[Path] = Arg(
        ...,
        metavar="DATA",
        help="Annotated files of any format with clusters, or folders of them",
        exists=True,
    ),
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
    msg.table(make_rows(found), header=("", "P", "R", "F"), aligns=("l", "r", "r", "r"))
    if found.genres:
        msg.table(make_genre_rows(found.genres), header=("", "CoNLL", "anaphors"))
    for link in found.wrong_links[:wrong]:
        print(describe_link(link))
    if output is not None:
        srsly.write_json(output, found.to_dict())
        print_message("good", f"Written to {output}")


def make_rows(found: Evaluation) -> List[tuple]:
    """Make the rows of the table of scores.

    found (Evaluation): The scores.
    RETURNS (List[tuple]): The name of each metric, precision, recall and F1.
    """
    rows = [
        (name, *(_percent(found.scores[f"{key}_{part}"]) for part in "prf"))
        for name, key in _METRICS.items()
    ]
    rows.append(("anaphors", "", "", _percent(found.scores["anaphors"])))
    rows.append(("annotated anaphors", "", "", found.n_anaphors))
    rows.append(("documents", "", "", found.n_documents))
    rows.append(("words", "", "", found.n_words))
    rows.append(("words per second", "", "", round(found.words_per_second)))
    return rows


def make_genre_rows(genres: Dict[str, Dict[str, float]]) -> List[tuple]:
    """Make the rows of the table of genres.

    genres (Dict[str, Dict[str, float]]): The scores of each genre.
    RETURNS (List[tuple]): The genre, CoNLL F1 and the accuracy of anaphors.
    """
    return [
        (name, _percent(scores["coref_f"]), _percent(scores["anaphors"]))
        for name, scores in genres.items()
    ]


def describe_link(link: WrongLink) -> str:
    """Describe an anaphor with a wrong antecedent.

    link (WrongLink): The anaphor.
    RETURNS (str): A line with the chosen and the expected antecedent.
    """
    chosen = "nothing" if link.antecedent is None else link.antecedent
    expected = ", ".join(link.expected[:3])
    sentence = " ".join(link.sentence.split())
    return f"{link.key}: {link.anaphor} -> {chosen}, not {expected}: {sentence}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
