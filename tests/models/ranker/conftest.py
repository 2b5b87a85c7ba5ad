import pytest

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker.candidates import find_candidates
from spacy_fastcoref.models.ranker.storage import Settings
from spacy_fastcoref.models.ranker.words import HashWords

from ...conftest import blank
from ...grammar.docs import parse

FRIENDS = (
    "Ann/PROPN/nsubj/1 met/VERB/ROOT/- her/PRON/poss/4 old/ADJ/amod/4 "
    "friend/NOUN/dobj/1 ./PUNCT/punct/1 "
    "She/PRON/nsubj/7 liked/VERB/ROOT/- the/DET/det/9 friend/NOUN/dobj/7 "
    "./PUNCT/punct/7"
)
HASH = {"hash": HashWords()}


def find(doc, **settings):
    return find_candidates(find_rules("en"), doc, Settings(HASH, **settings))


@pytest.fixture(scope="module")
def doc():
    return parse(blank("en").vocab, FRIENDS)


@pytest.fixture(scope="module")
def found(doc):
    return find(doc)
