"""Test the chains of a model without weights on the French example of Coreferee."""

import spacy
from spacy.tokens import Doc

# A word, its part of speech, its label and its head; then gender, number and others.
TABLE = """
Même ADV mark 5
si SCONJ fixed 0
elle PRON nsubj 5 Gender=Fem|Number=Sing|Person=3|PronType=Prs
était AUX cop 5 Mood=Ind|Number=Sing|Person=3|Tense=Imp|VerbForm=Fin
très ADV advmod 5
occupée ADJ advcl 12 Gender=Fem|Number=Sing
par ADP case 8
son DET det 8 Gender=Masc|Number=Sing|Poss=Yes|PronType=Prs
travail NOUN obl:arg 5 Gender=Masc|Number=Sing
, PUNCT punct 5
Julie PROPN nsubj 12
en PRON iobj 12 Person=3|PronType=Prs
avait VERB ROOT 12 Mood=Ind|Number=Sing|Person=3|Tense=Imp|VerbForm=Fin
marre ADV advmod 12
. PUNCT punct 12
Alors ADV advmod 21
, PUNCT punct 21
elle PRON nsubj 21 Gender=Fem|Number=Sing|Person=3|PronType=Prs
et CCONJ cc 20
son DET det 20 Gender=Masc|Number=Sing|Poss=Yes|PronType=Prs
mari NOUN conj 17 Gender=Masc|Number=Sing
décidèrent VERB ROOT 21 Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin
qu' SCONJ mark 24
ils PRON nsubj 24 Gender=Masc|Number=Plur|Person=3|PronType=Prs
avaient VERB ccomp 21 Mood=Ind|Number=Plur|Person=3|Tense=Imp|VerbForm=Fin
besoin NOUN obj 24 Gender=Masc|Number=Sing
de ADP case 27
vacances NOUN obl:arg 24 Gender=Fem|Number=Plur
. PUNCT punct 21
Ils PRON nsubj 30 Gender=Masc|Number=Plur|Person=3|PronType=Prs
allèrent VERB ROOT 30 Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin
en ADP case 32
Espagne PROPN obl:arg 30
car CCONJ cc 35
ils PRON nsubj 35 Gender=Masc|Number=Plur|Person=3|PronType=Prs
adoraient VERB conj 30 Mood=Ind|Number=Plur|Person=3|Tense=Imp|VerbForm=Fin
le DET det 37 Definite=Def|Gender=Masc|Number=Sing|PronType=Art
pays NOUN obj 35 Gender=Masc|Number=Sing
"""


def test_chains_of_the_example():
    nlp = spacy.blank("fr")
    model = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
    component = nlp.add_pipe("fastcoref", config={"model": model})
    rows = [(*line.split(), "")[:5] for line in TABLE.strip().splitlines()]
    words, pos, deps, heads, morphs = zip(*rows, strict=True)
    ents = ["O"] * len(words)
    ents[10], ents[32] = "B-PER", "B-LOC"
    doc = Doc(
        nlp.vocab,
        words=list(words),
        pos=list(pos),
        deps=list(deps),
        heads=[int(head) for head in heads],
        morphs=list(morphs),
        ents=ents,
    )
    chains = component(doc)._.coref_chains
    assert [chain.pretty_representation for chain in chains] == [
        "0: elle(2), son(7), Julie(10), elle(17), son(19)",
        "1: travail(8), en(11)",
        "2: [elle(17); mari(20)], ils(23), Ils(29), ils(34)",
        "3: Espagne(32), pays(37)",
    ]
    assert [token.text for token in chains.resolve(doc[34])] == ["Julie", "mari"]
