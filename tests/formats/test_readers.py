"""Each format is read, and what is broken in it is named with file and line."""

import gzip
import io
import json
import os
import re
import tracemalloc
import types
import zlib

import pytest

from spacy_fastcoref import files as files_module
from spacy_fastcoref.formats.base import (
    find_inputs,
    get_format,
    guess_format,
    list_formats,
    read_inputs,
)
from spacy_fastcoref.formats.docs import list_clusters, list_speakers
from spacy_fastcoref.formats.output import check_output_file

from ..conftest import blank
from .examples import CLUSTERS, TEXT, TEXTS, write_examples

NLP = blank("en")
PLAIN = ("text", "lines")
BRACKETS, CONLL = TEXTS["brackets"], TEXTS["conll"]
COREFUD, TSV = TEXTS["corefud"], TEXTS["inception-tsv"]


@pytest.fixture
def files(tmp_path):
    return write_examples(tmp_path)


def read(*paths, name=None):
    return list(read_inputs(find_inputs(map(str, paths), name), NLP))


def read_clusters(doc):
    clusters = [[doc[a:z].text for a, z in c] for c in list_clusters(doc)]
    return [cluster for cluster in clusters if len(cluster) > 1]


def test_there_is_an_example_of_each_format(files):
    formats = list_formats().values()
    written_only = {one.name for one in formats if one.read is None}
    assert written_only == {"html", "resolved"}
    assert {one.name for one in formats} - written_only == {*files, "spacy"}
    for one in formats:
        assert one.description and (one.read or one.dump)


@pytest.mark.parametrize("name", sorted(list_formats()))
def test_examples(files, name):
    if name not in files or name in PLAIN:
        return
    assert name == guess_format(files[name], reads=True).name
    (document,) = read(files[name])
    key = {"label-studio": "a-7", "brackets": "a"}
    assert document.key == key.get(name, "a")
    expected = CLUSTERS
    if name == "corefud":
        expected = [["Ann", "She"], ["Tom Baker", "de hs"]]
    assert read_clusters(document.doc) == expected
    # As it is, compressed, and by standard input.
    zipped = files[name].with_name(f"{files[name].name}.gz")
    zipped.write_bytes(gzip.compress(files[name].read_bytes()))
    (again,) = read(zipped)
    assert (again.key, again.doc.text) == (document.key, document.doc.text)


def test_plain_text(files):
    (one,) = read(files["text"])
    assert (one.key, one.doc.text, len(one.doc.spans)) == ("plain", TEXT, 0)
    found = read(files["lines"], name="lines")
    assert [(d.key, d.doc.text) for d in found] == [
        ("lines-1", TEXT),
        ("lines-3", TEXT),
    ]


@pytest.mark.parametrize("zipped", [False, True])
def test_standard_input(files, monkeypatch, zipped):
    for name in ("jsonl", "conll", "spacy", "label-studio", "inception-xmi"):
        data = files["jsonl"].read_bytes()
        if name == "spacy":
            one = get_format("spacy", reads=False)
            target = io.BytesIO()
            one.finish(io.BytesIO(one.dump(read(files["jsonl"])[0])), target)
            data = target.getvalue()
        elif name != "jsonl":
            data = files[name].read_bytes()
        data = gzip.compress(data) if zipped else data
        stdin = types.SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr("sys.stdin", stdin)
        (document,) = read("-", name=name)
        assert read_clusters(document.doc) == CLUSTERS
    (found,) = find_inputs(["-"], stdin="text")
    assert found[1].name == "text"
    with pytest.raises(ValueError, match="FC161.*--from"):
        find_inputs(["-"])


def test_what_corefud_has_besides(files):
    (document,) = read(files["corefud"])
    doc = document.doc
    assert doc.text == "Ann saw Tom Baker. She saw de hs"
    assert [sent.text for sent in doc.sents] == ["Ann saw Tom Baker.", "She saw de hs"]
    assert [t.pos_ for t in doc[:2]] == ["PROPN", "VERB"] and doc[1].head == doc[1]
    assert list_speakers(doc) == ["Bob"] * 5 + ["-"] * 4
    # The empty node is no mention, and of two parts the one with the head is.
    spans = [doc[a:z].text for c in list_clusters(doc) for a, z in c]
    assert sorted(spans) == [".", "Ann", "She", "Tom Baker", "de hs"]
    types = [doc.spans[key].attrs["types"] for key in sorted(doc.spans)[:2]]
    assert types == [["person", "person"], ["person", ""]] or types[0] == ["person"] * 2


