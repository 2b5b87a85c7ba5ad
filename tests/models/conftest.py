import pytest

from spacy_fastcoref.models.architectures import Pretrained

from ..conftest import blank

TEXTS = ["She said that he ate the cake.", "", "They left and she saw his cat."]


@pytest.fixture
def docs():
    nlp = blank("en")
    return [nlp(text) for text in TEXTS]


@pytest.fixture
def model(tiny_path):
    model = Pretrained(str(tiny_path))
    model.set_runtime(device="cpu", precision="float32")
    return model
