import re

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_fastcoref import resolve, resolve_text, set_clusters
from spacy_fastcoref.registry import registry

NLP = {lang: spacy.blank(lang) for lang in ("en", "de", "fr", "nl", "pl")}
ALL = "spacy_fastcoref.all.v1"


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


@pytest.mark.parametrize(
    "text, expected",
    [
        # Pronouns, possessives
        ("[Ann]1 read [her]1 book.", "Ann read Ann's book."),
        ("[James]1 read [his]1 book.", "James read James' book."),
        ("[Ann]1 came. Tom saw [her]1.", "Ann came. Tom saw Ann."),
        ("[The boys]1 ate [their]1 lunch.", "The boys ate the boys' lunch."),
        ("It’s late. [Ann]1 lost [her]1 hat.", "It’s late. Ann lost Ann’s hat."),
        ("[Ann]1 is here, and [she]1's tired.", "Ann is here, and Ann's tired."),
        # Reflexives, predicates and appositions stay
        ("[Ann]1 saw [herself]1.", "Ann saw herself."),
        ("[Ann]1 is [a lawyer]1.", "Ann is a lawyer."),
        ("[Ann]1, [a lawyer]1, left.", "Ann, a lawyer, left."),
        ("[Ann]1 was born [Beth Lee]1.", "Ann was born Beth Lee."),
        ("[My sister]1 [Amy]1 left. [She]1 sat.", "My sister Amy left. Amy sat."),
        ("[My sister]1 left. [Amy]1 sat.", "Amy left. Amy sat."),
        (
            "[Ann]1, also known as [Beth Lee]1, left.",
            "Ann, also known as Beth Lee, left.",
        ),
        # Verbs agree with what they are said of
        ("[Ann]1 said: [I]1'm here, [I]1 was.", "Ann said: I'm here, Ann was."),
        ("[Ann]1, do [you]1 know? [You]1 will.", "Ann, do you know? Ann will."),
        ("[Ann]1, don't [you]1 know?", "Ann, don't you know?"),
        (
            "[Tom]1 and [Sue]2 got married. [They]2 live in Rome.",
            "Tom and Sue got married. They live in Rome.",
        ),
        ("[Sam]1 left with [their]1 dog.", "Sam left with their dog."),
        ("[Ann and Bob]1 left. [She]1 ran.", "Ann and Bob left. She ran."),
        ("[My parents]1 left. [Ann]1 ran.", "My parents left. Ann ran."),
        (
            "[The couple]1 left. [Ann and Bob]1 ran.",
            "Ann and Bob left. Ann and Bob ran.",
        ),
        (
            "[The Beatles]1 left. [They]1 ran.",
            "The Beatles left. The Beatles ran.",
        ),
        ("[A guest]1 left. [They]1 were ill.", "A guest left. They were ill."),
        ("[Ann and Bob]1 say [they]1 are ill.", "Ann and Bob say Ann and Bob are ill."),
        ("[The men]1 left. [They]1 were ill.", "The men left. The men were ill."),
        # Never a pronoun as the replacement
        ("[He]1 said [he]1 left.", "He said he left."),
        ("It must [be]1, and [this]1 is odd.", "It must be, and this is odd."),
        ("[No boy]1 lost [his]1 hat.", "No boy lost his hat."),
        ("[Nobody]1 lost [their]1 hat.", "Nobody lost their hat."),
        # Nor in the place of a relative one
        ("[Tom]1, [who]1 left, ran.", "Tom, who left, ran."),
        ("[A hat]1 [that]1 I like.", "A hat that I like."),
        # Nouns stay unless there is a name for them
        (
            "[A car]1 came. [The car]1 was red, [it]1 shone.",
            "A car came. The car was red, the car shone.",
        ),
        ("[Rex]1 slept. [The dog]1 snored.", "Rex slept. Rex snored."),
        # Names in full
        (
            "[Ann]1, that is [Ann Lee]1. [She]1 left.",
            "Ann Lee, that is Ann Lee. Ann Lee left.",
        ),
        # Nested mentions: the outermost that changes
        (
            "[Ann]1 came with [[her]1 dog]2. [It]2 ran.",
            "Ann came with Ann's dog. Ann's dog ran.",
        ),
        (
            "[Ann, who loves [her]1 dog]1, left. [She]1 ran.",
            "Ann, who loves her dog, left. Ann ran.",
        ),
        (
            "[[Her]1 husband]2 met [[his]2 wife]1.",
            "His wife's husband met her husband's wife.",
        ),
        # Capitals
        (
            "[The old man]1 slept. Then [he]1 left.",
            "The old man slept. Then the old man left.",
        ),
        ("He saw [the man]1. [He]1 left.", "He saw the man. The man left."),
        ('He saw [a dog]1. "[It]1 is mine."', 'He saw a dog. "The dog is mine."'),
        (
            "[The man]1 spoke. [[His]1 speech]2 was long, but I liked [it]2.",
            "The man spoke. The man's speech was long, but I liked the man's speech.",
        ),
        (
            "[I and Bob]1 left. Ann saw [us]1.",
            "I and Bob left. Ann saw I and Bob.",
        ),
        ("[MARY]1 LOST [HER]1 KEYS.", "MARY LOST MARY'S KEYS."),
        # Spaces and line breaks
        ("[Ann]1\n\nsaid  [she]1\tleft .\n", "Ann\n\nsaid  Ann\tleft .\n"),
        ("[Ann\nLee]1 said [she]1 left.", "Ann\nLee said Ann Lee left."),
        # Mentions with a possessive ending
        ("[Ann]1 left. [[The girl's]1 dog]2 ran.", "Ann left. Ann's dog ran."),
        ("[Ann's]1 dog saw [her]1.", "Ann's dog saw Ann."),
    ],
)
def test_english(text, expected):
    assert resolve_text(make(text), ALL) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        # An indefinite phrase is taken up as a definite one
        (
            "[My sister]1 has [a dog]2. [She]1 loves [it]2. [Its]2 collar is red.",
            "My sister has a dog. My sister loves the dog. The dog's collar is red.",
        ),
        ("Ann saw [an owl]1. [It]1 slept.", "Ann saw an owl. The owl slept."),
        # A pronoun stays beside its antecedent, unless another name is between them
        ("[Ann]1 lost [her]1 keys.", "Ann lost her keys."),
        ("[Ann]1 took [her]1 hat and [she]1 left.", "Ann took her hat and Ann left."),
        ("[Ann]1 met [Bob]2 in [her]1 house.", "Ann met Bob in Ann's house."),
        ("[Ann]1 left. [Her]1 dog stayed.", "Ann left. Ann's dog stayed."),
        ("[Ann]1 said [she]1 left.", "Ann said Ann left."),
        # Nobody but a known speaker is "I" or "you"
        ("Hi [Priya]1, [I]2 wrote. Ask [me]2, [you]1 may.", None),
        # The representative is readable, and no pronoun in capitals
        (
            "[The printer]1 jams. Ann from [IT]1 saw [it]1.",
            "@ Ann from IT saw the printer.",
        ),
        (
            "[The very old man with a long grey beard and a hat]1 left. [Tom]1 ran. "
            "[He]1 fell.",
            "@ Tom ran. Tom fell.",
        ),
    ],
)
def test_readable(text, expected):
    doc = make(text)
    first = doc.text.partition(".")[0] + "."
    assert doc._.resolved_text == (expected or doc.text).replace("@", first)
    assert doc._.coref_resolved == doc._.resolved_text == resolve_text(doc)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("de", "Ich habe [einen Hund]1. [Er]1 bellt.", "Der Hund bellt."),
        ("de", "Ich habe [einen Hund]1. Tom mag [ihn]1.", "Tom mag den Hund."),
        ("de", "Da ist [ein Hund]1. Tom folgt [ihm]1.", "Tom folgt dem Hund."),
        ("de", "Ich habe [ein altes Auto]1. [Es]1 ist rot.", "Das alte Auto ist rot."),
        ("de", "Da ist [der alte Mann]1. Tom mag [ihn]1.", "Tom mag den alten Mann."),
        # Weak nouns, possessors and pronouns of another gender: nothing is certain
        ("de", "Ich sah [einen Jungen]1. [Er]1 rief.", "Er rief."),
        ("de", "Da war [ein Student]1. Tom sah [ihn]1.", "Tom sah ihn."),
        ("de", "Ich habe [einen Hund]1. [Sein]1 Fell ist rot.", "Sein Fell ist rot."),
        ("de", "Ich sah [ein Mädchen]1. [Sie]1 rief.", "Sie rief."),
        ("fr", "Paul a [un chien]1. [Il]1 dort.", "Le chien dort."),
        ("fr", "Paul a [un ami]1. [Il]1 dort.", "L'ami dort."),
        ("fr", "Paul a [un hibou]1. [Il]1 dort.", "Il dort."),
        ("fr", "Paul a [un chien]1. Anne [le]1 voit.", "Anne le voit."),
        ("nl", "Jan heeft [een hond]1. [Hij]1 slaapt.", "De hond slaapt."),
        ("nl", "Jan heeft [een huis]1. [Het]1 is groot.", "Het huis is groot."),
        # A name in another case than the pronoun's, or in an unknown one
        ("pl", "Ewa zna [Tomasza]1, a [on]1 zna Ewę.", None),
    ],
)
def test_forms_that_fit_the_place(lang, text, expected):
    doc = make(text, lang)
    first, _, rest = doc.text.partition(". ")
    resolved = f"{first}. {expected}" if rest else doc.text
    assert resolve_text(doc) == resolved


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


