"""Test binding in clauses and noun phrases, with parses in two dependency schemes."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules

from .links import link_all

NLP = spacy.blank("en")
RULES = EnglishRules(disabled=())

# A sentence: each word with its part of speech, its label and its head.
WHO_SAW_HIM = """the DET det 1|man NOUN nsubj 6|who PRON nsubj 3|saw VERB relcl 1
    |him PRON dobj 3|there ADV advmod 3|left VERB ROOT 6"""
WHO_CAME_AND_WHO_SAW_HIM = """the DET det 1|man NOUN nsubj 8|who PRON nsubj 3
    |came VERB relcl 1|and CCONJ cc 3|who PRON nsubj 6|saw VERB conj 3|him PRON dobj 6
    |left VERB ROOT 8"""
WHO_SAW_HIS_DOG = """the DET det 1|man NOUN nsubj 6|who PRON nsubj 3|saw VERB relcl 1
    |his PRON poss 5|dog NOUN dobj 3|left VERB ROOT 6"""
WHO_ASKED_WHO_SAW_HIM = """the DET det 1|man NOUN nsubj 7|who PRON nsubj 3
    |asked VERB relcl 1|who PRON nsubj 5|saw VERB ccomp 3|him PRON dobj 5
    |left VERB ROOT 7"""
WHOM_ANN_SAW = """the DET det 1|man NOUN nsubj 6|whom PRON dobj 4|Ann PROPN nsubj 4
    |saw VERB relcl 1|herself PRON dobj 4|left VERB ROOT 6"""
IN_UD = """the DET det 1|man NOUN nsubj 5|who PRON nsubj 3|saw VERB acl:relcl 1
    |him PRON obj 3|left VERB ROOT 5|of ADP case 7|town NOUN nmod 5"""
TWO_AND_TWO = """Peter PROPN nsubj 3|and CCONJ cc 0|Jane PROPN conj 0|saw VERB ROOT 3
    |him PRON dobj 3|and CCONJ cc 4|her PRON conj 4"""
OPINION = """my PRON poss 1|friend NOUN poss 3|'s PART case 1|opinion NOUN nsubj 6
    |of ADP prep 3|him PRON pobj 4|fell VERB ROOT 6"""
OPINION_IN_UD = """my PRON nmod:poss 1|friend NOUN nmod:poss 3|'s PART case 1
    |opinion NOUN nsubj 6|of ADP case 5|him PRON nmod 3|fell VERB ROOT 6"""
HOUSE_NEAR_HIM = """my PRON poss 1|friend NOUN poss 3|'s PART case 1|house NOUN nsubj 6
    |near ADP prep 3|him PRON pobj 4|fell VERB ROOT 6"""
OWN_OPINION = """my PRON poss 1|friend NOUN poss 3|'s PART case 1|opinion NOUN nsubj 6
    |of ADP prep 3|himself PRON pobj 4|fell VERB ROOT 6"""
WHOSE_OPINION = """the DET det 1|man NOUN nsubj 7|whose PRON poss 3|opinion NOUN nsubj 6
    |of ADP prep 3|him PRON pobj 4|fell VERB relcl 1|left VERB ROOT 7"""
HURT_HIMSELF = """Bob PROPN nsubj 1|said VERB ROOT 1|the DET det 3|man NOUN nsubj 7
    |who PRON nsubj 5|hurt VERB relcl 3|himself PRON dobj 5|left VERB ccomp 1"""


@pytest.mark.parametrize(
    ("sentence", "earlier", "later", "rule", "holds"),
    [
        (WHO_SAW_HIM, (0, 2), (4, 5), "binding", True),
        (WHO_SAW_HIM, (0, 6), (4, 5), "binding", True),
        (WHO_CAME_AND_WHO_SAW_HIM, (0, 2), (7, 8), "binding", True),
        (WHO_SAW_HIS_DOG, (0, 2), (4, 5), "binding", False),
        (WHO_ASKED_WHO_SAW_HIM, (0, 2), (6, 7), "binding", False),
        (IN_UD, (0, 2), (4, 5), "binding", True),
        (TWO_AND_TWO, (0, 1), (4, 5), "binding", True),
        (TWO_AND_TWO, (2, 3), (6, 7), "binding", True),
        (TWO_AND_TWO, (0, 3), (4, 5), "binding", True),
        (OPINION, (0, 2), (5, 6), "binding", True),
        (OPINION_IN_UD, (0, 2), (5, 6), "binding", True),
        (OPINION, (0, 1), (5, 6), "binding", False),
        (HOUSE_NEAR_HIM, (0, 2), (5, 6), "binding", False),
        (OWN_OPINION, (0, 2), (5, 6), "binding", False),
        (WHOSE_OPINION, (0, 2), (5, 6), "binding", True),
        (HURT_HIMSELF, (2, 4), (6, 7), "reflexive", False),
        (HURT_HIMSELF, (0, 1), (6, 7), "reflexive", True),
        (WHOM_ANN_SAW, (3, 4), (5, 6), "reflexive", False),
    ],
)
def test_binding(sentence, earlier, later, rule, holds):
    words, pos, deps, heads = zip(
        *(word.split() for word in sentence.split("|")), strict=True
    )
    heads = [int(head) for head in heads]
    doc = Doc(NLP.vocab, words=words, pos=pos, deps=deps, heads=heads)
    others = {(i, i + 1) for i, tag in enumerate(pos) if tag in ("NOUN", "PROPN")}
    mentions = sorted({earlier, later, *others})
    facts = RULES.describe(doc, link_all(mentions))
    pair = (np.array([mentions.index(mention)]) for mention in (later, earlier))
    (found,) = RULES.find_reasons(facts, *pair)
    assert (rule in found) == holds
