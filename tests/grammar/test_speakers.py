"""Test who speaks inside and outside of quotations."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_fastcoref.grammar.speech import number_speakers
from spacy_fastcoref.languages.en.rules import EnglishRules

from .links import link_all

RULES = EnglishRules(disabled=())
NLP = spacy.blank("en")


def test_narrator_is_not_a_speaker():
    doc = NLP('I sang . " I lie , " said Tom . " I do , " I said . I saw Tom .')
    found = [t.i for t in doc if t.text in ("I", "Tom")]
    facts = RULES.describe(doc, link_all([(i, i + 1) for i in found]))
    one, tom, two, three, four = (
        np.array([i]) for i, t in enumerate(found) if doc[t].text == "I"
    )

    def is_held(later, earlier):
        return "narrator" in RULES.find_reasons(facts, later, earlier)[0]

    assert is_held(tom, one) and is_held(four, tom)
    assert not is_held(two, one) and not is_held(three, one) and not is_held(four, two)


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ('" I lie , " said [ Ann ] \'s son .', False),
        ('" I lie , " said [ [ Ann ] \'s son ] .', True),
        ('" I lie , " [ [ Ann ] \'s son ] said .', True),
        ('The wife of [ Tom ] said : " I lie . "', False),
        ('[ The wife of [ Tom ] ] said : " I lie . "', True),
        ('[ Tom ] said : " I lie . "', True),
    ],
)
def test_possessors_are_not_speakers(text, speaks):
    words, opened, mentions = [], [], []
    for part in text.split():
        if part == "[":
            opened.append(len(words))
        elif part == "]":
            mentions.append((opened.pop(), len(words)))
        else:
            words.append(part)
    me = words.index("I")
    mentions = sorted([*mentions, (me, me + 1)])
    must_links = RULES(
        Doc(NLP.vocab, words=words), link_all(np.array(mentions))
    ).must_links
    found = int(must_links[mentions.index((me, me + 1))])
    longest = max(mentions, key=lambda mention: mention[1] - mention[0])
    assert found == (mentions.index(longest) if speaks else -1)


def test_turns_without_a_label_have_no_speaker(en_vocab):
    doc = Doc(en_vocab, words="I saw you . I left .".split())
    doc.spans["speakers"] = [doc[0:4], Span(doc, 4, 5, "Ann"), doc[5:7]]
    assert number_speakers(doc).tolist() == [0, 0, 0, 0, 1, 0, 0]
