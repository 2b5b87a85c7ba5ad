"""Read the features of tokens from morphology, tags, entities and the lexicon."""

from typing import Optional

import numpy as np

from . import features as bits
from .annotation import Annotation
from .lexicon import Lexicon
from .pronouns import read_personal_pronoun, read_pronouns
from .word_index import Marks, Rows, Text, has_capital, is_in_capitals, is_sign

# The tags of words that are no pronouns.
_NO_PRONOUNS = ("ADP", "AUX", "NOUN", "SCONJ", "VERB")


class Tokens(Annotation):
    """Hold the annotation of a text, and what each token gives a mention that it heads.

    The features of a pronoun are those of its form in the lexicon, of whose readings
    the morphology selects some. All other words have those of their morphology and
    entity label.
    """

    def __init__(self, doc: Text, lexicon: Optional[Lexicon] = None) -> None:
        super().__init__(doc, lexicon)
        words, lexicon = self.words, self.lexicon
        read = read_pronouns(words, lexicon, *self.morphs)
        # Pronouns that the pipeline knows, but not the lexicon.
        told = self.map_morphs(read_personal_pronoun).T
        is_told = (read[1] == 0) & self.is_pos("PRON", "DET") & (told[1] > 0)
        by_form, persons, flags = np.where(is_told, told, read)
        is_pronoun = (persons > 0) & ~find_acronyms(self)
        # Other words can have the form of a pronoun ("the mine"), but not an elided
        # one, which taggers don't know with each apostrophe.
        is_cut = words.map(is_elided) > 0
        is_pronoun &= ~self.is_pos(*_NO_PRONOUNS) | is_cut
        # A determiner before a noun is a possessive or an article: "leur", "la".
        can_own = ((flags & bits.POSSESSIVE) > 0) | words.find(lexicon.objects)
        is_alone = self.has_role("subject") | (self.verb >= 0)
        is_pronoun &= ~self.is_pos("DET") | can_own | is_alone
        is_formal = _find_formal(self)
        persons = np.where(is_formal, bits.SECOND, persons)
        by_form = np.where(is_formal, bits.PERSONS, by_form)
        # Pronouns agree with neuter nouns for people only in a document that has some.
        neuter = words.map(lexicon.read_neuter)
        has_neuter = words.count(neuter > 0) > 0
        is_name = find_names(self)
        # The agreement bits of the mention if it is a pronoun.
        self.as_pronoun = np.where(has_neuter, by_form, by_form & ~bits.NEUT_PERSON)
        # FIRST, SECOND or THIRD for personal pronouns, OTHER_PRONOUN for others, 0 for
        # other words; and the bits REFLEXIVE and so on.
        self.person = np.where(is_pronoun, persons, 0)
        self.flags = np.where(is_pronoun, flags, 0)
        self.is_name = is_name & ~is_pronoun
        found = self.map_morphs(bits.read_morph)
        # Taggers take names such as "Mr. Wiggins" for plurals.
        found = np.where(is_name & (found == bits.SEVERAL), bits.ANYTHING, found)
        # A noun of common gender can be a man or a woman: "de dokter".
        found = np.where(found & bits.PERSON, found | bits.MALE | bits.FEMALE, found)
        found = np.where(self.is_entity(*bits.PERSON_LABELS), found & bits.ONE, found)
        found = np.where(found == bits.ANYTHING, found, found & ~bits.NEUT_PERSON)
        found = np.where(found > 0, found, bits.ANYTHING)
        # The agreement bits of the mention if it is none.
        self.as_noun = np.where(found & bits.NEUT_THING, found | neuter, found)

    def set_zero_subjects(self, marks: Marks, agreement: Rows) -> None:
        """Treat the verbs that stand for their dropped subject as pronouns."""
        self.is_zero_subject = marks
        # It depends on them, and is computed again when it is read next.
        self.__dict__.pop("subject", None)
        person = np.full(len(marks), bits.THIRD)
        for value, feat in ((bits.FIRST, "Person=1"), (bits.SECOND, "Person=2")):
            is_person = self.has_morph(feat) & self.is_verb
            is_helper = is_person & self.has_role("auxiliary")
            person[is_person | self.has_child(is_helper)] = value
        self.as_pronoun = np.where(marks, agreement, self.as_pronoun)
        self.person = np.where(marks, person, self.person)
        self.flags = np.where(marks, bits.NOMINATIVE, self.flags)
        self.is_name = self.is_name & ~marks


def find_names(annotation: Annotation) -> Marks:
    """Find the words of proper names by their tags, or without tags by capital letters
    or, in a language that capitalises all nouns, by entities."""
    words, lexicon = annotation.words, annotation.lexicon
    if annotation.has_pos:
        return annotation.is_pos("PROPN")
    if lexicon.capitalises_nouns:
        return annotation.entity > 0
    closed = lexicon.pronouns | lexicon.possessives
    closed = closed | lexicon.determiners | lexicon.cutters
    is_capital = words.cased.map(has_capital) > 0
    return (is_capital & ~words.find(closed)) | find_acronyms(annotation)


def find_acronyms(annotation: Annotation) -> Marks:
    """Find acronyms with the form of a pronoun, such as "US" and "WHO", by their tags,
    or without tags in capitals between words that are not."""
    words = annotation.words
    found = words.find(annotation.lexicon.acronyms)
    if annotation.has_pos:
        return found & annotation.is_pos("PROPN")
    is_upper = words.cased.map(is_in_capitals) > 0
    beside = np.append(False, is_upper[:-1]) | np.append(is_upper[1:], False)
    return found & is_upper & ~beside


def is_elided(word: str) -> bool:
    """Check whether a word is elided before a vowel, such as "l'"."""
    return word.endswith(("'", "’"))


# The signs after which no sentence begins.
_INNER_SIGNS = frozenset(",;'’/&-")


def _find_formal(annotation: Annotation) -> Marks:
    """Find third persons that address somebody: "danke Ihnen"."""
    words = annotation.words
    found = words.find(annotation.lexicon.formal)
    begins = np.append(True, words.map(_begins_after)[:-1] > 0)
    begins[1:] |= np.diff(annotation.sentences) > 0
    return found & (words.cased.map(has_capital) > 0) & ~begins


def _begins_after(form: str) -> bool:
    """Check whether a sentence can begin after a sign, such as a quotation mark."""
    return is_sign(form) and not _INNER_SIGNS.issuperset(form)
