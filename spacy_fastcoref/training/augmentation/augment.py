"""Provide registered augmenters, which change words and keep the clusters."""

import random
from functools import partial
from typing import Any, Callable, Dict, Iterator, Sequence

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...errors import check_setting
from ...grammar.word_index import list_words
from ..edits import edit_doc
from .genders import swap_words

# The type of [corpora.train.augmenter] in a config.
Augmenter = Callable[[Language, Example], Iterator[Example]]


@registry.augmenters("spacy_fastcoref.combine_augmenters.v1")
def make_combined_augmenter(
    # Not Augmenter: confection validates this before it has made them.
    augmenters: Dict[str, Any],
) -> Augmenter:
    """Make an augmenter that applies several ones, each to what the last one yields.

    augmenters (Dict[str, Any]): The augmenters by name, in their order.
    RETURNS (Augmenter): The augmenter.
    """
    return partial(_combine, augmenters=[*augmenters.values()])


def _combine(
    nlp: Language, eg: Example, *, augmenters: Sequence[Augmenter]
) -> Iterator[Example]:
    if not augmenters:
        yield eg
        return
    first, *others = augmenters
    for one in first(nlp, eg):
        yield from _combine(nlp, one, augmenters=others)


@registry.augmenters("spacy_fastcoref.swap_genders.v1")
def make_gender_swapper(level: float = 0.5, seed: int = 0) -> Augmenter:
    """Make an augmenter that swaps the genders of people in texts.

    The clusters are kept. A model that is trained on both versions learns fewer
    stereotypes; see Zhao et al. (2018).

    level (float): The share of examples to change, from 0 to 1.
    seed (int): The random seed for the choice of examples and of new names, which
        differ in each epoch.
    RETURNS (Augmenter): The augmenter.
    RAISES (ValueError): The level is not between 0 and 1.
    """
    check_level(level)
    return partial(_swap_genders, level=level, rng=random.Random(seed))


def check_level(level: float) -> None:
    """Check the share of examples, or of their parts, that an augmenter changes."""
    check_setting("level", level, 0 <= level <= 1, "a share, from 0 to 1")


def _swap_genders(
    nlp: Language, eg: Example, *, level: float, rng: random.Random
) -> Iterator[Example]:
    # If the Docs have different tokens, some would be swapped in only one of them.
    is_same = list_words(eg.predicted) == list_words(eg.reference)
    if rng.random() >= level or not is_same:
        yield eg
        return
    words = enumerate(swap_words(eg.reference, rng))
    edits = {(i, i + 1): [word] for i, word in words}
    yield Example(*(edit_doc(doc, edits) for doc in (eg.predicted, eg.reference)))
