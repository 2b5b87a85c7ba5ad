"""What ordinary sentences leave possible, and what the same rules still rule out."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import DISABLED, EnglishRules

from ...rules.links import link_all
from .cases.read import read_brackets

RULES = EnglishRules(DISABLED, warns=False)
NLP = spacy.blank("en")


def find_reasons(text):
    """Why the two mentions cannot be one, with no annotation at all."""
    words, mentions = read_brackets(text)
    facts = RULES.describe(Doc(NLP.vocab, words=words), link_all(np.array(mentions)))
    (reasons,) = RULES.find_reasons(facts, np.array([1]), np.array([0]))
    return set(reasons)


@pytest.mark.parametrize(
    "text",
    [
        # "And" joins clauses.
        "John called [Mary] and [Mary] answered .",
        "I saw [the dog] and [the dog] saw me .",
        "[Anna] and [Anna] 's brother left .",
        "They asked [Elon Musk] and [Musk] agreed .",
        "They asked [Bob Smith] and [Bob] agreed .",
        # An "it" that is something.
        "[Spotify] is popular . [It] is a Swedish company that streams music .",
        "He bought [a parka] . [It] is a winter coat .",
        "[The shop] is small . [It] is open Saturday .",
        "[Water] is precious . [It] is essential to life .",
        "[The report] is out . [It] is important to patients .",
        "[The bus] stops here . [It] takes children to school .",
        "[The phone] is old . [It] takes an hour to charge .",
        "[The hotel] is quiet . [It] is easy to reach by train .",
        "[The bike] is new . [It] is easier to ride than my old one .",
        "[The phone] is cheap . [It] is a good phone for people who travel .",
        "[The tool] is free . [It] is useful for those who want to learn .",
        "[The fern] is common . [It] is common in forests that are wet .",
        "[The film] is old . [It] was hailed as a success .",
        # Questions, in which the subject follows the verb.
        "How long can [dogs] live ? [They] live ten years .",
        "How much should [students] pay ? [They] are poor .",
        "If rates fell , would [investors] buy ? [They] would .",
        "He bought [a BMW] . [The SUV] was new .",
        "[The GM] agreed , but [the CEO] left .",
        # Who works somewhere.
        "[The bakery] was awful . [They] lied to us .",
        "I called [customer support] . [They] hung up .",
        # What ends in "s" and is one.
        "[My gps] broke . [It] was new .",
        "[The nhs] said that [it] would pay .",
        "[The forceps] broke . [It] was new .",
        # What a thing or a firm is called as well.
        "[The wizard] starts . [It] guides you .",
        "[The jeweler] lost money . [It] closed .",
        "[The toddler] cried . [It] was hungry .",
        # Names that are nouns, or tell less of gender than they seem to.
        "[The Dane] won . [She] was glad .",
        "[The German] said [she] was glad .",
        "[Gal Gadot] won . [She] was glad .",
        "[Rose] lost . [He] was sad .",
        # Clauses and additions in a phrase.
        "[The house Anna owns] is big . [It] has a pool .",
        "[The phone my son uses] is old . [It] broke .",
        "[The doctor Sarah saw] was busy . [He] left .",
        "[The woman upstairs] is nice . [She] sings .",
        "[The shop downstairs] is new . [It] is small .",
        "[The boy hurt in the crash] cried . [He] left .",
        "[Over 100 guests] came . [They] danced .",
        "[Up to 30 workers] came . [They] danced .",
        "[The on-call doctor] came . [She] smiled .",
        "[A man arrested after [he] fled] is 30 .",
        # Counting goes on.
        "[Another suspect] fled . [The second suspect] was shot .",
        # The verb has its object, or is none that takes one.
        "If [she] is not home call [her] at work .",
        "If [the file] is still there delete [it] .",
        "Everything that [he] did haunted [him] .",
        # "And" joins clauses.
        "We booked [Hotel Adlon] and [the hotel] was great .",
        "I emailed [Amazon] and [the company] sent it .",
        # Pets.
        "[Luna] is my cat . [He] sleeps .",
        "Our dog [Max] hurt [her] paw .",
        "[Oscar] , a brown puppy , lost [her] ball .",
        # Things in stories.
        "[The moon] smiled . [She] was full .",
        "[The teapot] was so sad . [He] was old .",
        "[The ship] sank . [She] was old .",
        # Titles that are family names, bands, drinks, films.
        "[Regina King] won an Oscar . [King] thanked her mother .",
        "Olivia Pope won . [Pope] loves [her] job .",
        "[Mrs. King] came in . [King] sat down .",
        "[Queen] released an album . [They] left .",
        "[Lord Mayor Ann Smith] said [she] would resign .",
        "[Dr Pepper] is sweet . [It] was invented in Texas .",
        "[King Arthur] is a film . [It] was made in 2004 .",
        "[Wang] joined . [He] was young .",
        "[M. S. Subbulakshmi] sang . [She] left .",
        "[thomas] sang . [he] left .",
        "[Mrs. Doubtfire] is a film . [It] is old .",
        "[Evan Rachel Wood] sang . [She] left .",
        "[Georgia Republican Brian Kemp] won . [He] left .",
        # One thing, though the word ends in "s"; not only a person.
        "He has [diabetes] . [It] runs in his family .",
        "[The media player] crashed because [it] ran out of memory .",
        "[Three - year - old boy] lost [his] mother .",
        "[The war] began . [The Second World War] killed millions .",
        "[My favourite podcaster] is Ann . [She] is funny .",
        "[The frontman] sang . [He] was drunk .",
        "[iTunes] crashed . [It] is old .",
        # Phrases that go on without a word that says so.
        "[The car he drives] is red . [It] is fast .",
        "[Nobody I know] left . [They] sat .",
        "[The woman wearing glasses] left . [She] sat .",
        "[A man armed with a knife] ran . [He] fell .",
        "[She] cancelled [her] US tour .",
        "[She] spent [her] last day in Rome .",
        "[A series of attacks] was planned . [They] failed .",
        "my [bff] is here . [she] is fun .",
        "[Panic ! at the Disco] toured . [They] sang .",
    ],
)
def test_possible(text):
    assert not find_reasons(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("John called [Mary] and [Ann] .", "coordination"),
        ("They lived as [friend] and [friend] .", "coordination"),
        ("[The hotel] and [the inn] were great .", "coordination"),
        ("I know [Tom] and [the boy] were late .", "coordination"),
        ("We saw [Tom] and [the boy] .", "coordination"),
        ("[The teapot] was full . [He] was old .", "lifeless"),
        ("[Luna] is my aunt . [He] sleeps .", "gender"),
        ("[Max] , my brother , lost [her] ball .", "gender"),
        ("[The war] ended . [It] was Susan who called .", "pleonastic"),
        ("[The war] ended . [It] was a winter morning .", "pleonastic"),
        ("[The war] ended . [It] was early morning .", "pleonastic"),
        ("[The bus] stops . [It] takes courage to get off .", "pleonastic"),
        ("[The bus] stops . [It] is important to pay .", "pleonastic"),
        ("[The bus] stops . [It] is a good idea to wait .", "pleonastic"),
        ("[The bus] stops . [It] is better if we walk .", "pleonastic"),
        ("[The bus] stops . [It] was clear to us that we had to walk .", "pleonastic"),
        ("[The bus] stops . [It] was raining .", "pleonastic"),
        ("[The bus] stops . [It] was hard to sleep in winter .", "pleonastic"),
        ("[The rocket] would [launch] .", "pleonastic"),
        ("[The King] sat . [She] left .", "gender"),
        ("[Emma James] sat . [He] left .", "gender"),
        ("[Mary Anne Smith] sat . [He] left .", "gender"),
        ("[King Charles] sat . [She] left .", "gender"),
        ("Regina King sat . [King Charles] rose . [She] left .", "gender"),
        ("[Mr. Pepper] is sweet . [It] left .", "animacy"),
        ("[The shoes] wore out . [It] was cheap .", "animacy"),
        ("[The student] sat . [It] left .", "animacy"),
        ("[She] took [her] back .", "binding"),
        ("[She] gave [her] all the money .", "binding"),
        ("[A soldier] sat . [Another soldier] left .", "other"),
        ("[Ann . Miss Lee] left . [She] sang .", "crossing"),
    ],
)
def test_impossible(text, rule):
    assert rule in find_reasons(text)
