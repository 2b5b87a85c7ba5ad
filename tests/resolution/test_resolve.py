import re

import pytest
from spacy.tokens import Doc, Span

from spacy_fastcoref import resolve, resolve_text, set_clusters
from spacy_fastcoref.registry import registry

from ..conftest import blank
from ..languages.read import read_table

NLP = {lang: blank(lang) for lang in ("en", "de", "fr", "nl", "pl")}
ALL = "spacy_fastcoref.all.v1"
TEXTS = read_table("../resolution/texts.tsv")


def make(text, lang="en"):
    """Make a Doc with clusters in brackets: "[Ann]1 likes [[her]1 dog]2"."""
    plain, stack, found = "", [], {}
    for part in re.findall(r"\[|\]\d+|[^\[\]]+", text):
        if part == "[":
            stack.append(len(plain))
        elif part.startswith("]"):
            found.setdefault(part[1:], []).append((stack.pop(), len(plain)))
        else:
            plain += part
    doc = NLP[lang](plain)
    clusters = []
    for offsets in found.values():
        spans = [doc.char_span(*offset) for offset in offsets]
        assert None not in spans, (plain, offsets)
        clusters.append(spans)
    set_clusters(doc, clusters)
    return doc


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: " ".join(row.values()))
def test_texts(row):
    doc = make(row["text"], row["language"])
    assert resolve_text(doc, f"spacy_fastcoref.{row['policy']}.v1") == row["expected"]


def test_spaces_and_line_breaks():
    doc = make("[Ann]1\n\nsaid  [she]1\tleft .\n")
    assert resolve_text(doc, ALL) == "Ann\n\nsaid  Ann\tleft .\n"
    doc = make("[Ann\nLee]1 said [she]1 left.")
    assert resolve_text(doc) == "Ann\nLee said Ann Lee left."
    assert doc._.coref_resolved == doc._.resolved_text == resolve_text(doc)


def test_a_name_in_the_case_of_its_place():
    words = "Tomasza widzą oni . Tomasz śpi , a ona kocha jego".split()
    cases = {0: "Acc", 4: "Nom", 10: "Acc"}
    doc = Doc(
        NLP["pl"].vocab,
        words,
        pos=["PROPN" if i in (0, 4) else "PRON" if i == 10 else "X" for i in range(11)],
        morphs=[f"Case={cases[i]}" if i in cases else "" for i in range(11)],
    )
    set_clusters(doc, [[(0, 1), (4, 5), (10, 11)]])
    assert resolve_text(doc, "spacy_fastcoref.readable.v1").endswith("kocha Tomasza ")


def test_only_probable_links_are_followed():
    doc = make("[Ann]1 left. [She]1 ran. [She]1 fell.")
    doc.spans["coref_clusters_1"].attrs["probs"] = [1.0, 0.9, 0.4]
    doc.spans["coref_clusters_1"].attrs["antecedents"] = [-1, 0, 1]
    assert resolve_text(doc) == "Ann left. Ann ran. She fell."
    assert resolve_text(doc, min_probability=0.4) == "Ann left. Ann ran. Ann fell."
    assert resolve_text(doc, min_probability=1) == doc.text
    with pytest.raises(ValueError, match="FC076.*1.5"):
        resolve_text(doc, min_probability=1.5)


def test_the_first_person_of_a_known_speaker():
    doc = make("[Ann]1 left. [I]1 ran.")
    assert resolve_text(doc) == doc.text
    doc.spans["speakers"] = [Span(doc, 3, 6, label="Ann")]
    assert resolve_text(doc) == "Ann left. Ann ran."


def test_number_by_morphology():
    """Find the number of a noun whose ending doesn't tell it."""
    doc = Doc(
        NLP["de"].vocab,
        words="Die Männer gingen . Ann sah sie .".split(),
        pos="DET NOUN VERB PUNCT PROPN VERB PRON PUNCT".split(),
        morphs=["", "Number=Plur", "", "", "", "", "Number=Sing", ""],
    )
    set_clusters(doc, [[(0, 2), (6, 7)]])
    assert resolve_text(doc) == doc.text
    doc[6].set_morph("Number=Plur")
    assert resolve_text(doc) == "Die Männer gingen . Ann sah die Männer . "


