"""Read features of tokens from morphology, tags, entities and the lexicon.

The agreement of a mention is a set of possible readings, with a bit for each: one man,
one woman, several things, and so on. Two mentions agree if they have a common bit, and
the mentions of a cluster have to have a common bit, too. If a feature is unknown, the
bits of all its values are set.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Callable, Dict, List, Tuple

import numpy as np
from spacy.attrs import MORPH

from .annotation import Annotation
from .formal import find_formal
from .lexicon import Lexicon
from .schemes import SUBJECT
from .word_index import WordIndex

# A man, a woman, a person of unknown gender; a thing or an animal by grammatical
# gender; a group of people in the singular; several people or things by grammatical
# gender.
MALE, FEMALE, PERSON = 1, 2, 4
MASC_THING, FEM_THING, NEUT_THING = 8, 16, 32
GROUP = 64
MASC_SEVERAL, FEM_SEVERAL, NEUT_SEVERAL = 128, 256, 512
# A man and a woman referred to by a neuter noun ("das Mädchen", "het meisje"), which
# agree with neuter pronouns and, by meaning, with those of their own gender.
NEUT_MALE, NEUT_FEMALE = 1024, 2048
NEUT_PERSON = NEUT_MALE | NEUT_FEMALE
ANYTHING = 4095
ONE_PERSON = MALE | FEMALE | PERSON
THING = MASC_THING | FEM_THING | NEUT_THING
SEVERAL = MASC_SEVERAL | FEM_SEVERAL | NEUT_SEVERAL
ONE = ONE_PERSON | NEUT_PERSON | THING | GROUP
NO_PERSON = THING | GROUP | SEVERAL
# The letters of the bits in word lists.
LETTERS = {"m": MALE, "f": FEMALE, "p": PERSON, "t": THING, "g": GROUP, "s": SEVERAL}
# The bits of the entity types that a model predicts; other types leave all bits open.
_THINGS = ("object", "place", "event", "time", "abstract", "plant", "substance")
_PERSONS = ONE_PERSON | NEUT_PERSON | GROUP | SEVERAL
_TYPES = {"person": _PERSONS, **dict.fromkeys(_THINGS, NO_PERSON)}
# The person of pronouns, and of verbs whose form includes the subject.
NO_PERSON_TOLD, FIRST, SECOND, THIRD, OTHER_PRONOUN = 0, 1, 2, 3, 4

_GENDERS = {
    "Masc": MALE | NEUT_MALE | MASC_THING | MASC_SEVERAL,
    "Fem": FEMALE | NEUT_FEMALE | FEM_THING | FEM_SEVERAL,
    "Neut": NEUT_PERSON | NEUT_THING | NEUT_SEVERAL,
    "Com": PERSON | MASC_THING | FEM_THING | SEVERAL,
}
_ANIMATE = ONE_PERSON | NEUT_PERSON | SEVERAL
_ANIMACIES = {
    "Anim": _ANIMATE,
    "Hum": _ANIMATE,
    "Nhum": THING | SEVERAL,
    "Inan": THING | GROUP | SEVERAL,
}
_NUMBERS = {"Sing": ONE, "Plur": SEVERAL, "Dual": SEVERAL, "Ptan": SEVERAL}
_PERSON_LABELS = ("PERSON", "PER", "persName")
# The features by which morphology selects readings of a pronoun, beside its agreement.
_SELECTING, _KINDS = ("Case", "Person", "PronType"), ("Poss", "Reflex")
# The tags of words that are no pronouns.
_NO_PRONOUNS = ("ADP", "AUX", "NOUN", "SCONJ", "VERB")
# The flags of pronouns, by their feature in Universal Dependencies.
_FLAGS = {
    "Reflex=Yes": 1,
    "Poss=Yes": 2,
    "PronType=Dem": 4,
    "PronType=Rcp": 8,
    "Case=Nom": 16,
    "Case=Acc": 32,
}
REFLEXIVE, POSSESSIVE, DEMONSTRATIVE, RECIPROCAL, NOMINATIVE, ACCUSATIVE = (
    _FLAGS.values()
)


@dataclass
class TokenFeatures:
    """Hold the features that each token gives a mention of which it is the head.

    as_pronoun (numpy.ndarray): Shape (n_tokens,), int64, the agreement bits of the
        mention if it is a pronoun.
    as_noun (numpy.ndarray): Shape (n_tokens,), int64, the agreement bits otherwise.
    person (numpy.ndarray): Shape (n_tokens,), int64, FIRST, SECOND or THIRD for
        personal pronouns, OTHER_PRONOUN for other pronouns, 0 for other words.
    flags (numpy.ndarray): Shape (n_tokens,), int64, the bits REFLEXIVE, POSSESSIVE,
        DEMONSTRATIVE, RECIPROCAL, NOMINATIVE and ACCUSATIVE.
    is_name (numpy.ndarray): Shape (n_tokens,), bool, words of proper names.
    """

    as_pronoun: np.ndarray
    as_noun: np.ndarray
    person: np.ndarray
    flags: np.ndarray
    is_name: np.ndarray


def read_features(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> TokenFeatures:
    """Read the features of a Doc's tokens.

    The features of a pronoun are those of its form in the lexicon. If the form has
    several readings, the morphology selects among them. A pronoun that is not in the
    lexicon, and all other words, have the features of their morphology and entity
    label.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    RETURNS (TokenFeatures): The features.
    """
    morphs = annotation.doc.to_array([MORPH]).reshape(-1)
    forms, index = np.unique(morphs, return_inverse=True)
    strings = annotation.doc.vocab.strings
    feats = [strings[int(form)] for form in forms]
    masks_of_forms = [read_morph(one) for one in feats]
    by_morph = np.array(masks_of_forms, dtype=np.int64)[index]
    is_name = find_names(annotation, words, lexicon)
    by_form, persons, flags = _read_pronouns(words, lexicon, feats, index)
    # Pronouns that the pipeline knows, but not the lexicon.
    told = np.array([_read_told(one) for one in feats], dtype=np.int64)
    told = told.reshape(-1, 3)[index]
    is_told = (persons == 0) & annotation.is_pos("PRON", "DET") & (told[:, 0] > 0)
    persons, flags, by_form = np.where(is_told, told.T, (persons, flags, by_form))
    is_pronoun = (persons > 0) & ~find_acronyms(annotation, words, lexicon)
    # Other words can have the form of a pronoun ("the mine"), but not an elided one,
    # which taggers don't know with each apostrophe.
    is_cut = words.map(is_elided) > 0
    is_pronoun &= ~annotation.is_pos(*_NO_PRONOUNS) | is_cut
    # A determiner before a noun is a possessive or an article: "leur", "la".
    can_own = ((flags & POSSESSIVE) > 0) | words.find(lexicon.objects)
    is_alone = annotation.has_role(SUBJECT) | (annotation.verb >= 0)
    is_pronoun &= ~annotation.is_pos("DET") | can_own | is_alone
    is_formal = find_formal(annotation, words, lexicon)
    persons = np.where(is_formal, SECOND, persons)
    by_form = np.where(is_formal, _PERSONS, by_form)
    is_person = annotation.is_entity(*_PERSON_LABELS)
    # Taggers take names such as "Mr. Wiggins" for plurals.
    noun = np.where(is_name & (by_morph == SEVERAL), ANYTHING, by_morph)
    # A noun of common gender can be a man or a woman: Dutch "de dokter".
    noun = np.where(noun & PERSON, noun | MALE | FEMALE, noun)
    noun = np.where(is_person, noun & ONE, noun)
    # Pronouns agree with neuter nouns for people only in a document that has some.
    neuter = words.map(_make_neuter_reader(lexicon))
    noun = np.where(noun == ANYTHING, noun, noun & ~NEUT_PERSON)
    noun = np.where(noun > 0, noun, ANYTHING)
    noun = np.where(noun & NEUT_THING, noun | neuter, noun)
    if not neuter.any():
        by_form &= ~NEUT_PERSON
    return TokenFeatures(
        as_pronoun=by_form,
        as_noun=noun,
        person=np.where(is_pronoun, persons, 0),
        flags=np.where(is_pronoun, flags, 0),
        is_name=is_name & ~is_pronoun,
    )


@lru_cache(maxsize=None)
def _read_told(feats: str) -> Tuple[int, int, int]:
    """Read the person, the flags and the agreement bits of a personal pronoun from its
    morphology; 0 for all other words."""
    parts = feats.split("|")
    is_personal = "PronType=Prs" in parts or "Reflex=Yes" in parts
    if not is_personal:
        return 0, 0, 0
    # A reflexive of no person agrees with any, but needs an antecedent.
    kept = [part for part in parts if not part.startswith(("Number[", "Gender["))]
    mask, person, flags = _read_pronoun("|".join(kept))
    if "Poss=Yes" in parts:
        # Gender and number are those of the noun; layered features are the owner's.
        owner = [part.replace("[psor]", "") for part in parts if "[psor]" in part]
        mask, _, _ = _read_pronoun("|".join([*owner, "Poss=Yes"]))
    if "Reflex=Yes" in parts:
        mask = ANYTHING
    return (THIRD if person == OTHER_PRONOUN else person), flags, mask


@lru_cache(maxsize=None)
def read_morph(feats: str) -> int:
    """Read the agreement bits of a morphological analysis.

    feats (str): The features of Universal Dependencies, "Gender=Fem|Number=Sing".
    RETURNS (int): The bits; ANYTHING if the features are unknown or contradictory.
    """
    found = _split_feats(feats)
    mask = ANYTHING
    for name, table in (
        ("Gender", _GENDERS),
        ("Animacy", _ANIMACIES),
        ("Number", _NUMBERS),
    ):
        values = [
            table[value] for value in found.get(name, "").split(",") if value in table
        ]
        if values:
            mask &= np.bitwise_or.reduce(values)
    if found.get("Gender") == "Masc" and found.get("Animacy") in ("Nhum", "Inan"):
        # In Slavonic languages, only the plural of people is masculine: Polish "psy"
        # (dogs) agrees with "one", and "chłopcy" (boys) with "oni".
        is_several = bool(mask & MASC_SEVERAL)
        mask = mask & ~MASC_SEVERAL | (FEM_SEVERAL | NEUT_SEVERAL) * is_several
    return int(mask) or ANYTHING


def _split_feats(feats: str) -> Dict[str, str]:
    return dict(part.split("=", 1) for part in feats.split("|") if "=" in part)


def read_types(types: np.ndarray) -> np.ndarray:
    """Read what the entity types that a model predicts let mentions be.

    types (numpy.ndarray): Shape (n_mentions,), str, see Links.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, a bit for each possibility.
    """
    names, index = np.unique(types, return_inverse=True)
    masks = [_TYPES.get(str(name), ANYTHING) for name in names]
    return np.array(masks, dtype=np.int64)[index]


def find_names(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> np.ndarray:
    """Find the words of proper names by their tags, or without tags by capital letters.

    In languages that capitalise all nouns, entities replace capital letters.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
    """
    if annotation.has_pos:
        return annotation.is_pos("PROPN")
    if lexicon.capitalises_nouns:
        return annotation.entity > 0
    closed = lexicon.pronouns | lexicon.possessives
    closed = closed | lexicon.determiners | lexicon.cutters
    is_capital = words.cased.map(_has_capital) > 0
    is_acronym = find_acronyms(annotation, words, lexicon)
    return (is_capital & ~words.find(closed)) | is_acronym


def find_acronyms(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> np.ndarray:
    """Find acronyms with the form of a pronoun, such as "US", "IT" and "WHO".

    They are found by their tags. Without tags, they are words in capitals between words
    that are not.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
    """
    found = words.find(lexicon.acronyms)
    if annotation.has_pos:
        return found & annotation.is_pos("PROPN")
    is_upper = words.cased.map(_is_upper) > 0
    beside = np.append(False, is_upper[:-1]) | np.append(is_upper[1:], False)
    return found & is_upper & ~beside


@lru_cache(maxsize=None)
def _make_neuter_reader(lexicon: Lexicon) -> Callable[[str], int]:
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


def _has_capital(word: str) -> bool:
    return word[:1].isupper()


def is_elided(word: str) -> bool:
    """Check whether a word is elided before a vowel, such as "l'".

    word (str): The word.
    RETURNS (bool): Whether it ends with an apostrophe.
    """
    return word.endswith(("'", "’"))


def _is_upper(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def read_letters(letters: str) -> int:
    """Convert letters to agreement bits.

    letters (str): Some of the letters m, f, p, t, g and s, see LETTERS.
    RETURNS (int): The bits.
    """
    return sum(LETTERS[letter] for letter in letters)


def write_letters(mask: int) -> str:
    """Convert agreement bits to letters.

    mask (int): The bits.
    RETURNS (str): The letters, in the order of LETTERS.
    """
    return "".join(letter for letter, bits in LETTERS.items() if mask & bits)


class _PronounReader:
    """Look up the readings of a lexicon's pronouns.

    There is one reader for each lexicon, since WordIndex caches the results of its
    methods.

    lexicon (Lexicon): The lexicon.

    ATTRIBUTES:
        feats (List[str]): The features of each reading; "" for the first entry, which
            is no reading.
        table (numpy.ndarray): Shape (n_readings, 3), int64, the agreement bits, the
            person and the flags of each reading.
        readings (List[Callable[[str], int]]): The n-th function returns the number of a
            form's n-th reading; 0 if the form has fewer readings.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.feats = ["", *lexicon.features]
        rows = [(0, 0, 0), *map(_read_pronoun, lexicon.features)]
        self.table = np.array(rows, dtype=np.int64)
        self.numbers: Dict[str, List[int]] = {}
        for number, forms in enumerate(lexicon.features.values(), 1):
            for form in forms.split():
                self.numbers.setdefault(form, []).append(number)
        n_readings = max(map(len, self.numbers.values()), default=1)
        self.readings = [partial(self._read_number, i) for i in range(n_readings)]

    def _read_number(self, reading: int, form: str) -> int:
        numbers = self.numbers.get(form, ())
        return numbers[reading] if reading < len(numbers) else 0


