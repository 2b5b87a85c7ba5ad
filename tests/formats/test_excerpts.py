"""Files as corpora publish them: read, evaluated on, and converted."""

from pathlib import Path

import pytest

from spacy_fastcoref.formats.base import (
    find_inputs,
    get_format,
    list_formats,
    read_inputs,
)
from spacy_fastcoref.formats.docs import list_clusters
from spacy_fastcoref.training.evaluation import read_gold

from ..conftest import blank
from .test_round_trips import see, write

FOLDER = Path(__file__).parent / "excerpts"
NLP = blank("xx")
# Some mentions of a cluster of each file.
CLUSTERS = {
    "corefud_es.conllu": ["Espanyol", "su"],
    "corefud_ru.conllu": ["ивановские старожилы", "они"],
    "gerdracor.conll": ["Melitten", "diese"],
    "gum.conllu": ["Cyclone Phalin", "Cyclone Phailin", "it", "it"],
    "litbank.ann": ["James Stevenson , Esq. of South Park"],
    "litbank.conll": ["Sir Walter Elliot", "his", "he", "ELLIOT"],
    "litbank_fr.sacr": ["J", "je", "mon", "je"],
    "ontogum.conllu": ["Byron", "his"],
}
# What holds clusters, and can be written and read.
WRITTEN = [one.name for one in list_formats().values() if one.read and one.dump]


@pytest.fixture(params=sorted(CLUSTERS))
def path(request):
    return FOLDER / request.param


def read(path):
    (found,) = read_inputs(find_inputs([str(path)]), NLP)
    assert not isinstance(found, ValueError), found
    return found.doc


def test_clusters(path):
    doc = read(path)
    clusters = [[doc[a:z].text for a, z in c] for c in list_clusters(doc)]
    expected = CLUSTERS[path.name]
    found = [c for c in clusters if set(expected) <= set(c)]
    assert len(found) == 1, clusters
    assert len(found[0]) >= len(expected)


@pytest.mark.parametrize("name", WRITTEN)
def test_conversion(path, name, tmp_path):
    """What is read from any corpus can be written and read in any format."""
    doc = read(path)
    words = [token.text for token in doc if not token.is_space]
    try:
        written = write(doc, name, tmp_path)
    except ValueError as error:
        # Mentions in brackets can't cross, and paragraphs can't have brackets.
        assert "FC162" in str(error) and name == "brackets"
        return
    first = next(iter(get_format(name, reads=True).read(written, NLP)))
    assert not isinstance(first, ValueError), first
    assert see(first.doc) == see(doc)
    # These formats have no words, and the pipeline's tokenizer finds them.
    if name not in ("brackets", "label-studio", "prodigy"):
        assert [t.text for t in first.doc if not t.is_space] == words


def test_examples(path):
    """The clusters are gold, and the pipeline doesn't see them."""
    ((_, eg),) = read_gold([path], NLP)
    assert see(eg.reference) == see(read(path))
    assert not list_clusters(eg.predicted)
    assert eg.predicted.text == eg.reference.text
