import pytest

from spacy_fastcoref.grammar.foreign import LanguageCheck

from ..conftest import blank

GERMAN = (
    "Anna Weber sagte am Abend, dass sie müde sei und keine Lust mehr habe, noch "
    "weiter zu arbeiten, weil der Tag lang gewesen war und es draußen schon dunkel "
    "wurde. Er fragte sie, ob sie nicht lieber gleich nach Hause gehen wolle."
)
HINDI = "उसने कहा कि वह कल शाम को घर जा रही है और वह उसके साथ नहीं आएगा। "
CHINESE = "爱丽丝去商店买了一些面包和牛奶。她在那里遇到了她的老朋友鲍勃，他正在买花。"


@pytest.mark.parametrize(
    "lang, text, is_foreign",
    [
        ("de", GERMAN, False),
        ("en", GERMAN, True),
        ("pl", GERMAN, True),
        # A script without spaces, and with other letters.
        ("en", CHINESE * 4, True),
        ("en", "Он сказал ей, что они встретятся завтра. " * 6, True),
        ("en", HINDI * 6, True),
        # Mostly no words: the colours of SACR, code, a table.
        ("fr", "# COLOR : M3 = hsl ( 0 , 100 % , 70 % )\n" * 60, False),
        ("fr", "x . append ( [ y , 1 ] ) ; print ( x [ 0 ] ) ;\n" * 20, False),
        ("de", "apple\t1.50\t7\n pear\t2.25\t9\n" * 40, False),
        # Too few words to tell, or no words of grammar to expect.
        ("en", "Die Katze schläft.", False),
        ("en", "Alice Baker (London), Bob Miller (Paris). " * 20, False),
        ("en", "WEGEN UMBAU GESCHLOSSEN " * 20, False),
        ("en", "7 + 3 = 10; http://example.org/" + "a" * 500, False),
        # No pipeline of any language.
        ("xx", GERMAN, False),
        ("en", "", False),
    ],
)
def test_texts_of_another_language(lang, text, is_foreign):
    assert LanguageCheck().notice(blank(lang)(text)) == is_foreign


def test_short_texts_count_together_and_it_is_said_once(shipped_nlp):
    texts = GERMAN.split(", ") * 4
    check = LanguageCheck()
    found = [check.notice(doc) for doc in shipped_nlp.tokenizer.pipe(texts)]
    assert found.count(True) == 1 and not found[0]
    nlp = blank("en")
    nlp.add_pipe("fastcoref", source=shipped_nlp)
    coref = nlp.get_pipe("fastcoref")
    coref._language = LanguageCheck()
    with pytest.warns(UserWarning, match="FCW36.*'en'") as caught:
        list(nlp.pipe(texts))
        nlp(GERMAN)
    assert len(caught) == 1
