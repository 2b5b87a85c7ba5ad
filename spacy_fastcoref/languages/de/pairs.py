"""Judge pairs by German grammar: quotations, formal address and reflexives."""

import numpy as np

from ...grammar.features import FIRST, PERSON_LABELS, SECOND, THIRD
from ...grammar.mention_features import MentionFeatures
from ...grammar.schemes import OBJECT, POSSESSOR, SUBJECT
from ...grammar.speakers import are_other_persons, is_about_speaker
from ...grammar.word_index import Marks, Rows
from .pleonastic import find_adverbs

# Verbs whose subject is a person, beside the lexicon's reporting verbs.
_PERSONAL = frozenset(
    "ahnen annehmen befürchten behaupten betonen denken erinnern fragen freuen "
    "fürchten glauben hoffen kennen lachen lächeln meinen sagen sprechen träumen "
    "überlegen vermuten weinen wissen wundern wünschen".split()
)
# The maximum number of steps from a reflexive to the verb above it.
_TO_VERB = 6


def are_speaker_and_other(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the speaker of a quotation and somebody else in it.

    A speaker says "ich", and neither "er" nor "du"; and the "ich" of a quotation is
    nobody who can't be its speaker.
    """
    found = is_about_speaker(facts, later, earlier)
    for one, other in ((later, earlier), (earlier, later)):
        speaker = facts.spoken_by[one]
        clash = (facts.agreement[speaker] & facts.agreement[other]) == 0
        found |= (
            facts.is_speaker[one] & (speaker >= 0) & clash & ~facts.is_speaker[other]
        )
    return found


def is_addressee(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a second person and a noun that the same speaker uses: "die Kundin", "Sie".

    False for names, which can address somebody, and within one sentence, where a noun
    can ("Sie, der Leser").
    """
    speech, sentences = facts.speech, facts.annotation.sentences
    starts = facts.starts[later], facts.starts[earlier]
    is_same = speech.quotes[starts[0]] == speech.quotes[starts[1]]
    is_same &= speech.speakers[starts[0]] == speech.speakers[starts[1]]
    is_same &= sentences[starts[0]] != sentences[starts[1]]
    is_noun = (facts.person == 0) & ~facts.is_name
    is_you = facts.person == SECOND
    return is_same & facts.find_pairs(is_you, is_noun, later, earlier)


def are_persons(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pronouns of different persons; "sich" is the reflexive of formal "Sie"."""
    found = are_other_persons(facts, later, earlier)
    is_formal = facts.words.find(facts.lexicon.formal)[facts.heads]
    is_formal &= facts.person == SECOND
    is_reflexive = facts.is_reflexive & (facts.person == THIRD)
    return found & ~facts.find_pairs(is_formal, is_reflexive, later, earlier)


def is_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a pronominal adverb and people: "der Junge", "damit"."""
    is_adverb = find_adverbs(facts.tokens)[facts.heads] & facts.is_pronoun
    is_people = facts.grammar.find_person_nouns(facts.words)[facts.heads]
    is_people |= facts.annotation.is_entity(*PERSON_LABELS)[facts.heads]
    is_people &= ~facts.is_pronoun
    is_people |= (facts.person == FIRST) | (facts.person == SECOND)
    return facts.find_pairs(is_adverb, is_people, later, earlier)


def is_thinking_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject of a verb of people, and a noun for a thing: "er sagte".

    False for the nouns of the lexicon's `class_nouns`, such as companies, which can
    speak.
    """
    annotation, words, lexicon = facts.annotation, facts.words, facts.lexicon
    is_personal = words.find(lexicon.reporting_verbs) & annotation.is_verb
    is_personal |= annotation.lemmas.find(_PERSONAL)
    is_subject = annotation.has_role(SUBJECT) & is_personal[annotation.heads]
    can_speak = facts.grammar.find_person_nouns(words) | facts.features.is_name
    for nouns in lexicon.class_nouns.values():
        can_speak |= words.find(nouns)
    is_thing = (facts.person == 0) & ~can_speak[facts.heads] & ~facts.is_joined
    is_one = facts.is_pronoun & is_subject[facts.heads]
    return facts.find_pairs(is_one, is_thing, later, earlier)


def are_in_clause(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find two arguments of one verb, one of them a pronoun or a pronominal adverb.

    Within its clause, German refers back only by a reflexive, in phrases with
    prepositions, too: "Peter sah eine Schlange neben sich".
    """
    found = np.zeros(len(later), dtype=bool)
    annotation, heads = facts.annotation, facts.heads
    first = annotation.first_conjunct
    is_predicate = annotation.is_verb | (annotation.own_subject >= 0)
    is_adverb = find_adverbs(facts.tokens) & is_predicate[annotation.heads]
    verbs = np.where(is_adverb, annotation.heads, annotation.verb)
    is_bound = (facts.person == THIRD) & ~facts.is_possessive & ~facts.is_reflexive
    can_bind = ~facts.is_possessive & ~facts.is_reflexive
    for one, other in ((later, earlier), (earlier, later)):
        verb = verbs[heads[one]]
        subject = np.where(verb < 0, -1, annotation.subject[verb])
        noun = np.where(subject < 0, -1, facts.stands_for[subject])
        is_argument = (first[noun] == first[heads[other]]) & (noun >= 0)
        is_argument |= (verbs[heads[other]] == verb) & (verb >= 0)
        found |= is_bound[one] & can_bind[other] & is_argument
    is_same = (first[heads[later]] == first[heads[earlier]]) & facts.is_pronoun[later]
    return found & ~is_same


def is_unbound(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a reflexive in a clause without its verb, and an object of the clause.

    The antecedent is the subject: "Sie kaufte der Enkelin ein Rad und sich einen Hut".
    """
    annotation, heads = facts.annotation, facts.heads
    found = facts.is_reflexive[later] & (annotation.verb[heads[later]] < 0)
    if not found.any():
        return found
    tokens = heads[later]
    for _ in range(_TO_VERB):
        above = annotation.heads[tokens]
        tokens = np.where(annotation.is_verb[tokens], tokens, above)
    is_object = annotation.has_role(OBJECT)[heads[earlier]]
    return found & is_object & (annotation.heads[heads[earlier]] == tokens)


def is_genitive(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun and the possessive of its genitive: "der Bruder seines Chefs"."""
    annotation = facts.annotation
    owned = annotation.heads[facts.heads[later]]
    is_genitive = annotation.has_role(POSSESSOR) | annotation.has_morph("Case=Gen")
    found = facts.is_possessive[later] & is_genitive[owned]
    return found & (annotation.heads[owned] == facts.heads[earlier])
