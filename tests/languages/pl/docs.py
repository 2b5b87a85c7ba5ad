"""Make Polish Docs from lines with one token each."""

import spacy
from spacy.tokens import Doc

NLP = spacy.blank("pl")
# Features by the short names that the lines use.
FEATS = {
    "sg": "Number=Sing",
    "pl": "Number=Plur",
    "m1": "Animacy=Hum|Gender=Masc",
    "m2": "Animacy=Nhum|Gender=Masc",
    "m3": "Animacy=Inan|Gender=Masc",
    "f": "Gender=Fem",
    "n": "Gender=Neut",
    "nom": "Case=Nom",
    "gen": "Case=Gen",
    "dat": "Case=Dat",
    "acc": "Case=Acc",
    "ins": "Case=Ins",
    "loc": "Case=Loc",
    "1": "Person=1",
    "2": "Person=2",
    "3": "Person=3",
    "fin": "VerbForm=Fin",
    "inf": "VerbForm=Inf",
    "conv": "VerbForm=Conv",
    "imps": "Person=0|VerbForm=Fin",
    "quasi": "VerbForm=Fin|VerbType=Quasi",
    "rel": "PronType=Rel",
    "dem": "PronType=Dem",
    "prs": "PronType=Prs",
    "poss": "Poss=Yes",
    "refl": "Reflex=Yes",
}
POS = {
    "N": "NOUN",
    "E": "PROPN",
    "P": "PRON",
    "D": "DET",
    "V": "VERB",
    "X": "AUX",
    "A": "ADJ",
    "R": "ADV",
    "I": "ADP",
    "C": "CCONJ",
    "S": "SCONJ",
    "T": "PART",
    "U": "PUNCT",
    "M": "NUM",
}


def make_doc(table, names=()):
    """Make a Doc from "word POS label head features" in each line.

    The head is the word's index; the features are short names, joined by commas.
    """
    rows = [line.split() for line in table.strip().splitlines()]
    words, pos, deps, heads, feats = zip(
        *((*row, "-")[:5] for row in rows), strict=True
    )
    morphs = [
        "|".join(sorted("|".join(FEATS[f] for f in form.split(",")).split("|")))
        if form != "-"
        else ""
        for form in feats
    ]
    iob = ["B-persName" if word in names else "O" for word in words]
    return Doc(
        NLP.vocab,
        words=words,
        pos=[POS[p] for p in pos],
        deps=deps,
        heads=[int(head) for head in heads],
        morphs=morphs,
        lemmas=words,
        ents=iob,
    )
