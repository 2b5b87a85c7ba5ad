"""Measure how much clusters depend on what is usual for women and for men.

python benchmarks/winobias.py [--pipeline NAME] [--precision NAME] [--json FILE]
    FOLDER

FOLDER has the files of WinoBias (Zhao et al. 2018), such as
pro_stereotyped_type1.txt.dev. Two people with an occupation are named, and a pronoun
that only grammar (type 2) or only knowledge of the world (type 1) tells to be one of
them: one who is usually of its gender (pro), or one who is usually not (anti). The gap
is what the second costs. Without a pipeline it is the one that add_pipe("fastcoref")
makes.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

from pipelines import load_pipeline
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_fastcoref import set_clusters

KINDS = ("pro", "anti")
TYPES = ("type1", "type2")
_MARKED = re.compile(r"\[([^\]]+)\]")


def main() -> None:
    """Score the four files and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--precision")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    nlp = load_pipeline(args.pipeline, args.precision)
    results = {name: measure(nlp, args.folder, name) for name in TYPES}
    header = ("", *KINDS, "gap")
    rows = [
        (name, *(f"{100 * scores[key]:.2f}" for key in (*KINDS, "gap")))
        for name, scores in results.items()
    ]
    msg.table(rows, header=header)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def measure(nlp: Language, folder: Path, name: str) -> Dict[str, float]:
    """Score one type of sentence: CoNLL F1 of the clusters that are marked."""
    scores = {}
    for kind in KINDS:
        (path,) = folder.glob(f"{kind}_stereotyped_{name}.txt.*")
        examples = [make_example(nlp, line) for line in read_lines(path)]
        scores[kind] = nlp.evaluate(examples)["coref_f"]
    return {**scores, "gap": scores["pro"] - scores["anti"]}


def read_lines(path: Path) -> Iterator[str]:
    """Read a file's sentences, without their numbers."""
    for line in path.read_text(encoding="utf8").splitlines():
        if line.strip():
            yield line.strip().split(" ", 1)[1]


def make_example(nlp: Language, line: str) -> Example:
    """Make an example in which the marked mentions are one cluster."""
    text, offsets = parse(line)
    gold = nlp.make_doc(text)
    spans = [gold.char_span(*pair, alignment_mode="expand") for pair in offsets]
    set_clusters(gold, [spans])
    return Example(nlp.make_doc(text), gold)


def parse(line: str) -> Tuple[str, List[Tuple[int, int]]]:
    """Take the marks off a sentence, and tell where they were."""
    text, offsets, end = "", [], 0
    for match in _MARKED.finditer(line):
        text += line[end : match.start()]
        offsets.append((len(text), len(text) + len(match[1])))
        text += match[1]
        end = match.end()
    return text + line[end:], offsets


if __name__ == "__main__":
    main()
