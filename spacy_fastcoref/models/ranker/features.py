"""Compute what is known of mentions and of pairs of them.

Values of annotation are listed by slot: of which token, and what, such as "head dep".
"""

from collections import Counter, defaultdict
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy as np
from spacy.attrs import DEP, ENT_TYPE, MORPH, POS, TAG
from spacy.morphology import Morphology
from thinc.types import Floats2d, Ints2d

from ...grammar.annotation import Annotation
from ...grammar.features import ANYTHING, OPEN_PERSON
from ...grammar.mention_features import MentionFeatures
from ...grammar.word_index import Marks, Rows
from ...graph import find_depths, pair_ranges
from .candidates import Candidates

# The number of token positions of a mention, see network.Batch.
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
# The numbers of columns, without those of annotation's values.
N_MENTION = _N_AGREEMENT + _N_FLAGS + _N_PERSONS + 5 * 6 + _N_ROLES + 15
N_PAIR = 10 + 4 * 7 + _N_KINDS**2 + 5 + 15
# Pairs are read in blocks of this size, so that little memory is needed.
_N_AT_ONCE = 20000
Values = Dict[str, List[str]]
# What can be read of a word.
ATTRS = {"tag": TAG, "pos": POS, "dep": DEP, "entity": ENT_TYPE, "morph": MORPH}
ANNOTATION = tuple(ATTRS)
# What is read of a mention's head, of the word that governs it, and of its children.
_READ = {"head": ANNOTATION, "governor": ANNOTATION, "child": ("dep", "pos")}
SLOTS = [f"{where} {name}" for where, names in _READ.items() for name in names]
# A value that is rarer than this in training is ignored.
_MIN_COUNT = 5
# Values that say nothing.
_EMPTY = "", Morphology.EMPTY_MORPH


def read_mentions(
    candidates: Candidates, values: Values
) -> Tuple[Ints2d, np.ndarray, Floats2d]:
    """Compute the inputs of a document's mentions; see network.Batch."""
    facts, n_tokens = candidates.facts, len(candidates.doc)
    starts, ends, heads = facts.starts, facts.ends, facts.heads
    governors = facts.tokens.heads[heads]
    governors = np.where(governors == heads, -1, governors)
    around = [starts - 1, starts - 2, ends, ends + 1]
    places = np.stack([heads, starts, ends - 1, *around, governors], axis=1)
    sentences = facts.tokens.sentences
    firsts = np.searchsorted(sentences, sentences[heads], side="left")
    lasts = np.searchsorted(sentences, sentences[heads], side="right")
    whole = np.zeros_like(heads), np.full_like(heads, n_tokens)
    offsets = np.stack([starts, ends, firsts, lasts, *whole], axis=1)
    (before, everywhere), grammar = _count_same(facts), facts.grammar
    flags = [
        facts.is_anaphor,
        facts.is_joined,
        facts.is_name,
        facts.is_indefinite,
        facts.is_reflexive,
        facts.ask(grammar.find_definite),
        facts.ask(grammar.find_indefinite),
        facts.ask(grammar.find_demonstrated),
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
        _bucket(heads - firsts, _POSITIONS),
        _bucket(before, _COUNTS),
        _bucket(everywhere, _COUNTS),
        _find_roles(facts),
        np.stack(flags, axis=1),
        read_values(candidates, values),
    ]
    return (
        np.where(places < n_tokens, np.maximum(places, -1), -1),
        offsets.reshape(-1, 3, 2),
        np.concatenate(columns, axis=1, dtype=np.float32, casting="unsafe"),
    )


def read_pairs(candidates: Candidates) -> np.ndarray:
    """Compute the inputs of pairs; shape (n_pairs, N_PAIR), uint8, zeros and ones."""
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
    ranks, saliences = _rank(candidates)
    found = np.zeros((len(ranks), N_PAIR), dtype=np.uint8)
    for begin in range(0, len(ranks), _N_AT_ONCE):
        rows = slice(begin, begin + _N_AT_ONCE)
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
            candidates.is_doubtful[rows],
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
        columns = [
            _bucket(later - earlier, _MENTIONS),
            _bucket(sentences[later] - sentences[earlier], _SENTENCES),
            _bucket(ranks[rows], _RANKS),
            _bucket(saliences[rows], _RANKS),
            _bucket(np.abs(heads - others), _WORDS),
            np.eye(_N_KINDS**2)[kinds[later] * _N_KINDS + kinds[earlier]],
            _bucket(np.round(4 * common / np.maximum(either, 1)), _QUARTERS),
            np.stack(flags, axis=1),
        ]
        np.concatenate(columns, axis=1, out=found[rows], casting="unsafe")
    return found


