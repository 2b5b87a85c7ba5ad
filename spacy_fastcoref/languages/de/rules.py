"""Provide German rules, and find nouns for people."""

from dataclasses import replace
from typing import FrozenSet, List

import numpy as np
from spacy.tokens import Doc

from ...grammar.features import (
    DEMONSTRATIVE,
    FIRST,
    GROUP,
    NEUT_PERSON,
    NO_PERSON,
    ONE,
    PERSON_LABELS,
    SECOND,
    SEVERAL,
    THING,
    THIRD,
)
from ...grammar.mention_features import MentionFeatures
from ...grammar.resources import read_words
from ...grammar.rules import DISABLED, PAIR_RULES, PairRule, Rules
from ...grammar.schemes import (
    AUXILIARY,
    CLAUSAL_SUBJECT,
    OBJECT,
    OPEN_COMPLEMENT,
    POSSESSOR,
    RELATIVE,
    SUBJECT,
)
from ...grammar.speakers import are_other_persons, is_about_speaker
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows, WordIndex
from ...registry import registry
from ...types import DOUBTFUL

_GIVE = frozenset("gibt gab gäbe gebe gegeben geben".split())
_GO = frozenset("geht ging gehe ginge gegangen gehen".split())
# Verbs with a formal subject and a preposition: "es geht um", "es fehlt an".
_WITH_PREPOSITION = {
    "um": _GO | frozenset("handelt handelte handele gehandelt dreht drehte".split()),
    "an": frozenset("fehlt fehlte mangelt mangelte liegt lag".split()),
    "zu": frozenset("kommt kam komme käme gekommen kommen".split()),
}
# Verbs whose subject can be a clause: "es scheint, dass".
_WITH_CLAUSE = frozenset(
    "scheint schien heißt hieß gelingt gelang gelungen freut freute wundert wunderte "
    "ärgert ärgerte stört störte gefällt gefiel genügt genügte reicht reichte passiert "
    "passierte geschieht geschah kommt kam stimmt stimmte gilt galt fällt fiel lohnt "
    "lohnte empfiehlt empfahl bedarf stellt stellte zeigt zeigte liegt lag überrascht "
    "überraschte erstaunt erstaunte gehört gehörte macht machte tut tat".split()
)
_THAT = frozenset("dass daß ob".split())
_TO = frozenset(("zu",))
# Prepositions of adverbial infinitives, such as "um zu".
_PURPOSE = frozenset("um ohne statt anstatt".split())
_DATIVES = ("da", "iobj", "obl:arg")
_ACCUSATIVES = ("oa", "obj")


def find_adverbs(tokens: Tokens) -> Marks:
    """Find pronominal adverbs, such as "damit" and "darauf"."""
    features = tokens.features
    is_thing = (features.as_pronoun & THING) == THING
    return is_thing & ((features.flags & DEMONSTRATIVE) > 0) & (features.person > 0)


def find_impersonal(tokens: Tokens) -> Marks:
    """Find "es" as a formal subject.

    Grammars list verbs of the weather; "es gibt" with an accusative, and no dative; "es
    geht um" and the like; and "es geht" with a dative. See Duden, Die Grammatik (2016),
    on "es" as a formal subject.
    """
    annotation, words, lexicon = tokens.annotation, tokens.words, tokens.lexicon
    is_it = words.find(lexicon.expletives)
    if not is_it.any():
        return is_it
    is_weather, is_give = words.find(lexicon.weather_verbs), words.find(_GIVE)
    if not annotation.has_dep:
        is_verb = is_weather | is_give
        is_beside = np.append(False, is_verb[:-1]) | np.append(is_verb[1:], False)
        return is_it & is_beside
    has_dative = annotation.has_child(annotation.has_label(*_DATIVES))
    has_accusative = annotation.has_child(annotation.has_label(*_ACCUSATIVES) & ~is_it)
    is_formal = is_weather & annotation.is_verb
    is_formal |= is_give & has_accusative & ~has_dative
    is_formal |= words.find(_GO) & annotation.has_child(
        annotation.has_label(*_DATIVES) & annotation.has_morph("Case=Dat")
    )
    for preposition, verbs in _WITH_PREPOSITION.items():
        with_it = words.find(frozenset((preposition,)))
        has_it = annotation.has_child(with_it)
        is_formal |= words.find(verbs) & (has_it | annotation.has_child(has_it))
    # The subject of an auxiliary is that of the verb below it.
    is_open = annotation.is_verb & annotation.has_role(OPEN_COMPLEMENT)
    is_formal |= annotation.has_child(is_formal & is_open)
    return is_it & is_formal[annotation.heads] & ~annotation.has_role(OBJECT)


