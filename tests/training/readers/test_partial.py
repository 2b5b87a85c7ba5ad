"""Test readers of partly labelled texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.metrics.gap import GapRow
from spacy_fastcoref.pipeline.gold import align_gold
from spacy_fastcoref.training.readers.linked import (
    make_elevant_corpus,
    make_grounded_corpus,
)
from spacy_fastcoref.training.readers.partial import (
    LabelledMention,
    find_phrase,
    make_partial_examples,
)
from spacy_fastcoref.training.readers.pronouns import (
    make_knowref_corpus,
    make_pronoun_corpus,
    make_pronoun_examples,
)

from ...conftest import blank
from .test_corpora import NLP, check_bad


def write_json(path, data):
    path.write_text(json.dumps(data), encoding="utf8")
    return path


def read_gold(eg):
    """Get the labelled mentions, the clusters, and mentions without an antecedent."""
    doc, gold = eg.predicted, align_gold(eg)
    assert not doc.spans and gold.n_misaligned == 0
    clusters = [[doc[a:z].text for a, z in cluster] for cluster in gold.clusters]
    continued = {mention for cluster in gold.clusters for mention in cluster[1:]}
    alone = set(gold.annotated) - set(gold.unsure) - continued
    return (
        [doc[a:z].text for a, z in gold.annotated],
        clusters,
        [doc[a:z].text for a, z in sorted(alone)],
    )


# KnowRef

KNOWREF = {
    "sentence_with_pronoun": "Jo Ann met Ann , but [she] left ; Ann stayed .",
    "candidate0": ["Ann"],
    "candidate1": ["Jo Ann"],
    "correct_candidate": ["Jo Ann"],
    "correct_candidate_idx": 1,
}


def test_knowref_labels_the_pronoun(tmp_path):
    row = {**KNOWREF, "sentence_with_pronoun": "Eva met Jo , but [she] left ; Jo sat ."}
    row.update(candidate0=["Eva"], candidate1=["Jo"])
    row.update(correct_candidate=["Eva"], correct_candidate_idx=0)
    path = write_json(tmp_path / "k.json", [row])
    (eg,) = make_knowref_corpus(path)(NLP)
    assert eg.predicted.text == "Eva met Jo , but she left ; Jo sat ."
    assert read_gold(eg) == (["Eva", "Jo", "she"], [["Eva", "she"]], [])
    # Whether Jo is somebody new is not known.
    assert align_gold(eg).unsure == [(0, 1), (2, 3)]


KNOWREF_ERRORS = [
    ({"sentence_with_pronoun": "[Ann] met Jo Ann , [she] left ."}, "2 pronouns"),
    ({"sentence_with_pronoun": "Jo Ann met Ann , she left ."}, "0 pronouns"),
    ({"candidate0": ["An"]}, "'An' is not in the text"),
    ({"candidate0": ["Jo Ann"], "correct_candidate_idx": 0}, "both candidates"),
    ({"correct_candidate_idx": 0}, "do not agree"),
    ({"correct_candidate": ["Eve"]}, "not in list"),
    ({"candidate1": []}, "IndexError"),
    ({"candidate1": None}, "TypeError"),
]


@pytest.mark.parametrize("changes, says", KNOWREF_ERRORS)
def test_bad_rows_of_knowref(tmp_path, changes, says):
    path = write_json(tmp_path / "k.json", [KNOWREF, {**KNOWREF, **changes}, KNOWREF])
    check_bad(make_knowref_corpus, path, "item 2", says, 2)


# Other corpora of pronouns

COLUMNS = {
    "text": "s",
    "pronoun": "p",
    "pronoun_offset": "p_at",
    "candidates": ["x", "y"],
    "answer": "right",
}
ROW = {"s": "Jo met Eve as she left .", "p": "she", "p_at": 14, "x": "Jo", "y": "Eve"}


@pytest.mark.parametrize("kind", ["json", "jsonl", "tsv"])
def test_pronouns_of_any_table(tmp_path, kind):
    row = {**ROW, "right": "Eve"}
    texts = {
        "json": json.dumps([row]),
        "jsonl": json.dumps(row),
        "tsv": "\t".join(row) + "\n" + "\t".join(map(str, row.values())),
    }
    path = tmp_path / f"a.{kind}"
    path.write_text(texts[kind], encoding="utf8")
    (eg,) = make_pronoun_corpus(path, COLUMNS)(NLP)
    assert read_gold(eg) == (["Jo", "Eve", "she"], [["Eve", "she"]], [])


@pytest.mark.parametrize(
    "changes",
    [
        {"text": None},
        {"pronoun": None},
        {"answer": None},
        {"labels": ["x", "y"]},
        {"candidates": ["x"]},
        {"colour": "c"},
    ],
)
def test_columns_that_are_missing_or_unknown(changes):
    columns = {k: v for k, v in {**COLUMNS, **changes}.items() if v is not None}
    with pytest.raises(ValueError, match="FC057.*answer_index"):
        make_pronoun_corpus("a.json", columns)


# ELEVANT

TEXT = (
    "Title\nHe praised Louis, King of Hesse. Louis met Mary, an actress, in 1750. "
    "She and another actress saw his duck Jo. It quacked, as Hessians do.\nHe left."
)
SPAN = [TEXT.index("\n") + 1, TEXT.rindex("\n")]


def label(words, entity, *, is_coref=False, nth=1):
    start = -1
    for _ in range(nth):
        start = TEXT.index(words, start + 1)
    span = [start, start + len(words)]
    return {"span": span, "entity_id": entity, "coref": is_coref}


LABELS = [
    label("He", "Q1", is_coref=True),
    label("Louis, King of Hesse", "Q1"),
    label("Louis", "Q1"),
    label("King", "Q2"),
    label("Hesse", "Q3"),
    label("Louis", "Q1", nth=2),
    label("Mary", "Q4"),
    label("actress", "Q5"),
    label("1750", "DATETIME"),
    label("She", "Q4", is_coref=True),
    label("actress", "Q5", nth=2),
    label("his", "Q1", is_coref=True),
    label("Jo", "<NIL>"),
    label("It", "<NIL>", is_coref=True),
    label("Hessians", "Q6"),
    label("Hessians", "Q3"),
]


def make_article(**changes):
    article = {"id": 1, "text": TEXT, "evaluation_span": SPAN, "labels": LABELS}
    return json.dumps({**article, **changes})


def test_elevant(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(make_article() + "\n\n" + make_article(labels=[]) + "\n")
    eg, empty = make_elevant_corpus(path)(NLP)
    assert eg.predicted.text == TEXT[slice(*SPAN)] == empty.predicted.text
    annotated, clusters, alone = read_gold(eg)
    # One of two that nest and are the same, and neither of two readings of one word.
    assert " ".join(annotated) == (
        "He Louis, King of Hesse King Hesse Louis Mary actress She actress his Jo It"
    )
    assert clusters == [["He", "Louis, King of Hesse", "Louis", "his"], ["Mary", "She"]]
    # Two actresses may be two, and of Jo it is not known who that is.
    assert alone == ["King", "Hesse", "Mary", "actress"]
    assert read_gold(empty) == ([], [], [])


@pytest.mark.parametrize(
    "line, says",
    [
        ("{not json", "JSONDecodeError"),
        ("[]", "TypeError"),
        (
            make_article(labels=[{**LABELS[0], "span": [0, 3]}]),
            "no words from -6 to -3",
        ),
        (make_article(labels=[{**LABELS[0], "span": [9, 9]}]), "no words from 3 to 3"),
        (make_article(labels=[{**LABELS[0], "span": [8, 9]}]), "no words from 2 to 3"),
        (make_article(labels=[{**LABELS[0], "span": [9]}]), "IndexError"),
        (make_article(labels=[{"span": [6, 8]}]), "KeyError"),
        (make_article(labels=[{**LABELS[0], "entity_id": None}]), "TypeError"),
        (make_article(evaluation_span=None), "TypeError"),
    ],
)
def test_bad_articles(tmp_path, line, says):
    path = tmp_path / "a.jsonl"
    path.write_text(f"\n{make_article()}\n{line}\n")
    check_bad(make_elevant_corpus, path, "line 3", says, 1)


# Grounded pronouns

PARAGRAPH = (
    "He sang. Ann Lee met Bo, who hailed her. Annie said she and he knew it was late: "
    "they left, and Bo said his bye. CANNOTANSWER"
)
ROWS = [
    ["he", "bo"],
    ["who", "bo"],
    ["her", "ann lee"],
    ["she", "ann lee"],
    ["it", "$no_ref$"],
    ["they", "ann lee"],
    ["they", "bo"],
    ["his", "bo"],
]


def write_paragraphs(path, **annotations):
    annotations = annotations or {"a1": place_rows()}
    data = {"title": "Bo", "paragraph": PARAGRAPH, **annotations}
    return write_json(path, {"one": data})


def read_paragraph(tmp_path, **annotations):
    path = write_paragraphs(tmp_path / "g.json", **annotations)
    (eg,) = make_grounded_corpus(path)(NLP)
    return eg


def place_rows(rows=ROWS):
    text = PARAGRAPH.replace(".", " ")
    placed = [[str(text.index(f" {word} ") + 1), word, name] for word, name in rows]
    return {"para_ann": [*placed, ["0", "He", "bo"]]}


def test_grounded(tmp_path):
    eg = read_paragraph(tmp_path, a1=place_rows())
    assert eg.predicted.text == PARAGRAPH.removesuffix("CANNOTANSWER")
    annotated, clusters, alone = read_gold(eg)
    # "who" is no mention, "they" are two, and of a name only the first place is sure.
    assert annotated == ["He", "Ann Lee", "Bo", "her", "she", "he", "his"]
    assert clusters == [["He", "Bo", "he", "his"], ["Ann Lee", "her", "she"]]
    assert alone == []
    assert align_gold(eg).unsure == [(0, 1), (3, 5)]


def test_annotators_have_to_agree(tmp_path):
    others = [["he", "ann lee"], ["her", "ann lee"], ["she", "ann lee"]]
    others.append(["his", "$no_ref$"])
    eg = read_paragraph(tmp_path, a1=place_rows(), a2=place_rows(others))
    annotated, clusters, _ = read_gold(eg)
    assert annotated == ["He", "Ann Lee", "Bo", "her", "she"]
    assert clusters == [["He", "Bo"], ["Ann Lee", "her", "she"]]


def test_grounded_needs_the_pronouns_of_the_language(tmp_path):
    corpus = make_grounded_corpus(write_paragraphs(tmp_path / "g.json"))
    with pytest.raises(ValueError, match="FC024.*GroundedCorpus.*'is'.*en"):
        list(corpus(blank("is")))


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"a1": {"para_ann": [["1", "He", "bo"]]}}, "'He' at 1 is 'e '"),
        ({"a1": {"para_ann": [["x", "He", "bo"]]}}, "invalid literal"),
        ({"a1": {"para_ann": [[float("inf"), "He", "bo"]]}}, "OverflowError"),
        ({"a1": None}, "TypeError"),
        ({"paragraph": None}, "AttributeError"),
    ],
)
def test_bad_texts(tmp_path, changes, says):
    good = {"paragraph": PARAGRAPH, "a1": {"para_ann": []}}
    data = {"one": good, "two": {**good, **changes}}
    path = write_json(tmp_path / "g.json", data)
    check_bad(make_grounded_corpus, path, "item two", says, 1)


# What they share


@pytest.mark.parametrize("make", [make_knowref_corpus, make_grounded_corpus])
@pytest.mark.parametrize("data, says", [("{", "line 1"), ('"x"', "neither a list")])
def test_files_that_are_something_else(tmp_path, make, data, says):
    path = tmp_path / "a.json"
    path.write_text(data)
    with pytest.raises(ValueError, match=f"FC052.*a.json.*{says}"):
        list(make(path, on_error="skip")(NLP))


MENTIONS = st.lists(
    st.tuples(
        st.integers(0, 39),
        st.integers(1, 9),
        st.sampled_from([None, "x", "y"]),
        st.booleans(),
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("text", "pronoun", "names", "others"),
    [
        ("Ann met Ben she", "she", ["Ann", "Ben"], ["Ann met Ben", "Ann met Ben she"]),
        ("She told Ben of Ann", "She", ["Ben", "Ann"], ["Ben of Ann"]),
        ("her aunt Ann & Ben", "her", ["Ben", "Ann"], []),
        ("Ann, Ben And him", "him", ["Ann", "Ben"], ["Ann, Ben And him"]),
        ("Sir Ben, he", "he", ["Sir", "Ben"], ["Sir Ben, he"]),
        ("Ann Lee of Ann", "Ann", ["Ann Lee"], []),
    ],
)
def test_clauses_are_negatives(text, pronoun, names, others):
    spans = [find_phrase(text, phrase) for phrase in (pronoun, *names)]
    row = GapRow(text, spans[0], spans[1:], [False] * len(names))
    (eg,) = make_pronoun_examples(NLP, row)
    gold = align_gold(eg)
    assert sorted(eg.reference[a:z].text for a, z in gold.others) == sorted(others)


def test_mentions_take_precedence_over_negatives():
    mentions, negatives = [LabelledMention(0, 5)], [(0, 5), (0, 3), (1, 2)]
    (eg,) = make_partial_examples(NLP, "Ann's.", mentions, negatives)
    gold = align_gold(eg)
    assert gold.annotated == [(0, 2)] and gold.others == [(0, 1)]
    with pytest.raises(ValueError, match="no words from 2 to 9"):
        make_partial_examples(NLP, "Ann", [], [(2, 9)])


@given(st.text("ab .-'\n", min_size=40, max_size=40), MENTIONS)
def test_any_mentions_of_any_text(text, rows):
    mentions = [
        LabelledMention(start, min(start + length, 40), entity, is_certain)
        for start, length, entity, is_certain in rows
        if text[start : start + length].strip()
    ]
    (eg,) = make_partial_examples(NLP, text, mentions)
    gold = align_gold(eg)
    doc = eg.predicted
    assert doc.text == text and len(set(gold.annotated)) == len(gold.annotated)
    spans = [doc[start:end] for start, end in gold.annotated]
    covered = {i for span in spans for i in range(span.start_char, span.end_char)}
    for start, end, *_ in mentions:
        assert {i for i in range(start, end) if not text[i].isspace()} <= covered
    assert {m for c in gold.clusters for m in c} <= set(gold.annotated)
    assert not set(gold.others) & set(gold.annotated)
    assert all(0 <= start < end <= len(doc) for start, end in gold.others)
