"""The gold labels of mentions that grammar finds."""

from types import SimpleNamespace

import pytest
import spacy

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker.candidates import Limits, find_candidates
from spacy_fastcoref.models.ranker.labels import label_mentions

from ...grammar.docs import parse

TEXT = (
    "Both/CCONJ/preconj/1 Ann/PROPN/nsubj/4 and/CCONJ/cc/1 Bob/PROPN/conj/1 "
    "met/VERB/ROOT/- ./PUNCT/punct/4 They/PRON/nsubj/7 left/VERB/ROOT/- "
    "./PUNCT/punct/7"
)


@pytest.mark.parametrize(
    ("gold", "labelled"),
    [
        # The same mention, and one with the same head.
        ((3, 4), {(3, 4)}),
        ((1, 2), {(0, 2)}),
        # A coordination, which is not its first member.
        ((0, 4), {(0, 4)}),
        ((1, 4), set()),
    ],
)
def test_mentions_with_the_head_of_a_gold_mention(gold, labelled):
    doc = parse(spacy.blank("en").vocab, TEXT)
    found = find_candidates(find_rules("en"), doc, Limits())
    spans = [tuple(span) for span in found.mentions.tolist()]
    assert spans == [(0, 2), (0, 4), (3, 4), (6, 7)]
    clusters = [[gold, (6, 7)]]
    annotation = SimpleNamespace(annotated=None, clusters=clusters, unsure=[])
    labels, is_known = label_mentions(found, annotation)
    assert {spans[row] for row in (labels >= 0).nonzero()[0]} == labelled | {(6, 7)}
    assert is_known.all()
