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
from ...grammar.word_index import is_sign
from ...span_keys import CANDIDATES
from ...types import FORBIDDEN, Offsets

# Mentions are paired in blocks of this size, so that memory grows linearly with them.
_N_ROWS = 1000
# The number of mentions back to which pronouns have candidates, in sentences without
# end: those of lists, or of texts that were not split.
_MOST = 500


@dataclass
class Limits:
    """Hold how far back the antecedents of a mention are searched for.

    max_sentences (int): For pronouns, the number of sentences.
    max_dist (int): For other mentions, the number of mentions.
    max_dist_match (int): For other mentions, the number of mentions to one that shares
        a word.
    blacklist (bool): Whether pronouns of the first and second person are left out.
    """

    max_sentences: int = 5
    max_dist: int = 50
    max_dist_match: int = 500
    blacklist: bool = False


@dataclass
class Candidates:
    """Hold the mentions of a document with their candidate antecedents.

    doc (Doc): The document.
    facts (MentionFeatures): The features of the mentions, which are in text order.
    later, earlier (numpy.ndarray): Shape (n_pairs,), the mention and the candidate of
        each pair, sorted.
    verdicts (numpy.ndarray): Shape (n_pairs,), DOUBTFUL or ALLOWED.
    n_shared (numpy.ndarray): Shape (n_pairs,), the number of words that both have.
    n_words (numpy.ndarray): Shape (n_mentions,), the number of words that can be
        shared: no closed-class words and no signs.
    """

    doc: Doc
    facts: MentionFeatures
    later: np.ndarray
    earlier: np.ndarray
    verdicts: np.ndarray
    n_shared: np.ndarray
    n_words: np.ndarray

    @property
    def mentions(self) -> np.ndarray:
        """Shape (n_mentions, 2), token offsets."""
        return np.stack([self.facts.starts, self.facts.ends], axis=1)


def find_candidates(rules: Any, doc: Doc, limits: Limits) -> Candidates:
    """Find the mentions of a document and their candidate antecedents.

    Candidates that the rules forbid are left out.

    rules (Rules): The rules of the document's language.
    doc (Doc): The document. If it has spans["coref_mentions"], these are the mentions.
    limits (Limits): How far back to search.
    RETURNS (Candidates): The mentions and the candidates.
    """
    tokens = rules.read_tokens(doc)
    facts = rules.read(doc, _find_mentions(rules, tokens, limits), tokens)
    later, earlier, shared = _pair(facts, limits)
    verdicts = rules.judge(facts, later, earlier)
    is_kept = verdicts != FORBIDDEN
    return Candidates(
        doc,
        facts,
        later[is_kept],
        earlier[is_kept],
        verdicts[is_kept],
        shared[0][is_kept],
        shared[1],
    )


def pair_spans(
    rules: Any, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]], limits: Limits
) -> Tuple[Candidates, np.ndarray]:
    """Add given pairs of spans to the candidates of a document.

    Features of a pair depend on the other mentions and candidates.

    rules (Rules): The rules of the document's language.
    doc (Doc): The document.
    pairs (Sequence[Tuple[Offsets, Offsets]]): The later span of each pair first.
    limits (Limits): How far back to search for the other candidates.
    RETURNS (Tuple[Candidates, numpy.ndarray]): The candidates, and the place of each
        pair among them.
    """
    given = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    tokens = rules.read_tokens(doc)
    spans, index = np.unique(
        np.concatenate([_find_mentions(rules, tokens, limits), given]),
        axis=0,
        return_inverse=True,
    )
    rows = np.sort(index.reshape(-1)[-len(given) :].reshape(-1, 2), axis=1)
    wanted = rows[:, 1] * len(spans) + rows[:, 0]
    facts = rules.read(doc, spans, tokens)
    later, earlier, _ = _pair(facts, limits)
    is_kept = rules.judge(facts, later, earlier) != FORBIDDEN
    keys = np.union1d((later * len(spans) + earlier)[is_kept], wanted)
    later, earlier = keys // len(spans), keys % len(spans)
    contents = _find_contents(facts)
    n_shared = contents[later].multiply(contents[earlier]).sum(axis=1)
    n_words = np.asarray(contents.sum(axis=1)).reshape(-1)
    verdicts = rules.judge(facts, later, earlier)
    counts = np.asarray(n_shared).reshape(-1)
    found = Candidates(doc, facts, later, earlier, verdicts, counts, n_words)
    return found, np.searchsorted(keys, wanted)