def _read_pronouns(
    words: WordIndex, lexicon: Lexicon, feats: List[str], index: np.ndarray
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read the agreement bits, the person and the flags of pronouns; 0 of other words.

    The morphology selects readings of a form, but doesn't change their features.
    `feats` has the document's morphological analyses, and `index` that of each token.
    """
    reader = _make_reader(lexicon)
    numbers = np.stack([words.map(read) for read in reader.readings])
    mask, person, flags = np.zeros((3, len(index)), dtype=np.int64)
    (tokens,) = np.nonzero(numbers[0])
    if not len(tokens):
        return mask, person, flags
    numbers = numbers[:, tokens]
    pairs, places = np.unique(numbers * len(feats) + index[tokens], return_inverse=True)
    fits = [
        _is_fit(reader.feats[number], feats[form])
        for number, form in zip(*np.divmod(pairs, len(feats)), strict=True)
    ]
    exists = numbers > 0
    chosen = np.array(fits)[places].reshape(numbers.shape) & exists
    chosen = np.where(chosen.any(0), chosen, exists)
    masks, persons, all_flags = np.moveaxis(reader.table[numbers], 2, 0)
    mask[tokens] = np.bitwise_or.reduce(np.where(chosen, masks, 0))
    person[tokens] = np.take_along_axis(persons, chosen.argmax(0)[None], 0)[0]
    # A form can be in several cases, but it is only a possessive or a reflexive if it
    # can't be anything else.
    either = np.bitwise_or.reduce(np.where(chosen, all_flags, 0))
    both = np.bitwise_and.reduce(np.where(chosen, all_flags, -1))
    cases = NOMINATIVE | ACCUSATIVE
    flags[tokens] = (either & cases) | (both & ~cases)
    return mask, person, flags


@lru_cache(maxsize=None)
def _is_fit(reading: str, feats: str) -> bool:
    """Check whether a morphological analysis fits a reading of a pronoun."""
    one, other = _split_feats(reading), _split_feats(feats)
    for name in _SELECTING:
        values = [set(found.get(name, "").split(",")) - {""} for found in (one, other)]
        if all(values) and values[0].isdisjoint(values[1]):
            return False
    # An analysis that has the type of the pronoun has these features, too.
    is_full = other.get("PronType") == "Prs" or "Poss" in other or "Reflex" in other
    if is_full and any((name in one) != (name in other) for name in _KINDS):
        return False
    if "Poss" in one:
        # Gender and number of a possessive can be those of the noun that follows.
        names = [name for name in other if name.endswith("[psor]")]
        feats = "|".join(f"{name[:-6]}={other[name]}" for name in names)
    return (read_morph(reading) & read_morph(feats)) > 0


def list_pronouns(lexicon: Lexicon) -> Dict[str, Tuple[str, int]]:
    """List the personal pronouns of a lexicon, including possessives and reflexives.

    lexicon (Lexicon): The lexicon.
    RETURNS (Dict[str, Tuple[str, int]]): For each form, its agreement as letters, see
        LETTERS, and its person, from 1 to 3.
    """
    reader = _make_reader(lexicon)
    found = {}
    for form, numbers in reader.numbers.items():
        masks, persons, _ = reader.table[numbers].T
        if persons[0] != OTHER_PRONOUN:
            letters = write_letters(int(np.bitwise_or.reduce(masks)))
            found[form] = letters, int(persons[0])
    return found


@lru_cache(maxsize=None)
def has_plural_genders(lexicon: Lexicon) -> bool:
    """Check whether a language has plural pronouns of different genders ("ils").

    lexicon (Lexicon): The lexicon.
    RETURNS (bool): Whether a pronoun of the third person plural has a gender.
    """
    wanted = {"Number=Plur", "Person=3"}
    return any(
        wanted.issubset(feats.split("|")) and "Gender=" in feats
        for feats in lexicon.features
    )


@lru_cache(maxsize=None)
def _make_reader(lexicon: Lexicon) -> _PronounReader:
    return _PronounReader(lexicon)


def _read_pronoun(feats: str) -> Tuple[int, int, int]:
    """Read the agreement bits, the person and the flags of a pronoun's features."""
    found = _split_feats(feats)
    mask = read_morph(feats)
    if found.get("Person") in ("1", "2"):
        mask &= _PERSONS
    if found.get("Number") == "Plur":
        # A plural pronoun can refer to a group: "the team … they".
        mask |= GROUP
    person = int(found.get("Person", OTHER_PRONOUN))
    flags = sum(bit for feat, bit in _FLAGS.items() if feat in feats.split("|"))
    return int(mask), person, flags
