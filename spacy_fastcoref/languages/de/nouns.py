"""Find German nouns for people, with their compounds and feminine forms."""

from ...grammar.resources import read_words

LANG = "de"
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


def is_person(word: str) -> bool:
    """Check whether a noun is for people.

    The head of a compound is its last part ("Konzernchefin"), and feminine forms and
    plurals count, also those with an umlaut ("Ärztin", "Söhne").

    word (str): The noun in lower case.
    RETURNS (bool): Whether it is in the list or derived from a noun in it.
    """
    nouns = read_words(LANG, "people")
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
