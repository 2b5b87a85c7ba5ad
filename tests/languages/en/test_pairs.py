"""Which pairs of English mentions cannot be one, with no annotation at all."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules

RULES = EnglishRules(disabled=(), warns=False)
NLP = spacy.blank("en")


@pytest.mark.parametrize(
    "text, holds",
    [
        ("[She] stood up and greeted [her] .", True),
        ("[He] came in and saw [him] .", True),
        ("[They] had never seen [them] before", True),
        ("[She] took [her] home .", True),
        ("[She] took [her] hat .", False),
        ("[She] met [her] first husband .", False),
        ("[She] saw [her] first .", True),
        ("[She] sold [her] very old house .", False),
        ("[She] told [her] right away .", True),
        ("[She] gave [her] a hat .", True),
        ("[She] took [her] \n hat .", False),
        ("[She] took [her] \n\n Hats .", True),
        ("[She] saw that he knew [her] .", False),
        ("[She] said Tom saw [her] .", False),
        ("[She] sat . Ann saw [her] .", False),
        ("[She] looked behind [her] .", False),
        ("[Bill] congratulated [him] .", True),
        ("Late that day , [Bill] had met [him] .", True),
        ("Tom smiled when [Bill] saw [him] .", True),
        ("Tom came but [Bill] left and never saw [him] .", True),
        ("[Bill] 's dog bit [him] .", False),
        ("Ann knew that the son of [Bill] saw [him] .", False),
        ("I met [Bill] and [him] .", False),
        ("[Bill] felt nobody liked [him] .", False),
        ("[Bill] felt the rain hurt [him] .", False),
        ("[Bill] said he liked [him] .", False),
        ("[Bill] said police arrested [him] .", False),
        ("[She] knew doctors could save [her] .", False),
        ("[He] knows what made [him] cry .", False),
        ("[He] stopped and police searched [him] .", False),
        ("[He] almost certainly did not recognise [him] .", True),
        ("[She] kept calling [her] .", True),
        ("[Bill] , who won , saw [him] .", False),
        ("[Bea] saw [her] hat .", False),
        ("[Bea] saw [her] again .", True),
        ("I think [he] likes [him] .", True),
        ("He said that [she] saw [her] .", True),
        ("Then [she] saw [her] .", True),
        ("In 1990 [she] saw [her] .", True),
        ("We told Joe [she] saw [her] .", True),
        ("We told him [she] saw [her] .", True),
        ("People [she] met liked [her] .", False),
        ("Did [she] see [her] ?", True),
        ("If [she] saw [her] , we left .", True),
        ("What [she] saw frightened [her] .", False),
        ("The man [she] married left [her] .", False),
        ("The man that [she] married left [her] .", False),
        ("The man whom [she] married left [her] .", False),
        ("The people [he] met liked [him] .", False),
        ("Everything [he] did reminded [him] .", False),
    ],
)
def test_subject_and_object_without_a_tree(text, holds):
    texts = text.split(" ")
    words = [word.strip("[]") for word in texts]
    doc = Doc(NLP.vocab, words=words)
    marked = [i for i, word in enumerate(texts) if word[0] == "["]
    others = [i for i, word in enumerate(words) if word in ("he", "Tom", "Ann")]
    starts = np.array(sorted({*marked, *others}))
    facts = RULES.read(doc, np.stack([starts, starts + 1], 1))
    later, earlier = (np.flatnonzero(starts == i) for i in marked[::-1])
    (found,) = RULES.find_reasons(facts, later, earlier)
    assert ("binding" in found) == holds
