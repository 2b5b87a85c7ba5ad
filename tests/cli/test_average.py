from dataclasses import replace

import pytest
import torch

from spacy_fastcoref.cli.models import average_checkpoints


@pytest.fixture
def checkpoint(tiny_nlp):
    return tiny_nlp.get_pipe("fastcoref").model.get_checkpoint()


def test_training_settings_may_differ(checkpoint):
    encoder = {**checkpoint.config["encoder"], "learn_rate": 0.01, "name": "elsewhere"}
    other = replace(checkpoint, config={**checkpoint.config, "encoder": encoder})
    found = average_checkpoints([checkpoint, other], ["a", "b"])
    assert found.config == checkpoint.config
    other = replace(checkpoint, config={**checkpoint.config, "min_mentions": 8})
    assert average_checkpoints([checkpoint, other], ["a", "b"]).config == found.config


@pytest.mark.parametrize("part", ["top_lambda", "weights", "tokenizer"])
def test_error_names_difference(checkpoint, part):
    key = next(iter(checkpoint.tensors))
    changes = {
        "top_lambda": {"config": {**checkpoint.config, "top_lambda": 0.9}},
        "weights": {"tensors": {**checkpoint.tensors, key: torch.zeros(1, 2, 3)}},
        "tokenizer": {"tokenizer": "{}"},
    }
    other = replace(checkpoint, **changes[part])
    with pytest.raises(ValueError, match=rf"FC092.*'mine' and 'yours'.*in {part}\."):
        average_checkpoints([checkpoint, other], ["mine", "yours"])