@pytest.mark.parametrize(
    ("text", "lang", "pos", "ents", "expected"),
    [
        ("Scientists left . I saw them", "en", ["NOUN"], [], "scientists"),
        ("Young men left . I saw them", "en", ["ADJ", "NOUN"], [], "young men"),
        ("Dutch men left . I saw them", "en", ["ADJ", "NOUN"], ["NORP"], "Dutch men"),
        (
            "Dutch men left Dutch bars . I saw them",
            "en",
            ["ADJ", "NOUN"],
            [],
            "Dutch men",
        ),
        ("Kinder sangen . Ann sah sie", "de", ["NOUN"], [], "Kinder"),
    ],
)
def test_lower_case_by_tags(text, lang, pos, ents, expected):
    words = text.split()
    n = len(words)
    poses = [*pos, *["X"] * (n - len(pos) - 1), "PRON"]
    labels = [f"B-{label}" for label in ents]
    labels += ["O"] * (n - len(labels))
    doc = Doc(NLP[lang].vocab, words=words, pos=poses, ents=labels)
    set_clusters(doc, [[(0, len(pos)), (n - 1, n)]])
    assert resolve_text(doc) == f"{doc[:-1].text} {expected} "


@pytest.mark.parametrize(
    ("tag", "morph", "expected"),
    [
        ("VBP", "Tense=Pres|VerbForm=Fin", "Ann knows: I sleep."),
        ("VBD", "Tense=Past|VerbForm=Fin", "Ann knows: Ann sleep."),
        ("VB", "VerbForm=Inf", "Ann knows: Ann sleep."),
    ],
)
def test_verb_agreement_by_tags(tag, morph, expected):
    words = ["Ann", "knows", ":", "I", "sleep", "."]
    spaces = [True, False, True, True, False, False]
    doc = Doc(
        NLP["en"].vocab,
        words=words,
        spaces=spaces,
        tags=["NNP", "VBZ", ":", "PRP", tag, "."],
        pos=["PROPN", "VERB", "PUNCT", "PRON", "VERB", "PUNCT"],
        morphs=["Number=Sing", "", "", "", morph, ""],
    )
    set_clusters(doc, [[(0, 1), (3, 4)]])
    assert resolve_text(doc, ALL) == expected


def make_nested(n):
    """Make n clusters, each with two mentions inside a mention of the next cluster."""
    doc = Doc(NLP["en"].vocab, words=["her"] * (2 * n + 2))
    clusters = [
        [(2 * i, 2 * i + 2), (2 * i + 2, 2 * i + 3), (2 * i + 3, 2 * i + 4)]
        for i in range(n)
    ]
    set_clusters(doc, clusters)
    return doc


@pytest.mark.slow
def test_nested_clusters_take_linear_time_and_space():
    """Resolve nested clusters in linear time and without RecursionError."""
    short, long = (len(resolve_text(make_nested(n))) for n in (400, 4000))
    assert short < 400 * 200
    assert 9 * short < long < 11 * short


def test_mentions_inside_of_a_replacement_are_replaced_in_turn():
    doc = make(
        "[Ann]1 has [a son]2. [[Her]1 son]2 has [a dog]3. [[[Her]1 son's]2 dog]3 ran. "
        "Tom saw [it]3."
    )
    text = resolve_text(
        doc, lambda cluster, mention: cluster[1] if cluster.i else cluster.main
    )
    assert text.endswith("Tom saw Ann's son's dog.")


def test_a_long_main_mention_replaces_nothing():
    long = "the man with " + " ".join(["a hat and"] * 30) + " a coat"
    for phrase, expected in (("the man with a hat", "The man"), (long, "He")):
        text = resolve_text(make(f"I saw [{phrase}]1. [He]1 ran."))
        assert text.split(". ")[1].startswith(expected)


def test_policies():
    doc = make("[Ann Lee]1 left. [Ann]1 said [she]1 ran with [her]1 dog.")
    pronouns = "spacy_fastcoref.pronouns.v1"
    assert (
        resolve_text(doc, pronouns)
        == "Ann Lee left. Ann said Ann Lee ran with Ann Lee's dog."
    )
    assert "Ann Lee said" in resolve_text(doc)
    assert resolve_text(doc, policy=lambda cluster, mention: None) == doc.text
    assert resolve_text(doc, policy=lambda cluster, mention: "") == doc.text
    upper = resolve_text(doc, lambda cluster, mention: doc[0:1])
    assert upper.startswith("Ann Lee left. Ann said Ann ran with Ann's dog")
    with pytest.raises(ValueError, match="FC024.*'no.v1'.*spacy_fastcoref.all.v1"):
        resolve_text(doc, "no.v1")


