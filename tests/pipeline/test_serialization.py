import json
import shutil

import pytest
import spacy
import srsly
from spacy.tokens import DocBin

from ..conftest import TEXT, blank, load_model, run_python, write_fastcoref


def test_saved_pipeline_needs_nothing_else(tiny_network, tmp_path):
    checkpoint = write_fastcoref(tmp_path / "checkpoint", tiny_network)
    nlp = load_model(checkpoint)
    # Not used before it is saved: the weights have to come along all the same.
    nlp.to_disk(tmp_path / "pipeline")
    expected = nlp(TEXT)._.coref_clusters
    assert expected
    shutil.rmtree(checkpoint)
    again = spacy.load(tmp_path / "pipeline")
    assert again(TEXT)._.coref_clusters == expected
    again.to_disk(tmp_path / "pipeline")
    assert spacy.load(tmp_path / "pipeline")(TEXT)._.coref_clusters == expected
    assert (
        blank("en")
        .from_config(again.config)
        .from_bytes(again.to_bytes())(TEXT)
        ._.coref_clusters
        == expected
    )


def test_only_safe_files(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path)
    files = {
        path.name for path in (tmp_path / "fastcoref").rglob("*") if path.is_file()
    }
    weights = {"config.json", "model.safetensors", "tokenizer.json", "SHA256SUMS"}
    assert files == {"cfg", *weights}


def test_exclude(tiny_nlp, tmp_path):
    tiny_nlp.get_pipe("fastcoref").to_disk(tmp_path, exclude=["model", "vocab", "cfg"])
    assert list(tmp_path.iterdir()) == []


def test_broken_folder_is_named_and_nothing_half_loaded(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path)
    weights = tmp_path / "fastcoref" / "model" / "model.safetensors"
    expected = tiny_nlp(TEXT)._.coref_clusters
    weights.write_bytes(weights.read_bytes()[:500])
    with pytest.raises(ValueError, match=f"FC011.*{weights.parent}"):
        spacy.load(tmp_path)
    with pytest.raises(ValueError, match="FC011"):
        tiny_nlp.get_pipe("fastcoref").from_disk(
            tmp_path / "fastcoref", exclude=["vocab"]
        )
    assert tiny_nlp(TEXT)._.coref_clusters == expected


def test_weights_of_another_model(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path)
    config = tmp_path / "fastcoref" / "model" / "config.json"
    changed = {**json.loads(config.read_text())}
    changed["mention_scorer"]["hidden_size"] = 23
    config.write_text(json.dumps(changed))
    (config.parent / "SHA256SUMS").unlink()
    with pytest.raises(ValueError, match=f"FC011.*{config.parent}.*size mismatch"):
        spacy.load(tmp_path)(TEXT)


@pytest.mark.slow
def test_docs_are_read_without_the_component(tiny_nlp, tmp_path):
    docs = [tiny_nlp(TEXT), tiny_nlp("")]
    DocBin(docs=docs).to_disk(tmp_path / "docs.spacy")
    done = run_python(f"""
        import spacy, spacy_fastcoref, sys
        from spacy.tokens import DocBin
        box = DocBin().from_disk({str(tmp_path / "docs.spacy")!r})
        for doc in box.get_docs(spacy.blank("en").vocab):
            print(doc._.coref_clusters)
        # spaCy itself may have loaded torch, by another package's entry points.
        assert not [n for n in sys.modules if n.startswith("spacy_fastcoref.models")]
    """)
    assert done.stdout.splitlines() == [str(doc._.coref_clusters) for doc in docs]


def test_broken_bytes(tiny_nlp):
    pipe = tiny_nlp.get_pipe("fastcoref")
    data = pipe.to_bytes(exclude=["vocab"])
    expected = tiny_nlp(TEXT)._.coref_clusters
    broken = [b"", data[:-50], data + b"\0", b"\x93\x01\x02\x03", b"\x01"]
    broken += [data.replace(b"model", b"mmmmm"), data.replace(b"cfg", b"ccc")]
    for name in ("model", "cfg", "other"):
        for value in (None, 1, [], {}, b"", b"\x80", "x", [[1]]):
            broken.append(srsly.msgpack_dumps({name: value}))
    for each in broken:
        with pytest.raises(ValueError, match=r"^\[FC018\] The bytes are broken"):
            pipe.from_bytes(each, exclude=["vocab"])
    assert tiny_nlp(TEXT)._.coref_clusters == expected
