"""More processes than one, after the parent has predicted and torch has threads."""

import pytest

from ..conftest import TEXT, run_python

CODE = """
import multiprocessing
import spacy
import threading
import torch

if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    # Enough of both that the parent has workers.
    torch.set_num_threads(2)
    nlp = spacy.load({path!r})
    texts = ["", {text!r}, "They left.", {text!r} * 9] * 12
    expected = [doc._.coref_clusters for doc in nlp.pipe(texts)]
    assert any(expected)
    names = [thread.name for thread in threading.enumerate()]
    assert sum(name.startswith("spacy_fastcoref") for name in names) == 2
    docs = list(nlp.pipe(texts, n_process=2, batch_size=8))
    assert [doc.text for doc in docs] == texts
    assert [doc._.coref_clusters for doc in docs] == expected
    assert docs[1].spans["coref_clusters_1"].attrs["scores"]
    assert docs[1]._.coref_chains[0].pretty_representation
    print("same")
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_used_parent(tiny_nlp, tmp_path, method):
    tiny_nlp.to_disk(tmp_path)
    # A file, because spawned processes import the main module again.
    script = tmp_path / "main.py"
    script.write_text(CODE.format(method=method, path=str(tmp_path), text=TEXT))
    done = run_python(args=[str(script)])
    assert done.stdout == "same\n" and done.stderr == ""


def test_shipped_weights_in_workers():
    run_python(f"""
        import spacy
        nlp = spacy.blank("en")
        nlp.add_pipe("fastcoref")
        expected = nlp({TEXT!r})._.coref_clusters
        docs = list(nlp.pipe([{TEXT!r}] * 4, n_process=2, batch_size=1))
        assert [doc._.coref_clusters for doc in docs] == [expected] * 4
    """)
