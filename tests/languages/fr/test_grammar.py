"""Test French grammar on sentences annotated as spaCy's French pipelines do.

Each line of sentences.jsonl has a sentence with its annotation, questions (two mentions
and the verdict on them: 2, 1 or 0), words that are anaphors, and words that are not.
"""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors, find_mentions, judge

PATH = Path(__file__).parent / "sentences.jsonl"
ROWS = [json.loads(line) for line in PATH.read_text(encoding="utf8").splitlines()]
VOCAB = spacy.blank("fr").vocab


def make_doc(row, **left_out):
    ents = ["O"] * len(row["words"])
    for start, end, label in row["ents"]:
        ents[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    annotation = {
        "pos": row["pos"],
        "morphs": row["morph"],
        "lemmas": row["lemma"],
        "deps": row["dep"],
        "heads": row["head"],
        "ents": ents,
    }
    annotation.update(left_out)
    return Doc(VOCAB, words=row["words"], spaces=row["spaces"], **annotation)


def name_row(row):
    return f"{row['phenomenon']}: {' '.join(row['words'])}"


@pytest.mark.parametrize("row", ROWS, ids=name_row)
def test_verdicts(row):
    doc = make_doc(row)
    for question in row["questions"]:
        spans = [doc[start:end] for start, end in (question["a"], question["b"])]
        earlier, later = sorted(spans, key=lambda span: (span.start, -span.end))
        found = judge(doc, later, earlier)
        assert found.verdict == question["verdict"], (earlier, later, found.reasons)


@pytest.mark.parametrize("row", ROWS, ids=name_row)
def test_anaphors(row):
    doc = make_doc(row)
    found = {token.i for span in find_anaphors(doc) for token in span}
    assert found >= set(row["anaphors"])
    assert found.isdisjoint(row["not_anaphors"])


@pytest.mark.parametrize(
    "left_out",
    [("morphs",), ("deps", "heads"), ("pos", "morphs"), ("lemmas",), ("ents",)],
    ids=" ".join,
)
def test_missing_annotation(left_out):
    """What nothing tells stays open, without an error."""
    for row in ROWS:
        doc = make_doc(row, **dict.fromkeys(left_out))
        mentions = find_mentions(doc)
        anaphors = {(span.start, span.end) for span in find_anaphors(doc)}
        assert anaphors <= {(one.span.start, one.span.end) for one in mentions}


def test_no_annotation():
    names = ("pos", "morphs", "lemmas", "deps", "heads", "ents")
    for row in ROWS:
        doc = make_doc(row, **dict.fromkeys(names))
        pronouns = {"elle", "ils", "elles", "lui", "leur"}
        wanted = {token.i for token in doc if token.lower_ in pronouns}
        assert wanted <= {token.i for span in find_anaphors(doc) for token in span}
