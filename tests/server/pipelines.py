"""Pipelines that the tests can hold up."""

import threading

import spacy
from spacy.language import Language

GATE = "gate_of_the_server_tests"


class Gate:
    """Hold documents up until the test opens the gate."""

    def __init__(self):
        self.is_reached = threading.Event()
        self.is_open = threading.Event()

    def __call__(self, doc):
        if doc.text.startswith("broken"):
            raise RuntimeError("a secret of the server")
        self.is_reached.set()
        assert self.is_open.wait(30)
        return doc


@Language.factory(GATE)
def make_gate(nlp, name):
    return Gate()


def make_held(tiny_path):
    """Make a pipeline with a gate, and return both."""
    nlp = spacy.blank("en")
    gate = nlp.add_pipe(GATE)
    nlp.add_pipe("fastcoref", config={"model_path": str(tiny_path), "device": "cpu"})
    return nlp, gate