def test_parts_of_conll(tmp_path):
    parts = [CONLL.replace("part 000", f"part 00{i}") for i in range(2)]
    (tmp_path / "a.conll").write_text("".join(parts), "utf8")
    assert [(one.key, one.line) for one in read(tmp_path / "a.conll")] == [
        ("a", 1),
        ("a_001", 13),
    ]
    assert list_speakers(read(tmp_path / "a.conll")[0].doc) == ["Bob"] * 4 + ["-"] * 4


def test_folders(files, tmp_path):
    (tmp_path / ".hidden.jsonl").write_text("{")
    found = find_inputs([str(tmp_path)])
    names = [os.path.basename(path) for path, _ in found]
    # Not the text of the file of brat, nor what has no known ending.
    assert names == sorted({path.name for path in files.values()} - {"lines.lines"})
    assert len(find_inputs([str(tmp_path)], "conll")) == 1
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="FC052.*empty.*no files that end in"):
        find_inputs([str(tmp_path / "empty")])
    with pytest.raises(ValueError, match="FC052.*nowhere.*no such file"):
        find_inputs([str(tmp_path / "nowhere.txt")])
    with pytest.raises(ValueError, match="FC161.*lines.lines.*--from.*[.]conllu"):
        find_inputs([str(files["lines"])])
    with pytest.raises(ValueError, match="FC024.*format to read, 'html'"):
        get_format("html", reads=True)
    with pytest.raises(ValueError, match="FC024.*format to write, 'brat'"):
        get_format("brat", reads=False)


