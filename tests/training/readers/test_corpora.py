import json

import pytest
from spacy.tokens import Doc, DocBin, Span

from spacy_fastcoref.training.check import check_corpus
from spacy_fastcoref.training.readers.around import make_mixed_corpus
from spacy_fastcoref.training.readers.corpora import (
    make_conll_corpus,
    make_docbin_corpus,
    make_jsonl_corpus,
)
from spacy_fastcoref.training.readers.linked import (
    make_elevant_corpus,
    make_grounded_corpus,
)
from spacy_fastcoref.training.readers.pronouns import (
    make_gap_corpus,
    make_knowref_corpus,
)

from ...conftest import blank

NLP = blank("en")
GOOD = {
    "doc_key": "d1",
    "sentences": [["Ann", "left", "."], ["She", "ran", "."]],
    "speakers": [["A", "A", "A"], ["-", "B", "B"]],
    "clusters": [[[0, 0], [3, 3]], [[1, 2]]],
}


def write_lines(path, rows):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return path


def check_bad(make, path, where, says, n_good):
    """An error names the place; without the bad record, the others are read."""
    with pytest.raises(ValueError, match=f"{path.name}, {where}: .*{says}"):
        list(make(path)(NLP))
    with pytest.warns(UserWarning, match=f"FCW02.*Skipped 1 .*{where}"):
        assert len(list(make(path, on_error="skip")(NLP))) == n_good


def read_spans(doc):
    return {
        key: [(span.text, span.label_) for span in group]
        for key, group in doc.spans.items()
    }


def test_jsonl(tmp_path):
    tokens = {"tokens": ["Bob", "sat"], "clusters": [], "speakers": None}
    path = write_lines(tmp_path / "a.jsonl", [GOOD, "", tokens])
    one, two = make_jsonl_corpus(path)(NLP)
    assert [token.text for token in one.predicted] == "Ann left . She ran .".split()
    assert [token.is_sent_start for token in one.reference][3]
    assert read_spans(one.reference) == {
        "speakers": [("Ann left .", "A"), ("ran .", "B")],
        "coref_clusters_1": [("Ann", ""), ("She", "")],
        "coref_clusters_2": [("left .", "")],
    }
    # The model sees who speaks, and not the answer.
    assert set(one.predicted.spans) == {"speakers"}
    assert two.predicted.text.strip() == "Bob sat" and not two.reference.spans


def test_jsonl_of_fastcoref(tmp_path):
    """Read texts with character offsets; tokens take precedence if a line has both."""
    text = {"doc_key": "t", "text": "Ann left. She ran.\n", "clusters": []}
    text["clusters"] = [[[0, 3], [10, 13]], [[14, 17], [15, 17]]]
    tokens = {"text": "Bob", "tokens": ["Bob", "sat"], "clusters": [[[0, 0], [1, 1]]]}
    # What is not there is there, and empty.
    tokens["sentences"] = []
    path = write_lines(tmp_path / "a.jsonl", [text, tokens])
    one, two = make_jsonl_corpus(path)(NLP)
    assert [token.text for token in one.predicted] == "Ann left . She ran .".split()
    # Half a token is widened to the whole, and then it is there already.
    assert read_spans(one.reference) == {
        "coref_clusters_1": [("Ann", ""), ("She", "")],
        "coref_clusters_2": [("ran", "")],
    }
    assert [token.text for token in two.predicted] == ["Bob", "sat"]
    report = check_corpus([path])
    assert report.counts["Documents"] == 2 and report.counts["Clusters"] == 3
    assert not report.errors


BAD_LINES = [
    ("{not json", "JSONDecodeError"),
    ("[1]", "not a document"),
    ({**GOOD, "clusters": [[[0, 9]]]}, "words 0 to 9 is not inside.*6 words"),
    ({**GOOD, "clusters": [[[2, 1]]]}, "words 2 to 1 is not inside"),
    ({**GOOD, "clusters": [[[0, 0], [0, 0]]]}, "words 0 to 0 is listed twice"),
    ({**GOOD, "clusters": [[0, 1]]}, "not a document"),
    ({**GOOD, "clusters": None}, "not a document"),
    (
        {**GOOD, "sentences": [["Ann", ""]], "speakers": None, "clusters": []},
        "word 1 is empty",
    ),
    ({**GOOD, "sentences": ["Ann left"]}, "lists of words"),
    ({**GOOD, "speakers": [["A"]]}, "1 speakers for 6 words"),
    ({"clusters": []}, "KeyError"),
    (
        {"text": "Ann", "clusters": [[[1, 4]]]},
        "characters 1 to 4 is not .*the 3 characters",
    ),
    ({"text": "Ann", "clusters": [[[2, 2]]]}, "characters 2 to 2 is not inside"),
    (
        {"text": ["Ann"], "clusters": []},
        "not a document: TypeError: text has to be a string",
    ),
    ({"text": "Ann"}, "its clusters are not known"),
    ({"text": "Ann  ran", "clusters": [[[3, 5]]]}, "characters 3 to 5 is white space"),
    ({"text": "A\ud800", "clusters": []}, "character 2 is not UTF-8"),
    ({**GOOD, "sentences": [["A\ud800"] * 6]}, "character 2 is not UTF-8"),
    ({**GOOD, "speakers": ["A\ud800"] * 6}, "character 2 is not UTF-8"),
    ({**GOOD, "speakers": "abcdef"}, "speakers have to be a list"),
    ({**GOOD, "speakers": [["A", "A", "A"], "BBB"]}, "speakers have to be a list"),
    ({**GOOD, "speakers": [{}] * 6}, "a name, a number or null, but not {}"),
    ({**GOOD, "speakers": [True] * 6}, "a name, a number or null, but not True"),
    ({**GOOD, "clusters": [[[0.0, 1.0]]]}, "not a document: TypeError"),
    ({"text": "Ann", "clusters": [[[0.9, 3]]]}, "not a document: TypeError"),
    ('{"text": "Ann", "clusters": [[[0, 1e400]]]}', "not a document: TypeError"),
]


