"""Answer what the grammar of a language says about the words of a text."""

from typing import List, Optional

import numpy as np
from spacy.attrs import IS_LOWER
from spacy.tokens import Doc

from . import features as bits
from .mention_features import MentionFeatures
from .mentions import find_close_appositions
from .reading import read_determiners, read_names
from .tokens import Tokens
from .word_index import Marks, Rows, find_next, is_sign

# Labels of the words of a name or of a fixed expression that are not its head.
_NAME_PARTS = ("compound", "flat", "flat:name", "flat:foreign", "fixed", "pnc")
# The maximum number of words between a determiner and its noun, without a parse.
_MAX_MODIFIERS = 3
# The maximum distance of the verb from an expletive, and of the clause from the verb.
_TO_VERB, _TO_CLAUSE = 5, 7
# The roles of an extraposed clause.
_CLAUSAL = ("clausal subject", "complement", "open complement")
# Bits of agreement that are feminine.
_FEMININE = bits.FEMALE | bits.FEM_THING | bits.FEM_SEVERAL


class Grammar:
    """Answer what a language's grammar says, by lexicon and annotation.

    This is where a language differs: override one method in a subclass of Rules, see
    there. The arrays of all methods that take Tokens have one entry a token.
    """

    def find_zero_subjects(self, tokens: Tokens) -> Marks:
        """Find verbs that stand for a subject that the language drops: "Wróciła".

        By default, these are the finite verbs without a subject, in a language whose
        lexicon has `drops_subjects`. A conjunct shares the subject of the verb before
        it. Override this to leave out impersonal verbs.
        """
        found = np.zeros(len(tokens.words.index), dtype=bool)
        if not tokens.lexicon.drops_subjects or not tokens.has_dep:
            return found
        index = np.arange(len(found))
        is_finite = tokens.is_verb & tokens.has_morph("VerbForm=Fin")
        is_helper = tokens.has_role("auxiliary")
        clauses = np.where(is_helper, tokens.heads, index)
        is_open = is_finite & (tokens.subject[clauses] < 0)
        # Of the finite words of a clause, the first one stands for the subject.
        _, places = np.unique(clauses[is_open], return_index=True)
        found[index[is_open][places]] = True
        return found

    def read_zero_subjects(self, tokens: Tokens) -> np.ndarray:
        """Read the agreement bits of the subjects that verbs stand for.

        By default, they come from the morphology of the verb.

        RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the bits of
            grammar/features.py. Those of other words are not used.
        """
        return tokens.as_noun

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        """Find pronouns that refer to nothing: "it rains".

        By default, these are the lexicon's `expletives` that the parse marks as such,
        subjects of `weather_verbs`, and those with an extraposed clause.
        """
        words, lexicon = tokens.words, tokens.lexicon
        found = np.zeros(len(words.index), dtype=bool)
        may_be_expletive = words.find(lexicon.expletives)
        if not may_be_expletive.any():
            return found
        is_weather = words.find(lexicon.weather_verbs)
        extraposes = words.find(lexicon.extraposing)
        if tokens.has_dep:
            # The order of the words is free: "Gestern regnete es", "Is it clear that".
            is_clausal = tokens.has_role(*_CLAUSAL)
            is_empty = is_weather | (extraposes & tokens.has_child(is_clausal))
            is_subject = tokens.has_role("subject", "expletive")
            is_empty = is_subject & is_empty[tokens.heads]
            found |= may_be_expletive & (tokens.has_role("expletive") | is_empty)
        is_helper = words.find(lexicon.auxiliaries | lexicon.degrees)
        is_copula = words.find(lexicon.copulas)
        opens = words.find(lexicon.complementizers)
        is_end = words.map(is_sign) > 0
        (rows,) = np.nonzero(may_be_expletive[:-1])
        lasts = np.minimum(words.edges[1][rows], rows + _TO_VERB)
        verbs = np.minimum(find_next(~is_helper, rows + 1), lasts)
        verbs = np.maximum(verbs, rows + 1)
        # "It is …", "it would have been …": the copula may be an auxiliary, too.
        begins = verbs + (is_copula & ~extraposes)[verbs]
        clauses = find_next(opens & ~extraposes, verbs)
        holds = find_next(is_copula, rows + 1) <= verbs
        holds &= find_next(extraposes, begins) < np.minimum(begins + 3, len(found))
        holds &= clauses < np.minimum(verbs + _TO_CLAUSE, len(found))
        holds &= (clauses <= find_next(is_end, verbs)) & ~is_weather[verbs]
        found[rows] |= is_weather[verbs]
        rows, clauses = rows[holds], clauses[holds]
        found[rows] = _are_extraposed(tokens, rows, clauses)
        return found

    def find_verbs(self, tokens: Tokens) -> Marks:
        """Find verbs that can't be mentions, such as "is".

        A verb that stands for a dropped subject is a mention anyway, see
        find_zero_subjects.
        """
        words, lexicon = tokens.words, tokens.lexicon
        found = words.find((lexicon.auxiliaries | lexicon.copulas) - lexicon.clitics)
        # A name of the same form is capitalised: "Will".
        is_lower = tokens.doc.to_array(IS_LOWER) > 0
        return found & (tokens.is_pos("AUX") if tokens.has_pos else is_lower)

    def find_anaphors(self, tokens: Tokens) -> Marks:
        """Find words that need an antecedent.

        By default, these are pronouns of the third person, including possessives and
        reflexives, and reciprocals; and verbs that stand for a subject of the third
        person. Pleonastic pronouns are not: read() leaves them out.
        """
        is_other = tokens.person == bits.OTHER_PRONOUN
        is_reciprocal = is_other & ((tokens.flags & bits.RECIPROCAL) > 0)
        return (tokens.person == bits.THIRD) | is_reciprocal

    def find_nouns(self, tokens: Tokens) -> Marks:
        """Find the heads of independent noun phrases, which an anaphor can refer to.

        By default, these are nouns and names, without the parts of longer names and of
        fixed expressions, and without close appositions ("my sister Ann").
        """
        found = tokens.is_name
        if tokens.has_pos:
            found = tokens.is_pos("NOUN", "PROPN")
        is_part = tokens.has_label(*_NAME_PARTS) & found[tokens.heads]
        is_part |= tokens.has_role("expletive")
        is_part |= find_close_appositions(tokens) & found[tokens.heads]
        return found & ~is_part & (tokens.person == 0)

    def find_groups(self, tokens: Tokens) -> np.ndarray:
        """Find the first member of the coordination that each word is a member of.

        RETURNS (numpy.ndarray): Shape (n_tokens,), int64; a word that is no member of a
            coordination has itself.
        """
        first, index = tokens.first_conjunct, np.arange(len(tokens.words.index))
        is_nominal = tokens.is_nominal | (tokens.person > 0)
        return np.where(is_nominal & is_nominal[first], first, index)

    def find_comitatives(self, tokens: Tokens) -> np.ndarray:
        """Find whom companions join by a preposition: "Piotr z Kasią".

        By default, there are none. For a companion of a zero subject ("przyszli z
        Kasią"), return the verb.

        RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the word that each companion
            joins; -1 for other words.
        """
        return np.full(len(tokens.words.index), -1)

    def find_alternatives(self, tokens: Tokens) -> Marks:
        """Find coordinations of alternatives: "Peter or Paul".

        By default, these have a coordinator other than the lexicon's `conjunction`,
        which is in the lexicon's `alternatives`.

        RETURNS (Marks): Coordinators of alternatives.
        """
        return tokens.words.find(tokens.lexicon.alternatives)

    def find_definite(self, tokens: Tokens) -> Marks:
        """Find the heads of noun phrases that are definite, or could be.

        By default, these have a definite article, a demonstrative or a possessive; or
        no determiner, in a language whose lexicon has no articles.
        """
        is_marked = self._is_definite(tokens)
        if tokens.lexicon.definites:
            return is_marked & self._may_be_noun(tokens)
        return is_marked | (self._may_be_noun(tokens) & ~self._is_indefinite(tokens))

    def find_demonstrated(self, tokens: Tokens) -> Marks:
        """Find the heads of noun phrases with a demonstrative: "this dog"."""
        marks = tokens.has_morph("PronType=Dem")
        return _find_determined(tokens, marks) & self._may_be_noun(tokens)

    def find_indefinite(self, tokens: Tokens) -> Marks:
        """Find the heads of noun phrases that are indefinite, or could be.

        By default, these have an indefinite determiner; or no determiner.
        """
        is_bare = self._may_be_noun(tokens) & ~self._is_definite(tokens)
        return self._is_indefinite(tokens) | (is_bare & ~tokens.is_name)

    def _is_definite(self, tokens: Tokens) -> Marks:
        lexicon = tokens.lexicon
        marks = tokens.words.find(lexicon.definites | lexicon.possessives)
        marks |= tokens.has_morph("Definite=Def", "PronType=Dem", "Poss=Yes")
        return _find_determined(tokens, marks)

    def _is_indefinite(self, tokens: Tokens) -> Marks:
        marks = tokens.words.find(tokens.lexicon.indefinites)
        marks |= tokens.has_morph("Definite=Ind", "PronType=Ind")
        return _find_determined(tokens, marks) & self._may_be_noun(tokens)

    def _may_be_noun(self, tokens: Tokens) -> Marks:
        """Find nouns; without tags, any word can be one."""
        return tokens.once(self.find_nouns) if tokens.has_pos else tokens.person == 0

    def join_agreement(self, facts: MentionFeatures, members: np.ndarray) -> np.ndarray:
        """Read the agreement bits of coordinations from those of their members.

        By default, they are several. In a language whose lexicon has plural pronouns of
        different genders, they are feminine if all members are, and not feminine if a
        member can't be.

        facts (MentionFeatures): The features of the mentions, with `agreement`.
        members (numpy.ndarray): Shape (n_groups, n_members), int64, the agreement bits
            of the members of each coordination; -1 for padding.
        RETURNS (numpy.ndarray): Shape (n_groups,), int64.
        """
        if not facts.lexicon.has_plural_genders:
            return np.full(len(members), bits.SEVERAL)
        can_be_feminine = ((members & _FEMININE) > 0).all(axis=1)
        is_feminine = (((members & ~_FEMININE) == 0) | (members < 0)).all(axis=1)
        found = np.where(
            can_be_feminine, bits.SEVERAL, bits.SEVERAL & ~bits.FEM_SEVERAL
        )
        return np.where(is_feminine, bits.FEM_SEVERAL, found)

    def inflect_name(self, name: str, gender: str) -> List[str]:
        """List the forms of a name.

        name (str): The name in lower case, in any form that tells the others.
        gender (str): "m", "f", or "" if it is not known.
        RETURNS (List[str]): The forms in a fixed order, the name in dictionaries first.
        """
        return [name]

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns.

        By default, those of names come from titles and given names, and those of other
        mentions from their determiner, and the morphology and the entity label of the
        head. Override this for a language with word lists of nouns.

        RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py.
            The values for pronouns and coordinations are not used.
        """
        by_head = facts.tokens.as_noun[facts.heads]
        by_name = np.where(facts.is_name, read_names(facts), bits.ANYTHING)
        found = by_head
        for other in (by_name, read_determiners(facts)):
            found = np.where((found & other) > 0, found & other, other)
        return found

    def find_person_nouns(self, tokens: Tokens) -> Optional[Marks]:
        """Find nouns for people, which can be used like names: "Mother".

        RETURNS (Optional[numpy.ndarray]): Shape (n_tokens,), bool; None if the language
            has no list of such nouns.
        """
        return None

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens of a document, with zero subjects as pronouns."""
        tokens = Tokens(doc)
        is_zero_subject = self.find_zero_subjects(tokens)
        if is_zero_subject.any():
            tokens.set_zero_subjects(is_zero_subject, self.read_zero_subjects(tokens))
        return tokens


