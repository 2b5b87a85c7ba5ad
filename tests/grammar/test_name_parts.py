"""Parts of names are found, and their links are moved to the whole name."""

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.types import Links

from ..conftest import blank
from .links import decode, link_all

VOCAB = blank("en").vocab


@pytest.mark.parametrize(
    "text, whole, score, part, is_part",
    [
        ("Ann Lee was late . Ann slept .", (0, 2), 1.0, (0, 1), True),
        ("Ann Lee was late . Lee slept .", (0, 2), 1.0, (1, 2), True),
        # A title that the model leaves out
        ("Judge Ann Lee sat . Lee slept .", (1, 3), 1.0, (0, 3), True),
        ("Judge Ann Lee sat . Lee slept .", (1, 3), -1.0, (0, 3), False),
        ("Texas Ann Lee sat . Lee slept .", (1, 3), 1.0, (0, 3), False),
        # The model finds that it is none, or there is no name of a person.
        ("Ann Lee was late . Ann slept .", (0, 2), -1.0, (0, 1), False),
        ("Ohio State won . Ohio slept .", (0, 2), 1.0, (0, 1), False),
        # A place before a title is one of its own.
        ("Texas Senator Ann Lee won . Texas slept .", (0, 4), 1.0, (0, 1), False),
        ("Texas Senator Ann Lee won . Lee slept .", (0, 4), 1.0, (3, 4), True),
        ("Ann 's dog was late . Ann slept .", (0, 3), 1.0, (0, 1), False),
    ],
)
def test_links_of_name_parts_are_moved_to_the_name(text, whole, score, part, is_part):
    words = text.split()
    doc = Doc(VOCAB, words=words)
    last = words.index("slept") - 1
    mentions = sorted([whole, part, (last, last + 1)])
    links = Links(
        np.array(mentions, dtype=np.int32),
        np.array([score if m == whole else 0.0 for m in mentions], dtype=np.float32),
        np.array([[-1], [-1], [mentions.index(part)]], dtype=np.int32),
        np.array([[-np.inf], [-np.inf], [2.0]], dtype=np.float32),
        np.array([0.0, 0.0, 2.1], dtype=np.float32),
    )
    (found,) = decode(links, EnglishRules()(doc, links))
    expected = whole if is_part else part
    assert found.mentions == [tuple(expected), tuple(mentions[2])]
    assert found.scores == [0.0, 2.0]
    (found,) = decode(links, EnglishRules(["name_part"])(doc, links))
    assert found.mentions[0] == tuple(part)


def test_what_a_part_is_of_is_a_part_of_nothing():
    # "Judge Ann" is of "Judge Ann Lee", which is of "Ann Lee".
    doc = Doc(VOCAB, words="Judge Ann Lee".split())
    links = link_all([(0, 2), (0, 3), (1, 3)])
    links.mention_scores[:] = [0.0, 0.5, 1.0]
    assert EnglishRules().describe(doc, links).part_of.tolist() == [2, 2, -1]