@pytest.mark.parametrize("line, says", BAD_LINES)
def test_bad_lines_have_file_and_line(tmp_path, line, says):
    path = write_lines(tmp_path / "bad.jsonl", [GOOD, line, GOOD])
    check_bad(make_jsonl_corpus, path, "line 2", says, 2)


HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref"


def write_gap(path, *rows):
    path.write_text("\n".join(["\t".join(HEADER.split("\t") + ["URL"]), *rows]) + "\n")
    return path


def test_gap(tmp_path):
    row = 'r1\tAnn met Eve, she "said.\tshe\t13\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu'
    none = "r2\tAnn met Eve, she said.\tshe\t13\tAnn\t0\tFALSE\tEve\t8\tFALSE\tu"
    path = write_gap(tmp_path / "g.tsv", row, none)
    one, two = make_gap_corpus(path)(NLP)
    assert read_spans(one.reference) == {
        "coref_clusters_1": [("Ann", ""), ("she", "")],
        "coref_annotated": [
            ("Ann", ""),
            ("Ann met Eve", "none"),
            ("Ann met Eve, she", "none"),
            ("Eve", ""),
            ("she", "anaphor"),
        ],
    }
    assert set(two.reference.spans) == {"coref_annotated"}
    assert not one.predicted.spans


@pytest.mark.parametrize(
    "row",
    [
        "r1\tAnn met Eve\tshe\t3\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu",
        "r1\tAnn met Eve\t \t3\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu",
        "r1\tAnn met Eve\tAnn\t0\tAnn\t0\tYES\tEve\t8\tFALSE\tu",
        "r1\tAnn",
    ],
)
def test_bad_gap_rows(tmp_path, row):
    path = write_gap(tmp_path / "g.tsv", row)
    with pytest.raises(
        ValueError, match="FC051.*g.tsv, line 2.*not a row with a pronoun"
    ):
        list(make_gap_corpus(path)(NLP))


def test_annotated_docbins(tmp_path):
    words, heads = ["Ann", "left", "."], [1, 1, 1]
    doc = Doc(NLP.vocab, words, heads=heads, deps=["nsubj", "ROOT", "punct"])
    for token, pos in zip(doc, ("PROPN", "VERB", "PUNCT"), strict=True):
        token.pos_ = pos
    doc[1].set_morph("Tense=Past")
    doc.ents = [Span(doc, 0, 1, "PERSON")]
    doc.spans["coref_clusters_1"] = [doc[0:1]]
    DocBin(docs=[doc], attrs=["POS", "MORPH", "DEP", "HEAD", "ENT_TYPE"]).to_disk(
        tmp_path / "a.spacy"
    )
    (eg,) = make_docbin_corpus(tmp_path / "a.spacy", annotated=True)(NLP)
    found = eg.predicted
    assert [token.pos_ for token in found] == ["PROPN", "VERB", "PUNCT"]
    assert [token.head.i for token in found] == heads
    assert str(found[1].morph) == "Tense=Past"
    assert found[0].ent_type_ == "PERSON"
    assert not found.spans
    (bare,) = make_docbin_corpus(tmp_path / "a.spacy")(NLP)
    assert not bare.predicted.has_annotation("POS")