def find_correlates(tokens: Tokens) -> Marks:
    """Find pronouns that stand for a clause after them: "darauf, dass", "es, zu"."""
    annotation, words = tokens.annotation, tokens.words
    is_it, is_adverb = words.find(tokens.lexicon.expletives), find_adverbs(tokens)
    found = np.zeros(len(is_it), dtype=bool)
    if not annotation.has_dep or not (is_it | is_adverb).any():
        return found
    heads, index = annotation.heads, np.arange(len(is_it))
    is_finite = annotation.has_child(words.find(_THAT))
    is_infinitive = annotation.has_child(words.find(_TO) & ~annotation.is_preposition)
    is_infinitive |= annotation.has_tag("VVIZU")
    is_infinitive &= ~annotation.has_child(words.find(_PURPOSE))
    (clauses,) = np.nonzero((is_finite | is_infinitive) & (heads != index))
    # The clause depends on the pronoun.
    found[heads[clauses]] = True
    # Or it depends on the same predicate and follows the pronoun.
    after_clause, after_that, after_subject = np.full((3, len(is_it)), -1)
    after_clause[heads[clauses]] = clauses
    after_that[heads[clauses[is_finite[clauses]]]] = clauses[is_finite[clauses]]
    is_subject = annotation.has_role(CLAUSAL_SUBJECT)[clauses]
    after_subject[heads[clauses[is_subject]]] = clauses[is_subject]
    is_object = annotation.has_role(OBJECT)
    may_extrapose = _find_predicates(tokens)[heads] & ~is_object
    is_sibling = (after_subject[heads] > index) & is_it
    is_sibling |= (after_clause[heads] > index) & is_it & (is_object | may_extrapose)
    is_sibling |= (after_that[heads] > index) & is_adverb
    return (found | is_sibling) & (is_it | is_adverb)


def _find_predicates(tokens: Tokens) -> np.ndarray:
    """Find predicates whose subject can be an extraposed clause."""
    annotation, words, lexicon = tokens.annotation, tokens.words, tokens.lexicon
    found = words.find(_WITH_CLAUSE) | words.find(lexicon.extraposing)
    is_copula = words.find(lexicon.copulas)
    found |= is_copula | annotation.has_child(is_copula)
    return found


def find_determinatives(tokens: Tokens) -> Marks:
    """Find demonstratives with a relative clause of their own: "der, der das sagt"."""
    annotation = tokens.annotation
    is_demonstrative = (tokens.features.flags & DEMONSTRATIVE) > 0
    if annotation.has_dep:
        return is_demonstrative & annotation.has_child(annotation.has_role(RELATIVE))
    # Without tags, a demonstrative can be a determiner.
    closed: FrozenSet[str] = tokens.lexicon.determiners - tokens.lexicon.possessives
    return tokens.words.find(closed) & ~annotation.has_pos


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


_SIBILANTS = ("s", "ß", "x", "z")
# Suffixes that make a noun for a person of any verb or noun.
_SUFFIXES = ("ling", "ist", "istin", "istinnen", "isten", "erin", "erinnen")
_NOT_PEOPLE = frozenset(
    "frühling schmetterling sperling fäustling list mist rist".split()
)
# Short nouns that are the head of many compounds. Other short nouns can be the end of
# another word by chance: "Bote" in "Angebote".
_HEADS = frozenset("chef frau gast held herr kind koch mann sohn wirt".split())
_UMLAUTS = str.maketrans("äöü", "aou")
_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern", "in", "innen", "nen", "rin")


