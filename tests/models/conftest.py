import pytest

from spacy_fastcoref.models.architectures import Pretrained

from ..conftest import blank

TEXTS = ["She said that he ate the cake.", "", "They left and she saw his cat."]


@pytest.fixture
def docs():
    nlp = blank("en")
    return [nlp(text) for text in TEXTS]


def make_model(path, **settings):
    model = Pretrained(str(path), **settings)
    model.set_runtime(device="cpu", precision="float32")
    return model


@pytest.fixture
def model(tiny_path):
    return make_model(tiny_path)
