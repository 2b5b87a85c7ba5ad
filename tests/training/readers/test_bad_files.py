"""Test that errors name the line or item, and that the rest of the file is read."""

import gzip
import json

import pytest
from spacy.tokens import DocBin

from spacy_fastcoref.training.readers.corpora import (
    make_conll_corpus,
    make_docbin_corpus,
    make_jsonl_corpus,
)
from spacy_fastcoref.training.readers.linked import make_elevant_corpus
from spacy_fastcoref.training.readers.pronouns import make_gap_corpus

from .test_corpora import GOOD, HEADER, NLP, check_bad, write_lines

GAP_ROW = "r1\tAnn met Eve, she said.\tshe\t13\tAnn\t0\tTRUE\tEve\t8\tFALSE\tu"
ARTICLE = {"text": "Ann left.", "evaluation_span": [0, 9], "labels": []}
# A file of each kind that has a good item, a bad one, and a good one.
LINES = {
    "jsonl": (make_jsonl_corpus, [json.dumps(GOOD)] * 3),
    "elevant": (make_elevant_corpus, [json.dumps(ARTICLE)] * 3),
    "gap": (make_gap_corpus, ["\t".join([*HEADER.split("\t"), "URL"]), *[GAP_ROW] * 3]),
    "conll": (make_conll_corpus, [f"#begin document ({i})\nAnn (1)" for i in range(3)]),
}


@pytest.mark.parametrize("kind", LINES)
def test_files_with_a_byte_order_mark(tmp_path, kind):
    make, lines = LINES[kind]
    texts = []
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / "a").write_text("\n".join(lines), encoding=encoding)
        texts.append([eg.reference.text for eg in make(tmp_path / "a")(NLP)])
    assert texts[0] == texts[1] and len(texts[0]) == 3


@pytest.mark.parametrize("kind", [*LINES, "docbin"])
def test_corpora_without_documents(tmp_path, kind):
    """Raise an error, since spaCy would repeat an empty epoch endlessly."""
    make, lines = LINES.get(kind, (make_docbin_corpus, None))
    for name in ("a", "b"):
        if lines is None:
            DocBin().to_disk(tmp_path / name)
        else:
            header = lines[0] if kind == "gap" else ""
            (tmp_path / name).write_text(header)
    paths = [tmp_path / "a", tmp_path / "b"]
    with pytest.raises(ValueError, match="FC052.*a, .*b'.*no documents in it"):
        next(make(paths)(NLP))
    # One that has some is enough.
    if lines is not None:
        paths[1].write_text("\n".join(lines))
        assert len(list(make(paths)(NLP))) == 3


@pytest.mark.parametrize("kind", LINES)
def test_lines_that_are_not_utf8(tmp_path, kind):
    make, lines = LINES[kind]
    bad = lines[-2].encode().replace(b"Ann", b"Ann\xe9")
    data = [*(line.encode() for line in lines[:-2]), bad, lines[-1].encode()]
    data = b"\n".join(data)
    (tmp_path / "a").write_bytes(data)
    line = data[: data.index(b"\xe9")].count(b"\n") + 1
    check_bad(make, tmp_path / "a", f"line {line}", "is not UTF-8", 2)
    # A compressed file: no line of it can be read.
    (tmp_path / "a").write_bytes(gzip.compress(data * 99, 1, mtime=0) + b"\n\xff\n")
    with pytest.raises(ValueError, match=r"FC051.*a, line \d"):
        list(make(tmp_path / "a")(NLP))
    refused = pytest.raises(ValueError, match="FC052.*no documents in it")
    with pytest.warns(UserWarning, match="FCW02"), refused:
        list(make(tmp_path / "a", on_error="skip")(NLP))


def test_records_without_an_example(tmp_path, monkeypatch):
    article = {**ARTICLE, "text": "Ann left." * 9, "evaluation_span": [0, 81]}
    lines = [json.dumps(one) for one in (ARTICLE, article, ARTICLE)]
    path = write_lines(tmp_path / "a.jsonl", lines)
    monkeypatch.setattr(NLP, "max_length", 80)
    check_bad(make_elevant_corpus, path, "line 2", r"\[E088\]", 2)
