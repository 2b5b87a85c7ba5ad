"""Read the agreement of French nouns from determiners and a list of people."""

import numpy as np

from ...grammar import features as bits
from ...grammar.annotation import Annotation
from ...grammar.lexicon import get_lexicon
from ...grammar.mention_features import MentionFeatures
from ...grammar.reading import make_determiner_reader, read_determiners, read_names
from ...grammar.resources import read_table
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows

# The bits of people, one or several.
_MASCULINE, _FEMININE = bits.MALE | bits.MASC_SEVERAL, bits.FEMALE | bits.FEM_SEVERAL
_PEOPLE = _MASCULINE | _FEMININE | bits.ONE_PERSON
# Endings of nouns for people, and the masculine endings of feminine ones: "actrice" is
# the feminine of "acteur".
_EITHER = ("iste", "logue", "thérapeute")
_ENDINGS = (
    ("trice", "teur"),
    ("euse", "eur"),
    ("eresse", "eur"),
    ("esse", "e"),
    ("enne", "en"),
    ("onne", "on"),
    ("ère", "er"),
    ("elle", "el"),
    ("ve", "f"),
    ("se", "x"),
    ("e", ""),
)
_PLACE_LABELS = ("LOC", "GPE")


def read_nouns(facts: MentionFeatures) -> Rows:
    """Read the agreement bits of nouns and names, and find nouns that may be things.

    Determiners take precedence over tags: "élève" has the gender of its determiner.
    """
    words, heads, tokens = facts.words, facts.heads, facts.tokens
    is_person = tokens.is_entity(*bits.PERSON_LABELS)[heads]
    known = words.map(find_noun_mask)[heads]
    title = words.map(facts.lexicon.read_title)[heads]
    for mask, people in ((bits.MALE, _MASCULINE), (bits.FEMALE, _FEMININE)):
        known = np.where((title == mask) & ~facts.is_name, people, known)
    determined = _read_determiner(facts)
    is_someone = ((determined & known & _PEOPLE) > 0) & (known != bits.ANYTHING)
    determined = np.where(is_someone, determined & known, determined)
    found = _narrow(_read_tagger(facts, known), determined)
    # "Paris" is not a man.
    is_place = tokens.is_entity(*_PLACE_LABELS)[heads]
    found = np.where(is_place, _narrow(found, bits.NO_PERSON), found)
    is_named = is_person & facts.is_name
    found = np.where(is_named, _narrow(found, bits.ONE_PERSON | bits.SEVERAL), found)
    is_group = (known == bits.GROUP) & ((found & bits.ONE) > 0)
    found = np.where(is_group, found | bits.GROUP, found)
    names = read_names(facts)
    is_named_thing = (names & bits.THING) > 0
    for person, other in ((bits.MALE, bits.FEM_THING), (bits.FEMALE, bits.MASC_THING)):
        is_one = is_named_thing & ((names & bits.ONE_PERSON) == person)
        names = np.where(is_one, names & ~other, names)
    found = np.where(facts.is_name, _narrow(found, names), found)
    is_noun = tokens.is_pos("NOUN")[heads] & (facts.person == 0)
    facts.is_lifeless = is_noun & (known == bits.ANYTHING) & ~is_person
    facts.is_lifeless &= (found & bits.SEVERAL) == 0
    return found


def find_bare(tokens: Tokens) -> Marks:
    """Find nouns that refer to nothing, without a determiner: "avoir besoin"."""
    words, lexicon = tokens.words, tokens.lexicon
    if not tokens.has_dep or not tokens.has_pos:
        return np.zeros(len(words.index), dtype=bool)
    is_used_alone = _read_articles(tokens) != bits.ANYTHING
    is_used_alone |= tokens.has_child(tokens.is_pos("DET", "NUM"))
    is_used_alone |= tokens.has_role("apposition", "conjunct")
    is_used_alone |= tokens.has_child(tokens.has_role("conjunct"))
    # Nouns for people can be used like names: "maman".
    is_used_alone |= words.map(is_person_noun) > 0
    is_used_alone |= words.map(lexicon.read_title) > 0
    is_used_alone |= tokens.is_name
    return tokens.is_pos("NOUN") & ~is_used_alone


def _narrow(mask: Rows, other: Rows) -> Rows:
    """Intersect bits; where there are no common ones, the other ones are surer."""
    return np.where((mask & other) > 0, mask & other, other)


def _read_tagger(facts: MentionFeatures, known: Rows) -> Rows:
    """Read the bits of tags, which are guesses for names and nouns of both genders."""
    found = facts.tokens.as_noun[facts.heads]
    is_either = (known & _PEOPLE) == _PEOPLE
    is_one, is_several = (found & bits.ONE) > 0, (found & bits.SEVERAL) > 0
    number = np.where(is_several, bits.ANYTHING, bits.ONE)
    number = np.where(is_one, number, bits.SEVERAL)
    found = np.where(is_either & (known != bits.ANYTHING), number, found)
    return np.where(facts.is_name, bits.ANYTHING, found)


def _read_determiner(facts: MentionFeatures) -> Rows:
    """Read the bits of determiners, without the gender of nouns that don't have one."""
    words, heads = facts.words, facts.heads
    if facts.tokens.has_dep:
        found = _read_articles(facts.tokens)[heads]
    else:
        found = read_determiners(facts)
        # The list of nouns has those for groups.
        found = np.where(found == bits.ANYTHING, found, found & ~bits.GROUP)
    letters = words.map(_read_openness)[heads]
    is_open = (letters == 2) | ((letters == 1) & ((found & bits.MALE) > 0))
    people = bits.ONE_PERSON * ((found & bits.ONE) > 0)
    people |= bits.SEVERAL * ((found & bits.SEVERAL) > 0)
    return np.where(is_open, found | people, found)


def is_person_noun(form: str) -> bool:
    """Check whether a noun is one for people."""
    return _find_letters(form) not in ("", "gt")


def find_noun_mask(form: str) -> int:
    """Find what a noun can be, one or several; ANYTHING if it is not known."""
    letters = _find_letters(form)
    if "g" in letters:
        return bits.GROUP
    known = {"": bits.ANYTHING, "m": _MASCULINE, "f": _FEMININE}
    return known.get(letters, _PEOPLE)


def _find_letters(form: str) -> str:
    known = read_table("fr", "nouns")
    for noun in (form, form[:-1] if form.endswith(("s", "x")) else ""):
        if noun in known:
            return known[noun][0]
        if noun.endswith(_EITHER) and noun not in get_lexicon("fr").lists["not people"]:
            return "p"
        for ending, masculine in _ENDINGS:
            stem = noun.removesuffix(ending)
            if stem != noun and known.get(stem + masculine) == ("m",):
                return "f"
    return ""


def _read_openness(form: str) -> int:
    """Read whether a noun's gender tells that of nobody (2), or not after "le" (1)."""
    return {"mfp": 2, "mf": 1}.get(_find_letters(form), 0)


def _read_articles(annotation: Annotation) -> Rows:
    """Read what each noun's determiner says by the parse: "une" is one, feminine."""
    masks = annotation.words.map(make_determiner_reader(annotation.lexicon))
    found = np.full(len(masks), bits.ANYTHING)
    (before,) = np.nonzero((masks > 0) & (annotation.heads > np.arange(len(masks))))
    before = before[~annotation.is_pos("PRON")[before]]
    np.bitwise_and.at(found, annotation.heads[before], masks[before])
    return np.where(found > 0, found, bits.ANYTHING)
