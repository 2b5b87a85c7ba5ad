"""Quotations are found, and who says them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import format_quotes, get_quotes, set_clusters
from spacy_fastcoref.grammar.lexicon import get_lexicon
from spacy_fastcoref.quotes.component import annotate_quotes
from spacy_fastcoref.quotes.marks import find_quotations

from ..conftest import blank
from ..languages.read import read_table

LANGS = ("en", "de", "fr", "pl", "nl")


def read(text, lang="en", clusters=()):
    """Find the quotations of a text with clusters of these words, in text order."""
    doc = blank(lang)(text)
    found = []
    for words in clusters:
        mentions, place = [], 0
        for word in words.split("|"):
            place = doc.text.index(word, place)
            mentions.append(doc.char_span(place, place + len(word)))
            place += len(word)
        found.append(mentions)
    set_clusters(doc, found)
    return get_quotes(annotate_quotes(doc))


def read_rows(name):
    """Read a table whose texts have line breaks as \\n."""
    rows = read_table(f"../quotes/{name}.tsv")
    return pytest.mark.parametrize(
        "row",
        [{key: text.replace("\\n", "\n") for key, text in row.items()} for row in rows],
        ids=lambda row: " ".join(row.values()),
    )


@read_rows("said")
def test_what_is_said(row):
    said = [quote.span.text for quote in read(row["text"], row["language"])]
    assert said == [part for part in row["said"].split(" | ") if part]


@read_rows("speakers")
def test_who_says_it(row):
    quote = read(row["text"], row["language"])[0]
    for name in ("speaker", "cue", "addressee"):
        span = getattr(quote, name)
        assert row[name] == ("" if span is None else span.text), name
    assert quote.kind == row["kind"]
    assert (quote.score > 0) == bool(row["speaker"])


@pytest.mark.parametrize(
    "text, clusters, speakers",
    [
        # A pronoun leads to the name, and turns alternate.
        (
            'Ann met Tom. "Where were you?" she asked him.\n\n"At home," he said. '
            '"And you?"\n\n"In town."\n\nTom laughed. "I see."\n\n"Do you, Tom?"',
            ["Ann|she", "Tom|him|he|Tom|Tom"],
            "Ann Tom Tom Ann Tom Ann",
        ),
        # Who speaks later tells whose a pronoun is.
        (
            '"Where?" she asked.\n\n"Here," said Tom.\n\n"Now?"\n\n"Yes."'
            '\n\n"Good," said Ann.',
            ["she"],
            "Ann Tom Ann Tom Ann",
        ),
        # The narrator is one person.
        (
            '"Go," I said to Ann.\n\n"No," she said.\n\n"Go!" I said.\n\n"No!"',
            ["I", "Ann|she"],
            "I Ann I Ann",
        ),
        # A speech goes on in the next paragraph.
        ('"One," said Ann. "Two.\n\n"Three."', ["Ann"], "Ann Ann Ann"),
    ],
)
def test_turns(text, clusters, speakers):
    quotes = read(text, clusters=clusters)
    assert [quote.speaker.text for quote in quotes] == speakers.split()
    # Names are those of clusters, and who is spoken to, of "him" or "Tom?".
    if text.startswith("Ann met"):
        assert quotes[0].cluster.i == 0 and quotes[0].mention.text == "she"
        assert quotes[0].addressee.text == quotes[-1].addressee.text == "Tom"


def test_a_parse_finds_the_subject():
    words = 'Ann with Tom said : " Go " .'.split()
    heads, deps = [3, 0, 1, 3, 3, 3, 3, 3, 3], ["nsubj", "prep", "pobj", "ROOT"]
    deps += ["punct", "punct", "ccomp", "punct", "punct"]
    pos = ["PROPN", "ADP", "PROPN", "VERB", "PUNCT", "PUNCT", "VERB", "PUNCT", "PUNCT"]
    vocab = blank("en").vocab
    doc = annotate_quotes(Doc(vocab, words=words, heads=heads, deps=deps, pos=pos))
    assert get_quotes(doc)[0].speaker.text == "Ann"


def test_the_pipe_and_what_is_stored():
    nlp = blank("en")
    nlp.add_pipe("fastcoref")
    nlp.add_pipe("coref_quotes")
    doc = nlp('Ann Lee left. "I go," she said.')
    (span,) = doc.spans["quotes"]
    assert span._.speaker.text == "Ann Lee" and span._.quote.kind == "anaphoric"
    assert doc[0:1]._.speaker is None and doc[0:1]._.quote is None
    assert "Ann Lee" in format_quotes(doc)
    told = span._.quote.to_json()
    assert json.loads(json.dumps(told)) == told and told["cue"] == "said"
    (again,) = DocBin(docs=[doc]).get_docs(nlp.vocab)
    assert get_quotes(again)[0].to_json() == told
    assert get_quotes(nlp("")) == [] == get_quotes(nlp.make_doc("Ann left."))


PIECES = (
    "“ ” ‘ ’ \" ' « » „ — - , . : ! ? Ann Tom she I said asked to the \n \n\n".split(
        " "
    )
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from(LANGS),
    st.booleans(),
)
def test_any_text(pieces, lang, has_spaces):
    """Each quotation is inside its marks and its paragraph, and no text fails."""
    text = (" " if has_spaces else "").join(pieces)
    found = find_quotations(text, get_lexicon(lang))
    assert found == sorted(found)
    for one in found:
        assert 0 <= one.outer[0] <= one.start < one.end <= one.outer[1] <= len(text)
        assert "\n\n" not in text[one.start : one.end].strip()
    doc = blank(lang)(text)
    for quote in get_quotes(annotate_quotes(doc)):
        assert quote.span.text.strip() and 0 <= quote.score <= 1
        # Who speaks is outside of what is said.
        if quote.kind in ("explicit", "anaphoric"):
            mention, span = quote.mention, quote.span
            assert (
                mention is None
                or mention.end <= span.start
                or span.end <= mention.start
            )
