"""Provide German rules, and find nouns for people."""

from typing import List

import numpy as np
from spacy.tokens import Doc

from ...grammar import features as bits
from ...grammar.lexicon import get_lexicon
from ...grammar.mention_features import MentionFeatures
from ...grammar.resources import read_words
from ...grammar.rules import DISABLED, PAIR_RULES, PairRule, Rules
from ...grammar.speakers import are_other_persons, is_about_speaker
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows
from ...registry import registry
from ...types import DOUBTFUL

_DATIVES = ("da", "iobj", "obl:arg")
_ACCUSATIVES = ("oa", "obj")


def find_adverbs(tokens: Tokens) -> Marks:
    """Find pronominal adverbs, such as "damit" and "darauf"."""
    is_thing = (tokens.as_pronoun & bits.THING) == bits.THING
    return is_thing & ((tokens.flags & bits.DEMONSTRATIVE) > 0) & (tokens.person > 0)


def find_impersonal(tokens: Tokens) -> Marks:
    """Find "es" as a formal subject; see Duden, Die Grammatik (2016)."""
    words, lexicon = tokens.words, tokens.lexicon
    is_it = words.find(lexicon.expletives)
    is_weather, is_give = words.find(lexicon.weather_verbs), tokens.is_listed("giving")
    if not tokens.has_dep:
        is_verb = is_weather | is_give
        is_beside = np.append(False, is_verb[:-1]) | np.append(is_verb[1:], False)
        return is_it & is_beside
    has_dative = tokens.has_child(tokens.has_label(*_DATIVES))
    has_accusative = tokens.has_child(tokens.has_label(*_ACCUSATIVES) & ~is_it)
    is_formal = is_weather & tokens.is_verb
    is_formal |= is_give & has_accusative & ~has_dative
    is_formal |= tokens.is_listed("going") & tokens.has_child(
        tokens.has_label(*_DATIVES) & tokens.has_morph("Case=Dat")
    )
    # "Es geht um", "es fehlt an".
    for preposition in ("um", "an", "zu"):
        with_it = tokens.has_word(preposition)
        has_it = tokens.has_child(with_it)
        has_it |= tokens.has_child(has_it)
        is_formal |= tokens.is_listed(f"with {preposition}") & has_it
    # The subject of an auxiliary is that of the verb below it.
    is_open = tokens.is_verb & tokens.has_role("open complement")
    is_formal |= tokens.has_child(is_formal & is_open)
    return is_it & is_formal[tokens.heads] & ~tokens.has_role("object")


def find_correlates(tokens: Tokens) -> Marks:
    """Find pronouns that stand for a clause after them: "darauf, dass", "es, zu"."""
    words = tokens.words
    is_it, is_adverb = words.find(tokens.lexicon.expletives), find_adverbs(tokens)
    found = np.zeros(len(is_it), dtype=bool)
    if not tokens.has_dep:
        return found
    heads, index = tokens.heads, np.arange(len(is_it))
    is_finite = tokens.has_child(tokens.has_word("dass", "daß", "ob"))
    is_infinitive = tokens.has_child(tokens.has_word("zu") & ~tokens.is_preposition)
    is_infinitive |= tokens.has_tag("VVIZU")
    has_purpose = tokens.has_word("um", "ohne", "statt", "anstatt")
    is_infinitive &= ~tokens.has_child(has_purpose)
    (clauses,) = np.nonzero((is_finite | is_infinitive) & (heads != index))
    # The clause depends on the pronoun.
    found[heads[clauses]] = True
    # Or it depends on the same predicate and follows the pronoun.
    after_clause, after_that, after_subject = np.full((3, len(is_it)), -1)
    after_clause[heads[clauses]] = clauses
    after_that[heads[clauses[is_finite[clauses]]]] = clauses[is_finite[clauses]]
    is_subject = tokens.has_role("clausal subject")[clauses]
    after_subject[heads[clauses[is_subject]]] = clauses[is_subject]
    is_object = tokens.has_role("object")
    # Predicates whose subject can be an extraposed clause.
    is_copula = words.find(tokens.lexicon.copulas)
    extraposes = tokens.is_listed("with a clause") | is_copula
    extraposes |= words.find(tokens.lexicon.extraposing) | tokens.has_child(is_copula)
    may_extrapose = extraposes[heads] & ~is_object
    is_sibling = (after_subject[heads] > index) & is_it
    is_sibling |= (after_clause[heads] > index) & is_it & (is_object | may_extrapose)
    is_sibling |= (after_that[heads] > index) & is_adverb
    return (found | is_sibling) & (is_it | is_adverb)


# The maximum number of steps from a reflexive to the verb above it.
_TO_VERB = 6


