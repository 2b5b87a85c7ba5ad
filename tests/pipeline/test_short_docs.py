"""Many short documents are decoded at once, each as if it were alone."""

from dataclasses import replace

import numpy as np
import pytest
from spacy.tokens import Doc, Span

from spacy_fastcoref.grammar.auto import AutoRules
from spacy_fastcoref.grammar.rules import Rules
from spacy_fastcoref.grammar.word_index import JoinedDocs
from spacy_fastcoref.pipeline import decide
from spacy_fastcoref.pipeline.decide import decode_doc
from spacy_fastcoref.types import Links, RuleOutput

from ..conftest import blank
from ..fuzz.models import predict
from ..grammar.links import link_all
from ..languages.read import VOCABS, read_table

RULES = AutoRules()
N_LINKS = 6


def make_doc(text, lang="en", **annotation):
    return Doc(VOCABS[lang], words=text.split(), **annotation)


def link_words(doc):
    """Link every word with the words before it, and take it for a mention."""
    starts = np.arange(len(doc))
    antecedents = starts[:, None] - np.arange(1, N_LINKS + 1)
    is_link = antecedents >= 0
    return Links(
        np.stack([starts, starts + 1], axis=1),
        np.ones(len(doc)),
        np.where(is_link, antecedents, -1),
        np.where(is_link, 1.0, -np.inf),
        np.zeros(len(doc)),
    )


def check_together(docs, links, monkeypatch, rules=RULES, **settings):
    """Decode documents alone and together; return their clusters."""
    alone = [
        decode_doc(doc, one, rules, 0.0, **settings)
        for doc, one in zip(docs, links, strict=True)
    ]
    with monkeypatch.context() as patch:
        patch.setattr(decide, "decode_doc", refuse)
        found = decide.decode_docs(docs, links, rules, 0.0, **settings)
    assert found == alone
    return found


def refuse(*args, **settings):
    raise AssertionError("a document was decoded alone")


def test_probabilities_are_calibrated(monkeypatch):
    docs = [make_doc("Ann said she left ."), make_doc("Bob saw his dog .")]
    norms = [np.full(len(doc), 2.0) for doc in docs]
    pairs = zip(map(link_words, docs), norms, strict=True)
    links = [
        replace(one, log_norms=norm, calibration=(2.0, 0.5)) for one, norm in pairs
    ]
    ((first, *_), *_) = check_together(docs, links, monkeypatch)
    odds = np.exp(-1) / (1 - np.exp(-1))
    odds = np.exp(0.5) * odds**2
    assert first.probs[1] == pytest.approx(odds / (1 + odds))


def read_output(docs, links):
    """Read what the rules make of documents, together and alone."""
    rules = RULES.find(docs[0].lang_).copy_without(())
    joined = JoinedDocs(docs)
    together = rules(joined, decide._join_links(links, joined.starts))
    begin = 0
    for doc, one in zip(docs, links, strict=True):
        end = begin + len(one)
        yield cut(together, begin, end), cut(rules(doc, one), 0, len(one))
        begin = end


def cut(output, begin, end):
    """Take the part of the mentions of one document."""

    def shift(rows):
        return np.where(rows < 0, -1, rows - begin)[begin:end]

    earlier, later = output.conflicts.T
    is_own = (later >= begin) & (later < end)
    return RuleOutput(
        output.verdicts[begin:end],
        output.agreement[begin:end],
        output.is_anaphor[begin:end],
        output.conflicts[is_own] - begin,
        shift(output.must_links),
        shift(output.duplicate_of),
    )


# What a rule reads of a whole document, and what it looks for at its ends.
TEXTS = {}
for _row in read_table("../pipeline/boundaries.tsv"):
    TEXTS.setdefault(_row["language"], []).append(_row["text"])


