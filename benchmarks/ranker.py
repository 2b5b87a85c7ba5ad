"""Compare the ranker with nearest antecedents, and its time with its pipeline's.

python benchmarks/ranker.py --lang LANG (--name NAME | --model FOLDER)
    [--pipeline PIPELINE] [--match NAME] [--rounds N] [--json FILE] DEV …

The accuracy of anaphors is that of Coreferee: the share of the annotated anaphors whose
antecedent is in their annotated cluster. Both models read the same annotation: that of
the pipeline, or that of .spacy files without one. `--name` is that of weights that
ship, and `--model` the folder of a trained pipeline. The words per second are those of
the pipeline alone, and with the ranker, in the same round; the best of N rounds counts.
Run it with OMP_NUM_THREADS=1 for one core.
"""

import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import common
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_fastcoref.factories import list_components
from spacy_fastcoref.training.evaluation import evaluate, read_gold

NEAREST = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
RANKER = {"@architectures": "spacy_fastcoref.Ranker.v1"}
_COLUMNS = ["", "anaphors", "nearest", "ranker", "CoNLL nearest", "CoNLL ranker"]
_SPEEDS = ["", "words/s of the pipeline", "with the ranker", "more time"]


def main() -> None:
    """Score both models on every file, and print the tables."""
    parser = common.Parser(__doc__)
    parser.add_argument("inputs", type=Path, nargs="+")
    parser.add_argument("--lang", required=True)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--name")
    which.add_argument("--model", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--match", default="exact")
    parser.add_argument("--rounds", type=common.positive, default=3)
    args = parser.parse_args()
    ranker = make_pipeline(args.lang, args.name, args.model)
    nearest = spacy.blank(args.lang, vocab=ranker.vocab)
    nearest.add_pipe("fastcoref", config={"model": NEAREST})
    annotator = None
    if args.pipeline is not None:
        annotator = spacy.load(args.pipeline, vocab=ranker.vocab)
    results: Dict[str, Any] = {}
    for path in args.inputs:
        examples = list(read_gold([path], ranker, None, annotator is None))
        results[name_file(path)] = {
            **measure_speed(annotator, ranker, examples, args.rounds),
            **measure_accuracy({"nearest": nearest, "ranker": ranker}, examples, args),
        }
    common.print_table(
        _COLUMNS, [[name, *list_points(one)] for name, one in results.items()]
    )
    if annotator is not None:
        common.print_table(
            _SPEEDS, [[k, *list_speeds(one)] for k, one in results.items()]
        )
    if args.json:
        common.write_json(args.json, results)


def make_pipeline(lang: str, name: Optional[str], folder: Optional[Path]) -> Language:
    """Make a pipeline of the ranker alone."""
    nlp = spacy.blank(lang)
    if folder is None:
        nlp.add_pipe("fastcoref", config={"model": {**RANKER, "name": name}})
        return nlp
    trained = spacy.load(folder, vocab=nlp.vocab)
    (component,) = list_components(trained.pipe_factories)
    nlp.add_pipe(component, source=trained)
    return nlp


def name_file(path: Path) -> str:
    """Name a file by its folder, as most are called dev.jsonl."""
    return f"{path.resolve().parent.name}/{path.name}"


def measure_speed(
    annotator: Optional[Language],
    ranker: Language,
    examples: List[Tuple[str, Example]],
    n_rounds: int,
) -> Dict[str, float]:
    """Annotate the documents, in place, and measure the time of both pipelines."""
    n_words = sum(len(eg.predicted) for _, eg in examples)
    found: Dict[str, float] = {"words": n_words}
    if annotator is None:
        return found
    times = {"pipeline": float("inf"), "ranker": float("inf")}
    for _ in range(n_rounds):
        bare = [eg.predicted.copy() for _, eg in examples]
        docs, seconds = clock(annotator, bare)
        times["pipeline"] = min(times["pipeline"], seconds)
        _, seconds = clock(ranker, [doc.copy() for doc in docs])
        times["ranker"] = min(times["ranker"], seconds)
    for (_, eg), doc in zip(examples, docs, strict=True):
        eg.predicted = doc
    return {**found, **times}


def clock(nlp: Language, docs: List[Doc]) -> Tuple[List[Doc], float]:
    """Measure the time of a pipeline."""
    begin = time.perf_counter()
    found = list(nlp.pipe(docs))
    return found, time.perf_counter() - begin


def measure_accuracy(
    pipelines: Dict[str, Language], examples: List[Tuple[str, Example]], args: Any
) -> Dict[str, float]:
    """Score pipelines on annotated documents."""
    found: Dict[str, float] = {}
    for name, nlp in pipelines.items():
        copies = list(copy_examples(examples))
        scored = evaluate(nlp, copies, match=args.match)
        found["n_anaphors"] = scored.n_anaphors
        found[f"{name}_anaphors"] = scored.scores["anaphors"]
        found[f"{name}_coref_f"] = scored.scores["coref_f"]
    return found


def copy_examples(
    examples: List[Tuple[str, Example]],
) -> Iterator[Tuple[str, Example]]:
    """Copy documents, so that pipelines do not write into the same ones."""
    for key, eg in examples:
        yield key, Example(eg.predicted.copy(), eg.reference)


def list_points(one: Dict[str, float]) -> List[Any]:
    """List the scores of a file for the table."""
    names = ("nearest_anaphors", "ranker_anaphors", "nearest_coref_f", "ranker_coref_f")
    return [one["n_anaphors"], *(common.write_points(one[name]) for name in names)]


def list_speeds(one: Dict[str, float]) -> List[Any]:
    """List the speeds of a file for the table."""
    alone, ranker = one["pipeline"], one["ranker"]
    speeds = [f"{one['words'] / seconds:,.0f}" for seconds in (alone, alone + ranker)]
    return [*speeds, f"{100 * ranker / alone:.0f} %"]


if __name__ == "__main__":
    common.run(main)
