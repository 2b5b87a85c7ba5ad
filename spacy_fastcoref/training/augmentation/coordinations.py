"""Replace plural antecedents of pronouns with coordinations of names."""

import random
from functools import lru_cache, partial
from typing import (
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ...clusters.index import make_index
from ...grammar.features import SEVERAL, read_letters
from ...grammar.lexicon import Lexicon, get_lexicon
from ...grammar.pronouns import list_pronouns
from ...grammar.word_index import list_words
from ...span_keys import ANNOTATED, PRONOUNS, SOFT
from ...types import Offsets
from ..word_lists import read_given_names
from .augment import Augmenter, check_level

_SIZES = (2, 2, 3)
_MAX_LETTERS = 8


class Edit(NamedTuple):
    """Hold a span to replace, the new words, and whether a space follows each.

    The last word keeps the white space of the span.
    """

    start: int
    end: int
    words: List[str]
    spaces: List[bool]


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
    edits = find_edits(eg, level, rng)
    if edits:
        docs = (edit_doc(doc, edits) for doc in (eg.predicted, eg.reference))
        eg = Example(*docs)
    yield eg


def find_edits(eg: Example, level: float, rng: random.Random) -> List[Edit]:
    """Choose the phrases of an example to replace, and the names."""
    doc = eg.reference
    lexicon = get_lexicon(doc.lang_)
    is_same = list_words(eg.predicted) == list_words(doc)
    is_whole = not any(key in doc.spans for key in (ANNOTATED, PRONOUNS, SOFT))
    has_tags = doc.has_annotation("DEP") or doc.has_annotation("TAG")
    if not (is_same and is_whole and lexicon.conjunction) or has_tags:
        return []
    phrases = [phrase for phrase in find_plural_phrases(doc) if rng.random() < level]
    names = iter(_sample_names(doc, rng, max(_SIZES) * len(phrases)))
    edits = []
    for start, end in phrases:
        members = [next(names) for _ in range(rng.choice(_SIZES))]
        edits.append(Edit(start, end, *_join(members, lexicon)))
    return edits


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
        if is_plural and not is_pronoun and not _overlaps(phrase, mentions):
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


def _overlaps(phrase: Offsets, mentions: Sequence[Offsets]) -> bool:
    start, end = phrase
    return any(
        begin < end and start < stop
        for begin, stop in mentions
        if not (begin <= start and end <= stop)
    )


@lru_cache(maxsize=None)
def _list_names() -> List[str]:
    names = read_given_names("female", "male")
    return sorted(
        name.title()
        for name in names
        if name.isascii() and name.isalpha() and 2 < len(name) <= _MAX_LETTERS
    )


def _sample_names(doc: Doc, rng: random.Random, n_names: int) -> List[str]:
    """Choose names that do not occur in the document."""
    words = set(list_words(doc))
    names = _list_names()
    chosen: List[str] = []
    while len(chosen) < n_names:
        name = rng.choice(names)
        if name not in words:
            words.add(name)
            chosen.append(name)
    return chosen


def _join(members: List[str], lexicon: Lexicon) -> Tuple[List[str], List[bool]]:
    """Return the words of a coordination, and whether a space follows each word."""
    words, spaces = [members[0]], [True]
    for member in members[1:-1]:
        spaces[-1] = False
        words += [",", member]
        spaces += [True, True]
    return [*words, lexicon.conjunction, members[-1]], [*spaces, True, True]


def edit_doc(doc: Doc, edits: Iterable[Edit]) -> Doc:
    """Copy a Doc, and replace some of its spans.

    The copy keeps sentences and SpanGroups, but no tags and no parse, which would not
    fit the new words, and no spans that start or end inside a replaced span.
    """
    words, spaces, starts = [], [], []
    # The new offset of each old offset; None for offsets inside a replaced span.
    places: List[Optional[int]] = []
    by_start, end = {edit.start: edit for edit in edits}, 0
    for token in doc:
        places.append(len(words) if token.i >= end else None)
        if token.i in by_start:
            edit = by_start[token.i]
            end = edit.end
            words += edit.words
            spaces += [*edit.spaces[:-1], bool(doc[end - 1].whitespace_)]
            starts += [bool(token.is_sent_start), *[False] * (len(edit.words) - 1)]
        elif token.i >= end:
            words.append(token.text)
            spaces.append(bool(token.whitespace_))
            starts.append(bool(token.is_sent_start))
    places.append(len(words))
    has_sentences = doc.has_annotation("SENT_START")
    new = Doc(
        doc.vocab,
        words=words,
        spaces=spaces,
        sent_starts=starts if has_sentences else None,
    )
    for key, group in doc.spans.items():
        new.spans[key] = _move_group(new, group, places)
    new._.coref_scheme = doc._.coref_scheme
    return new


def _move_group(new: Doc, group: SpanGroup, places: List[Optional[int]]) -> SpanGroup:
    ends = [(places[span.start], places[span.end], span.label) for span in group]
    spans = [
        Span(new, start, end, label=label)
        for start, end, label in ends
        if start is not None and end is not None
    ]
    # The attrs have one value for each span.
    attrs = dict(group.attrs) if len(spans) == len(group) else {}
    return SpanGroup(new, name=group.name, attrs=attrs, spans=spans)