def _rank(candidates: Candidates) -> Tuple[np.ndarray, np.ndarray]:
    """Rank the candidates of each mention from 1 on, by position and by salience."""
    later, pairs = candidates.later, np.arange(len(candidates.later))
    distances = candidates.facts.measure_distances(later, candidates.earlier)
    order = np.lexsort((distances, candidates.is_doubtful, later))
    saliences = np.empty_like(pairs)
    # Pairs are sorted by mention, so those of each have the same places in any order.
    saliences[order] = 1 + pairs - np.searchsorted(later, later)
    return np.searchsorted(later, later, side="right") - pairs, saliences


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


def _find_clauses(annotation: Annotation) -> Rows:
    """Find the nearest verb above each word; -1 for none."""
    heads, is_verb = annotation.heads, annotation.is_verb
    above = heads.copy()
    for _ in range(_MAX_STEPS):
        above = np.where(is_verb[above], above, heads[above])
    return np.where(is_verb[above] & (above != np.arange(len(heads))), above, -1)


def _find_next_same(facts: MentionFeatures) -> Rows:
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


def _find_nested(starts: np.ndarray, ends: np.ndarray) -> Marks:
    """Find mentions inside of others; all differ."""
    order = np.lexsort((-ends, starts))
    found = np.zeros(len(ends), dtype=bool)
    longest = np.maximum.accumulate(ends[order])
    found[order[1:]] = longest[:-1] >= ends[order[1:]]
    return found


def _count_bits(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.uint64).view(np.uint8)
    return np.unpackbits(bits.reshape(-1, 8), axis=1).sum(axis=1)


def _bucket(values: np.ndarray, limits: Sequence[int]) -> np.ndarray:
    table = np.eye(len(limits) + 1, dtype=np.uint8)
    return table[np.searchsorted(limits, values, side="right")]


def count_values(found: Iterable[Candidates], annotation: Sequence[str]) -> Values:
    """List the values that occur in documents, but for rare ones."""
    slots = [slot for slot in SLOTS if slot.split()[1] in annotation]
    counts: Dict[str, Counter] = defaultdict(Counter)
    for one in found:
        for slot, _, index, parts in _read_slots(one, slots):
            for values, n in zip(parts, np.bincount(index).tolist(), strict=True):
                for value in values:
                    counts[slot][value] += n
    return {
        slot: sorted(value for value, n in found.items() if n >= _MIN_COUNT)
        for slot, found in sorted(counts.items())
    }


def read_values(candidates: Candidates, values: Values) -> Floats2d:
    """Read which values mentions have; shape (n_mentions, n_values)."""
    width = sum(map(len, values.values()))
    table = np.zeros((len(candidates.facts), width), dtype=np.float32)
    first = 0
    for slot, rows, index, parts in _read_slots(candidates, values):
        known = values[slot]
        has = np.array([[value in one for value in known] for one in parts], dtype=bool)
        places, columns = np.nonzero(has.reshape(len(parts), len(known))[index])
        table[rows[places], first + columns] = 1
        first += len(known)
    return table


def _read_slots(
    candidates: Candidates, slots: Iterable[str]
) -> Iterator[Tuple[str, np.ndarray, np.ndarray, List[List[str]]]]:
    """Read slots: the mention and the form of each token, and the values in a form."""
    doc, heads = candidates.doc, candidates.facts.heads
    above = candidates.facts.tokens.heads
    children = np.flatnonzero(above != np.arange(len(above)))
    children = children[np.argsort(above[children], kind="stable")]
    firsts = np.searchsorted(above[children], heads)
    lasts = np.searchsorted(above[children], heads, side="right")
    mentions = np.arange(len(heads))
    rows, places = pair_ranges(mentions, firsts, lasts)
    tokens = {
        "head": (mentions, heads),
        "governor": (mentions, above[heads]),
        "child": (rows, children[places]),
    }
    for slot in slots:
        where, name = slot.split()
        rows, of_rows = tokens[where]
        ids = doc.to_array(ATTRS[name])[of_rows]
        forms, index = np.unique(ids, return_inverse=True)
        texts = [doc.vocab.strings[form] for form in forms.tolist()]
        parts = [text.split("|") if name == "morph" else [text] for text in texts]
        yield slot, rows, index, [[p for p in one if p not in _EMPTY] for one in parts]
