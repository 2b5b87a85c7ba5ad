"""Test what Dutch nouns and names can be."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import judge
from spacy_fastcoref.grammar.auto import AutoRules

NLP = spacy.blank("nl")
COM, NEUT = "Gender=Com|Number=Sing", "Gender=Neut|Number=Sing"


def parse(sentence):
    rows = [(row.split() + [""])[:5] for row in sentence.split(";")]
    words, pos, deps, heads, morphs = zip(*rows, strict=True)
    heads = [int(head) for head in heads]
    return Doc(
        NLP.vocab, words=words, pos=pos, deps=deps, heads=heads, morphs=list(morphs)
    )


@pytest.mark.parametrize(
    ("noun", "possible", "impossible"),
    [
        # Common gender: a thing is "hij", and a person has natural gender.
        (f"De tafel {COM}", "hij hem die", "het"),
        (f"De dokter {COM}", "hij zij haar zijn", "het"),
        (f"De tante {COM}", "zij haar", "hij hem het"),
        (f"De schrijfster {COM}", "zij haar", "hij zijn"),
        (f"De kamer {COM}", "hij", "het"),
        # Neuter gender.
        (f"Het boek {NEUT}", "het zijn dat", "hij haar die"),
        (f"Het meisje {NEUT}", "zij haar het", "hij hem"),
        (f"Het zoontje {NEUT}", "hij zijn het", "zij haar"),
        (f"Het kind {NEUT}", "hij zij het hen", ""),
        (f"Het volk {NEUT}", "het hun", "hij"),
        # The articles tell the gender without morphology.
        ("Het boek", "het", "hij"),
        ("De dokters Number=Plur", "zij hun hen", "hij het"),
        ("Een tante", "zij", "hij hun"),
    ],
)
def test_agreement(noun, possible, impossible):
    determiner, word, *morph = noun.split()
    for pronouns, is_possible in ((possible, True), (impossible, False)):
        for pronoun in pronouns.split():
            morphs = {"zijn": "Poss=Yes", "hun": "Poss=Yes"}
            morphs.update(dict.fromkeys(("die", "dat"), "PronType=Dem"))
            pronoun_morph = morphs.get(pronoun, "")
            doc = parse(
                f"{determiner} DET det 1; {word} NOUN nsubj 2 {''.join(morph)};"
                "sliep VERB ROOT 2; en CCONJ cc 5;"
                f"{pronoun} PRON nsubj 5 {pronoun_morph}; at VERB conj 2"
            )
            verdict = judge(doc, doc[4:5], doc[0:2]).verdict
            assert (verdict > 0) == is_possible, pronoun


@pytest.mark.parametrize(
    ("name", "possible", "impossible"),
    [
        ("Sanne", "zij", "hij"),
        ("Daan", "hij", "zij"),
        ("mevrouw Jansen", "zij", "hij"),
        ("dokter Jansen", "hij zij", "het"),
    ],
)
def test_names(name, possible, impossible):
    first, *last = name.split()
    pos = ["PROPN"] * (1 + len(last))
    if first.islower():
        pos[0] = "NOUN"
    pos += ["VERB", "PUNCT", "PRON", "VERB"]
    for pronouns, is_possible in ((possible, True), (impossible, False)):
        for pronoun in pronouns.split():
            words = [first, *last, "lachte", ".", pronoun, "sliep"]
            doc = Doc(NLP.vocab, words=words, pos=pos)
            verdict = judge(doc, doc[-2:-1], doc[: 1 + len(last)]).verdict
            assert (verdict > 0) == is_possible, pronoun


def test_things_are_less_likely_to_be_he():
    """Things of common gender can be "hij", but people are more likely."""
    verdicts = []
    for noun in ("De lamp", "De koning"):
        doc = parse(
            f"De DET det 1; {noun.split()[1]} NOUN nsubj 2 {COM}; viel VERB ROOT 2;"
            "en CCONJ cc 5; hij PRON nsubj 5; brak VERB conj 2"
        )
        verdicts.append(judge(doc, doc[4:5], doc[0:2]).verdict)
    assert verdicts == [1, 2]


def test_speakers():
    """A Dutch quotation can open below the line."""
    doc = Doc(NLP.vocab, words="„ Ik slaap , ” fluisterde Anna .".split())
    rules = AutoRules().find("nl")
    facts = rules.read(doc, np.array([[1, 2], [6, 7]]))
    assert facts.speech.quotes.tolist() == [0, 1, 1, 1, 0, 0, 0, 0]
    assert judge(doc, doc[6:7], doc[1:2]).verdict
