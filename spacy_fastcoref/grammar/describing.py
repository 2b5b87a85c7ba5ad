"""Read features of mentions that depend on more than their heads."""

from typing import Optional

import numpy as np

from ..decoding.duplicates import merge_duplicates
from ..types import Links
from .facts import ANY_NAME, Facts
from .given_names import list_given_names
from .lexicon import Lexicon
from .name_parts import find_name_parts
from .name_runs import make_title_reader
from .namesakes import find_likeliest, find_namesakes, tie_names
from .people import find_given_names, find_people
from .schemes import CONJUNCT
from .word_index import WordIndex


def describe_names(
    facts: Facts, links: Links, is_noun: Optional[np.ndarray] = None
) -> None:
    """Find parts of names, and names that can or can't belong to one person.

    facts (Facts): The features of the mentions, changed in place.
    links (Links): The model's predictions.
    is_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool, nouns for people; None
        if they are not known.
    """
    runs = facts.runs
    is_title = runs.title > 0
    is_given = facts.words.find(list_given_names(facts.lexicon.lang)) | is_title
    facts.part_of = find_name_parts(
        facts.starts,
        facts.ends,
        links.mention_scores,
        facts.features.is_name,
        is_given,
        is_title,
    )
    links = merge_duplicates(links, facts.part_of)
    # Names that the model links.
    later, column = np.nonzero(links.scores > 0)
    earlier = links.antecedents[later, column]
    is_named = facts.is_name[later] & facts.is_name[earlier]
    linked = later[is_named], earlier[is_named]
    given = find_given_names(facts, is_noun)
    people = find_people(facts, linked, is_noun)
    facts.given_names = np.where(facts.is_name, given, ANY_NAME)
    facts.people = np.where(facts.is_name, people, ANY_NAME)
    by_head = find_likeliest(facts, links)
    facts.named_as = tie_names(facts, links, find_namesakes(facts, by_head))


def find_reciprocal_spans(words: WordIndex, lexicon: Lexicon) -> np.ndarray:
    """Find reciprocal pronouns of several words, such as "each other".

    words (WordIndex): The document's words.
    lexicon (Lexicon): The lexicon, whose `reciprocals` has these pronouns.
    RETURNS (numpy.ndarray): Shape (n_spans, 2), int64, token offsets.
    """
    spans = [np.zeros((0, 2), dtype=np.int64)]
    for phrase in lexicon.reciprocals:
        starts = np.arange(max(len(words.index) - len(phrase) + 1, 0))
        for step, word in enumerate(phrase):
            starts = starts[words.find(frozenset((word,)))[starts + step]]
        spans.append(np.stack([starts, starts + len(phrase)], axis=1))
    return np.concatenate(spans)


def find_reciprocals(facts: Facts) -> np.ndarray:
    """Find mentions that are reciprocal pronouns of several words.

    facts (Facts): The features of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    starts, ends = find_reciprocal_spans(facts.words, facts.lexicon).T
    n_offsets = len(facts.words.index) + 1
    keys = facts.starts * n_offsets + facts.ends
    return np.isin(keys, starts * n_offsets + ends)


def find_several(facts: Facts) -> np.ndarray:
    """Find coordinations of several people or things: "Peter and his wife".

    A member that begins with a determiner, a possessive or a name is another person or
    thing. Without one, the coordination can be a single person, such as "his friend and
    helper".

    facts (Facts): The features of the mentions that have been read so far.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    lexicon, words = facts.lexicon, facts.words
    begins = words.find(lexicon.determiners | lexicon.possessives | lexicon.pronouns)
    is_title = words.map(make_title_reader(lexicon)) > 0
    begins |= facts.features.is_name | is_title
    starts_anew = words.find(lexicon.coordinators) & np.append(begins[1:], False)
    if facts.annotation.has_dep:
        # Without a single coordinator: "Peter as well as his wife".
        opens = words.find(lexicon.determiners | lexicon.possessives)
        begins = facts.features.is_name | (facts.features.person > 0) | is_title
        begins |= facts.annotation.has_child(opens)
        starts_anew |= facts.annotation.has_role(CONJUNCT) & begins
    counts = np.append(0, np.cumsum(starts_anew))
    return facts.is_joined & (counts[facts.ends] > counts[facts.starts])