GOOD = json.dumps({"doc_key": "b", "text": TEXT})
# A file, and the line of its error.
BROKEN = {
    "broken in the middle.jsonl": (f'{GOOD}\n{{"text": "A\n{GOOD}\n', 2, 2),
    "no text.jsonl": ("3\n", 1, 0),
    "no tokens.jsonl": ('{"doc_key": "a"}', 1, 0),
    "a text that is none.jsonl": ('{"text": 3}', 1, 0),
    "never closed.conll": (CONLL.replace("(1)", "(1", 1), 4, 0),
    "never opened.conll": (CONLL.replace("(1)", "1)", 1) + CONLL, 4, 1),
    "never closed.conllu": (COREFUD.replace("e2)|", ""), 8, 0),
    "never opened.conllu": (COREFUD.replace("(e2-", "(e3-", 1) + COREFUD, 9, 1),
    "columns.conllu": (COREFUD.replace("\tVERB", " VERB", 1), 6, 0),
    "numbers.conllu": (COREFUD.replace("2\tsaw", "3\tsaw", 1), 6, 0),
    "words.conllu": (COREFUD.replace("2\tsaw", "2\t", 1), 6, 0),
    "head.conllu": (COREFUD.replace("\t2\tpunct", "\t99\tpunct"), None, 0),
    "never closed.brackets": (BRACKETS.replace("Ann]", "Ann"), 2, 0),
    "never closed.sacr": ("Ann\n{A: she\nleft", 2, 0),
    "never opened.sacr": ("Ann\nshe}\nleft", 2, 0),
    "no entity.sacr": ("{she}", 1, 0),
    "mention.ann": ("T1\tPER 0 x\tAnn\n", 1, 0),
    "link.ann": ("T1\tPER 0 3\tAnn\nR1\tCoref Arg1:T1 Arg2:T9\n", 1, 0),
    "outside.ann": ("T1\tPER 0 99\tAnn\n", 1, 0),
    "broken.tsv": (TSV.replace("8-11\t", ""), 9, 0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path, name):
    text, line, n_good = BROKEN[name]
    (tmp_path / name).write_text(text, encoding="utf8")
    if name.endswith(".ann"):
        (tmp_path / name).with_suffix(".txt").write_text(TEXT, encoding="utf8")
    found = read(tmp_path / name)
    (error,) = [entry for entry in found if isinstance(entry, ValueError)]
    where = f"{name}, line {line}: " if line else f"{name}, line"
    assert "[FC051]" in str(error) and where in str(error)
    assert len(found) - 1 == n_good


ITEMS = {
    "no json.json": ("[", "[FC052]", "no json.json"),
    "no task.json": ('[{"id": 1}]', "[FC091]", "item 1"),
    "no text.json": ('[{"data": {"a": 1}}]', "[FC091]", "no text"),
    "elsewhere.json": (
        json.dumps(
            [
                {
                    "data": {"text": TEXT},
                    "annotations": [
                        {
                            "result": [
                                {
                                    "id": "x",
                                    "type": "labels",
                                    "value": {"start": 1, "end": 4, "text": "Ann"},
                                }
                            ]
                        }
                    ],
                }
            ]
        ),
        "[FC091]",
        "not where its offsets are",
    ),
    "no chains.tsv": (TSV.replace("#T_CH", "#T_SP"), "[FC051]", "no chain layer"),
    "no xml.xmi": ("<a>", "[FC052]", "no xml.xmi"),
    "no text.xmi": ("<a/>", "[FC052]", "no text"),
    "no docbin.spacy": ("Ann", "[FC052]", "not a DocBin"),
    "alone.ann": ("", "[FC052]", "'alone.txt', which is not there"),
}


@pytest.mark.parametrize("name", ITEMS)
def test_files_that_are_something_else(tmp_path, name):
    text, code, said = ITEMS[name]
    (tmp_path / name).write_text(text, encoding="utf8")
    (error,) = read(tmp_path / name)
    assert code in str(error) and said in str(error)


@pytest.mark.parametrize("name", ["conll", "corefud", "brackets", "sacr", "text"])
def test_what_is_not_utf8(files, name):
    data = files[name].read_bytes().replace(b"Tom", b"T\xf6m", 1)
    line = data[: data.index(b"\xf6")].count(b"\n") + 1
    files[name].write_bytes(data)
    (error,) = read(files[name])
    assert f"line {line}" in str(error) and "not UTF-8" in str(error)


def test_half_of_a_compressed_file(tmp_path):
    """What is whole is read; the rest is one error with its line."""
    lines = "".join(
        json.dumps({"text": f"{i} {os.urandom(99)}"}) + "\n" for i in range(99)
    )
    data = gzip.compress(lines.encode())
    (tmp_path / "a.jsonl.gz").write_bytes(data[: len(data) // 2])
    (tmp_path / "b.jsonl").write_text(GOOD)
    *documents, error, last = read(tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl")
    assert 5 < len(documents) < 95 and last.key == "b"
    assert f"a.jsonl.gz, line {len(documents) + 1}: Compressed file ended" in str(error)


@pytest.mark.parametrize("name", sorted(k for k, v in list_formats().items() if v.read))
def test_what_unpacks_without_end(tmp_path, monkeypatch, name):
    """It is refused before it takes the memory."""
    monkeypatch.setattr(files_module, "_MAX_UNPACKED", 1 << 20)
    # What brat has beside it.
    (tmp_path / "a.txt").write_text("")
    size = 1 << 24
    packed = {"a.gz": gzip.compress(b"a" * size), "a": zlib.compress(bytes(size))}
    for file in packed if name == "spacy" else ["a.gz"]:
        (tmp_path / file).write_bytes(packed[file])
        tracemalloc.start()
        (error,) = read(tmp_path / file, name=name)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert re.search(f"FC05[12].*{file}.*unpacks to more than 1 MB", str(error))
        assert peak < size


def test_outputs_that_are_refused(tmp_path):
    with pytest.raises(ValueError, match="FC103.*it is a folder"):
        check_output_file(str(tmp_path), [])
    with pytest.raises(ValueError, match="FC103.*not compressed"):
        check_output_file(str(tmp_path / "a.jsonl.gz"), [])


def test_the_text_of_a_compressed_file_of_brat_is_no_document(tmp_path):
    (tmp_path / "a.txt").write_text("Ann left.")
    (tmp_path / "a.ann.gz").write_bytes(gzip.compress(b"T1\tPER 0 3\tAnn\n"))
    ((path, one),) = find_inputs([str(tmp_path)])
    assert (os.path.basename(path), one.name) == ("a.ann.gz", "brat")