def test_custom_policy():
    @registry.coref_policies("test.keep_last.v1")
    def make_policy():
        return lambda cluster, mention: cluster[0] if mention == cluster[1] else None

    doc = make("[Ann]1 said [she]1 ran with [her]1 dog.")
    assert resolve_text(doc, "test.keep_last.v1") == "Ann said Ann ran with her dog."


def test_offsets():
    doc = make("[Ann Lee]1 left. [She]1 ran with [her]1 dog.")
    resolved = resolve(doc, ALL)
    assert (
        str(resolved)
        == resolved.text
        == "Ann Lee left. Ann Lee ran with Ann Lee's dog."
    )
    pairs = [
        (resolved.text[r.start : r.end], doc.text[r.source_start : r.source_end])
        for r in resolved.replacements
    ]
    assert pairs == [("Ann Lee", "She"), ("Ann Lee's", "her")]
    at = resolved.text.index("dog")
    start, end = resolved.to_source(at, at + 3)
    assert doc.text[start:end] == "dog"
    start, end = resolved.to_source(resolved.text.index("Lee ran"), at)
    assert doc.text[start:end] == "She ran with her "
    assert resolved.to_source(0, len(resolved.text)) == (0, len(doc.text))
    with pytest.raises(ValueError, match="FC209"):
        resolved.to_source(0, 999)


def test_policy_can_return_text():
    """Allow policies to anonymise a text."""
    doc = make("[Ann Lee]1 met [Tom]2 , and [she]1 saw [his]2 dog .")
    text = resolve_text(doc, policy=lambda cluster, mention: f"person {cluster.i + 1}")
    assert text == "Person 1 met person 2 , and person 1 saw person 2's dog ."


def test_policy_can_return_spans_of_other_docs():
    doc, other = make("[Ann]1 left, as [she]1 said."), NLP["en"]("Tom and Beth Lee")
    assert (
        resolve_text(doc, lambda c, m: other[2:4]) == "Beth Lee left, as Beth Lee said."
    )
    assert resolve_text(doc, lambda c, m: doc.copy()[0:1]) == "Ann left, as Ann said."


@pytest.mark.parametrize(
    "give",
    [
        lambda cluster: cluster.doc[0],
        lambda cluster: cluster.doc,
        lambda cluster: cluster,
        lambda cluster: cluster.doc[1:1],
        lambda cluster: NLP["en"]("")[0:0],
        lambda cluster: 3,
    ],
)
def test_invalid_replacements(give):
    doc = make("[Ann]1 left, as [she]1 said.")
    with pytest.raises(ValueError, match="FC109.*'Ann'.*a Span of one token"):
        resolve_text(doc, lambda cluster, mention: give(cluster))


@pytest.mark.parametrize("is_tagged", [False, True])
def test_verbs_that_stand_for_their_subject_are_kept(is_tagged):
    """In a language that drops subjects, with and without a tagger."""
    nlp = blank("pl")
    doc = nlp("Anna wyszła. Zapomniała kluczy, więc oddał jej swoje.")
    if is_tagged:
        doc[3].pos_, doc[0].pos_, doc[8].pos_ = "VERB", "PROPN", "PRON"
    set_clusters(doc, [[(0, 1), (3, 4), (8, 9)]])
    text = "Anna wyszła. Zapomniała kluczy, więc oddał jej swoje."
    assert doc._.resolved_text == text


@pytest.mark.parametrize(
    "lang, text, at",
    [
        ("de", "Der Vertrag ist neu. Er hilft dabei nicht.", 7),
        ("fr", "Le village est loin. Elle y habite.", 6),
        ("fr", "Le village est loin. Elle en parle.", 6),
        ("nl", "Het contract is nieuw. Hij helpt daarmee.", 7),
    ],
)
def test_pronominal_adverbs_are_kept(lang, text, at):
    doc = blank(lang)(text)
    set_clusters(doc, [[(0, 2), (at, at + 1)]])
    assert doc._.resolved_text == text
    # Another pronoun in the same place is replaced.
    set_clusters(doc, [[(0, 2), (5, 6)]])
    assert doc._.resolved_text != text
