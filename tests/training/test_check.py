import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.formats.docs import find_crossing
from spacy_fastcoref.training.check import check_corpus

from ..conftest import invoke_coref
from .corpus import write_rows

WIDENED = "Mentions widened to whole tokens"
ROWS = [
    {"tokens": list("abcdefgh"), "clusters": [[[0, 2], [4, 4]], [[1, 3]], [[5, 7]]]},
    {"tokens": ["a"], "clusters": [[[0, 3]]]},
    {"tokens": list("abc"), "clusters": [[[0, 0], [2, 2]], [[0, 0]]]},
]


@pytest.fixture
def path(tmp_path):
    return write_rows(tmp_path / "corpus.jsonl", ROWS)


def test_report(path):
    report = check_corpus([path], max_span_words=2)
    assert [*report.counts.values()] == [2, 11, 4, 2, 6, 3, 1, 1, 0]
    (error,) = report.errors
    assert f"{path}, line 2: " in error and "words 0 to 3 is not inside" in error
    where = f"{path}, line 1: the mention of words"
    assert f"{where} 0 to 2 has 3 words." in report.warnings
    assert (
        f"{where} 0 to 2 overlaps the mention of words 1 to 3 without nesting."
        in report.warnings
    )
    assert (
        f"{path}, line 3: the mention of words 0 to 0 is in more" in report.warnings[-1]
    )


TEXT = "Ann Smith said that she left. I'm sure that Bob saw her."


def write_texts(path, *clusters):
    return write_rows(path, [{"text": TEXT, "clusters": found} for found in clusters])


def test_mentions_that_start_or_end_inside_tokens(tmp_path):
    good = [[[0, 9], [20, 23]], [[30, 31]]]
    path = write_texts(tmp_path / "a.jsonl", good, [[[3, 9], [20, 24]], [[4, 8]]])
    report = check_corpus([path])
    counts = report.counts
    assert (counts["Documents"], counts["Mentions"], counts[WIDENED]) == (2, 5, 3)
    where = f"{path}, line 2: the mention of characters"
    inside = "starts or ends inside a token; it is read as"
    assert report.warnings == [
        f"{where} 3 to 9, ' Smith', {inside} 'Smith'.",
        f"{where} 20 to 24, 'she ', {inside} 'she'.",
        f"{where} 4 to 8, 'Smit', {inside} 'Smith'.",
        f"{path}, line 2: the mention of words 1 to 1 is in more than one cluster.",
    ]
    # In a language in which "I'm" is one word.
    assert check_corpus([path], lang="xx").counts[WIDENED] == 4
    result = invoke_coref("check", path, "--lang", "xx")
    assert "widened to whole tokens 4 " in " ".join(result.output.split())


def test_pruning_recall(path, tiny_nlp):
    report = check_corpus([path], nlp=tiny_nlp)
    assert report.counts["Candidates kept"] > 0
    found = 0
    for row in (ROWS[0], ROWS[2]):
        doc = tiny_nlp.make_doc(" ".join(row["tokens"]))
        (links,) = tiny_nlp.get_pipe("fastcoref").predict([doc])
        kept = {tuple(span) for span in links.mentions.tolist()}
        gold = [(a, z + 1) for cluster in row["clusters"] for a, z in cluster]
        found += sum(mention in kept for mention in gold)
    assert report.counts["Gold mentions kept"] == found


def test_other_files(tmp_path):
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "plain.txt").write_text("[a Ann] said [a she] left")
    for name, code in (("a.csv", "FC161"), ("nowhere.jsonl", "FC052")):
        with pytest.raises(ValueError, match=f"{code}.*{name}"):
            check_corpus([tmp_path / name])
    (error,) = check_corpus([tmp_path / "plain.txt"]).errors
    assert "plain.txt, line 1" in error and "--from brackets" in error
    report = check_corpus([tmp_path / "plain.txt"], name="brackets")
    assert report.counts["Documents"] == 1 and report.counts["Mentions"] == 2
    assert not report.errors


def test_command(path):
    result = invoke_coref("check", path, "-w", "2")
    assert result.exit_code == 1
    assert "Crossing mentions" in result.output
    assert "1 documents can't be read" in result.output
    # One line each, which a search finds whole.
    report = check_corpus([path], max_span_words=2)
    for message in (*report.errors, *report.warnings):
        assert message in result.output
    path.write_text(json.dumps(ROWS[2]) + "\n")
    result = invoke_coref("check", path)
    assert result.exit_code == 0 and "All documents can be read" in result.output
    empty = path.with_name("empty.conll")
    empty.write_text("")
    result = invoke_coref("check", path, empty)
    assert result.exit_code == 0 and "All documents can be read" in result.output
    path.write_text("\n")
    result = invoke_coref("check", path, empty)
    assert result.exit_code == 1
    assert "there are no documents in it" in " ".join(result.output.split())


MENTIONS = st.sets(
    st.tuples(st.integers(0, 9), st.integers(1, 5)).map(lambda m: (m[0], m[0] + m[1]))
)


@given(MENTIONS)
def test_crossing(mentions):
    expected = {
        (one, two)
        for one in mentions
        for two in mentions
        if one[0] < two[0] < one[1] < two[1]
    }
    found = list(find_crossing(sorted(mentions)))
    assert len(found) == len(set(found)) and set(found) == expected
