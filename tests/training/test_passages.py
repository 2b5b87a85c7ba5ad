import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.training.passages import (
    JSONL,
    TEXT,
    PassageReader,
    find_problem,
    find_texts,
)


def read(reader):
    return [passage.text for passage in reader]


def test_files(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "z.txt").write_bytes("\ufeffé one\r\n\r\ntwo".encode())
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"zero", mtime=0))
    rows = [{"text": "three\n\nfour"}, {"text": "five six seven eight"}]
    lines = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "c.jsonl").write_text(f"\n{lines}\n")
    (tmp_path / "readme.md").write_text("no")
    paths = find_texts([tmp_path], (TEXT, JSONL))
    assert [path.name for path in paths] == ["a.txt.gz", "z.txt", "c.jsonl"]
    reader = PassageReader(paths, 3)
    expected = ["zero", "é one\n\ntwo", "three\n\nfour", "five six seven", "eight"]
    assert read(reader) == read(reader) == expected
    assert (reader.n_skipped_files, reader.n_skipped_lines) == (0, 0)


@pytest.mark.parametrize(
    "name, data, says",
    [
        ("a.txt", b"", "it is empty"),
        ("a.txt", b" \n\xef\xbb\xbf", None),
        ("a.txt", b"\xef\xbb\xbf\n", "it is empty"),
        ("a.txt", b"good\nb\0d", "binary.*line 2"),
        ("a.txt", b"good\ngood\nw\xe9lt good", "line 3 is not UTF-8"),
        ("a.txt", b"cut \xc3", "line 1 is not UTF-8"),
        ("a.txt.gz", gzip.compress(b"some text", mtime=0)[:-9], "ended before"),
        ("a.txt.gz", b"no gzip", "[Nn]ot a gzip"),
        ("a.txt.gz", gzip.compress(b"", mtime=0), "it is empty"),
    ],
)
def test_bad_files_are_skipped(tmp_path, name, data, says):
    path = tmp_path / name
    path.write_bytes(data)
    (tmp_path / "z.txt").write_text("the rest")
    reader = PassageReader(find_texts([tmp_path]), 10)
    if says is None:
        assert find_problem(path) is None
        return
    with pytest.warns(UserWarning, match=f"FCW20.*{name}' is skipped: .*{says}"):
        assert read(reader) == ["the rest"]
    assert reader.n_skipped_files == 1


def test_bad_lines_are_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    bad = ["{no", "[]", '{"t": "a"}', '{"text": 3}', '{"text": " "}']
    path.write_text("\n".join([*bad, '{"text": "good"}']))
    reader = PassageReader([path], 10)
    with pytest.warns(UserWarning, match="FCW02.*Skipped 5 .*a.jsonl, line 1: .*JSON"):
        assert read(reader) == ["good"]
    assert reader.n_skipped_lines == 5


DOCUMENTS = """\
=== DOC one
A TITLE

Mr. Lee met Ann
in town. She
was late! "He left."

A new one.
=== DOC two
The end"""


def test_passages_end_with_sentences_and_documents(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(DOCUMENTS, encoding="utf8")
    found = list(PassageReader([path], 9, "=== DOC"))
    assert [passage.text for passage in found] == [
        "A TITLE",
        "Mr. Lee met Ann\nin town. She\nwas late!",
        '"He left."\n\nA new one.',
        "The end",
    ]
    assert [(p.path, p.number) for p in found] == [(path, i) for i in range(4)]
    # Without a separator, a file is one document.
    assert read(PassageReader([path], 200))[0].count("===") == 2


SENTENCES = st.text(alphabet='ab.!" \n\t\u2028é', max_size=80)
TEXTS = SENTENCES | st.text(st.characters(exclude_characters="\0", codec="utf8"))


@given(TEXTS, st.integers(1, 9))
def test_passages_contain_all_words_and_are_not_too_long(
    tmp_path_factory, text, max_words
):
    path = tmp_path_factory.getbasetemp() / "property.txt"
    path.write_text(f"a {text}", encoding="utf8", newline="")
    found = read(PassageReader([path], max_words))
    assert " ".join(found).split() == ["a", *text.split()]
    assert all(1 <= len(passage.split()) <= max_words for passage in found)
    # As many as fit: no two neighbours could have been one.
    for one, two in zip(found, found[1:], strict=False):
        assert len(one.split()) + len(two.split()) > max_words
