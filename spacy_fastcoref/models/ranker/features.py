"""Compute what is known of mentions and of pairs of them, and which tokens they have.

The columns of both are those that the weights were trained on, in their order.
"""

from typing import Callable, List, NamedTuple, Sequence

import numpy as np
from thinc.types import Floats2d, Ints2d

from ...grammar.annotation import Annotation
from ...grammar.features import ANYTHING, OPEN_PERSON
from ...grammar.mention_features import MentionFeatures
from ...graph import find_depths
from ...types import DOUBTFUL
from .annotation_values import AnnotationValues
from .candidates import Candidates

# The number of token positions of a mention, see Inputs.
N_PLACES = 8
# The lower limits of the buckets after the first one.
_LENGTHS = (2, 3, 4, 6, 10)
_DEPTHS = (1, 2, 3, 5, 8)
_POSITIONS = _COUNTS = (1, 2, 4, 8, 16)
# Those of distances are NeuralCoref's.
_MENTIONS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
_SENTENCES = _RANKS = (1, 2, 3, 4, 6, 10)
_WORDS = (2, 4, 8, 16, 32, 64)
_QUARTERS = (1, 2, 3, 4)
_N_AGREEMENT, _N_FLAGS, _N_PERSONS, _N_KINDS = 10, 6, 5, 3
# The roles that all members of a coordination have.
_ROLES = (
    "subject",
    "object",
    "oblique",
    "oblique argument",
    "agent",
    "possessor",
    "apposition",
)
_N_ROLES = len(_ROLES) + 3
# The bits of agreement that pairs are compared by: those of training.
_TRAINED_BITS = ANYTHING & ~OPEN_PERSON
# The maximum number of steps from a word to its verb.
_MAX_STEPS = 6
# The numbers of columns, without those of AnnotationValues.
N_MENTION = _N_AGREEMENT + _N_FLAGS + _N_PERSONS + 5 * 6 + _N_ROLES + 15
N_PAIR = 10 + 4 * 7 + _N_KINDS**2 + 5 + 15
# Pairs are read in blocks of this size, so that little memory is needed.
_N_AT_ONCE = 20000


class Inputs(NamedTuple):
    """Hold the inputs of the networks for the mentions of documents.

    places (Ints2d): Shape (n_mentions, 8), token indexes: the head, the first and the
        last token, two before and two after, and the word that governs the head; -1
        beyond its document.
    spans (Ints2d): Shape (n_mentions, 3, 2), token offsets of the mention, its sentence
        and the document, over which word vectors are averaged.
    features (Floats2d): Shape (n_mentions, n_features).
    """

    places: Ints2d
    spans: np.ndarray
    features: Floats2d


def read_mentions(
    candidates: Candidates, first: int, values: AnnotationValues
) -> Inputs:
    """Compute the inputs of a document's mentions, with its tokens numbered from a
    first number on."""
    facts, n_tokens = candidates.facts, len(candidates.doc)
    starts, ends, heads = facts.starts, facts.ends, facts.heads
    governors = facts.tokens.heads[heads]
    governors = np.where(governors == heads, -1, governors)
    around = [starts - 1, starts - 2, ends, ends + 1]
    places = np.stack([heads, starts, ends - 1, *around, governors], axis=1)
    is_inside = (places >= 0) & (places < n_tokens)
    sentences = facts.tokens.sentences
    firsts = np.searchsorted(sentences, sentences[heads], side="left")
    lasts = np.searchsorted(sentences, sentences[heads], side="right")
    whole = np.zeros_like(heads), np.full_like(heads, n_tokens)
    offsets = np.stack([starts, ends, firsts, lasts, *whole], axis=1)
    fixed = _read_fixed(facts, n_tokens, heads - firsts)
    return Inputs(
        np.where(is_inside, places + first, -1),
        offsets.reshape(-1, 3, 2) + first,
        np.concatenate([fixed, values.read(candidates)], axis=1),
    )


