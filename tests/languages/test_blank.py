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
de | [Er] hat [ihn] gestern gesehen . | 0
de | Gestern hat [er] [ihm] das Buch gegeben . | 0
de | [Er] hat das mit [ihm] gesehen . | 2
de | [Er] sagte , man habe [ihn] gesehen . | 2
nl | [Hij] heeft [hem] niet gezien . | 0
nl | [Hij] zei dat Anna [hem] zag . | 2
nl | [Hij] heeft [zich] gewassen . | 2
nl | Daar lag de ring , want [hij] had [hem] gevonden . | 0
fr | [Il] [lui] a rendu le livre . | 0
fr | [Elle] ne [l'] a pas vue . | 0
fr | [Il] dit que Marie [le] voit . | 2
fr | [Lui] [il] dort . | 2
pl | [On] [go] widział . | 0
pl | [On] wiedział , że Anna [go] widziała . | 2
en | [He] said Ann saw [him] . | 2
de | Ich kaufte [das Haus] . [Er] ist schön . | 0
de | Wir gingen zur [Schule] . [Er] war schön . | 0
de | [Das Mädchen] kam . [Sie] lachte . | 2
de | [Das Paar] kam . [Sie] lachten . | 2
fr | Il a acheté [une grande table] . [Il] est beau . | 0
nl | Ik kocht [het boek] . [Hij] was mooi . | 0
pl | Premier podpisał [umowę] . Prezydent zaprosił [go] . | 0
pl | [Premier] podpisał umowę . Prezydent zaprosił [go] . | 2
pl | Znam [tamtego pana] . [Ona] wróciła . | 0
pl | Widziałam [jego mamę] . [Ona] wróciła . | 2
pl | Niosła [zwierzę] . [Ono] spało . | 2
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case):
    lang, text, verdict = case.split(" | ")
    words, spans = read_brackets(text)
    doc = Doc(spacy.blank(lang).vocab, words=words)
    earlier, later = (doc[start:end] for start, end in spans)
    found = judge(doc, later, earlier)
    assert found.verdict == int(verdict), found.reasons
