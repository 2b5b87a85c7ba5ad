"""Test verdicts of Polish grammar on pairs of mentions."""

import pytest

from spacy_fastcoref import judge

from .docs import make_doc

OWN = """
Tomasz E nsubj 1 m1,sg,nom
umył V ROOT 1 m1,sg,fin
swój D det:poss 3 m3,sg,acc,poss,refl
rower N obj 1 m3,sg,acc
, U punct 7
a C cc 7
Robert E nsubj 7 m1,sg,nom
pożyczył V conj 1 m1,sg,fin
jego P nmod 9 m1,sg,gen,3,prs
auto N obj 7 n,sg,acc
"""
CLAUSE = """
Mama N nsubj 1 f,sg,nom
wsypała V ROOT 1 f,sg,fin
do I case 3
niej P obl:arg 1 f,sg,gen,3,prs
sól N obj 1 f,sg,acc
"""
INFINITIVE = """
Chciał V ROOT 0 m1,sg,fin
mu P iobj 2 m1,sg,dat,3,prs
pomóc V xcomp 0 inf
"""
RELATIVE = """
Książka N nsubj 4 f,sg,nom
, U punct 3
którą D obj 3 f,sg,acc,rel
czyta V acl:relcl 0 sg,3,fin
leży V ROOT 4 sg,3,fin
"""
PLURALS = """
Psy N nsubj 1 m2,pl,nom
goniły V ROOT 1 m2,pl,fin
chłopców N obj 1 m1,pl,acc
. U punct 1
Oni P nsubj 5 m1,pl,nom,3,prs
uciekali V ROOT 5 m1,pl,fin
, U punct 8
one P nsubj 8 m2,pl,nom,3,prs
szczekały V conj 5 m2,pl,fin
"""
WOMAN = """
Minister N nsubj 1 m1,sg,nom
powiedziała V ROOT 1 f,sg,fin
. U punct 1
Ona P nsubj 4 f,sg,nom,3,prs
wyszła V ROOT 4 f,sg,fin
"""
COMPANION = """
Piotr E nsubj 3 m1,sg,nom
z I case 2
Kasią E nmod 0 f,sg,ins
poszli V ROOT 3 m1,pl,fin
. U punct 3
Wrócili V ROOT 5 m1,pl,fin
"""
THAT = """
Ojciec N nsubj 1 m1,sg,nom
zawołał V ROOT 1 m1,sg,fin
syna N obj 1 m1,sg,acc
. U punct 1
Ten D nsubj 5 m1,sg,nom,dem
przyszedł V ROOT 5 m1,sg,fin
"""
QUOTED = """
„ U punct 2
Nie T advmod:neg 2
znam V parataxis:obj 6 sg,1,fin
go P obj 2 m1,sg,gen,3,prs
” U punct 2
– U punct 6
powiedział V ROOT 6 m1,sg,fin
Jan E nsubj 6 m1,sg,nom
"""
CASES = [
    # table, later, earlier, verdict
    (OWN, (2, 3), (0, 1), 2),
    (OWN, (6, 7), (2, 3), 0),
    (OWN, (8, 9), (0, 1), 2),
    (OWN, (8, 9), (6, 7), 1),
    (CLAUSE, (3, 4), (0, 1), 0),
    (INFINITIVE, (1, 2), (0, 1), 0),
    (RELATIVE, (3, 4), (0, 1), 0),
    (PLURALS, (4, 5), (0, 1), 0),
    (PLURALS, (4, 5), (2, 3), 2),
    (PLURALS, (7, 8), (0, 1), 2),
    (PLURALS, (7, 8), (2, 3), 0),
    (WOMAN, (3, 4), (0, 1), 2),
    (COMPANION, (5, 6), (0, 3), 2),
    (COMPANION, (5, 6), (0, 1), 0),
    (THAT, (4, 5), (2, 3), 2),
    (THAT, (4, 5), (0, 1), 1),
    (QUOTED, (7, 8), (3, 4), 0),
]


@pytest.mark.parametrize("table, later, earlier, verdict", CASES)
def test_verdict(table, later, earlier, verdict):
    doc = make_doc(table)
    assert judge(doc, doc[slice(*later)], doc[slice(*earlier)]).verdict == verdict
