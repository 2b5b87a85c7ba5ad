"""Judge pairs by what French pronouns and verbs say about people and things."""

import numpy as np

from ...grammar.features import (
    DEMONSTRATIVE,
    GROUP,
    ONE_PERSON,
    OTHER_PRONOUN,
    SEVERAL,
    THIRD,
)
from ...grammar.mention_features import MentionFeatures
from ...grammar.resources import read_words
from ...grammar.schemes import PREPOSITION, SUBJECT
from ...grammar.word_index import Marks, Rows

_ON, _OF_THAT = frozenset("on -on -t-on".split()), frozenset(("en", "-en"))
_INVERTED = frozenset(("-il", "-elle"))
_ADVERBIAL = frozenset("en -en y -y".split())
_NONE = frozenset("aucun aucune nul nulle".split())
_DATIVE = frozenset("lui -lui leur -leur".split())
_STRONG = frozenset("lui elle eux elles soi".split())


def are_on_and_other(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find "on" and others: only "nous", "soi" and possessives can be the same."""
    is_on = facts.words.find(_ON)[facts.heads] & facts.is_pronoun
    is_other = (facts.person == THIRD) | (facts.person == 0)
    is_other |= (facts.person == OTHER_PRONOUN) & ~is_on
    is_other &= ~facts.is_reflexive & ~facts.is_possessive
    return facts.find_pairs(is_on, is_other, later, earlier)


def is_of_person(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find "en" after a single person, to which "de lui" refers instead."""
    is_adverbial = facts.words.find(_OF_THAT)[facts.heads] & facts.is_pronoun
    is_single = (facts.agreement & ~ONE_PERSON) == 0
    return is_adverbial[later] & is_single[earlier]


def is_weak(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a personal pronoun after "ce", "y" and the like, which are poor topics."""
    is_adverbial = facts.words.find(_ADVERBIAL)[facts.heads]
    is_vague = facts.is_pronoun & (is_adverbial | (facts.person == OTHER_PRONOUN))
    is_personal = (facts.person == THIRD) & ~is_adverbial & ~facts.is_reflexive
    # "Celui-ci" is the last one named, rather than who the text is about.
    is_near = (facts.flags & DEMONSTRATIVE) > 0
    is_topic = is_personal & ~facts.is_possessive
    found = is_near[later] & is_topic[earlier]
    return found | (is_personal[later] & is_vague[earlier])


def is_lifeless(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a thing, and a pronoun that is mostly for people.

    These are the dative ("lui parler", but "y penser"), pronouns after a preposition
    ("avec elle", but "avec"), and possessives of what is not the subject ("j'en admire
    la façade" rather than "sa façade").
    """
    annotation, words, heads = facts.annotation, facts.words, facts.heads
    is_subject = annotation.has_role(SUBJECT)[heads]
    before = np.append(False, annotation.is_preposition[:-1])[heads]
    is_human = words.find(_DATIVE)[heads] | (words.find(_STRONG)[heads] & before)
    is_human &= (facts.person == THIRD) & ~is_subject & ~facts.is_possessive
    is_owner = facts.is_possessive & (facts.person == THIRD)
    found = is_human[later] & _find_things(facts)[earlier]
    return found | (is_owner[later] & (_find_things(facts) & ~is_subject)[earlier])


def are_co_arguments(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a clitic and another argument of its verb: "il l'y trouve".

    This is principle B of binding theory, also for "y" and "en".
    """
    annotation, heads = facts.annotation, facts.heads
    is_clitic = (facts.person == THIRD) & ~facts.is_reflexive & ~facts.is_possessive
    is_clitic &= annotation.is_verb[annotation.heads[heads]]
    has_case = annotation.has_child(annotation.has_role(PREPOSITION))
    is_clitic &= ~has_case[heads]
    is_argument = annotation.has_role(SUBJECT)[heads] | is_clitic
    is_argument &= ~facts.is_reflexive
    above = annotation.heads[heads]
    found = (above[later] == above[earlier]) & (heads[later] != heads[earlier])
    for one, other in ((later, earlier), (earlier, later)):
        of_subject = annotation.subject[above[one]] == heads[other]
        found |= of_subject & is_clitic[one] & (above[one] != heads[one])
    return found & is_clitic[later] & is_argument[earlier]


def is_measure(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a pronoun after a time, a measure or "aucun", which are rarely taken up."""
    is_unit = facts.words.find(read_words(facts.lexicon.lang, "measures"))[facts.heads]
    is_none = facts.words.find(_NONE)[facts.starts] & (facts.starts < facts.heads)
    is_dull = (facts.person == 0) & (is_unit | is_none)
    return (facts.person == THIRD)[later] & is_dull[earlier]


def is_place(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a town without an article, to which "y" refers rather than "elle"."""
    is_town = facts.is_name & (facts.starts == facts.heads)
    is_town &= (facts.agreement & ONE_PERSON) == 0
    is_adverbial = facts.words.find(_ADVERBIAL)[facts.heads]
    is_personal = (facts.person == THIRD) & ~is_adverbial & ~facts.is_possessive
    return is_personal[later] & is_town[earlier]


def is_thinking_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a thing, and a pronoun as the subject of a verb of people: "dire"."""
    annotation = facts.annotation
    verbs = annotation.lemmas.find(read_words(facts.lexicon.lang, "person_verbs"))
    is_subject = annotation.has_role(SUBJECT) & ~annotation.has_label("nsubj:pass")
    is_thinking = (is_subject & verbs[annotation.heads])[facts.heads]
    # "Dit-elle".
    says = facts.words.find(facts.lexicon.reporting_verbs)
    says = np.append(False, says)[: len(says)]
    is_thinking |= (facts.words.find(_INVERTED) & says)[facts.heads]
    is_thinking &= facts.person == THIRD
    is_thing = _find_things(facts)
    return facts.find_pairs(is_thinking, is_thing, later, earlier)


def _find_things(facts: MentionFeatures) -> np.ndarray:
    """Find nouns that are probably a thing, and names that are."""
    is_thing = facts.is_lifeless | ((facts.agreement & ONE_PERSON) == 0)
    is_thing &= (facts.agreement & (SEVERAL | GROUP)) == 0
    return is_thing & (facts.person == 0)
