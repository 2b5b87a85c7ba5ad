"""Link each anaphor with its nearest antecedents that grammar permits."""

from typing import NamedTuple, Optional

import numpy as np
from spacy.tokens import Doc

from ...grammar.auto import find_rules
from ...grammar.mention_features import MentionFeatures
from ...grammar.mentions import find_spans
from ...grammar.rules import Rules
from ...grammar.salience import measure_distances
from ...grammar.schemes import SUBJECT
from ...types import ALLOWED, DOUBTFUL, Links
from .candidates import Pairs, pair_anaphors, pair_forwards, pair_nouns

# The score of the first candidate of an anaphor, and how much less that of each next
# one is. The last of the default number of candidates is still worth more than a
# doubtful link costs.
_BEST, _STEP = 4.0, 0.1


class Distances(NamedTuple):
    """Hold the distances at which antecedents are searched.

    max_sentences (int): The maximum distance of an anaphor, in sentences.
    max_sentences_nouns (int): That of a noun.
    max_sentences_names (Optional[int]): That of a name; None for any.
    max_candidates (int): The number of candidates of each mention.
    """

    max_sentences: int
    max_sentences_nouns: int
    max_sentences_names: Optional[int]
    max_candidates: int


def find_links(doc: Doc, limits: Distances) -> Links:
    """Find mentions and their nearest antecedents by grammar.

    An anaphor is linked to the mentions before it that the rules allow, the nearest one
    first, and then to those that they doubt. If they allow none, it is linked to a noun
    after it where cataphora is possible. Nouns and names are linked by their words.

    doc (Doc): The document, with any annotation that its pipeline makes.
    limits (Distances): The distances at which antecedents are searched.
    RETURNS (Links): The mentions and links.
    """
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    spans = find_spans(rules, tokens)
    if not len(spans):
        return Links.empty()
    facts = rules.read_mentions(tokens, spans)
    anaphors = pair_anaphors(facts, limits.max_sentences)
    verdicts = rules.judge(facts, *anaphors)
    is_possible = verdicts >= DOUBTFUL
    pairs = [
        (*_select(anaphors, is_possible), verdicts[is_possible]),
        _link_forwards(rules, facts, anaphors[0][verdicts == ALLOWED]),
        _link_nouns(rules, facts, limits),
    ]
    later, earlier, verdicts = (
        np.concatenate(parts) for parts in zip(*pairs, strict=True)
    )
    return _rank(facts, (later, earlier), verdicts, limits.max_candidates)


def _link_forwards(rules: Rules, facts: MentionFeatures, resolved: np.ndarray):
    is_open = facts.is_anaphor.copy()
    is_open[resolved] = False
    pairs = pair_forwards(facts, np.flatnonzero(is_open))
    verdicts = rules.judge(facts, *pairs)
    is_allowed = verdicts == ALLOWED
    later, earlier = _select(pairs, is_allowed)
    # Of several nouns, the nearest one.
    _, places = np.unique(earlier, return_index=True)
    return later[places], earlier[places], np.full(len(places), ALLOWED)


def _link_nouns(rules: Rules, facts: MentionFeatures, limits: Distances):
    pairs = pair_nouns(facts, limits.max_sentences_nouns, limits.max_sentences_names)
    verdicts = rules.judge(facts, *pairs)
    is_allowed = verdicts == ALLOWED
    return (*_select(pairs, is_allowed), verdicts[is_allowed])


def _select(pairs: Pairs, is_kept: np.ndarray) -> Pairs:
    return pairs[0][is_kept], pairs[1][is_kept]


def _find_shifts(
    facts: MentionFeatures, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Count the sentences by which a dropped subject is continued too late.

    A subject is dropped if it is the subject of the clause before; another noun counts
    as one sentence farther away. See Grosz, Joshi and Weinstein (1995) on centering. 0
    for all other anaphors.
    """
    annotation = facts.annotation
    is_zero = annotation.is_zero_subject[facts.heads]
    is_subject = annotation.has_role(SUBJECT)[annotation.first_conjunct[facts.heads]]
    is_subject |= is_zero
    sentences = annotation.sentences[facts.heads]
    distances = sentences[later] - sentences[earlier] + ~is_subject[earlier]
    return np.where(is_zero[later], distances, 0)


def _rank(
    facts: MentionFeatures, pairs: Pairs, verdicts: np.ndarray, max_candidates: int
) -> Links:
    """Make links with the nearest candidates first, and doubtful ones last.

    A verb that stands for its subject prefers subjects.
    """
    later, earlier = pairs
    distances = measure_distances(facts, later, earlier)
    shifts = _find_shifts(facts, later, earlier)
    order = np.lexsort((distances, shifts, -verdicts, later))
    later, earlier = later[order], earlier[order]
    counts = np.bincount(later, minlength=len(facts))
    ranks = np.arange(len(later)) - np.repeat(np.cumsum(counts) - counts, counts)
    scores = (_BEST - _STEP * ranks).astype(np.float32)
    mentions = np.stack([facts.starts, facts.ends], 1)
    return Links.from_pairs(mentions, (later, earlier), scores, max_candidates)
