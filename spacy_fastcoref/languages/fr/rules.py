"""Provide French rules."""

import numpy as np
from spacy.attrs import IS_TITLE
from spacy.tokens import Doc

from ...grammar import features as bits
from ...grammar.binding import are_in_relative
from ...grammar.lexicon import get_lexicon
from ...grammar.mention_features import MentionFeatures
from ...grammar.names import make_name_reader
from ...grammar.resources import read_words
from ...grammar.rules import PAIR_RULES, PairRule, Rules
from ...grammar.tokens import Tokens, is_elided
from ...grammar.word_index import Marks, Rows, is_sign
from ...registry import registry
from ...types import DOUBTFUL
from .impersonal import find_impersonal
from .nouns import find_bare, is_person_noun, read_nouns

_LEAVE = frozenset(("aller", "retourner", "revenir", "venir"))


def read_pronouns(tokens: Tokens) -> Tokens:
    """Read the person and the agreement of pronouns that depend on other words."""
    person = np.where(_find_articles(tokens), 0, tokens.person)
    # Objects that the tagger took for articles or prepositions.
    is_clitic = tokens.is_listed("objects") & tokens.is_pos("DET", "ADP", "NOUN")
    is_subject = tokens.is_listed("subjects") & ~_shift(tokens.is_preposition, -1)
    is_finite = tokens.is_verb & tokens.has_morph("VerbForm=Fin")
    is_clitic &= _shift(is_subject, -1) | _shift(is_finite)
    person = np.where(is_clitic, bits.THIRD, person)
    # "Celui-ci" refers back, "celui qui" doesn't.
    near_or_far = tokens.is_listed("near or far")
    after = _shift(tokens.has_word(*"-‐‑–")) & _shift(near_or_far, 2)
    after |= _shift(near_or_far)
    is_near = tokens.has_word("celui", "celle", "ceux", "celles") & after
    is_near &= (person == bits.OTHER_PRONOUN) | tokens.is_pos("PROPN")
    person = np.where(is_near, bits.THIRD, person)
    # "Pour lui" is a man, and "lui parler" a man or a woman.
    is_man = tokens.has_word("lui") & _find_disjunctive(tokens)
    agreement = np.where(is_man, bits.MALE | bits.MASC_THING, tokens.as_pronoun)
    flags = np.where(is_clitic, bits.ACCUSATIVE, tokens.flags) * (person > 0)
    tokens.is_name = (tokens.is_name | find_names(tokens)) & (person == 0)
    tokens.as_pronoun, tokens.person, tokens.flags = agreement, person, flags
    return tokens


def find_names(tokens: Tokens) -> Marks:
    """Find given names and the first words of entities: "Marie", tagged as a noun."""
    words = tokens.words
    is_named = tokens.entity > 0
    is_first = is_named & ~np.append(False, is_named[:-1])
    is_first |= words.map(make_name_reader(tokens.lexicon.lang)) > 0
    found = is_first & (tokens.doc.to_array(IS_TITLE) > 0)
    found &= tokens.is_pos("NOUN", "ADJ", "ADV", "VERB")
    is_other = words.map(tokens.lexicon.read_title) > 0
    is_other |= words.map(is_person_noun) > 0
    is_other |= words.find(tokens.lexicon.determiners)
    return found & ~is_other & (tokens.person == 0)


def _find_articles(tokens: Tokens) -> Marks:
    """Find elided articles, which the tagger may take for another word: "l'homme"."""
    is_elided = tokens.has_word("l'", "l’")
    # "L'on" is the same as "on".
    found = is_elided & _shift(tokens.has_word("on"))
    if not tokens.has_pos:
        return found
    # Taggers know only the straight apostrophe well.
    is_told = tokens.is_pos("DET", "PRON") & ~tokens.has_word("l’")
    is_verb = _shift(tokens.is_verb | tokens.is_listed("clitics"))
    return found | (is_elided & ~is_told & ~is_verb)


