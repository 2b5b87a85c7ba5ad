"""Test the chains of a model without weights on the German example of Coreferee."""

import spacy

from .docs import make_doc

TEXT = (
    "Weil/KOUS/cp/7 er/PPER/sb/7/m mit/APPR/op/6 seiner/PPOSAT/nk/4/f "
    "Arbeit/NN/nk/2/f sehr/ADV/mo/6 beschäftigt/ADJD/pd/7 war/VAFIN/mo/9/s "
    ",/$,/punct/9 hatte/VAFIN/ROOT/9/s Peter/NE/sb/9/m davon/PROAV/mo/12 "
    "genug/ADV/oa/9 ./$./punct/9 Er/PPER/sb/18/m und/KON/cd/14 seine/PPOSAT/nk/17/f "
    "Frau/NN/cj/15/f haben/VAFIN/ROOT/18/p entschieden/VVPP/oc/18 ,/$,/punct/18 "
    "dass/KOUS/cp/27 ihnen/PPER/da/26/p ein/ART/nk/24/m Urlaub/NN/sb/27/m "
    "gut/ADJD/mo/26 tun/VVINF/oc/27 würde/VAFIN/oc/19/s ./$./punct/18 "
    "Sie/PPER/sb/30/p sind/VAFIN/ROOT/30/p nach/APPR/mo/33 Spanien/NE/nk/31/n "
    "gefahren/VVPP/oc/30 ,/$,/punct/30 weil/KOUS/cp/40 ihnen/PPER/da/40/p "
    "das/ART/nk/38/n Land/NN/sb/40/n sehr/ADV/mo/40 gefiel/VVFIN/mo/30/s "
    "./$./punct/30"
)


def test_chains_of_the_example():
    """The text is "Weil er mit seiner Arbeit sehr beschäftigt war, …"."""
    nlp = spacy.blank("de")
    model = {"@architectures": "spacy_fastcoref.NearestAntecedent.v1"}
    component = nlp.add_pipe("fastcoref", config={"model": model})
    ents = ["O"] * len(TEXT.split())
    ents[10], ents[32] = "B-PER", "B-LOC"
    doc = component(make_doc(TEXT, ents=ents))
    assert doc._.coref_chains.pretty_representation == (
        "0: er(1), seiner(3), Peter(10), Er(14), seine(16); "
        "1: Arbeit(4), davon(11); "
        "2: [Er(14); Frau(17)], ihnen(22), Sie(29), ihnen(36); "
        "3: Spanien(32), Land(38)"
    )
    resolved = doc._.coref_chains.resolve(doc[36])
    assert [token.text for token in resolved] == ["Peter", "Frau"]
