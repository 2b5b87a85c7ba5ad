"""Test what the grammar of each language says of sentences."""

import pytest
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors, find_mentions, judge
from spacy_fastcoref.grammar.auto import find_rules

from ..conftest import NEAREST, load_model
from .read import VOCABS, read_brackets, read_sentences, read_span, read_table

SENTENCES = read_sentences()
TEXTS, NOUNS = read_table("texts.tsv"), read_table("agreement.tsv")


def list_sentences(*notes):
    found = [one for one in SENTENCES if not one.notes.keys().isdisjoint(notes)]
    return pytest.mark.parametrize("sentence", found, ids=name_sentence)


def name_sentence(one):
    return f"{one.lang} {one.notes['phenomenon'][0]}: {' '.join(one.columns['words'])}"


def check(doc, earlier, later, expected):
    verdict, reasons = judge(doc, doc[slice(*later)], doc[slice(*earlier)])
    rule = expected.removeprefix("not ")
    if expected == "possible":
        assert verdict > 0, reasons
    elif rule.isdigit():
        assert verdict == int(rule), reasons
    else:
        reason = find_rules(doc.lang_).reasons[rule]
        assert (reason in reasons) == (rule == expected), reasons


@list_sentences("question")
def test_verdicts(sentence):
    doc = sentence.make_doc()
    for question in sentence.notes["question"]:
        earlier, later, expected = question.split(" | ")
        check(doc, read_span(earlier), read_span(later), expected)


@pytest.mark.parametrize("text", TEXTS, ids=lambda one: " ".join(one.values()))
def test_verdicts_without_annotation(text):
    words, mentions = read_brackets(text["text"])
    doc = Doc(VOCABS[text["language"]], words=words)
    check(doc, *mentions, text["expected"])


# The features by which a tagger tells the uses of these pronouns apart.
PRONOUNS = {"zijn": "Poss=Yes", "hun": "Poss=Yes"}
PRONOUNS |= dict.fromkeys(("die", "dat"), "PronType=Dem")


@pytest.mark.parametrize(
    "row", read_table("agreement.tsv"), ids=lambda one: one["noun"]
)
@pytest.mark.parametrize("column", ["possible", "impossible"])
def test_agreement_of_nouns(row, column):
    *before, noun = row["noun"].split()
    is_name = noun[0].isupper()
    for pronoun in row[column].split():
        pos = ["NOUN" if is_name else "DET"] * len(before)
        pos += ["PROPN" if is_name else "NOUN", "PUNCT", "PRON"]
        morphs = [*[""] * len(before), row["morphology"], "", PRONOUNS.get(pronoun, "")]
        words = [*before, noun, ".", pronoun]
        doc = Doc(VOCABS[row["language"]], words=words, pos=pos, morphs=morphs)
        verdict = judge(doc, doc[-1:], doc[:-2]).verdict
        assert (verdict > 0) == (column == "possible"), pronoun


@list_sentences("anaphors", "not anaphors", "all anaphors")
def test_anaphors(sentence):
    found = {token.i for span in find_anaphors(sentence.make_doc()) for token in span}
    if "all anaphors" in sentence.notes:
        assert found == sentence.list_tokens("all anaphors")
    if "anaphors" in sentence.notes:
        assert found >= sentence.list_tokens("anaphors")
    if "not anaphors" in sentence.notes:
        assert found.isdisjoint(sentence.list_tokens("not anaphors"))


@list_sentences("agreement")
def test_agreement(sentence):
    found = {
        (one.span.start, one.span.end): one.agreement
        for one in find_mentions(sentence.make_doc())
    }
    for note in sentence.notes["agreement"]:
        span, agreement = note.split(" | ")
        assert found[read_span(span)] == agreement


@list_sentences("chains")
def test_chains(sentence):
    """Chains of the model without weights on the examples of Coreferee."""
    nlp = load_model(lang=sentence.lang, model=NEAREST)
    doc = nlp.get_pipe("fastcoref")(sentence.make_doc())
    chains = doc._.coref_chains
    assert [chain.pretty_representation for chain in chains] == [
        f"{i}: {chain}" for i, chain in enumerate(sentence.notes["chains"])
    ]
    for note in sentence.notes["resolved"]:
        word, resolved = note.split(" | ")
        found = chains.resolve(doc[int(word) - 1])
        assert " ".join(token.text for token in found) == resolved


@pytest.mark.parametrize(
    "left_out",
    [
        ("morphs",),
        ("deps", "heads"),
        ("pos", "morphs"),
        ("lemmas",),
        ("ents",),
        ("pos", "morphs", "lemmas", "deps", "heads", "ents", "tags"),
    ],
    ids=" ".join,
)
def test_missing_annotation(left_out):
    """What nothing tells stays open, without an error."""
    for sentence in SENTENCES[::3]:
        doc = sentence.make_doc(*left_out)
        mentions = {(one.span.start, one.span.end) for one in find_mentions(doc)}
        anaphors = {(span.start, span.end) for span in find_anaphors(doc)}
        assert anaphors <= mentions
        if "pos" in left_out and sentence.lang != "pl":
            pronouns = {"elle", "ils", "elles", "lui", "leur", "her", "him", "hem"}
            wanted = {(t.i, t.i + 1) for t in doc if t.lower_ in pronouns}
            assert wanted <= anaphors
