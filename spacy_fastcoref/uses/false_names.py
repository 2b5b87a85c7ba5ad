"""Choose false names that fit the place of true ones, and are not in a text."""

import importlib
import random
import re
from functools import lru_cache
from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

from ..errors import Errors, check_known
from ..grammar.auto import find_rules
from ..grammar.features import PERSON_LABELS
from ..grammar.lexicon import get_lexicon
from ..grammar.resources import COMMON, read_words

# The kinds of names, each with Faker's method and our lists of words, if we have any.
MALE, FEMALE, UNISEX, FAMILY = "male", "female", "unisex", "family"
PERSON, FIRM, PLACE = "person", "firm", "place"
# What has a name, by the labels of entities.
LABELS = {
    **dict.fromkeys(PERSON_LABELS, PERSON),
    **dict.fromkeys(("ORG", "orgName"), FIRM),
    **dict.fromkeys(("GPE", "LOC", "FAC", "placeName", "geogName"), PLACE),
}
_METHODS = {
    MALE: "first_name_male",
    FEMALE: "first_name_female",
    UNISEX: "first_name_nonbinary",
    FAMILY: "last_name",
    FIRM: "company",
    PLACE: "city",
}
_GENDERS = {MALE: "m", FEMALE: "f"}
_GIVEN = (MALE, FEMALE, UNISEX)
_OF_PEOPLE = (*_GIVEN, FAMILY)
# So many names are tried before there is an error.
_MAX_TRIES = 5000
# More given names than this can't all have initials of their own.
_N_LETTERS = 12


class FalseNames:
    """Choose false names, the same one for the same name."""

    def __init__(
        self,
        lang: str,
        locale: Optional[str],
        seed: int,
        words: Iterable[str],
        key: Dict[str, str],
    ) -> None:
        self.lang, self.locale, self.rng = lang, locale, random.Random(seed)
        self.taken = {word.casefold() for word in words}
        self.rules = find_rules(lang)
        self.elisions = get_lexicon(lang).elisions
        self.faker = _make_faker(lang, locale, seed)
        # The names of a kind go on where they were left.
        self.list_names = lru_cache(maxsize=None)(self._make_names)
        self.chosen: Dict[str, str] = {}
        # The true initial of each false one: "M. Fox" is no two people.
        self.letters: Dict[str, str] = {}
        for false, true in key.items():
            self.taken.update(word.casefold() for word in false.split())
            self.chosen.setdefault(true.casefold(), false)
            pairs = [*zip(true.split(), false.split(), strict=False)]
            if len(true.split()) == len(false.split()):
                self.chosen.update((t.casefold(), f) for t, f in pairs if len(t) > 2)

    def choose(self, name: str, kind: str) -> str:
        """Choose the false name of a name."""
        if name.casefold() not in self.chosen:
            names = islice(self.list_names(kind), _MAX_TRIES)
            found = next((n for n in names if self._fits(n, name, kind)), None)
            if found is None:
                raise ValueError(Errors.FC273.format(kind=kind, locale=self.locale))
            forms = [*self.inflect(found, kind), *found.split()]
            self.taken.update(form.casefold() for form in forms)
            self.chosen[name.casefold()] = found
            if kind in _GIVEN:
                self.letters.setdefault(found[0].lower(), name[0])
        return self.chosen[name.casefold()]

    def decline(self, word: str, name: str, kind: str) -> str:
        """Put the false name of a name into the form that a word has."""
        false, forms = self.choose(name, kind), self.inflect(name, kind)
        place = forms.index(word.lower()) if word.lower() in forms else 0
        return copy_case(word, self.inflect(false, kind)[place])

    def inflect(self, name: str, kind: str) -> List[str]:
        """List the forms of a name of a kind, in lower case."""
        return self.rules.inflect_name(name.lower(), _GENDERS.get(kind, ""))

    def choose_letter(self, letter: str) -> str:
        """Choose the initial of a given name that the text does not have."""
        for name in islice(self.list_names(UNISEX), _MAX_TRIES):
            if self.letters.setdefault(name[0].lower(), letter) == letter:
                return name[0]
        return name[0]

    def choose_sign(self, sign: str, *, is_mail: bool) -> str:
        """Choose a false mail address or phone number."""
        while sign.casefold() not in self.chosen:
            false = re.sub(r"\d", lambda _: str(self.rng.randrange(10)), sign)
            if is_mail:
                parts = next(self.list_names(UNISEX)), next(self.list_names(FAMILY))
                false = f"{'.'.join(parts)}@example.org".lower()
            if false not in self.taken:
                self.taken.add(false)
                self.chosen[sign.casefold()] = false
        return self.chosen[sign.casefold()]

    def _fits(self, name: str, true: str, kind: str) -> bool:
        words = name.split()
        if any(word.casefold().strip(".,") in self.taken for word in words):
            return False
        if kind not in _OF_PEOPLE:
            return True
        letter = name[0].lower()
        is_open_letter = self.letters.get(letter, true[0]) == true[0]
        if kind != FAMILY and len(self.letters) < _N_LETTERS and not is_open_letter:
            return False
        one, other = (self.inflect(n, kind) for n in (name, true))
        is_open = [n[:1].lower() in self.elisions.get("open", "") for n in (name, true)]
        # Equal forms of the one have to be equal of the other, or none could be undone.
        return (
            len(one) == len(other)
            and [one.index(f) for f in one] == [other.index(f) for f in other]
            and self.taken.isdisjoint(form.casefold() for form in one)
            and (is_open[0] == is_open[1] or not self.elisions)
        )

    def _make_names(self, kind: str) -> Iterator[str]:
        is_of_people = kind in _OF_PEOPLE
        if self.faker is not None:
            make: Callable[[], str] = getattr(self.faker, _METHODS[kind])
            while True:
                name = make()
                if not is_of_people or name.isalpha():
                    yield name
        if not is_of_people:
            raise ValueError(Errors.FC200.format(reason=kind, extra="faker"))
        lists = (self.lang, COMMON)
        found = [sorted(read_words(folder, f"{kind}_names")) for folder in lists]
        for names in found:
            self.rng.shuffle(names)
            yield from (n.capitalize() for n in names if n.isalpha() and len(n) > 2)


def _make_faker(lang: str, locale: Optional[str], seed: int) -> Any:
    """Make a generator of Faker; None if it is not installed."""
    try:
        config = importlib.import_module("faker.config")
    except ImportError:
        if locale is not None:
            raise ValueError(
                Errors.FC200.format(reason=locale, extra="faker")
            ) from None
        return None
    known: List[str] = sorted(config.AVAILABLE_LOCALES)
    if locale is not None:
        check_known("locale of Faker", locale, known)
    ours = [one for one in known if one.split("_")[0] == lang]
    first = [config.DEFAULT_LOCALE, f"{lang}_{lang.upper()}", *ours]
    default = next((one for one in first if one in ours), config.DEFAULT_LOCALE)
    faker = importlib.import_module("faker").Faker(locale or default)
    faker.seed_instance(seed)
    return faker


def copy_case(old: str, new: str) -> str:
    """Write a word with the capitals of another one."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new.lower()