def _find_mentions(rules: Any, tokens: Tokens, limits: Limits) -> np.ndarray:
    if CANDIDATES in tokens.doc.spans:
        spans = {(span.start, span.end) for span in tokens.doc.spans[CANDIDATES]}
        return np.array(sorted(spans), dtype=np.int64).reshape(-1, 2)
    spans = find_spans(rules, tokens)
    if not limits.blacklist:
        return spans
    starts, ends = spans.T
    is_listed = np.isin(tokens.features.person[starts], (FIRST, SECOND))
    return spans[~(is_listed & (ends - starts == 1))]


def _pair(
    facts: MentionFeatures, limits: Limits
) -> Tuple[np.ndarray, np.ndarray, Tuple[np.ndarray, np.ndarray]]:
    """Pair mentions with the earlier ones within the limits, and count shared words."""
    n_mentions = len(facts)
    firsts = _find_firsts(facts, limits)
    by_match = np.minimum(firsts, np.arange(n_mentions) - limits.max_dist_match)
    reaches = np.where(facts.is_pronoun, firsts, np.maximum(by_match, 0))
    contents = _find_contents(facts)
    keys, n_shared = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for begin in range(0, n_mentions, _N_ROWS):
        end = min(begin + _N_ROWS, n_mentions)
        mentions = np.arange(begin, end)
        counts = mentions - firsts[begin:end]
        ends = np.repeat(mentions - np.cumsum(counts), counts)
        near = np.repeat(mentions * n_mentions, counts) + ends + np.arange(len(ends))
        reach = int(reaches[begin:end].min())
        shared = (contents[begin:end] @ contents[reach:end].T).tocoo()
        rows, columns = shared.row.astype(np.int64) + begin, shared.col + reach
        is_kept = (columns < rows) & (columns >= reaches[rows])
        matches = rows[is_kept] * n_mentions + columns[is_kept]
        keys.append(np.union1d(near, matches))
        n_shared.append(np.zeros(len(keys[-1]), dtype=np.int64))
        n_shared[-1][np.searchsorted(keys[-1], matches)] = shared.data[is_kept]
    later, earlier = np.divmod(np.concatenate(keys), max(n_mentions, 1))
    n_words = np.asarray(contents.sum(axis=1)).reshape(-1)
    return later, earlier, (np.concatenate(n_shared), n_words)


def _find_firsts(facts: MentionFeatures, limits: Limits) -> np.ndarray:
    """Find the first candidate of each mention, if it shares no word with earlier ones.

    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention itself for no candidates.
    """
    mentions = np.arange(len(facts))
    by_dist = np.maximum(mentions - limits.max_dist, 0)
    sentences = facts.annotation.sentences[facts.heads]
    if not len(facts) or sentences[-1] == sentences[0]:
        # Without sentences, only the number of mentions limits the search.
        return by_dist
    # The sentences of mentions in text order can decrease, if mentions are nested.
    ordered = np.maximum.accumulate(sentences)
    by_sentence = np.searchsorted(ordered, sentences - limits.max_sentences)
    by_sentence = np.clip(by_sentence, mentions - _MOST, mentions)
    return np.where(facts.is_pronoun, by_sentence, by_dist)


def _find_contents(facts: MentionFeatures) -> csr_matrix:
    """Find the words of mentions that are neither of a closed class nor signs.

    RETURNS (csr_matrix): Shape (n_mentions, n_forms), int64, 1 for words of a mention.
    """
    lexicon, words = facts.lexicon, facts.words
    closed = lexicon.determiners | lexicon.pronouns | lexicon.possessives
    closed |= lexicon.cutters | lexicon.coordinators | lexicon.clitics
    is_content = ~words.find(closed) & (words.map(is_sign) == 0)
    is_content &= facts.features.person == 0
    sizes = facts.ends - facts.starts
    rows = np.repeat(np.arange(len(facts)), sizes)
    steps = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tokens = facts.starts[rows] + steps
    rows, tokens = rows[is_content[tokens]], tokens[is_content[tokens]]
    forms, columns = np.unique(words.index[tokens], return_inverse=True)
    ones = np.ones(len(rows), dtype=np.int64)
    shape = len(facts), len(forms)
    found = csr_matrix((ones, (rows, columns.reshape(-1))), shape=shape)
    found.data[:] = 1
    return found
