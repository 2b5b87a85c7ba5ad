"""Provide a reader that mixes corpora by weights."""

import random
from functools import partial
from typing import Any, Dict, Iterator, List, Optional

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from ...errors import Errors
from ..augmentation.augment import Augmenter
from .reading import Corpus, check_any, check_number


@registry.readers("spacy_fastcoref.MixedCorpus.v1")
def make_mixed_corpus(
    # Any instead of Corpus, since confection validates the type before it creates the
    # readers.
    corpora: Dict[str, Any],
    weights: Optional[Dict[str, float]] = None,
    seed: int = 0,
    augmenter: Optional[Any] = None,
) -> Corpus:
    """Make a reader that mixes corpora.

    corpora (Dict[str, Any]): The readers by name.
    weights (Optional[Dict[str, float]]): How often to read each corpus in an epoch: 2
        for twice, 0.5 for a random half of its examples. The default is 1.
    seed (int): The random seed for sampling and shuffling, which differ in each epoch.
    augmenter (Optional[Any]): An augmenter as in spacy.Corpus.v1, which has to keep the
        clusters, such as spacy_fastcoref.swap_genders.v1.
    RETURNS (Corpus): The reader. It raises a ValueError if the weights leave no
        examples.
    RAISES (ValueError): A weight is negative, or there is no corpus of its name.
    """
    weights = weights or {}
    unknown = sorted(set(weights) - set(corpora))
    if unknown:
        raise ValueError(Errors.FC053.format(names=unknown, available=list(corpora)))
    for name, weight in weights.items():
        check_number(f"weights.{name}", weight)
    rng = random.Random(seed)
    return partial(_mix, corpora=corpora, weights=weights, rng=rng, augmenter=augmenter)


def _mix(
    nlp: Language,
    *,
    corpora: Dict[str, Corpus],
    weights: Dict[str, float],
    rng: random.Random,
    augmenter: Optional[Augmenter],
) -> Iterator[Example]:
    examples: List[Example] = []
    for name, corpus in corpora.items():
        weight = weights.get(name, 1.0)
        for _ in range(int(weight)):
            examples.extend(corpus(nlp))
        rest = weight - int(weight)
        if rest:
            whole = list(corpus(nlp))
            examples.extend(rng.sample(whole, round(rest * len(whole))))
    if corpora:
        check_any(len(examples), corpora, "the weights leave no document of it")
    rng.shuffle(examples)
    if augmenter is None:
        yield from examples
    else:
        for eg in examples:
            yield from augmenter(nlp, eg)
