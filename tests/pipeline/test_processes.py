"""Test worker processes that start after the parent has predicted with PyTorch."""

import multiprocessing
import os

import pytest

from ..conftest import TEXT
from ..forking import fork_python

CODE = """
import multiprocessing
import spacy
import threading
import torch

if __name__ == "__main__":
    # Enough of both that the parent has workers.
    torch.set_num_threads(2)
    nlp = spacy.load({path!r})
    texts = ["", {text!r}, "They left.", {text!r} * 9] * 12
    expected = [doc._.coref_clusters for doc in nlp.pipe(texts)]
    assert any(expected)
    names = [thread.name for thread in threading.enumerate()]
    assert sum(name.startswith("spacy_fastcoref") for name in names) == 4
    for method in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method(method, force=True)
        docs = list(nlp.pipe(texts, n_process=2, batch_size=8))
        assert [doc.text for doc in docs] == texts
        assert [doc._.coref_clusters for doc in docs] == expected
        assert docs[1].spans["coref_clusters_1"].attrs["scores"]
        assert docs[1]._.coref_chains[0].pretty_representation
        print(method, flush=True)
"""


@pytest.mark.slow
def test_workers_after_the_parent_predicted(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path)
    # A file, because spawned processes import the main module again.
    script = tmp_path / "main.py"
    script.write_text(CODE.format(path=str(tmp_path), text=TEXT))
    done = fork_python(args=[str(script)])
    assert done.stdout.split() == multiprocessing.get_all_start_methods()
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_trained_weights_are_copied_before_a_fork(tiny_nlp, tmp_path):
    """Copy trained weights from the GPU first, since forked processes can't use it."""
    tiny_nlp.to_disk(tmp_path)
    fork_python(f"""
        import multiprocessing, spacy
        from spacy.training import Example
        from spacy_fastcoref.models import model

        multiprocessing.set_start_method("fork")
        config = {{"components": {{"fastcoref": {{"precision": "float32"}}}}}}
        nlp = spacy.load({str(tmp_path)!r}, config=config)
        gold = nlp({TEXT!r})
        optimizer = nlp.resume_training()
        optimizer.learn_rate = 0.1
        for _ in range(3):
            nlp.update([Example(nlp.make_doc({TEXT!r}), gold)], sgd=optimizer)
        home, read = model.is_forked, model.read_tensors
        def read_here(network):
            assert not home(), "read in a forked process"
            return read(network)
        model.read_tensors = read_here
        docs = list(nlp.pipe([{TEXT!r}] * 4, n_process=2, batch_size=1))
        expected = nlp({TEXT!r})
        assert [doc._.coref_clusters for doc in docs] == [expected._.coref_clusters] * 4
    """)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_training_in_a_forked_process(tiny_nlp, tmp_path):
    """It predicts with what it has learned, in the middle of a training, too."""
    tiny_nlp.to_disk(tmp_path)
    fork_python(f"""
        import os, spacy
        from spacy.training import Example

        def load(path):
            config = {{"components": {{"fastcoref": {{"precision": "float32"}}}}}}
            return spacy.load(path, config=config)

        def predict(nlp):
            (links,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc({TEXT!r})])
            return links.mention_scores[:5]

        nlp = load({str(tmp_path)!r})
        gold = nlp({TEXT!r})
        optimizer = nlp.resume_training()
        optimizer.learn_rate = 0.1

        def train():
            nlp.update([Example(nlp.make_doc({TEXT!r}), gold)], sgd=optimizer)
            return predict(nlp)

        first, child = train(), os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
            os._exit(0)
        assert (predict(nlp) == first).all()
        last = [train() for _ in range(2)]
        assert (last[0] != last[1]).any()
        nlp.to_disk({str(tmp_path / "new")!r})
        again = predict(load({str(tmp_path / "new")!r}))
        assert abs(again - last[1]).max() < 1e-4
    """)
