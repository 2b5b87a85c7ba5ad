"""Read treebanks of Universal Dependencies as sentences to learn from."""

from pathlib import Path
from typing import Dict, List

from biaffine import NOTHING, Sentence

# What is no morphological feature.
_COLUMNS = ("pos", "tag", "edit")
# The features that the other parts of a contraction add: "am" has the case of "dem".
_SHARED = ("Case", "Gender", "Number", "Person")


def read_treebank(path: Path, lang: str) -> List[Sentence]:
    """Read a treebank, with contractions such as "am" as one word.

    path (Path): A file in CoNLL-U.
    lang (str): The language.
    RETURNS (List[Sentence]): The sentences.
    """
    sentences = []
    for block in path.read_text(encoding="utf8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1] != "#"]
        words = {int(row[0]): row for row in rows if row[0].isdecimal()}
        groups = {number: [number] for number in words}
        forms = {number: row[1] for number, row in words.items()}
        for row in rows:
            first, dash, last = row[0].partition("-")
            if dash:
                parts = list(range(int(first), int(last) + 1))
                groups.update(dict.fromkeys(parts, parts))
                forms[parts[0]] = row[1]
        firsts = sorted({group[0] for group in groups.values()})
        places = {0: 0}
        places.update((n, firsts.index(group[0]) + 1) for n, group in groups.items())
        one = Sentence(lang, [forms[number] for number in firsts])
        for number in firsts:
            group = groups[number]
            # The top of a contraction has its head outside of it.
            tops = [n for n in group if int(words[n][6]) not in group]
            row = words[tops[0]]
            values = _read_values(row, forms[number])
            for other in group:
                feats = _read_features(words[other][5])
                shared = {k: v for k, v in feats.items() if k in _SHARED}
                values = {**shared, **values}
            one.values.append(values)
            one.heads.append(places[int(row[6])])
            one.labels.append(row[7])
        sentences.append(one)
    return sentences


def _read_values(row: List[str], form: str) -> Dict[str, str]:
    values = {"pos": row[3], "edit": find_edit(form, row[2]), **_read_features(row[5])}
    # The tags of the Polish corpus are detailed ("subst:sg:nom:f"), and start with
    # those of spaCy's pipelines. The German ones are not those of its pipelines.
    if row[4].islower():
        values["tag"] = row[4].partition(":")[0].upper()
    # Not each treebank says so.
    if "Mood" in values:
        values.setdefault("VerbForm", "Fin")
    return values


def _read_features(column: str) -> Dict[str, str]:
    return dict(part.split("=", 1) for part in column.split("|") if "=" in part)


def write_features(values: Dict[str, str]) -> str:
    """Write the features of a word as in CoNLL-U.

    values (Dict[str, str]): The value of each classification.
    RETURNS (str): The features, such as "Case=Nom|Number=Sing".
    """
    feats = {k: v for k, v in values.items() if k not in _COLUMNS and v != NOTHING}
    return "|".join(f"{name}={feats[name]}" for name in sorted(feats, key=str.lower))


def find_edit(word: str, lemma: str) -> str:
    """Find the edit that makes the lemma of a word.

    word, lemma (str): The word and its lemma.
    RETURNS (str): "l" if the word gets in lower case or else "k", the number of letters
        to cut, and the letters to append: "l2:en".
    """
    case = "k" if lemma[:1] == word[:1] else "l"
    base = word if case == "k" else word.lower()
    n_same = 0
    for ours, other in zip(base, lemma, strict=False):
        if ours != other:
            break
        n_same += 1
    return f"{case}{len(base) - n_same}:{lemma[n_same:]}"


def apply_edit(edit: str, word: str) -> str:
    """Make the lemma of a word.

    edit (str): The edit; "" for none.
    word (str): The word.
    RETURNS (str): The lemma.
    """
    cut, _, ending = edit.partition(":")
    n_cut = int(cut[1:] or 0)
    base = word.lower() if cut[:1] == "l" else word
    return word if n_cut > len(base) else base[: len(base) - n_cut] + ending
