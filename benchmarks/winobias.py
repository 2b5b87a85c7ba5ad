"""Measure how much clusters depend on gender stereotypes of occupations.

python benchmarks/winobias.py FOLDER

FOLDER has the files of WinoBias (Zhao et al. 2018), such as
pro_stereotyped_type1.txt.dev. Each sentence names two people by their occupations, and
has one or two pronouns that refer to one of them. World knowledge (type 1) or syntax
(type 2) decides to which. The pronoun has the gender that is typical of the occupation
(pro) or the other gender (anti). "F1" is CoNLL F1, and "linked" is the share of
sentences whose marked mentions are all in one cluster. The pipeline is a blank English
one with the component.
"""

import re
from pathlib import Path
from typing import Dict, List

import common
from spacy.language import Language
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.formats.brackets import strip_brackets
from spacy_fastcoref.metrics.scorer import score_coref

KINDS = ("pro", "anti")
TYPES = ("type1", "type2")
SCORES = {"F1": "f", "linked": "linked"}
_MARKED = re.compile(r"\[([^\]]+)\]")


def main() -> None:
    parser = common.Parser(__doc__, "precision")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    nlp = common.load_pipeline(precision=args.precision)
    results: Dict[str, Dict[str, float]] = {}
    for name in TYPES:
        results[name] = one = {}
        for kind in KINDS:
            scores = measure(nlp, find_file(args.folder, kind, name))
            one |= {f"{kind}_{key}": value for key, value in scores.items()}
        for key in SCORES.values():
            one[f"gap_{key}"] = one[f"pro_{key}"] - one[f"anti_{key}"]
    columns = {
        f"{column}, {kind}": f"{kind}_{key}"
        for column, key in SCORES.items()
        for kind in (*KINDS, "gap")
    }
    rows = [
        [name, *(common.write_points(scores[key]) for key in columns.values())]
        for name, scores in results.items()
    ]
    common.print_table(["", *columns], rows)
    common.write_json(args.json, results)


def find_file(folder: Path, kind: str, name: str) -> Path:
    pattern = f"{kind}_stereotyped_{name}.txt.*"
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise ValueError(f"expected one file {folder / pattern}, found {len(found)}")
    return found[0]


def measure(nlp: Language, path: Path) -> Dict[str, float]:
    examples = [make_example(nlp, line) for line in read_lines(path)]
    examples, _ = common.predict(nlp, examples)
    n_linked = 0
    for eg in examples:
        (gold,) = eg.reference._.coref_clusters
        n_linked += any({*gold} <= {*found} for found in eg.predicted._.coref_clusters)
    scores = score_coref(examples)
    return {"f": scores["coref_f"], "linked": n_linked / len(examples)}


def read_lines(path: Path) -> List[str]:
    """Read a file's sentences, without their numbers."""
    lines = path.read_text(encoding="utf8").splitlines()
    found = [line.strip().partition(" ")[2] for line in lines if line.strip()]
    if not found or any(len(_MARKED.findall(sentence)) < 2 for sentence in found):
        raise ValueError(f"{path} has no numbered sentences with [marked] mentions")
    return found


def make_example(nlp: Language, line: str) -> Example:
    text, mentions = strip_brackets(_MARKED.sub(r"[a \1]", line))
    gold = nlp.make_doc(text)
    spans = [gold.char_span(*m[:2], alignment_mode="expand") for m in mentions]
    set_clusters(gold, [spans])
    return Example(nlp.make_doc(text), gold)


if __name__ == "__main__":
    common.run(main)
