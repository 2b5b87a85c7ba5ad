"""Give rare names the agreement of common words, as NeuralCoref's conv_dict does."""

from typing import Any, Dict, Mapping, Sequence

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from .facts import Facts
from .features import ANYTHING


class Conversions:
    """Tell which words stand for rare ones.

    words (Mapping[str, Sequence[str]]): For each rare word, words of its kind:
        {"Deepika": ["woman", "actress"]}. Capitals don't matter.

    ATTRIBUTES:
        words (Dict[str, List[str]]): The same, with the rare words in lower case.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.words = {word.lower(): list(kinds) for word, kinds in words.items()}
        self._masks: Dict[str, Dict[str, int]] = {}

    def apply(self, grammar: Any, facts: Facts, agreement: np.ndarray) -> np.ndarray:
        """Narrow down what mentions can be, by the words that stand for theirs.

        grammar (Grammar): The grammar of the language, which knows the common words.
        facts (Facts): The features of the mentions.
        agreement (numpy.ndarray): Shape (n_mentions,), int64, the agreement bits of the
            mentions.
        RETURNS (numpy.ndarray): Shape (n_mentions,), the bits, narrowed down.
        """
        (tokens,) = np.nonzero(facts.words.find(frozenset(self.words)))
        if not len(tokens):
            return agreement
        doc, runs = facts.annotation.doc, facts.runs
        masks = self._read(grammar, doc.vocab, doc.lang_)
        bits = np.zeros(len(doc), dtype=np.int64)
        bits[tokens] = [masks[form] for form in facts.words.get_forms(tokens)]
        # A word holds for its whole name: "Deepika Padukone".
        parts = tokens[runs.is_part[tokens]]
        by_run = np.zeros(len(doc), dtype=np.int64)
        np.bitwise_or.at(by_run, runs.firsts[parts], bits[parts])
        bits = np.where(runs.is_part, by_run[runs.firsts], bits)[facts.heads]
        narrowed = np.where(agreement & bits, agreement & bits, bits)
        return np.where(bits > 0, narrowed, agreement)

    def _read(self, grammar: Any, vocab: Vocab, lang: str) -> Dict[str, int]:
        """Read the agreement bits of the words that stand for rare ones."""
        if lang not in self._masks:
            plain = grammar.convert_words({})
            self._masks[lang] = {
                word: self._read_kinds(plain, vocab, kinds)
                for word, kinds in self.words.items()
            }
        return self._masks[lang]

    def _read_kinds(self, grammar: Any, vocab: Vocab, kinds: Sequence[str]) -> int:
        mask = 0
        for kind in kinds:
            doc = Doc(vocab, words=[kind])
            (found,) = grammar.read(doc, np.array([[0, 1]])).agreement.tolist()
            mask |= found
        return mask or ANYTHING
