"""Make German Docs with TIGER labels and STTS tags from a compact notation."""

import spacy
from spacy.tokens import Doc

VOCAB = spacy.blank("de").vocab
# Universal tags by the beginnings of STTS tags, the longer ones first.
_POS = {
    "ADJA": "ADJ",
    "ADJD": "ADV",
    "ADV": "ADV",
    "APPR": "ADP",
    "ART": "DET",
    "KON": "CCONJ",
    "KOUS": "SCONJ",
    "NE": "PROPN",
    "NN": "NOUN",
    "PPOSAT": "DET",
    "PROAV": "ADV",
    "PTKVZ": "ADP",
    "PTK": "PART",
    "P": "PRON",
    "VA": "AUX",
    "VM": "AUX",
    "V": "VERB",
    "$": "PUNCT",
}
_MORPHS = {
    "m": "Gender=Masc|Number=Sing",
    "f": "Gender=Fem|Number=Sing",
    "n": "Gender=Neut|Number=Sing",
    "s": "Number=Sing",
    "p": "Number=Plur",
    "": "",
}
_FEATS = {
    "PPER": "Person=3|PronType=Prs",
    "PPOSAT": "Poss=Yes|PronType=Prs",
    "PDS": "PronType=Dem",
    "PRELS": "PronType=Rel",
    "PRF": "Person=3|PronType=Prs|Reflex=Yes",
    "VVFIN": "Person=3|VerbForm=Fin",
    "VAFIN": "Person=3|VerbForm=Fin",
}


def make_doc(text, **annotation):
    """Make a Doc of tokens such as "Hund/NN/sb/2/m": word, tag, label, head, features.

    The head of a token is its position in the text, and the features are "m", "f", "n"
    or "s" for the singular, and "p" for the plural.
    """
    rows = [(*token.split("/"), "")[:5] for token in text.split()]
    words, tags, deps, heads, codes = zip(*rows, strict=True)
    poses = [next(p for t, p in _POS.items() if tag.startswith(t)) for tag in tags]
    feats = [
        "|".join(filter(None, (_MORPHS[code], _FEATS.get(tag, ""))))
        for code, tag in zip(codes, tags, strict=True)
    ]
    return Doc(
        VOCAB,
        words=list(words),
        tags=list(tags),
        pos=poses,
        deps=list(deps),
        heads=[int(head) for head in heads],
        morphs=feats,
        **annotation,
    )