@pytest.mark.slow
@pytest.mark.parametrize("lang", TEXTS)
def test_rules(lang, monkeypatch):
    """Every pair of documents, in both orders."""
    docs = [make_doc(text, lang) for text in TEXTS[lang]]
    for one in docs:
        for other in docs:
            links = [link_words(one), link_words(other)]
            for together, alone in read_output([one, other], links):
                for output in (together, alone):
                    # Names that can belong to anybody may be an aspect, or none.
                    bits = output.agreement
                    output.agreement = (bits[:, None] & bits != 0).all(axis=2)
                for name, values in vars(alone).items():
                    assert np.array_equal(getattr(together, name), values), name
    docs = [doc for doc in docs if len(predict(doc))] * 2
    check_together(docs, [predict(doc) for doc in docs], monkeypatch)


def test_speakers(monkeypatch):
    """The same speakers and the same "I" in several documents."""
    docs = [make_doc("I saw you . I left") for _ in range(4)]
    links = [link_all([(0, 1), (4, 5)]) for _ in docs]
    for doc, labels in zip(docs, ("AA", "AB", "", "BA"), strict=True):
        turns = zip(((0, 4), (4, 6)), labels, strict=False)
        doc.spans["speakers"] = [Span(doc, *span, label=x) for span, x in turns]
    found = check_together(docs, links, monkeypatch)
    assert list(map(len, found)) == [1, 0, 1, 0]


# Unknown labels are told once a process.
@pytest.mark.filterwarnings("ignore:.*FCW32")
def test_groups(monkeypatch):
    """Documents of other languages, annotation and vocabularies are not mixed."""
    parse = {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "dobj"]}
    docs = [
        make_doc("Ann saw her"),
        make_doc("Ann saw her", **parse, pos=["PROPN", "VERB", "PRON"]),
        make_doc("Ann saw her", pos=["PROPN", "VERB", "PRON"]),
        make_doc("Ann saw her", lemmas=["Ann", "see", "she"]),
        make_doc("Ann saw her", ents=["B-PERSON", "O", "O"]),
        make_doc("Ann saw her", "de"),
        Doc(blank("en").vocab, words=["Ann", "saw", "her"]),
    ]
    check_together(docs * 2, [link_words(doc) for doc in docs] * 2, monkeypatch)
    labels = [["nsubj", "ROOT", "obl"], ["sb", "ROOT", "oa"], ["?", "?", "?"]]
    docs = [make_doc("Ann saw her", heads=[1, 1, 1], deps=one) for one in labels]
    alone = [decode_doc(doc, link_words(doc), RULES, 0.0) for doc in docs]
    links = [link_words(doc) for doc in docs]
    assert decide.decode_docs(docs, links, RULES, 0.0) == alone


def test_singletons_and_no_rules(monkeypatch):
    docs = [make_doc("Ann saw her dog"), make_doc("he saw it")] * 2
    links = [link_words(doc) for doc in docs]
    check_together(docs, links, monkeypatch, None)
    for one in links:
        one.types = np.array(["person", "", "object", "animal"][: len(one)])
    found = check_together(docs, links, monkeypatch, singletons=True)
    assert [["person"] in [one.types for one in clusters] for clusters in found]
    assert found[0][0].types is not None


def test_what_is_decoded_alone(monkeypatch):
    """Long documents, users' groups, and rules that can't read many documents."""
    docs = [make_doc("Ann saw her") for _ in range(3)]
    docs.append(make_doc("Ann saw her . " * 100))
    docs[1].spans["coref_apart_1"] = [docs[1][0:1], docs[1][2:3]]
    links = [link_all([(0, 1), (2, 3)]) for _ in docs]
    alone = []

    def record(doc, *args, **settings):
        alone.append(doc)
        return decode_doc(doc, *args, **settings)

    monkeypatch.setattr(decide, "decode_doc", record)
    decide.decode_docs(docs, links, RULES, 0.0)
    assert alone == [docs[1], docs[3]]

    class Others(Rules):
        pass

    for rules in (Others(), lambda doc, links: None):
        alone.clear()
        decide.decode_docs(docs, links, rules, 0.0)
        assert alone == docs
    assert Rules.takes_joined and not Others.takes_joined
    assert decide.decode_docs([docs[0]], [Links.empty()], RULES, 0.0) == [[]]