def _read_fixed(
    facts: MentionFeatures, n_tokens: int, positions: np.ndarray
) -> Floats2d:
    starts, ends, heads = facts.starts, facts.ends, facts.heads
    before, everywhere = _count_same(facts)
    flags = [
        facts.is_anaphor,
        facts.is_joined,
        facts.is_name,
        facts.is_indefinite,
        facts.is_reflexive,
        facts.is_definite,
        facts.may_be_indefinite,
        facts.is_demonstrated,
        facts.is_possessive,
        facts.is_pleonastic,
        facts.is_part,
        _find_nested(starts, ends),
        facts.speech.speakers[heads] > 0,
        facts.speech.quotes[heads] > 0,
        starts / max(n_tokens, 1),
    ]
    columns = [
        facts.agreement[:, None] >> np.arange(_N_AGREEMENT) & 1,
        facts.flags[:, None] >> np.arange(_N_FLAGS) & 1,
        np.eye(_N_PERSONS)[facts.person],
        _bucket(ends - starts, _LENGTHS),
        _bucket(find_depths(facts.tokens.heads)[heads], _DEPTHS),
        _bucket(positions, _POSITIONS),
        _bucket(before, _COUNTS),
        _bucket(everywhere, _COUNTS),
        _find_roles(facts),
        np.stack(flags, axis=1),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def read_pairs(candidates: Candidates) -> np.ndarray:
    """Compute the inputs of a document's pairs.

    RETURNS (numpy.ndarray): Shape (n_pairs, N_PAIR), uint8, zeros and ones.
    """
    facts, later, earlier = candidates.facts, candidates.later, candidates.earlier
    found = np.zeros((len(later), N_PAIR), dtype=np.uint8)
    if not len(later):
        return found
    read_block = _prepare(candidates)
    # Candidates are sorted by mention, so that an order is one inside of each mention.
    counts = np.bincount(later, minlength=len(facts))
    ends = np.cumsum(counts)[later]
    ranks = ends - np.arange(len(later))
    is_doubtful = candidates.verdicts == DOUBTFUL
    distances = facts.measure_distances(later, earlier)
    order = np.lexsort((distances, is_doubtful, later))
    saliences = np.empty(len(later), dtype=np.int64)
    saliences[order] = np.arange(1, len(later) + 1) - (ends - counts[later])
    for begin in range(0, len(later), _N_AT_ONCE):
        rows = slice(begin, begin + _N_AT_ONCE)
        columns = read_block(rows)
        columns[2:2] = [_bucket(ranks[rows], _RANKS), _bucket(saliences[rows], _RANKS)]
        np.concatenate(columns, axis=1, out=found[rows], casting="unsafe")
    return found


def _prepare(candidates: Candidates) -> Callable[[slice], List[np.ndarray]]:
    """Compute what is compared of mentions, and make a function that reads pairs."""
    facts, tokens = candidates.facts, candidates.facts.tokens
    clauses = _find_clauses(tokens)
    # A verb is in its own clause, and those of verbs without one are not known.
    upper = np.where(clauses < 0, -1, clauses[clauses])
    subjects, upper_subjects = (
        np.where(verbs < 0, -1, tokens.subject[verbs])[facts.heads]
        for verbs in (clauses, upper)
    )
    sentences = tokens.sentences[facts.heads]
    kinds = np.where(facts.is_pronoun, 0, np.where(facts.is_name, 2, 1))
    # All roles as one number.
    roles = _find_roles(facts) @ (1 << np.arange(_N_ROLES))
    speakers = facts.speech.speakers[facts.heads]
    next_same = _find_next_same(facts)
    agreement, n_words = facts.agreement & _TRAINED_BITS, candidates.n_words

    def read_block(rows: slice) -> List[np.ndarray]:
        later, earlier = candidates.later[rows], candidates.earlier[rows]
        heads, others = facts.heads[later], facts.heads[earlier]
        common = _count_bits(agreement[later] & agreement[earlier])
        either = _count_bits(agreement[later] | agreement[earlier])
        n_shared = candidates.n_shared[rows]
        fewer = np.minimum(n_words[later], n_words[earlier])
        flags = [
            facts.words.index[heads] == facts.words.index[others],
            facts.are_alike(later, earlier),
            n_shared > 0,
            (n_shared == fewer) & (fewer > 0),
            agreement[later] == agreement[earlier],
            candidates.verdicts[rows] == DOUBTFUL,
            (speakers[later] == speakers[earlier]) & (speakers[later] > 0),
            facts.ends[earlier] > facts.starts[later],
            tokens.heads[heads] == tokens.heads[others],
            tokens.dep[heads] == tokens.dep[others],
            facts.speech.quotes[heads] == facts.speech.quotes[others],
            roles[later] == roles[earlier],
            next_same[earlier] >= later,
            subjects[later] == others,
            upper_subjects[later] == others,
        ]
        return [
            _bucket(later - earlier, _MENTIONS),
            _bucket(sentences[later] - sentences[earlier], _SENTENCES),
            _bucket(np.abs(heads - others), _WORDS),
            np.eye(_N_KINDS**2)[kinds[later] * _N_KINDS + kinds[earlier]],
            _bucket(np.round(4 * common / np.maximum(either, 1)), _QUARTERS),
            np.stack(flags, axis=1),
        ]

    return read_block


def _find_roles(facts: MentionFeatures) -> np.ndarray:
    """Find the syntactic roles of mentions, which all dependency schemes have."""
    tokens, heads = facts.tokens, facts.heads
    firsts = tokens.first_conjunct[heads]
    found = [tokens.has_role(role)[firsts] for role in _ROLES]
    found.append(tokens.has_role("conjunct")[heads])
    found.append(tokens.is_zero_subject[heads])
    # Objects of prepositions, where these are the heads of nouns.
    found.append((tokens.governors != tokens.heads)[firsts])
    return np.stack(found, axis=1)


def _find_clauses(annotation: Annotation) -> np.ndarray:
    """Find the nearest verb above each word; -1 for none."""
    heads, is_verb = annotation.heads, annotation.is_verb
    above = heads.copy()
    for _ in range(_MAX_STEPS):
        above = np.where(is_verb[above], above, heads[above])
    return np.where(is_verb[above] & (above != np.arange(len(heads))), above, -1)


def _find_next_same(facts: MentionFeatures) -> np.ndarray:
    """Find the next mention with the same head; the number of mentions for none."""
    forms = facts.words.index[facts.heads]
    order = np.argsort(forms, kind="stable")
    is_same = forms[order][1:] == forms[order][:-1]
    found = np.full(len(forms), len(forms))
    found[order[:-1][is_same]] = order[1:][is_same]
    return found


def _count_same(facts: MentionFeatures) -> np.ndarray:
    """Count the mentions with the same head, but for pronouns: those before each
    mention, and all."""
    forms = facts.words.index[facts.heads]
    _, index, counts = np.unique(forms, return_inverse=True, return_counts=True)
    index = index.reshape(-1)
    order = np.argsort(index, kind="stable")
    before = np.empty(len(forms), dtype=np.int64)
    before[order] = np.arange(len(forms)) - (np.cumsum(counts) - counts)[index[order]]
    return np.where(facts.is_pronoun, 0, np.stack([before, counts[index]]))


def _find_nested(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Find mentions inside of others; they are in text order without duplicates."""
    groups = np.cumsum(np.append(0, starts[1:] != starts[:-1])[: len(starts)])
    # Among mentions with the same start, the last one is the longest.
    lasts = np.flatnonzero(np.append(groups[1:] != groups[:-1], True)[: len(starts)])
    longest = ends[lasts]
    before = np.append(-1, np.maximum.accumulate(longest)[:-1])[: len(longest)]
    return (before[groups] >= ends) | (longest[groups] > ends)


def _count_bits(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.uint64).view(np.uint8)
    return np.unpackbits(bits.reshape(-1, 8), axis=1).sum(axis=1)


def _bucket(values: np.ndarray, limits: Sequence[int]) -> np.ndarray:
    table = np.eye(len(limits) + 1, dtype=np.uint8)
    return table[np.searchsorted(limits, values, side="right")]
