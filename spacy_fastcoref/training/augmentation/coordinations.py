"""Replace plural antecedents of pronouns with coordinations of names."""

import random
from functools import lru_cache, partial
from typing import FrozenSet, Iterator, List

from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ...clusters.index import make_index
from ...grammar.features import SEVERAL, read_letters
from ...grammar.lexicon import get_lexicon
from ...grammar.pronouns import list_pronouns
from ...grammar.word_index import list_words
from ...span_keys import ANNOTATED, PRONOUNS, SOFT
from ...types import Offsets
from ..edits import edit_doc
from ..word_lists import list_usual_names, read_given_names
from .augment import Augmenter, check_level

_SIZES = (2, 2, 3)


@registry.augmenters("spacy_fastcoref.coordinate_names.v1")
def make_name_coordinator(level: float = 0.3, seed: int = 0) -> Augmenter:
    """Make an augmenter that replaces plural phrases with coordinations of names.

    "The guards ran. They …" becomes "Ann and Tom ran. They …": the pronoun refers to
    the coordination, and to none of its members. Only phrases are replaced whose other
    mentions are all plural pronouns, and only in examples without tags or a parse.

    level (float): The share of such phrases to replace.
    seed (int): The random seed. Phrases and names differ in each epoch.
    RETURNS (Augmenter): The augmenter.
    RAISES (ValueError): The level is not between 0 and 1.
    """
    check_level(level)
    return partial(_coordinate, level=level, rng=random.Random(seed))


def _coordinate(
    nlp: Language, eg: Example, *, level: float, rng: random.Random
) -> Iterator[Example]:
    doc = eg.reference
    conjunction = get_lexicon(doc.lang_).conjunction
    words = list_words(doc)
    is_same = list_words(eg.predicted) == words
    is_whole = not any(key in doc.spans for key in (ANNOTATED, PRONOUNS, SOFT))
    has_tags = doc.has_annotation("DEP") or doc.has_annotation("TAG")
    phrases: List[Offsets] = []
    if is_same and is_whole and conjunction and not has_tags:
        phrases = [one for one in find_plural_phrases(doc) if rng.random() < level]
    if not phrases:
        yield eg
        return
    taken = {*words}
    unused = [name for name in _list_names() if name not in taken]
    names = rng.sample(unused, max(_SIZES) * len(phrases))
    edits = {}
    for phrase in phrases:
        members = [names.pop() for _ in range(rng.choice(_SIZES))]
        *others, last = members
        listed = [word for name in others for word in (",", name)]
        edits[phrase] = [*listed[1:], conjunction, last]
    yield Example(*(edit_doc(one, edits) for one in (eg.predicted, doc)))


def find_plural_phrases(doc: Doc) -> List[Offsets]:
    """Find the first mentions of clusters whose other mentions are plural pronouns.

    The pronouns have to be of the third person, and the first mention is no such
    pronoun, and has no other mention, or a part of one, inside.
    """
    several = _read_several(doc.lang_)
    index = make_index(doc)
    mentions = [mention for one in index.clusters for mention in one.mentions]
    found = []
    for cluster in index.clusters:
        phrase, *others = cluster.mentions
        words = [doc[start:end].text.lower() for start, end in others]
        is_plural = bool(words) and all(word in several for word in words)
        is_pronoun = doc[phrase[0] : phrase[1]].text.lower() in several
        start, end = phrase
        overlaps = any(
            begin < end and start < stop
            for begin, stop in mentions
            if not (begin <= start and end <= stop)
        )
        if is_plural and not is_pronoun and not overlaps:
            found.append(phrase)
    return found


@lru_cache(maxsize=None)
def _read_several(lang: str) -> FrozenSet[str]:
    """Read a language's pronouns of the third person that can be plural."""
    pronouns = list_pronouns(get_lexicon(lang))
    return frozenset(
        form
        for form, (letters, person) in pronouns.items()
        if person == 3 and read_letters(letters) & SEVERAL
    )


@lru_cache(maxsize=None)
def _list_names() -> List[str]:
    names = list_usual_names(read_given_names("female", "male"))
    return [name.title() for name in names]
