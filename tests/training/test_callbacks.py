import itertools

import pytest
from spacy import registry

NAME = "spacy_fastcoref.warmup_constant_decay.v1"


@pytest.mark.parametrize("decay, n_falling", [(0.25, 25), (0.5, 50), (0.0, 1)])
def test_a_rate_that_rises_stays_and_falls_to_zero(decay, n_falling):
    settings = {
        "initial_rate": 0.5,
        "warmup_steps": 10,
        "total_steps": 100,
        "decay": decay,
    }
    block = {"schedule": {"@schedules": NAME, **settings}}
    schedule = registry.resolve(block)["schedule"]
    rates = list(itertools.islice(schedule, 110))
    end = 100 - n_falling
    assert rates[:10] == pytest.approx([0.05 * step for step in range(1, 11)])
    assert rates[10 : end + 1] == [0.5] * (end - 9)
    falling = [0.5 * left / n_falling for left in range(n_falling, 0, -1)]
    assert rates[end:100] == pytest.approx(falling)
    assert rates[100:] == [0.0] * 10
