"""Test Dutch grammar on sentences in Universal Dependencies."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors, find_mentions, judge
from spacy_fastcoref.grammar.auto import AutoRules

NLP = spacy.blank("nl")
COM, NEUT = "Gender=Com|Number=Sing", "Gender=Neut|Number=Sing"
# A sentence: each word with its part of speech, its label, its head and its morphology.
SAW_HER = f"""Het DET det 1; meisje NOUN nsubj 2 {NEUT}; zag VERB ROOT 2;
    haar PRON obj 2"""
SAW_HERSELF = f"""Het DET det 1; meisje NOUN nsubj 2 {NEUT}; zag VERB ROOT 2;
    zichzelf PRON obj 2"""
SAW_HER_DOG = f"""Het DET det 1; meisje NOUN nsubj 2 {NEUT}; zag VERB ROOT 2;
    haar PRON nmod:poss 4 Poss=Yes; hond NOUN obl 2 {COM}"""
WHO_SAW_HIM = f"""De DET det 1; man NOUN nsubj 5 {COM}; die PRON nsubj 4 PronType=Rel;
    hem PRON obj 4; zag VERB acl:relcl 1; sliep VERB ROOT 5"""
EACH_OTHER = """Jan PROPN nsubj 3; en CCONJ cc 2; Anna PROPN conj 0; zagen VERB ROOT 3;
    elkaar PRON obj 3"""
RAIN = f"Gisteren ADV advmod 1; regende VERB ROOT 1; het PRON nsubj 1 {NEUT}"
CLEAR = """Is AUX cop 2; het PRON nsubj 2; duidelijk ADJ ROOT 2; dat SCONJ mark 5;
    hij PRON nsubj 5; slaapt VERB csubj 2"""
HE_IS_CLEAR = "Is AUX cop 2; het PRON nsubj 2; duidelijk ADJ ROOT 2"
THOSE = """Die PRON nsubj 1 PronType=Dem; zaten VERB ROOT 1; met ADP case 4;
    die DET det 4 PronType=Dem; hond NOUN obl 1"""
WITH_IT = """Hij PRON nsubj 1; speelde VERB ROOT 1; daarmee ADV advmod 1; en CCONJ cc 4;
    zag VERB conj 1; er ADV advmod 4; daarom ADV advmod 4; ervan ADV advmod 4"""
THEIR_DOG = """Zij PRON nsubj 2; zijn AUX cop 2; blij ADJ ROOT 2; met ADP case 5;
    zijn PRON nmod:poss 5 Poss=Yes; hond NOUN obl 2"""
OPINION_OF_HIM = """Mijn PRON nmod:poss 1; broers NOUN nmod:poss 2; beeld NOUN nsubj 5;
    van ADP case 4; hem PRON nmod 2; daalde VERB ROOT 5"""


def parse(sentence):
    rows = [(row.split() + [""])[:5] for row in sentence.split(";")]
    words, pos, deps, heads, morphs = zip(*rows, strict=True)
    heads = [int(head) for head in heads]
    return Doc(
        NLP.vocab, words=words, pos=pos, deps=deps, heads=heads, morphs=list(morphs)
    )


@pytest.mark.parametrize(
    ("sentence", "anaphors"),
    [
        (SAW_HER_DOG, ["haar"]),
        (EACH_OTHER, ["elkaar"]),
        (WHO_SAW_HIM, ["hem"]),
        (RAIN, []),
        (CLEAR, ["hij"]),
        (HE_IS_CLEAR, ["het"]),
        (THOSE, ["Die"]),
        (WITH_IT, ["Hij", "daarmee", "ervan"]),
        (THEIR_DOG, ["Zij", "zijn"]),
    ],
)
def test_anaphors(sentence, anaphors):
    assert [span.text for span in find_anaphors(parse(sentence))] == anaphors


@pytest.mark.parametrize(
    ("sentence", "earlier", "later", "is_possible"),
    [
        (SAW_HER, (0, 2), (3, 4), False),
        (SAW_HERSELF, (0, 2), (3, 4), True),
        (SAW_HER_DOG, (0, 2), (3, 4), True),
        (WHO_SAW_HIM, (0, 5), (3, 4), False),
        (EACH_OTHER, (0, 3), (4, 5), True),
        (EACH_OTHER, (0, 1), (4, 5), False),
        (OPINION_OF_HIM, (0, 2), (4, 5), False),
    ],
)
def test_pairs_in_a_sentence(sentence, earlier, later, is_possible):
    doc = parse(sentence)
    verdict = judge(doc, doc[slice(*later)], doc[slice(*earlier)]).verdict
    assert (verdict > 0) == is_possible


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


def test_coordinations():
    doc = parse(EACH_OTHER)
    (group,) = (m for m in find_mentions(doc) if m.kind == "coordination")
    assert group.coordination == "and" and group.agreement == "s"
