import os
import stat

import pytest

from spacy_fastcoref.journal import MANIFEST
from spacy_fastcoref.training.pretraining import masked_text
from spacy_fastcoref.training.readers.corpora import make_docbin_corpus

from ..conftest import blank, invoke_coref

TEXT = "Alice met Tom. Then she asked Tom whether he had seen Alice.\n"


def run(*args):
    result = invoke_coref("mask", *args)
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.filterwarnings("default:.*FCW2")
def test_files_are_written_once(tmp_path, monkeypatch):
    monkeypatch.setattr(masked_text, "N_PASSAGES", 4)
    text, output = tmp_path / "a.txt", tmp_path / "output"
    text.write_text(TEXT * 10)
    (tmp_path / "b.txt").write_bytes(b"\xff")
    # A socket: it is there, and nobody can open it.
    os.mknod(tmp_path / "c.txt", stat.S_IFSOCK | 0o600)
    args = [text, tmp_path / "b.txt", tmp_path / "c.txt", "-o", output, "-w", 15]
    code, said = run(*args)
    assert code == 0
    assert said.count("[FCW20]") == 2 and "b.txt" in said and "c.txt" in said
    assert "Passages 10" in said and "earlier runs 0" in said
    assert said.count("->") == 3
    written = sorted(output.glob("*.spacy"))
    assert [path.name for path in written] == [f"shard-{i:06}.spacy" for i in range(3)]
    before = {path: path.read_bytes() for path in written}
    # An interruption: one part is missing, and comes back as it was.
    docs = list(make_docbin_corpus(written[1])(blank("en")))
    written[1].unlink()
    code, said = run(*args)
    assert code == 0 and "Passages 4" in said and "earlier runs 2" in said
    assert "[FCW21]" in said and sorted(output.glob("*.spacy")) == written
    again = list(make_docbin_corpus(written[1])(blank("en")))
    assert [eg.text for eg in again] == [eg.text for eg in docs]
    assert all(before[path] == path.read_bytes() for path in (written[0], written[2]))
    # What is written is what a model is shown.
    for eg in docs:
        masked = [span.text for span in eg.predicted.spans["coref_masked"]]
        assert set(masked) <= {"[MASK]"} and "coref_annotated" in eg.reference.spans


@pytest.mark.slow
def test_output_of_other_inputs_is_refused(tmp_path):
    text, output = tmp_path / "a.txt", tmp_path / "output"
    text.write_text(TEXT)
    code, said = run(text, "-o", output)
    assert code == 0 and "earlier runs 0" in said
    (shard,) = sorted(output.glob("*.spacy"))
    # As after a SIGKILL.
    (output / ".writing-01234567").mkdir()
    before = shard.read_bytes()
    for changes in (["--seed", 1], ["--mask-share", 1], ["-w", 9], ["--names-only"]):
        code, said = run(text, "-o", output, *changes)
        assert code == 1 and "[FC163]" in said
    # Other texts of the same size and name, here and elsewhere.
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "a.txt"
    other.write_text(TEXT.replace("Tom", "Tim"))
    code, said = run(other, "-o", output)
    assert code == 1 and "[FC163]" in said and "inputs" in said
    code, said = run(text, "-o", output)
    assert code == 0 and "earlier runs 1" in said and shard.read_bytes() == before
    assert sorted(path.name for path in output.iterdir()) == [MANIFEST, shard.name]


def test_nothing_to_write(tmp_path):
    (tmp_path / "a.txt").write_text("It rained.")
    code, said = run(tmp_path / "a.txt")
    assert code == 1 and "[FC070]" in said
    (tmp_path / "a.txt").write_text(TEXT)
    result = invoke_coref("mask", tmp_path / "a.txt")
    assert "\n-> " in result.output
    code, said = run(tmp_path / "a.txt", "--show", 1)
    assert code == 0 and "->" in said and [*tmp_path.iterdir()] == [tmp_path / "a.txt"]