@registry.coref_rules("spacy_fastcoref.de.v1")
class GermanRules(Rules, takes_joined=True):
    """Judge links by German grammar."""

    off = DISABLED | {"addressee"}

    pair_rules = (
        *(rule for rule in PAIR_RULES if rule.name != "person"),
        PairRule("person", are_persons, is_cluster_wide=True),
        PairRule("quotation", are_speaker_and_other),
        PairRule("addressee", is_addressee),
        PairRule("adverb", is_thing),
        PairRule("clause", are_in_clause, is_cluster_wide=True, needs=("dep",)),
        PairRule("personal", is_thinking_thing, DOUBTFUL, needs=("dep",)),
        PairRule("gapping", is_unbound, needs=("dep",)),
        PairRule("genitive", is_genitive, needs=("dep",)),
    )

    def inflect_name(self, name: str, gender: str) -> List[str]:
        """List the forms of a name; see Grammar.inflect_name."""
        # "Hans" has an apostrophe in the genitive, which is a token of its own.
        return [name] if name.endswith(_SIBILANTS) else [name, name + "s"]

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens of a document; see Grammar.read_tokens.

        The verb tells the number of "sie" if the morphology doesn't.
        """
        tokens = super().read_tokens(doc)
        annotation, features = tokens.annotation, tokens.features
        if not annotation.has_dep:
            return tokens
        is_subject = annotation.has_role(SUBJECT) & (features.person == THIRD)
        agreement = features.as_pronoun
        for feat, bits in (("Number=Sing", ONE), ("Number=Plur", SEVERAL | GROUP)):
            is_verb = annotation.has_morph(feat) & annotation.is_verb
            is_helper = is_verb & annotation.has_role(AUXILIARY)
            by_verb = (is_verb | annotation.has_child(is_helper))[annotation.heads]
            narrowed = agreement & bits
            is_told = is_subject & by_verb & (narrowed > 0)
            agreement = np.where(is_told, narrowed, agreement)
        return tokens._replace(features=replace(features, as_pronoun=agreement))

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        """Find pronouns that refer to nothing; see Grammar.find_pleonastic."""
        found = super().find_pleonastic(tokens) | find_impersonal(tokens)
        return found | find_correlates(tokens)

    def find_anaphors(self, tokens: Tokens) -> Marks:
        """Find words that need an antecedent; see Grammar.find_anaphors."""
        return super().find_anaphors(tokens) & ~find_determinatives(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement."""
        found = super().read_agreement(facts)
        heads = facts.heads
        are_people = facts.annotation.is_entity(*PERSON_LABELS)[heads]
        are_people |= self.find_person_nouns(facts.words)[heads] & ~facts.is_name
        # A neuter noun for a person agrees with "es", too.
        is_neuter = (found & NEUT_PERSON) > 0
        as_people = found & ~(NO_PERSON & ~SEVERAL)
        return np.where(are_people & ~is_neuter & (as_people > 0), as_people, found)

    def find_person_nouns(self, words: WordIndex) -> Marks:
        """Find nouns for people; see Grammar.find_person_nouns."""
        return words.map(is_person) > 0


def is_person(word: str) -> bool:
    """Check whether a noun is for people.

    The head of a compound is its last part ("Konzernchefin"), and feminine forms and
    plurals count, also those with an umlaut ("Ärztin", "Söhne").
    """
    nouns = read_words("de", "people")
    if word in _NOT_PEOPLE or len(word) < 3:
        return False
    stems = {word[: len(word) - len(end)] for end in _ENDINGS if word.endswith(end)}
    stems |= {stem.translate(_UMLAUTS) for stem in stems}
    stems |= {stem + "e" for stem in stems}
    for stem in stems:
        for start in range(max(1, len(stem) - 3)):
            part = stem[start:]
            if part in nouns and (start == 0 or len(part) > 4 or part in _HEADS):
                return True
    return word.endswith(_SUFFIXES) and len(word) > 6
