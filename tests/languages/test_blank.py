"""Test what the grammar of each language says of a text without annotation."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import judge

from .en.cases.read import read_brackets

# A language, a text with two mentions, the verdict, and the rule that objects.
CASES = """
en | I spoke to [Jenny] . [They] were there . | 1
en | I spoke to [Mr. Lee] . I like [their] house . | 1
en | I spoke to [Jenny] . [Xe] was there . | 1
en | I spoke to [Jenny] and [Mr. Lee] . | 0
en | [The nun] was here . [They] saw us . | 0
en | [The student] was here . [Ze] saw us . | 2
nl | Wij zagen [Anna] . [Hen] was daar . | 1
nl | Wij zagen [Peter] . Is dit [hun] jas ? | 1
fr | Nous avons vu [Marie] . [Iel] est parti . | 1
fr | [La table] est cassée . [Iel] est parti . | 0
de | Wir trafen [Anna] . [Dey] war da . | 2
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case):
    lang, text, verdict = case.split(" | ")
    words, spans = read_brackets(text)
    doc = Doc(spacy.blank(lang).vocab, words=words)
    earlier, later = (doc[start:end] for start, end in spans)
    found = judge(doc, later, earlier)
    assert found.verdict == int(verdict), found.reasons
