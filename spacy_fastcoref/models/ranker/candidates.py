"""Find the candidate antecedents of mentions that grammar has found."""

from dataclasses import dataclass
from typing import Any, Sequence, Tuple

import numpy as np
from scipy.sparse import csr_matrix
from spacy.tokens import Doc

from ...grammar.features import FIRST, SECOND
from ...grammar.mention_features import MentionFeatures
from ...grammar.mentions import find_spans
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows, is_sign
from ...graph import pair_ranges
from ...span_keys import CANDIDATES
from ...types import DOUBTFUL, FORBIDDEN, Offsets

# Mentions are paired in blocks of this size, so that memory grows linearly with them.
_N_ROWS = 1000
# The number of mentions back to which pronouns have candidates, in sentences without
# end: those of lists, or of texts that were not split.
_MOST = 500


@dataclass
class Candidates:
    """Hold the mentions of a document with their candidate antecedents.

    facts (MentionFeatures): The mentions in text order.
    later, earlier (numpy.ndarray): The mention and the candidate of each pair, sorted.
    is_doubtful (numpy.ndarray): The pairs that the rules doubt.
    n_shared (numpy.ndarray): The number of words that both of a pair have.
    n_words (numpy.ndarray): The number of words of each mention that can be shared: no
        closed-class words and no signs.
    """

    doc: Doc
    facts: MentionFeatures
    later: Rows
    earlier: Rows
    is_doubtful: Marks
    n_shared: np.ndarray
    n_words: np.ndarray

    @property
    def mentions(self) -> np.ndarray:
        """Shape (n_mentions, 2), token offsets."""
        return np.stack([self.facts.starts, self.facts.ends], axis=1)


def find_candidates(
    rules: Any, doc: Doc, settings: Any, given: Sequence[Tuple[Offsets, Offsets]] = ()
) -> Candidates:
    """Find the mentions of a document and their candidate antecedents.

    Candidates that the rules forbid are left out. If the document has
    spans["coref_mentions"], these are the mentions.

    settings (Settings): How far back antecedents are searched for.
    given (Sequence[Tuple[Offsets, Offsets]]): Pairs of spans that are kept in any case.
    """
    tokens = rules.read_tokens(doc)
    spans = np.array(given, dtype=np.int64).reshape(-1, 2)
    spans = np.concatenate([_find_mentions(rules, tokens, settings), spans])
    spans, index = np.unique(spans, axis=0, return_inverse=True)
    facts = rules.read(doc, spans, tokens)
    contents = _find_contents(facts)
    later, earlier, n_shared = _pair(facts, contents, settings)
    is_kept = np.zeros(len(later), dtype=bool)
    if len(given):
        ends = index.reshape(-1)[-2 * len(given) :].reshape(-1, 2)
        wanted = ends.max(1) * len(facts) + ends.min(1)
        keys = np.union1d(later * len(facts) + earlier, wanted)
        later, earlier = np.divmod(keys, len(facts))
        n_shared = contents[later].multiply(contents[earlier]).sum(axis=1).A1
        is_kept = np.isin(keys, wanted)
    verdicts = rules.judge(facts, later, earlier)
    is_kept |= verdicts != FORBIDDEN
    pairs = later, earlier, verdicts == DOUBTFUL, n_shared
    kept = (one[is_kept] for one in pairs)
    return Candidates(doc, facts, *kept, np.diff(contents.indptr))


def _find_mentions(rules: Any, tokens: Tokens, settings: Any) -> np.ndarray:
    if CANDIDATES in tokens.doc.spans:
        spans = {(span.start, span.end) for span in tokens.doc.spans[CANDIDATES]}
        return np.array(sorted(spans), dtype=np.int64).reshape(-1, 2)
    spans = find_spans(rules, tokens)
    starts, ends = spans.T
    is_listed = np.isin(tokens.person[starts], (FIRST, SECOND))
    return spans[~(is_listed & (ends - starts == 1) & settings.blacklist)]


def _pair(
    facts: MentionFeatures, contents: csr_matrix, settings: Any
) -> Tuple[Rows, Rows, np.ndarray]:
    """Pair mentions with earlier ones within the limits, and count shared words."""
    n_mentions = len(facts)
    firsts = _find_firsts(facts, settings)
    by_match = np.maximum(np.arange(n_mentions) - settings.max_dist_match, 0)
    reaches = np.where(facts.is_pronoun, firsts, np.minimum(firsts, by_match))
    keys = n_shared = [np.zeros(0, dtype=np.int64)]
    for begin in range(0, n_mentions, _N_ROWS):
        mentions = np.arange(begin, min(begin + _N_ROWS, n_mentions))
        near, close = pair_ranges(mentions, firsts[mentions], mentions)
        reach = reaches[mentions].min()
        shared = contents[mentions] @ contents[reach : mentions[-1] + 1].T
        others, same = (one.astype(np.int64) for one in shared.nonzero())
        others, same = others + begin, same + reach
        is_match = (same < others) & (same >= reaches[others])
        matches = (others * n_mentions + same)[is_match]
        found = np.unique(np.concatenate([near * n_mentions + close, matches]))
        rows, columns = np.divmod(found, n_mentions)
        counts = np.asarray(shared[rows - begin, columns - reach]).reshape(-1)
        keys, n_shared = [*keys, found], [*n_shared, counts]
    later, earlier = np.divmod(np.concatenate(keys), max(n_mentions, 1))
    return later, earlier, np.concatenate(n_shared)


def _find_firsts(facts: MentionFeatures, settings: Any) -> Rows:
    """Find each mention's first candidate but for those with a shared word; the mention
    itself for none."""
    mentions = np.arange(len(facts))
    by_dist = np.maximum(mentions - settings.max_dist, 0)
    sentences = facts.tokens.sentences[facts.heads]
    if not len(facts) or sentences[-1] == sentences[0]:
        # Without sentences, only the number of mentions limits the search.
        return by_dist
    # The sentences of mentions in text order can decrease, if mentions are nested.
    ordered = np.maximum.accumulate(sentences)
    by_sentence = np.searchsorted(ordered, sentences - settings.max_sentences)
    by_sentence = np.clip(by_sentence, mentions - _MOST, mentions)
    return np.where(facts.is_pronoun, by_sentence, by_dist)


def _find_contents(facts: MentionFeatures) -> csr_matrix:
    """Find the words of mentions that are neither of a closed class nor signs; shape
    (n_mentions, n_forms), int64, 1 for words of a mention."""
    lexicon, words = facts.lexicon, facts.words
    closed = lexicon.determiners | lexicon.pronouns | lexicon.possessives
    closed |= lexicon.cutters | lexicon.coordinators | lexicon.clitics
    is_content = ~words.find(closed) & (words.map(is_sign) == 0)
    is_content &= facts.tokens.person == 0
    rows, tokens = pair_ranges(np.arange(len(facts)), facts.starts, facts.ends)
    rows, tokens = rows[is_content[tokens]], tokens[is_content[tokens]]
    forms, columns = np.unique(words.index[tokens], return_inverse=True)
    ones = np.ones(len(rows), dtype=np.int64)
    shape = len(facts), len(forms)
    found = csr_matrix((ones, (rows, columns.reshape(-1))), shape=shape)
    found.data[:] = 1
    return found