def _find_determined(tokens: Tokens, marks: np.ndarray) -> np.ndarray:
    """Find words with a marked determiner, or that are marked themselves."""
    is_noun = tokens.is_pos("NOUN", "PROPN")
    if tokens.has_dep:
        return tokens.has_child(marks & ~is_noun) | (marks & is_noun)
    if tokens.has_pos:
        is_between = tokens.is_pos("ADJ", "NUM")
    else:
        lexicon = tokens.lexicon
        is_between = ~tokens.words.find(lexicon.cutters | lexicon.coordinators)
        is_between &= tokens.words.map(is_sign) == 0
    reached = found = marks & ~is_noun
    for _ in range(_MAX_MODIFIERS + 1):
        reached = np.append(False, reached[:-1])
        found = found | reached
        reached = reached & is_between
    return found


def _are_extraposed(tokens: Tokens, pronouns: Rows, markers: Rows) -> Marks:
    """Check which clauses belong to the predicate; all of them without a parse."""
    is_clausal, predicates = tokens.has_role(*_CLAUSAL), tokens.heads[pronouns]
    found = np.full(len(pronouns), not tokens.has_dep)
    is_open = ~found
    # The marker is below the clause, and the clause below the predicate.
    for _ in range(3):
        found |= is_open & is_clausal[markers]
        markers = tokens.heads[markers]
        is_open &= markers != predicates
    return found
