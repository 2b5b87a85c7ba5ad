"""Read what French pronouns and names are by the words around them."""

from dataclasses import replace

import numpy as np
from spacy.attrs import IS_TITLE

from ...grammar.features import ACCUSATIVE, MALE, MASC_THING, OTHER_PRONOUN, THIRD
from ...grammar.names import make_name_reader, make_title_reader
from ...grammar.schemes import OBJECT, PREPOSITION, SUBJECT
from ...grammar.tokens import Tokens, is_elided
from ...grammar.word_index import Marks, is_sign
from .nouns import is_person_noun

_ELIDED_ARTICLE, _CURLY = frozenset(("l'", "l’")), frozenset(("l’",))
_OBJECTS = frozenset("le la les l' l’ en".split())
_SUBJECTS = frozenset("je j' j’ tu il elle on ils elles ne n' n’".split())
_CLITICS = frozenset("en y lui leur me te se nous vous m' m’ t' t’ s' s’".split())
_DISJUNCTIVE = frozenset(("lui",))
_DEMONSTRATIVES = frozenset("celui celle ceux celles".split())
_DASH, _NEAR_OR_FAR = frozenset("-‐‑–"), frozenset("ci là -ci -là ‑ci ‑là".split())
_REFLEXIVES = frozenset(("se", "s'", "s’"))
_SOURCE, _THERE, _IMPERSONAL = frozenset(("en",)), frozenset(("y",)), frozenset(("on",))
_HAVE = frozenset("a avait aura aurait eut ait avoir eu".split())
# Verbs that mean something else with "en": "s'en aller".
_LEAVING = frozenset("aller retourner revenir venir".split())


def read_pronouns(tokens: Tokens) -> Tokens:
    """Read the person and the agreement of pronouns that depend on other words."""
    words, features = tokens.words, tokens.features
    person = np.where(_find_articles(tokens), 0, features.person)
    is_clitic = _find_clitics(tokens)
    person = np.where(is_clitic, THIRD, person)
    # "Celui-ci" refers back, "celui qui" doesn't.
    after = _shift(words.find(_DASH)) & _shift(words.find(_NEAR_OR_FAR), 2)
    after |= _shift(words.find(_NEAR_OR_FAR))
    is_near = words.find(_DEMONSTRATIVES) & after
    is_near &= (person == OTHER_PRONOUN) | tokens.annotation.is_pos("PROPN")
    person = np.where(is_near, THIRD, person)
    # "Pour lui" is a man, and "lui parler" a man or a woman.
    is_man = words.find(_DISJUNCTIVE) & _find_disjunctive(tokens)
    agreement = np.where(is_man, MALE | MASC_THING, features.as_pronoun)
    return tokens._replace(
        features=replace(
            features,
            as_pronoun=agreement,
            person=person,
            flags=np.where(is_clitic, ACCUSATIVE, features.flags) * (person > 0),
            is_name=(features.is_name | find_names(tokens)) & (person == 0),
        )
    )


def find_names(tokens: Tokens) -> Marks:
    """Find given names and the first words of entities: "Marie", tagged as a noun."""
    annotation, words = tokens.annotation, tokens.words
    is_named = annotation.entity > 0
    is_first = is_named & ~np.append(False, is_named[:-1])
    is_first |= words.map(make_name_reader(tokens.lexicon.lang)) > 0
    found = is_first & (tokens.doc.to_array(IS_TITLE) > 0)
    found &= annotation.is_pos("NOUN", "ADJ", "ADV", "VERB")
    is_other = words.map(make_title_reader(tokens.lexicon)) > 0
    is_other |= words.map(is_person_noun) > 0
    is_other |= words.find(tokens.lexicon.determiners)
    return found & ~is_other & (tokens.features.person == 0)


def find_bound_clitics(tokens: Tokens, is_impersonal: np.ndarray) -> Marks:
    """Find clitics that are a part of their verb and refer to nothing.

    These are the reflexives of pronominal verbs ("il s'évanouit"), which the parse
    doesn't call objects, "y" in "il y a", and "en" in "s'en aller".

    is_impersonal (numpy.ndarray): Shape (n_tokens,), bool, the impersonal "il".
    """
    annotation, words = tokens.annotation, tokens.words
    is_reflexive = words.find(_REFLEXIVES)
    found = is_reflexive & ~annotation.has_role(OBJECT) & annotation.has_dep
    leaves = annotation.lemmas.find(_LEAVING)
    leaves = _shift(leaves) | _shift(leaves, 2)
    found |= words.find(_SOURCE) & _shift(is_reflexive, -1) & leaves
    is_subject = _shift(is_impersonal, -1) | _shift(is_impersonal, -2)
    # "Y a-t-il".
    is_subject |= _shift(is_impersonal, 2) | _shift(is_impersonal, 3)
    return found | (words.find(_THERE) & is_subject & _shift(words.find(_HAVE)))


def find_closed(tokens: Tokens) -> Marks:
    """Find words that taggers take for nouns, but that are articles and clitics."""
    return (tokens.words.map(is_elided) > 0) | (tokens.words.map(is_sign) > 0)


def _find_clitics(tokens: Tokens) -> Marks:
    """Find objects that the tagger took for articles or prepositions.

    An object comes between the subject or "ne" and the verb: "il la suit", "ne le dit".
    Before a finite verb, there is no article either.
    """
    annotation, words = tokens.annotation, tokens.words
    if not annotation.has_pos:
        return np.zeros(len(words.index), dtype=bool)
    is_object = words.find(_OBJECTS) & annotation.is_pos("DET", "ADP", "NOUN")
    is_subject = words.find(_SUBJECTS)
    is_subject &= ~_shift(annotation.is_preposition, -1)
    is_finite = annotation.is_verb & annotation.has_morph("VerbForm=Fin")
    return is_object & (_shift(is_subject, -1) | _shift(is_finite))


def _find_articles(tokens: Tokens) -> np.ndarray:
    """Find elided articles, which the tagger may take for another word: "l'homme"."""
    annotation, words = tokens.annotation, tokens.words
    is_elided = words.find(_ELIDED_ARTICLE)
    # "L'on" is the same as "on".
    found = is_elided & _shift(words.find(_IMPERSONAL))
    if not annotation.has_pos:
        return found
    # Taggers know only the straight apostrophe well.
    is_told = annotation.is_pos("DET", "PRON") & ~words.find(_CURLY)
    is_verb = _shift(annotation.is_verb | words.find(_CLITICS))
    return found | (is_elided & ~is_told & ~is_verb)


def _find_disjunctive(tokens: Tokens) -> np.ndarray:
    """Find pronouns after a preposition, or that are a subject: "pour lui"."""
    annotation, lexicon = tokens.annotation, tokens.lexicon
    is_before = tokens.words.find(lexicon.cutters) & ~annotation.is_verb
    is_before |= annotation.is_preposition | tokens.words.find(lexicon.coordinators)
    found = _shift(is_before, -1)
    if annotation.has_dep:
        found |= annotation.has_child(annotation.has_role(PREPOSITION))
        found &= ~annotation.has_role(OBJECT)
        found |= annotation.has_role(SUBJECT)
    return found


def _shift(marks: np.ndarray, step: int = 1) -> np.ndarray:
    """Give each token the mark of the one `step` tokens after it."""
    found = np.zeros(len(marks), dtype=bool)
    if step > 0:
        found[:-step] = marks[step:]
    else:
        found[-step:] = marks[:step]
    return found
