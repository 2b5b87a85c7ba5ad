"""Test the example of Coreferee's documentation."""

from spacy.tokens import Span

from .docs import NLP, make_doc

MODEL = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}

TABLE = """
Ponieważ S mark 2
bardzo R advmod 2
zajęty A advcl 8 m1,sg,nom
był X aux:pass 2 m1,sg,fin
swoją D det:poss 5 f,sg,ins,poss,refl
pracą N iobj 2 f,sg,ins
, U punct 2
Janek E nsubj 8 m1,sg,nom
miał V ROOT 8 m1,sg,fin
jej P obl:arg 8 f,sg,gen,3,prs
dość R advmod 8
. U punct 8
Postanowili V ROOT 12 m1,pl,fin
z I case 15
jego P nmod 15 m1,sg,gen,3,prs
żoną N obl 12 f,sg,ins
, U punct 18
że S mark 18
potrzebują V ccomp:obj 12 pl,3,fin
wakacji N iobj 18 f,pl,gen
. U punct 12
Pojechali V ROOT 21 m1,pl,fin
do I case 23
Hiszpanii E obl 21 f,sg,gen
, U punct 31
bo S mark 31
bardzo R advmod 31
im P iobj 31 pl,dat,3,prs
się P expl:pv 31 prs,refl
ten D det 30 m3,sg,nom,dem
kraj N nsubj 31 m3,sg,nom
podobał V advcl 21 m3,sg,fin
. U punct 21
"""


def test_chains():
    doc = make_doc(TABLE, names=("Janek",))
    doc.set_ents([*doc.ents, Span(doc, 23, 24, "placeName")])
    component = NLP.create_pipe("fastcoref", config={"model": MODEL})
    chains = component(doc)._.coref_chains
    assert [chain.pretty_representation for chain in chains] == [
        "0: był(3), swoją(4), Janek(7), Postanowili(12), jego(14)",
        "1: pracą(5), jej(9)",
        "2: [Postanowili(12); żoną(15)], potrzebują(18), Pojechali(21), im(27)",
        "3: Hiszpanii(23), kraj(30)",
    ]
    assert [token.text for token in chains.resolve(doc[27])] == ["Janek", "żoną"]
