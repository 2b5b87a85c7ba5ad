"""The component works with any CorefModel, here one without PyTorch."""

import pytest
import spacy
from thinc.api import Model

from spacy_fastcoref.cli.models import average
from spacy_fastcoref.types import CorefModel

from ..conftest import TEXT, blank, reload_in_each_way
from ..fuzz.models import HashModel, forward


class OwnModel(HashModel):
    def set_runtime(self, **settings):
        self.attrs.setdefault("runtime", {}).update(settings)


@spacy.registry.architectures("test_own_model.Own.v1")
def make_own():
    return OwnModel()


def make_nlp(**settings):
    nlp = blank("en")
    model = {"@architectures": "test_own_model.Own.v1"}
    return nlp, nlp.add_pipe("fastcoref", config={"model": model, **settings})


def test_it_is_told_the_settings():
    _, pipe = make_nlp(threshold=0.5, device="cpu")
    assert isinstance(pipe.model, CorefModel)
    assert pipe.model.attrs["runtime"]["device"] == "cpu"
    pipe.max_tokens_in_batch = 77
    assert pipe.model.attrs["runtime"]["max_tokens_in_batch"] == 77


def test_it_is_saved(tmp_path):
    nlp, _ = make_nlp()
    for again in reload_in_each_way(nlp, tmp_path):
        assert again(TEXT)._.coref_clusters == nlp(TEXT)._.coref_clusters != []


def test_what_it_does_not_have_is_an_error():
    nlp, pipe = make_nlp()
    with pytest.raises(NotImplementedError, match="FC121.*OwnModel"):
        pipe.model.get_checkpoint()
    with pytest.raises(NotImplementedError, match="FC121.*OwnModel"):
        average([nlp, make_nlp()[0]], ["one", "two"])
    with pytest.raises(ValueError, match="FC076.*somewhere"):
        make_nlp(model_path="somewhere")


def test_half_of_a_model_is_an_error():
    spacy.registry.architectures(
        "test_own_model.Plain.v1", func=lambda: Model("plain", forward)
    )
    model = {"@architectures": "test_own_model.Plain.v1"}
    with pytest.raises(ValueError, match="FC120.*'fastcoref'.*score_pairs, get_loss"):
        blank("en").add_pipe("fastcoref", config={"model": model})
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Model, CorefModel), {})("half", forward)