def _are_speaker_and_other(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the speaker of a quotation and somebody else in it."""
    found = is_about_speaker(facts, later, earlier)
    for one, other in ((later, earlier), (earlier, later)):
        speaker = facts.spoken_by[one]
        clash = (facts.agreement[speaker] & facts.agreement[other]) == 0
        is_speaker = facts.is_speaker[one] & ~facts.is_speaker[other]
        found |= is_speaker & (speaker >= 0) & clash
    return found


def _is_addressee(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a second person and a noun of the same speaker: "die Kundin", "Sie"."""
    speech, sentences = facts.speech, facts.tokens.sentences
    starts = facts.starts[later], facts.starts[earlier]
    is_same = speech.quotes[starts[0]] == speech.quotes[starts[1]]
    is_same &= speech.speakers[starts[0]] == speech.speakers[starts[1]]
    is_same &= sentences[starts[0]] != sentences[starts[1]]
    is_noun = (facts.person == 0) & ~facts.is_name
    is_you = facts.person == bits.SECOND
    return is_same & facts.find_pairs(is_you, is_noun, later, earlier)


def are_persons(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pronouns of different persons; "sich" is the reflexive of formal "Sie"."""
    found = are_other_persons(facts, later, earlier)
    is_formal = facts.words.find(facts.lexicon.formal)[facts.heads]
    is_formal &= facts.person == bits.SECOND
    is_reflexive = facts.is_reflexive & (facts.person == bits.THIRD)
    return found & ~facts.find_pairs(is_formal, is_reflexive, later, earlier)


def is_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a pronominal adverb and people: "der Junge", "damit"."""
    is_adverb = find_adverbs(facts.tokens)[facts.heads] & facts.is_pronoun
    is_people = facts.ask(facts.grammar.find_person_nouns)
    is_people |= facts.tokens.is_entity(*bits.PERSON_LABELS)[facts.heads]
    is_people &= ~facts.is_pronoun
    is_people |= (facts.person == bits.FIRST) | (facts.person == bits.SECOND)
    return facts.find_pairs(is_adverb, is_people, later, earlier)


def is_thinking_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject of a verb of people, and a noun for a thing: "er sagte"."""
    tokens, words, lexicon = facts.tokens, facts.words, facts.lexicon
    is_personal = words.find(lexicon.reporting_verbs) & tokens.is_verb
    is_personal |= tokens.lemmas.find(lexicon.lists["personal"])
    is_subject = tokens.has_role("subject") & is_personal[tokens.heads]
    can_speak = facts.ask(facts.grammar.find_person_nouns) | facts.is_name
    # So can companies and the like.
    others = words.find(frozenset().union(*lexicon.class_nouns.values()))
    can_speak |= others[facts.heads]
    is_thing = (facts.person == 0) & ~can_speak & ~facts.is_joined
    is_one = facts.is_pronoun & is_subject[facts.heads]
    return facts.find_pairs(is_one, is_thing, later, earlier)


def are_in_clause(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find two arguments of one verb, of which one should be a reflexive: "sich"."""
    found = np.zeros(len(later), dtype=bool)
    tokens, heads = facts.tokens, facts.heads
    first = tokens.first_conjunct
    is_predicate = tokens.is_verb | (tokens.own_subject >= 0)
    is_adverb = find_adverbs(facts.tokens) & is_predicate[tokens.heads]
    verbs = np.where(is_adverb, tokens.heads, tokens.verb)
    is_bound = (facts.person == bits.THIRD) & ~facts.is_possessive & ~facts.is_reflexive
    can_bind = ~facts.is_possessive & ~facts.is_reflexive
    for one, other in ((later, earlier), (earlier, later)):
        verb = verbs[heads[one]]
        subject = np.where(verb < 0, -1, tokens.subject[verb])
        noun = np.where(subject < 0, -1, facts.stands_for[subject])
        is_argument = (first[noun] == first[heads[other]]) & (noun >= 0)
        is_argument |= (verbs[heads[other]] == verb) & (verb >= 0)
        found |= is_bound[one] & can_bind[other] & is_argument
    is_same = (first[heads[later]] == first[heads[earlier]]) & facts.is_pronoun[later]
    return found & ~is_same


def is_unbound(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find an object, and a reflexive in a clause without its verb: "und sich Hüte"."""
    annotation, heads = facts.tokens, facts.heads
    found = facts.is_reflexive[later] & (annotation.verb[heads[later]] < 0)
    tokens = heads[later]
    for _ in range(_TO_VERB):
        above = annotation.heads[tokens]
        tokens = np.where(annotation.is_verb[tokens], tokens, above)
    is_object = annotation.has_role("object")[heads[earlier]]
    return found & is_object & (annotation.heads[heads[earlier]] == tokens)


def is_genitive(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun and the possessive of its genitive: "der Bruder seines Chefs"."""
    tokens = facts.tokens
    owned = tokens.heads[facts.heads[later]]
    is_genitive = tokens.has_role("possessor") | tokens.has_morph("Case=Gen")
    found = facts.is_possessive[later] & is_genitive[owned]
    return found & (tokens.heads[owned] == facts.heads[earlier])


_SIBILANTS = ("s", "ß", "x", "z")
# Suffixes that make a noun for a person of any verb or noun.
_SUFFIXES = ("ling", "ist", "istin", "istinnen", "isten", "erin", "erinnen")
_UMLAUTS = str.maketrans("äöü", "aou")
_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern", "in", "innen", "nen", "rin")


@registry.coref_rules("spacy_fastcoref.de.v1")
class GermanRules(Rules, takes_joined=True):
    """Judge links by German grammar."""

    reasons = {**Rules.reasons, **get_lexicon("de").reasons}
    off = DISABLED | {"addressee"}
    pair_rules = (
        *(rule for rule in PAIR_RULES if rule.name != "person"),
        PairRule("person", are_persons, is_cluster_wide=True),
        PairRule("quotation", _are_speaker_and_other),
        PairRule("addressee", _is_addressee),
        PairRule("adverb", is_thing),
        PairRule("clause", are_in_clause, is_cluster_wide=True, needs=("dep",)),
        PairRule("personal", is_thinking_thing, DOUBTFUL, needs=("dep",)),
        PairRule("gapping", is_unbound, needs=("dep",)),
        PairRule("genitive", is_genitive, needs=("dep",)),
    )

    def inflect_name(self, name: str, gender: str) -> List[str]:
        # "Hans" has an apostrophe in the genitive, which is a token of its own.
        return [name] if name.endswith(_SIBILANTS) else [name, name + "s"]

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens; the verb tells the number of "sie" if nothing else does."""
        tokens = super().read_tokens(doc)
        if not tokens.has_dep:
            return tokens
        is_subject = tokens.has_role("subject") & (tokens.person == bits.THIRD)
        agreement = tokens.as_pronoun
        several = bits.SEVERAL | bits.GROUP
        for feat, mask in (("Number=Sing", bits.ONE), ("Number=Plur", several)):
            is_verb = tokens.has_morph(feat) & tokens.is_verb
            is_helper = is_verb & tokens.has_role("auxiliary")
            by_verb = (is_verb | tokens.has_child(is_helper))[tokens.heads]
            narrowed = agreement & mask
            is_told = is_subject & by_verb & (narrowed > 0)
            agreement = np.where(is_told, narrowed, agreement)
        tokens.as_pronoun = agreement
        return tokens

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        found = super().find_pleonastic(tokens) | find_impersonal(tokens)
        return found | find_correlates(tokens)

    def find_anaphors(self, tokens: Tokens) -> Marks:
        if tokens.has_dep:
            # A demonstrative with a relative clause of its own: "der, der das sagt".
            is_other = tokens.has_child(tokens.has_role("relative clause"))
            is_other &= (tokens.flags & bits.DEMONSTRATIVE) > 0
        else:
            # Without tags, a demonstrative can be a determiner.
            closed = tokens.lexicon.determiners - tokens.lexicon.possessives
            is_other = tokens.words.find(closed) & ~tokens.has_pos
        return super().find_anaphors(tokens) & ~is_other

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        found = super().read_agreement(facts)
        heads = facts.heads
        are_people = facts.tokens.is_entity(*bits.PERSON_LABELS)[heads]
        are_people |= facts.ask(self.find_person_nouns) & ~facts.is_name
        # A neuter noun for a person agrees with "es", too.
        is_neuter = (found & bits.NEUT_PERSON) > 0
        as_people = found & ~(bits.NO_PERSON & ~bits.SEVERAL)
        return np.where(are_people & ~is_neuter & (as_people > 0), as_people, found)

    def find_person_nouns(self, tokens: Tokens) -> Marks:
        return tokens.words.map(is_person) > 0


def is_person(word: str) -> bool:
    """Check whether a noun or its last part is for people: "Konzernchefin", "Söhne"."""
    nouns, lists = read_words("de", "people"), get_lexicon("de").lists
    if word in lists["not people"] or len(word) < 3:
        return False
    stems = {word.removesuffix(ending) for ending in _ENDINGS}
    stems |= {stem.translate(_UMLAUTS) for stem in stems}
    stems |= {stem + "e" for stem in stems}
    parts = {stem[i:] for stem in stems for i in range(1, max(1, len(stem) - 3))}
    parts = {part for part in parts if len(part) > 4 or part in lists["short nouns"]}
    is_listed = not nouns.isdisjoint(stems | parts)
    return is_listed or (word.endswith(_SUFFIXES) and len(word) > 6)
