import pytest

from spacy_fastcoref.models.blocks import make_block

MENTIONS = {"@coref_layers": "spacy_fastcoref.S2EMentionScorer.v1"}
SPEAKERS = {"@coref_layers": "spacy_fastcoref.SpeakerScorer.v1"}


@pytest.mark.parametrize(
    "config, says",
    [
        (None, "FC015.*there"),
        ({"hidden_size": 3}, "FC015.*there"),
        ({"@coref_layers": ["x"]}, "FC015"),
        ({"@coref_layers": "no.v1"}, "FC024.*'no.v1'.*S2EMentionScorer"),
        # Registered, but not as a layer: a folder cannot have it run.
        ({"@coref_layers": "spacy.read_labels.v1", "path": "x"}, "FC024"),
        ({**MENTIONS, "depth": 3}, "FC014.*depth = 3"),
        ({**MENTIONS, "hidden_size": {"@misc": "x"}}, "FC014.*hidden_size"),
        (SPEAKERS, "FC014.*scorer"),
        ({**SPEAKERS, "scorer": 3}, "FC015.*there.*3"),
        ({**SPEAKERS, "scorer": {"@misc": "x"}}, "FC015.*there.*misc"),
    ],
)
def test_what_is_no_block(config, says):
    with pytest.raises(ValueError, match=says):
        make_block(config, "there")