def test_mixture(tmp_path):
    def tokens(name, n):
        rows = [{"tokens": [f"{name}{i}"], "clusters": []} for i in range(n)]
        return make_jsonl_corpus(write_lines(tmp_path / f"{name}.jsonl", rows))

    corpora = {"a": tokens("a", 10), "b": tokens("b", 4)}
    mixed = make_mixed_corpus(corpora, {"a": 0.5, "b": 2.0}, seed=1)
    first, second = ([eg.text.strip() for eg in mixed(NLP)] for _ in range(2))
    for epoch in (first, second):
        assert sum(text.startswith("a") for text in epoch) == 5
        assert sorted(text for text in epoch if text.startswith("b")) == sorted(
            ["b0", "b1", "b2", "b3"] * 2
        )
    assert first != second
    again = make_mixed_corpus(corpora, {"a": 0.5, "b": 2.0}, seed=1)
    assert [eg.text.strip() for eg in again(NLP)] == first
    assert len(list(make_mixed_corpus(corpora)(NLP))) == 14
    with pytest.raises(ValueError, match="FC024.*'c'"):
        make_mixed_corpus(corpora, {"c": 1.0})
    # Epochs without any document would begin for ever; a corpus to come is one of none.
    with pytest.raises(
        ValueError, match="FC052.*'a, b': the weights leave no document"
    ):
        list(make_mixed_corpus(corpora, {"a": 0.04, "b": 0.0})(NLP))
    assert list(make_mixed_corpus({})(NLP)) == []


def test_missing_files_and_settings(tmp_path):
    makers = [make_jsonl_corpus, make_conll_corpus, make_gap_corpus]
    makers += [make_knowref_corpus, make_elevant_corpus, make_grounded_corpus]
    for make in makers:
        with pytest.raises(ValueError, match="FC052.*nowhere"):
            list(make(tmp_path / "nowhere")(NLP))
        with pytest.raises(ValueError, match="FC076.*'ignore'"):
            make(tmp_path, on_error="ignore")
    with pytest.raises(ValueError, match="FC052.*nowhere"):
        list(make_docbin_corpus(tmp_path / "nowhere")(NLP))


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_numbers_below_zero(tmp_path, value):
    for make in (make_jsonl_corpus, make_conll_corpus):
        with pytest.raises(ValueError, match=f"FC076.*max_words.*{value}"):
            make(tmp_path, max_words=value)
    for make in (make_jsonl_corpus, make_gap_corpus, make_docbin_corpus):
        with pytest.raises(ValueError, match=f"FC076.*limit.*{value}"):
            make(tmp_path, limit=value)
    with pytest.raises(ValueError, match=f"FC076.*weights.a.*{value}"):
        make_mixed_corpus({"a": list}, {"a": value})


def test_windows(tmp_path):
    sentences = [["Ann", "ran", "."], ["She", "sat", "."], ["She", "ate", "her", "pie"]]
    clusters = [[[0, 0], [3, 3], [6, 6], [8, 8]], [[3, 4]], [[2, 2], [7, 7]]]
    row = {"sentences": sentences, "clusters": clusters}
    path = write_lines(tmp_path / "a.jsonl", [row, row])
    whole = list(make_jsonl_corpus(path, max_words=10)(NLP))
    assert [len(eg.reference) for eg in whole] == [10, 10]
    cut = list(make_jsonl_corpus(path, max_words=6, limit=1)(NLP))
    assert [len(eg.reference) for eg in cut] == [6, 4]
    assert [read_spans(eg.reference) for eg in cut] == [
        {
            "coref_clusters_1": [("Ann", ""), ("She", "")],
            # It was alone from the start; the last cluster's two halves were not.
            "coref_clusters_2": [("She sat", "")],
        },
        {"coref_clusters_1": [("She", ""), ("her", "")]},
    ]
    # A sentence is never cut.
    short = list(make_jsonl_corpus(path, max_words=1, limit=1)(NLP))
    assert [len(eg.reference) for eg in short] == [3, 3, 4]


def test_entity_types(tmp_path):
    line = {
        "sentences": [["Ann", "lives", "here"], ["She", "paints"]],
        "clusters": [[[0, 0], [3, 3]], [[2, 2]]],
        "entity_types": ["person", "place"],
    }
    path = tmp_path / "gum.jsonl"
    path.write_text(json.dumps(line))
    (eg,) = make_jsonl_corpus(path)(blank("en"))
    types = eg.reference.spans["coref_types"]
    assert [(s.text, s.label_) for s in types] == [
        ("Ann", "person"),
        ("She", "person"),
        ("here", "place"),
    ]
    assert "coref_types" not in eg.predicted.spans
    # In windows, each has the types of its own mentions.
    first, second = make_jsonl_corpus(path, max_words=3)(blank("en"))
    assert [s.label_ for s in first.reference.spans["coref_types"]] == [
        "person",
        "place",
    ]
    assert [s.text for s in second.reference.spans["coref_types"]] == ["She"]
    line["entity_types"] = ["person"]
    path.write_text(json.dumps(line))
    with pytest.raises(ValueError, match="1 entity_types for 2 clusters"):
        list(make_jsonl_corpus(path)(blank("en")))