def _find_disjunctive(tokens: Tokens) -> Marks:
    """Find pronouns after a preposition, or that are a subject: "pour lui"."""
    lexicon = tokens.lexicon
    is_before = tokens.words.find(lexicon.cutters) & ~tokens.is_verb
    is_before |= tokens.is_preposition | tokens.words.find(lexicon.coordinators)
    found = _shift(is_before, -1)
    if tokens.has_dep:
        found |= tokens.has_child(tokens.has_role("preposition"))
        found &= ~tokens.has_role("object")
        found |= tokens.has_role("subject")
    return found


def _shift(marks: Marks, step: int = 1) -> Marks:
    """Give each token the mark of the one `step` tokens after it."""
    none = np.zeros(abs(step), dtype=bool)
    return np.append(marks, none)[step:] if step > 0 else np.append(none, marks)[:step]


def are_on_and_other(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find "on" and others: only "nous", "soi" and possessives can be the same."""
    is_on = facts.tokens.has_word("on", "-on", "-t-on")[facts.heads] & facts.is_pronoun
    is_other = (facts.person == bits.THIRD) | (facts.person == 0)
    is_other |= (facts.person == bits.OTHER_PRONOUN) & ~is_on
    is_other &= ~facts.is_reflexive & ~facts.is_possessive
    return facts.find_pairs(is_on, is_other, later, earlier)


def is_of_person(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find "en" after a single person, to which "de lui" refers instead."""
    is_adverbial = facts.tokens.has_word("en", "-en")[facts.heads] & facts.is_pronoun
    is_single = (facts.agreement & ~bits.ONE_PERSON) == 0
    return is_adverbial[later] & is_single[earlier]


def is_weak(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a personal pronoun after "ce", "y" and the like, which are poor topics."""
    is_adverbial = facts.tokens.has_word("en", "-en", "y", "-y")[facts.heads]
    is_vague = facts.is_pronoun & (is_adverbial | (facts.person == bits.OTHER_PRONOUN))
    is_personal = (facts.person == bits.THIRD) & ~is_adverbial & ~facts.is_reflexive
    # "Celui-ci" is the last one named, rather than who the text is about.
    is_near = (facts.flags & bits.DEMONSTRATIVE) > 0
    is_topic = is_personal & ~facts.is_possessive
    found = is_near[later] & is_topic[earlier]
    return found | (is_personal[later] & is_vague[earlier])


def is_lifeless(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a thing, and a pronoun that is mostly for people: "lui parler"."""
    tokens, heads = facts.tokens, facts.heads
    is_subject = tokens.has_role("subject")[heads]
    before = np.append(False, tokens.is_preposition[:-1])[heads]
    is_strong = tokens.has_word("lui", "elle", "eux", "elles", "soi")[heads]
    is_human = tokens.has_word("lui", "-lui", "leur", "-leur")[heads]
    is_human |= is_strong & before
    is_human &= (facts.person == bits.THIRD) & ~is_subject & ~facts.is_possessive
    is_owner = facts.is_possessive & (facts.person == bits.THIRD)
    is_thing = _find_things(facts)
    found = is_human[later] & is_thing[earlier]
    return found | (is_owner[later] & (is_thing & ~is_subject)[earlier])


def _are_co_arguments(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a clitic and another argument of its verb: "il l'y trouve"."""
    tokens, heads = facts.tokens, facts.heads
    is_clitic = (facts.person == bits.THIRD) & tokens.is_verb[tokens.heads[heads]]
    is_clitic &= ~facts.is_reflexive & ~facts.is_possessive
    is_clitic &= ~tokens.has_child(tokens.has_role("preposition"))[heads]
    is_argument = tokens.has_role("subject")[heads] | is_clitic
    is_argument &= ~facts.is_reflexive
    above = tokens.heads[heads]
    found = (above[later] == above[earlier]) & (heads[later] != heads[earlier])
    for one, other in ((later, earlier), (earlier, later)):
        of_subject = tokens.subject[above[one]] == heads[other]
        found |= of_subject & is_clitic[one] & (above[one] != heads[one])
    return found & is_clitic[later] & is_argument[earlier]


def is_measure(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a pronoun after a time, a measure or "aucun", which are rarely taken up."""
    is_unit = facts.words.find(read_words(facts.lexicon.lang, "measures"))[facts.heads]
    is_none = facts.tokens.has_word("aucun", "aucune", "nul", "nulle")[facts.starts]
    is_none &= facts.starts < facts.heads
    is_dull = (facts.person == 0) & (is_unit | is_none)
    return (facts.person == bits.THIRD)[later] & is_dull[earlier]


def is_place(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a town without an article, to which "y" refers rather than "elle"."""
    is_town = facts.is_name & (facts.starts == facts.heads)
    is_town &= (facts.agreement & bits.ONE_PERSON) == 0
    is_adverbial = facts.tokens.has_word("en", "-en", "y", "-y")[facts.heads]
    is_personal = (facts.person == bits.THIRD) & ~is_adverbial & ~facts.is_possessive
    return is_personal[later] & is_town[earlier]


def is_thinking_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a thing, and a pronoun as the subject of a verb of people: "dire"."""
    tokens = facts.tokens
    verbs = tokens.lemmas.find(read_words(facts.lexicon.lang, "person_verbs"))
    is_subject = tokens.has_role("subject") & ~tokens.has_label("nsubj:pass")
    is_thinking = (is_subject & verbs[tokens.heads])[facts.heads]
    # "Dit-elle".
    says = _shift(facts.words.find(facts.lexicon.reporting_verbs), -1)
    is_thinking |= (tokens.has_word("-il", "-elle") & says)[facts.heads]
    is_thinking &= facts.person == bits.THIRD
    return facts.find_pairs(is_thinking, _find_things(facts), later, earlier)


def _find_things(facts: MentionFeatures) -> Marks:
    """Find nouns that are probably a thing, and names that are."""
    is_thing = facts.is_lifeless | ((facts.agreement & bits.ONE_PERSON) == 0)
    is_thing &= (facts.agreement & (bits.SEVERAL | bits.GROUP)) == 0
    return is_thing & (facts.person == 0)


@registry.coref_rules("spacy_fastcoref.fr.v1")
class FrenchRules(Rules, takes_joined=True):
    """Judge links by French grammar."""

    reasons = {**Rules.reasons, **get_lexicon("fr").reasons}
    pair_rules = (
        *PAIR_RULES,
        PairRule("on", are_on_and_other),
        PairRule("relative", are_in_relative, needs=("dep",)),
        PairRule("clitic", _are_co_arguments, needs=("dep",)),
        PairRule("measure", is_measure, DOUBTFUL),
        PairRule("adverbial", is_of_person, DOUBTFUL),
        PairRule("weak", is_weak, DOUBTFUL),
        PairRule("human", is_lifeless, DOUBTFUL),
        PairRule("place", is_place, DOUBTFUL),
        PairRule("personal", is_thinking_thing, DOUBTFUL),
    )

    def read_tokens(self, doc: Doc) -> Tokens:
        return read_pronouns(super().read_tokens(doc))

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        """Find the impersonal "il", and clitics that are a part of their verb."""
        found = find_impersonal(tokens)
        # "Y a-t-il".
        is_subject = np.any([_shift(found, i) for i in (-2, -1, 2, 3)], axis=0)
        is_reflexive = tokens.has_word("se", "s'", "s’")
        found |= is_reflexive & ~tokens.has_role("object") & tokens.has_dep
        leaves = tokens.lemmas.find(_LEAVE)
        leaves = _shift(leaves) | _shift(leaves, 2)
        found |= tokens.has_word("en") & _shift(is_reflexive, -1) & leaves
        has = _shift(tokens.is_listed("have"))
        return found | (tokens.has_word("y") & is_subject & has)

    def find_nouns(self, tokens: Tokens) -> Marks:
        found = super().find_nouns(tokens) | find_names(tokens)
        # Taggers take articles and clitics for nouns.
        found &= (tokens.words.map(is_elided) == 0) & (tokens.words.map(is_sign) == 0)
        found &= tokens.person == 0
        return found & ~find_bare(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        return read_nouns(facts)

    def find_person_nouns(self, tokens: Tokens) -> Marks:
        return tokens.words.map(is_person_noun) > 0
