"""Texts with mentions in brackets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.formats import brackets
from spacy_fastcoref.training.evaluation import read_gold
from spacy_fastcoref.training.readers.corpora import make_bracket_corpus

from ...conftest import blank

NLP = blank("en")
TEXT = """\
# 1 | news
[a Ann] called [b [a her] sister]. "[a I]'m late," [a she] said.

[b She] laughed.

# 2 | talk
@Bob Lee: Did [a you] call [k Kim]?
@Kim: [a He] did not.
"""


def read(tmp_path, text, **settings):
    path = tmp_path / "texts.txt"
    path.write_text(text, encoding="utf8")
    return list(make_bracket_corpus(path, **settings)(NLP))


def list_clusters(doc):
    groups = [doc.spans[key] for key in doc.spans if key.startswith("coref_clusters")]
    return [[span.text for span in group] for group in groups]


def test_documents(tmp_path):
    news, talk = read(tmp_path, TEXT, scheme="written")
    assert list_clusters(news.reference) == [
        ["Ann", "her", "I", "she"],
        ["her sister", "She"],
    ]
    assert [sent.text for sent in news.reference.sents][-1] == "She laughed ."
    assert news.predicted._.coref_scheme == "written"
    turns = [(span.text, span.label_) for span in talk.predicted.spans["speakers"]]
    assert turns == [("Did you call Kim ?", "Bob Lee"), ("He did not .", "Kim")]
    assert [len(eg.reference) for eg in (news, talk)] == [17, 9]


def test_names_of_documents(tmp_path):
    path = tmp_path / "talk_01.txt"
    path.write_text("A text without a header.\n\n# x | talk\nHi.", encoding="utf8")
    assert [one.key for one in brackets.read(str(path), NLP)] == ["talk_01", "x"]
    keys = [key for key, _ in read_gold([path], NLP, "brackets")]
    assert keys == ["talk_01_talk_01", "talk_01_x"]


def test_folders(tmp_path):
    for name in sorted(WORDS, reverse=True):
        (tmp_path / f"{name}.txt").write_text(f"# 1 | x\nText {WORDS[name]} here.")
    (tmp_path / "notes.md").write_text("[no brackets")
    examples = make_bracket_corpus(tmp_path)(NLP)
    assert [eg.reference[1].text for eg in examples] == ["one", "two"]


@pytest.mark.parametrize(
    "line, reason",
    [
        ("[a Ann said.", "never closed"),
        ("Ann] said.", "never opened"),
        ("[Ann] said.", "no entity"),
        ("[a An]n said.", "'An' is not whole tokens"),
        ("[a [b Ann]] said.", "'Ann' is a mention of 2 entities"),
        ("\udcff", "not UTF-8"),
    ],
)
def test_bad_documents(tmp_path, line, reason):
    path = tmp_path / "texts.txt"
    text = f"# 1 | x\nGood.\n# 2 | x\n\nGood.\n{line}\n# 3 | x\nBetter."
    path.write_bytes(text.encode("utf8", "surrogateescape"))
    with pytest.raises(ValueError, match=rf"texts\.txt.* line \d.*{reason}"):
        list(make_bracket_corpus(path)(NLP))
    with pytest.warns(UserWarning, match="FCW02"):
        examples = list(make_bracket_corpus(path, on_error="skip")(NLP))
    assert [eg.reference[0].text for eg in examples] == ["Good", "Better"]


def test_marks_inside_tokens_are_dropped(tmp_path):
    """And an entity of which one mention is left; one that was alone is kept."""
    text = "[a Ann] let [b Bo]b's [a sister] and [b Kim] in. [c Eve] saw [a h]er."
    with pytest.raises(ValueError, match="line 1.*'h' is not whole tokens"):
        read(tmp_path, text)
    (eg,) = read(tmp_path, text, misaligned="drop")
    assert list_clusters(eg.reference) == [["Ann", "sister"], ["Eve"]]
    with pytest.raises(ValueError, match="FC076.*misaligned.*'widen'"):
        read(tmp_path, text, misaligned="widen")


WORDS = {"a": "one", "b": "two"}
PARTS = st.recursive(
    st.text(st.characters(codec="utf8", exclude_characters="[]\r\n"), max_size=6),
    lambda inner: st.lists(
        inner | st.tuples(st.from_regex("[a-z0-9]{1,3}", fullmatch=True), inner)
    ),
    max_leaves=8,
)


def write(part, start=0):
    """Write nested parts with brackets; the text, and the mentions that are closed."""
    if isinstance(part, str):
        return part, part, []
    if isinstance(part, tuple):
        marked, plain, mentions = write(part[1], start)
        mention = (start, start + len(plain), part[0])
        return f"[{part[0]} {marked}]", plain, [*mentions, mention]
    marked, plain, mentions = "", "", []
    for one in part:
        more = write(one, start + len(plain))
        marked, plain = marked + more[0], plain + more[1]
        mentions = mentions + more[2]
    return marked, plain, mentions


@given(PARTS)
def test_brackets_are_stripped(parts):
    marked, plain, mentions = write(parts)
    assert brackets.strip_brackets(marked) == (plain, mentions)