def test_other_languages():
    assert (
        make("[Anna]1 las [ihr]1 Buch.", "de")._.resolved_text == "Anna las Annas Buch."
    )
    assert (
        resolve_text(make("[Hans]1 las [sein]1 Buch.", "de"), ALL)
        == "Hans las Hans' Buch."
    )
    # What would need other cases or another order stays.
    assert (
        make("[Der Mann]1 las [sein]1 Buch.", "de")._.resolved_text
        == "Der Mann las sein Buch."
    )
    text = "[Anne]1 lit [son]1 livre, [elle]1 dort."
    assert make(text, "fr")._.resolved_text == "Anne lit son livre, Anne dort."


def make_nested(n):
    """Make n clusters, each with two mentions inside a mention of the next cluster."""
    doc = Doc(NLP["en"].vocab, words=["her"] * (2 * n + 2))
    clusters = [
        [(2 * i, 2 * i + 2), (2 * i + 2, 2 * i + 3), (2 * i + 3, 2 * i + 4)]
        for i in range(n)
    ]
    set_clusters(doc, clusters)
    return doc


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
    with pytest.raises(ValueError, match="FC025"):
        resolved.to_source(0, 999)


WORDS = st.lists(
    st.sampled_from(
        ["Ann", "he", "her", "the", "dog", ",", "'s", "and", "\n", "is", "."]
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=200)
@given(WORDS, st.data())
def test_any_clusters(words, data):
    doc = Doc(NLP["en"].vocab, words=words)
    n = len(words)
    spans = data.draw(
        st.sets(st.tuples(st.integers(0, n - 1), st.integers(1, 4)), max_size=6)
    )
    spans = sorted({(start, min(n, start + length)) for start, length in spans})
    clusters = {}
    for span in spans:
        clusters.setdefault(data.draw(st.integers(0, 2)), []).append(span)
    set_clusters(doc, clusters.values())
    resolved = resolve(doc)
    # The replacements, put back, give the original text.
    back, at = "", 0
    for change in resolved.replacements:
        back += resolved.text[at : change.start]
        assert len(back) == change.source_start
        back += doc.text[change.source_start : change.source_end]
        at = change.end
    assert back + resolved.text[at:] == doc.text
    for start in range(len(resolved.text) + 1):
        for end in (start, len(resolved.text)):
            a, z = resolved.to_source(start, end)
            assert 0 <= a <= z <= len(doc.text)


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
    nlp = spacy.blank("pl")
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
    doc = spacy.blank(lang)(text)
    set_clusters(doc, [[(0, 2), (at, at + 1)]])
    assert doc._.resolved_text == text
    # Another pronoun in the same place is replaced.
    set_clusters(doc, [[(0, 2), (5, 6)]])
    assert doc._.resolved_text != text
