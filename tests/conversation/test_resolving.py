"""A turn is resolved by the main mentions of the whole conversation."""

import pytest

from ..conftest import blank
from .test_conversation import talk


def test_main_mention_of_another_turn(shipped_nlp):
    conv = talk(
        shipped_nlp,
        [
            ("Ann", "Alice Walker is a lawyer."),
            ("Bob", "She is rich, and her house is huge."),
        ],
    )
    expected = "Alice Walker is rich, and Alice Walker's house is huge."
    assert conv.resolve(conv.turns[1]) == expected
    assert conv.resolve(conv.turns[1], "spacy_fastcoref.pronouns.v1") == expected
    assert conv.resolve(conv.turns[1], lambda cluster, mention: "X").startswith(
        "X is rich"
    )
    assert conv.resolve(conv.turns[0]) == conv.turns[0].text


def test_my_of_another_speaker(shipped_nlp):
    """What "my sister" is to Ann is Ann's sister to others."""
    conv = talk(
        shipped_nlp,
        [
            ("Ann", "My sister has a dog."),
            ("Bob", "Does she like it?"),
            ("Ann", "She loves it."),
        ],
    )
    assert conv.resolve(conv.turns[1]) == "Does Ann's sister like the dog?"
    assert conv.resolve(conv.turns[2]) == "My sister loves the dog."


def test_turns_of_others(shipped_nlp):
    conv, other = (talk(shipped_nlp, [("Ann", "She left.")]) for _ in range(2))
    (turn,) = conv.turns
    for unknown in (other.turns[0], turn.copy(), conv.doc, blank("en")(""), "x"):
        with pytest.raises(ValueError, match="FC221"):
            conv.resolve(unknown)
    with pytest.raises(ValueError, match="FC024"):
        conv.resolve(turn, "no_such_policy")
