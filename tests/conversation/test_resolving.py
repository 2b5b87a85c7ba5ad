"""A turn is resolved by the main mentions of the whole conversation."""

import pytest

from spacy_fastcoref import Conversation

from ..conftest import blank


def talk(nlp, turns):
    conv = Conversation(nlp)
    return conv, [conv.add(text, speaker=speaker) for speaker, text in turns]


def test_main_mention_of_another_turn(shipped_nlp):
    conv, turns = talk(
        shipped_nlp,
        [
            ("Ann", "Alice Walker is a lawyer."),
            ("Bob", "She is rich, and her house is huge."),
        ],
    )
    expected = "Alice Walker is rich, and Alice Walker's house is huge."
    assert conv.resolve(turns[1]) == expected
    assert conv.resolve(turns[1], "spacy_fastcoref.pronouns.v1") == expected
    assert conv.resolve(turns[1], lambda cluster, mention: "X").startswith("X is rich")
    assert conv.resolve(turns[0]) == turns[0].text


def test_my_of_another_speaker(shipped_nlp):
    """What "my sister" is to Ann is Ann's sister to others."""
    conv, turns = talk(
        shipped_nlp,
        [
            ("Ann", "My sister has a dog."),
            ("Bob", "Does she like it?"),
            ("Ann", "She loves it."),
        ],
    )
    assert conv.resolve(turns[1]) == "Does Ann's sister like the dog?"
    assert conv.resolve(turns[2]) == "My sister loves the dog."


def test_turns_of_others(shipped_nlp):
    conv, (turn,) = talk(shipped_nlp, [("Ann", "She left.")])
    other, _ = talk(shipped_nlp, [("Ann", "She left.")])
    for unknown in (other.turns[0], turn.copy(), conv.doc, blank("en")(""), "x"):
        with pytest.raises(ValueError, match="FC221"):
            conv.resolve(unknown)
    with pytest.raises(ValueError, match="FC024"):
        conv.resolve(turn, "no_such_policy")
