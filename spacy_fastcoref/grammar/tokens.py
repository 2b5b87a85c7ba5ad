"""Read the features of tokens from morphology, tags, entities and the lexicon."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Callable, NamedTuple

import numpy as np
from spacy.tokens import Doc

from .annotation import Annotation
from .features import (
    ANYTHING,
    FEMALE,
    FIRST,
    MALE,
    NEUT_FEMALE,
    NEUT_MALE,
    NEUT_PERSON,
    NEUT_THING,
    NOMINATIVE,
    ONE,
    PERSON,
    PERSON_LABELS,
    PERSONS,
    POSSESSIVE,
    SECOND,
    SEVERAL,
    THIRD,
    read_morph,
)
from .lexicon import Lexicon
from .pronouns import read_personal_pronoun, read_pronouns
from .schemes import AUXILIARY, SUBJECT
from .word_index import Marks, WordIndex, has_capital, is_sign

# The tags of words that are no pronouns.
_NO_PRONOUNS = ("ADP", "AUX", "NOUN", "SCONJ", "VERB")


@dataclass
class TokenFeatures:
    """Hold the features that each token gives a mention of which it is the head.

    as_pronoun (numpy.ndarray): Shape (n_tokens,), int64, the agreement bits of the
        mention if it is a pronoun.
    as_noun (numpy.ndarray): Shape (n_tokens,), int64, the agreement bits otherwise.
    person (numpy.ndarray): Shape (n_tokens,), int64, FIRST, SECOND or THIRD for
        personal pronouns, OTHER_PRONOUN for other pronouns, 0 for other words.
    flags (numpy.ndarray): Shape (n_tokens,), int64, the bits REFLEXIVE, POSSESSIVE,
        DEMONSTRATIVE, RECIPROCAL, NOMINATIVE, ACCUSATIVE and DATIVE.
    is_name (numpy.ndarray): Shape (n_tokens,), bool, words of proper names.
    """

    as_pronoun: np.ndarray
    as_noun: np.ndarray
    person: np.ndarray
    flags: np.ndarray
    is_name: np.ndarray


def read_features(annotation: Annotation) -> TokenFeatures:
    """Read the features of a Doc's tokens.

    The features of a pronoun are those of its form in the lexicon. If the form has
    several readings, the morphology selects among them. A pronoun that is not in the
    lexicon, and all other words, have the features of their morphology and entity
    label.
    """
    words, lexicon = annotation.words, annotation.lexicon
    by_morph = annotation.map_morphs(read_morph)
    is_name = find_names(annotation)
    by_form, persons, flags = read_pronouns(words, lexicon, *annotation.morphs)
    # Pronouns that the pipeline knows, but not the lexicon.
    told = annotation.map_morphs(read_personal_pronoun)
    is_told = (persons == 0) & annotation.is_pos("PRON", "DET") & (told[:, 0] > 0)
    persons, flags, by_form = np.where(is_told, told.T, (persons, flags, by_form))
    is_pronoun = (persons > 0) & ~find_acronyms(annotation)
    # Other words can have the form of a pronoun ("the mine"), but not an elided one,
    # which taggers don't know with each apostrophe.
    is_cut = words.map(is_elided) > 0
    is_pronoun &= ~annotation.is_pos(*_NO_PRONOUNS) | is_cut
    # A determiner before a noun is a possessive or an article: "leur", "la".
    can_own = ((flags & POSSESSIVE) > 0) | words.find(lexicon.objects)
    is_alone = annotation.has_role(SUBJECT) | (annotation.verb >= 0)
    is_pronoun &= ~annotation.is_pos("DET") | can_own | is_alone
    is_formal = find_formal(annotation)
    persons = np.where(is_formal, SECOND, persons)
    by_form = np.where(is_formal, PERSONS, by_form)
    is_person = annotation.is_entity(*PERSON_LABELS)
    # Taggers take names such as "Mr. Wiggins" for plurals.
    noun = np.where(is_name & (by_morph == SEVERAL), ANYTHING, by_morph)
    # A noun of common gender can be a man or a woman: Dutch "de dokter".
    noun = np.where(noun & PERSON, noun | MALE | FEMALE, noun)
    noun = np.where(is_person, noun & ONE, noun)
    # Pronouns agree with neuter nouns for people only in a document that has some.
    neuter = words.map(make_neuter_reader(lexicon))
    noun = np.where(noun == ANYTHING, noun, noun & ~NEUT_PERSON)
    noun = np.where(noun > 0, noun, ANYTHING)
    noun = np.where(noun & NEUT_THING, noun | neuter, noun)
    has_neuter = words.count(neuter > 0) > 0
    by_form = np.where(has_neuter, by_form, by_form & ~NEUT_PERSON)
    return TokenFeatures(
        as_pronoun=by_form,
        as_noun=noun,
        person=np.where(is_pronoun, persons, 0),
        flags=np.where(is_pronoun, flags, 0),
        is_name=is_name & ~is_pronoun,
    )


def find_names(annotation: Annotation) -> Marks:
    """Find the words of proper names by their tags, or without tags by capital letters.

    In languages that capitalise all nouns, entities replace capital letters.
    """
    words, lexicon = annotation.words, annotation.lexicon
    if annotation.has_pos:
        return annotation.is_pos("PROPN")
    if lexicon.capitalises_nouns:
        return annotation.entity > 0
    closed = lexicon.pronouns | lexicon.possessives
    closed = closed | lexicon.determiners | lexicon.cutters
    is_capital = words.cased.map(has_capital) > 0
    is_acronym = find_acronyms(annotation)
    return (is_capital & ~words.find(closed)) | is_acronym


def find_acronyms(annotation: Annotation) -> Marks:
    """Find acronyms with the form of a pronoun, such as "US", "IT" and "WHO".

    They are found by their tags. Without tags, they are words in capitals between words
    that are not.
    """
    words, lexicon = annotation.words, annotation.lexicon
    found = words.find(lexicon.acronyms)
    if annotation.has_pos:
        return found & annotation.is_pos("PROPN")
    is_upper = words.cased.map(_is_upper) > 0
    beside = np.append(False, is_upper[:-1]) | np.append(is_upper[1:], False)
    return found & is_upper & ~beside


@lru_cache(maxsize=None)
def make_neuter_reader(lexicon: Lexicon) -> Callable[[str], int]:
    """Make a function that reads what people a neuter noun is for; 0 for none.

    The head of a compound is its last part: "Schulkind".
    """
    masks = {
        noun: NEUT_MALE * ("m" in letters) | NEUT_FEMALE * ("f" in letters)
        for letters, nouns in lexicon.neuter_people.items()
        for noun in nouns
    }
    nouns = tuple(masks)

    def read(word: str) -> int:
        if not word.endswith(nouns):
            return 0
        return masks[max((noun for noun in nouns if word.endswith(noun)), key=len)]

    return read


def is_elided(word: str) -> bool:
    """Check whether a word is elided before a vowel, such as "l'"."""
    return word.endswith(("'", "’"))


def _is_upper(word: str) -> bool:
    return len(word) > 1 and word.isupper()


# The signs after which no sentence begins.
_INNER_SIGNS = frozenset(",;'’/&-")


def find_formal(annotation: Annotation) -> Marks:
    """Find third persons that address somebody, by their capital letter: "danke Ihnen".

    At the beginning of a sentence, any pronoun has a capital letter.
    """
    words, lexicon = annotation.words, annotation.lexicon
    found = words.find(lexicon.formal)
    if not found.any():
        return found
    begins = np.append(True, words.map(_begins_after)[:-1] > 0)
    begins[1:] |= np.diff(annotation.sentences) > 0
    return found & (words.cased.map(has_capital) > 0) & ~begins


def _begins_after(form: str) -> bool:
    """Check whether a sentence can begin after a sign, such as a quotation mark."""
    return is_sign(form) and not _INNER_SIGNS.issuperset(form)


class Tokens(NamedTuple):
    """Hold the annotation, the words and the features of a document's tokens.

    doc (Doc): The document.
    annotation (Annotation): Its annotation, with roles, tags and morphology.
    words (WordIndex): Its words.
    lexicon (Lexicon): The closed-class words of its language.
    features (TokenFeatures): The features of the tokens.
    """

    doc: Doc
    annotation: Annotation
    words: WordIndex
    lexicon: Lexicon
    features: TokenFeatures


def read_tokens(doc: Doc) -> Tokens:
    """Read the tokens of a document."""
    annotation = Annotation(doc)
    words, lexicon = annotation.words, annotation.lexicon
    return Tokens(doc, annotation, words, lexicon, read_features(annotation))


def add_zero_subjects(
    tokens: Tokens, is_zero_subject: np.ndarray, agreement: np.ndarray
) -> Tokens:
    """Treat the verbs that stand for their dropped subject as pronouns."""
    if not is_zero_subject.any():
        return tokens
    annotation, features = tokens.annotation, tokens.features
    annotation.set_zero_subjects(is_zero_subject)
    person = np.full(len(agreement), THIRD)
    for value, feat in ((FIRST, "Person=1"), (SECOND, "Person=2")):
        is_person = annotation.has_morph(feat) & annotation.is_verb
        is_helper = is_person & annotation.has_role(AUXILIARY)
        person[is_person | annotation.has_child(is_helper)] = value
    return tokens._replace(
        features=replace(
            features,
            as_pronoun=np.where(is_zero_subject, agreement, features.as_pronoun),
            person=np.where(is_zero_subject, person, features.person),
            flags=np.where(is_zero_subject, NOMINATIVE, features.flags),
            is_name=features.is_name & ~is_zero_subject,
        )
    )
