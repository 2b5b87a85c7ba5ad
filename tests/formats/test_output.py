"""Files that are written, and what is left of interrupted runs."""

import pytest
import spacy

from spacy_fastcoref.formats.base import Document, get_format
from spacy_fastcoref.formats.output import Output

LINES = get_format("jsonl", reads=False)


def write(path, key, settings, *, is_stopped):
    output = Output(str(path), LINES, settings)
    doc = spacy.blank("en")("Ann left.")
    with output.open():
        n_done = output.n_done
        for index in range(n_done, 3):
            if is_stopped and index == 2:
                raise KeyboardInterrupt
            output.write(index, Document(f"{key}{index}", doc))
    return n_done


def test_a_run_does_not_go_on_with_the_output_of_another_one(tmp_path):
    path, settings = tmp_path / "out.jsonl", {"inputs": "files"}
    with pytest.raises(KeyboardInterrupt):
        write(path, "a", settings, is_stopped=True)
    # Of standard input, for example, which can't be resumed.
    with pytest.raises(KeyboardInterrupt):
        write(path, "another", None, is_stopped=True)
    assert write(path, "a", settings, is_stopped=False) == 0
    lines = path.read_text().splitlines()
    assert [line[: len('{"doc_key": "a0"')] for line in lines] == [
        f'{{"doc_key": "a{i}"' for i in range(3)
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


def test_any_key_of_user_data_is_accepted():
    doc = spacy.blank("en")("Ann left.")
    doc.user_data[5] = "x"
    assert get_format("spacy", reads=False).dump(Document("a", doc))
    assert doc.user_data == {5: "x"}
