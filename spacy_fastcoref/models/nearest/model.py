"""A model without weights, which links anaphors by grammar and distance."""

import warnings
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np
from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model

from ...errors import Errors, Warnings, check_setting
from ...grammar.auto import find_rules
from ...grammar.features import THIRD
from ...grammar.mention_features import MentionFeatures
from ...grammar.mentions import find_spans
from ...grammar.nouns import have_class_noun
from ...grammar.rules import Rules
from ...grammar.word_index import Rows
from ...graph import pair_ranges
from ...types import ALLOWED, DOUBTFUL, CorefModel, Links, Offsets

# Later and earlier mentions.
Pairs = Tuple[Rows, Rows]
# The number of earlier mentions with a common word that each name or noun is paired
# with.
_N_SAME = 4
# The maximum distance in mentions. It keeps the running time linear in a text without
# sentence boundaries, and is rarely reached in a text with them.
_MAX_MENTIONS = 200
# The score of the first candidate of an anaphor, and how much less that of each next
# one is. The last of the default number of candidates is still worth more than a
# doubtful link costs.
_BEST, _STEP = 4.0, 0.1
# The annotation by which mentions are found.
_NEEDED = ("DEP", "POS")


def find_links(
    doc: Doc,
    max_sentences: int,
    max_sentences_nouns: int,
    max_sentences_names: Optional[int],
    max_candidates: int,
) -> Links:
    """Find mentions and their nearest antecedents by grammar.

    An anaphor is linked to the mentions before it that the rules allow, the nearest one
    first, and then to those that they doubt. If they allow none, it is linked to a noun
    after it where cataphora is possible. Nouns and names are linked by their words.
    """
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    spans = find_spans(rules, tokens)
    if not len(spans):
        return Links.empty()
    facts = rules.read_mentions(tokens, spans)
    (anaphors,) = np.nonzero(facts.is_anaphor)
    # An anaphor can refer to noun phrases, names, coordinations, indefinite pronouns
    # and anaphors, but not to "I" and "you".
    is_participant = (facts.person > 0) & (facts.person < THIRD)
    is_candidate = ~is_participant & ~facts.is_pleonastic
    later, earlier = _pair_before(facts, anaphors, max_sentences)
    is_kept = is_candidate[earlier]
    pairs = later[is_kept], earlier[is_kept]
    backwards = _judge(rules, facts, pairs, DOUBTFUL)
    is_open = facts.is_anaphor.copy()
    is_open[backwards[0][backwards[2] == ALLOWED]] = False
    # Cataphora: with what comes after them in the same sentence.
    (anaphors,) = np.nonzero(is_open)
    sentences = facts.tokens.sentences[facts.starts]
    lasts = np.searchsorted(sentences, sentences[anaphors], side="right")
    lasts = np.minimum(lasts, anaphors + _MAX_MENTIONS + 1)
    earlier, later = pair_ranges(anaphors, anaphors + 1, lasts)
    is_kept = is_candidate[later] & (facts.person[later] == 0)
    forwards = _judge(rules, facts, (later[is_kept], earlier[is_kept]))
    # Of several nouns, the nearest one.
    _, places = np.unique(forwards[1], return_index=True)
    pairs = _pair_nouns(facts, max_sentences_nouns, max_sentences_names)
    parts = backwards, [one[places] for one in forwards], _judge(rules, facts, pairs)
    later, earlier, verdicts = map(np.concatenate, zip(*parts, strict=True))
    # The nearest candidates first, and doubtful ones last. A verb that stands for its
    # subject prefers subjects.
    distances = facts.measure_distances(later, earlier)
    shifts = _find_shifts(facts, later, earlier)
    order = np.lexsort((distances, shifts, -verdicts, later))
    later, earlier = later[order], earlier[order]
    ranks = np.arange(len(later)) - np.searchsorted(later, later)
    scores = (_BEST - _STEP * ranks).astype(np.float32)
    return Links.from_pairs(spans, (later, earlier), scores, max_candidates)


def _judge(
    rules: Rules, facts: MentionFeatures, pairs: Pairs, least: int = ALLOWED
) -> Tuple[Rows, Rows, np.ndarray]:
    """Find the pairs with a verdict of at least this, and their verdicts."""
    later, earlier = pairs
    verdicts = rules.judge(facts, later, earlier)
    is_kept = verdicts >= least
    return later[is_kept], earlier[is_kept], verdicts[is_kept]


def _find_shifts(facts: MentionFeatures, later: Rows, earlier: Rows) -> np.ndarray:
    """Count the sentences by which a dropped subject is continued too late.

    A subject is dropped if it is the subject of the clause before; another noun counts
    as one sentence farther away. See Grosz, Joshi and Weinstein (1995) on centering. 0
    for all other anaphors.
    """
    tokens = facts.tokens
    is_zero = tokens.is_zero_subject[facts.heads]
    is_subject = tokens.has_role("subject")[tokens.first_conjunct[facts.heads]]
    is_subject |= is_zero
    sentences = tokens.sentences[facts.heads]
    distances = sentences[later] - sentences[earlier] + ~is_subject[earlier]
    return np.where(is_zero[later], distances, 0)


def _pair_before(facts: MentionFeatures, rows: Rows, max_sentences: int) -> Pairs:
    """Pair some mentions with all of those not too far before them."""
    sentences = facts.tokens.sentences[facts.starts]
    firsts = np.searchsorted(sentences, sentences[rows] - max_sentences)
    return pair_ranges(rows, np.maximum(firsts, rows - _MAX_MENTIONS), rows)


def _pair_nouns(
    facts: MentionFeatures, max_sentences: int, for_names: Optional[int]
) -> Pairs:
    """Pair nouns and names with earlier ones of a common word, or of a class's noun."""
    is_noun = (facts.person == 0) & ~facts.is_joined
    names, nouns = (
        np.flatnonzero(is_noun & one) for one in (facts.is_name, ~facts.is_name)
    )
    kinds = frozenset().union(*facts.lexicon.class_nouns.values())
    is_class = facts.tokens.lemmas.find(kinds) | facts.words.find(kinds)
    pairs = _pair_before(facts, nouns[is_class[facts.heads[nouns]]], max_sentences)
    is_class = have_class_noun(facts, *pairs)
    found = [tuple(one[is_class] for one in pairs)]
    mentions, keys = _list_words(facts, names, nouns)
    order = np.lexsort((mentions, keys))
    mentions, keys = mentions[order], keys[order]
    for step in range(1, _N_SAME + 1):
        is_same = keys[step:] == keys[:-step]
        found.append((mentions[step:][is_same], mentions[:-step][is_same]))
    later, earlier = (np.concatenate(parts) for parts in zip(*found, strict=True))
    sentences = facts.tokens.sentences[facts.starts]
    distances = sentences[later] - sentences[earlier]
    is_name = facts.is_name[later]
    farthest = len(facts.words.index) if for_names is None else for_names
    limits = np.where(is_name, farthest, max_sentences)
    is_near = (distances <= limits) & (earlier < later)
    pairs = np.unique(np.stack([later[is_near], earlier[is_near]], 1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _list_words(facts: MentionFeatures, names: Rows, nouns: Rows) -> Pairs:
    """List the words by which nouns and names are compared, as numbers.

    For a name, these are its words; for a noun, the head and its lemma.
    """
    forms = facts.words.index
    firsts = np.maximum(facts.runs.firsts[facts.heads[names]], facts.starts[names])
    rows, tokens = pair_ranges(names, firsts, facts.ends[names])
    is_part = facts.runs.is_part[tokens]
    rows, tokens = rows[is_part], tokens[is_part]
    mentions = [rows, nouns]
    keys = [forms[tokens], forms[facts.heads[nouns]]]
    if facts.tokens.has_lemmas:
        mentions.append(nouns)
        # Lemmas have numbers of their own.
        keys.append(-1 - facts.tokens.lemmas.index[facts.heads[nouns]])
    return np.concatenate(mentions), np.concatenate(keys)


class NearestAntecedent(Model[List[Doc], List[Links]], CorefModel):
    """Link each anaphor with its nearest antecedents that grammar permits."""

    def __init__(self, **limits: Any) -> None:
        super().__init__("nearest_antecedent", forward, attrs=limits)
        self.has_warned = False

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        links = find_links(doc, **self.attrs)
        scores = [links.find_score(*pair) for pair in pairs]
        return np.array([np.nan if x is None else x for x in scores], dtype=np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        raise NotImplementedError(Errors.FC153)

    def _copy(self, seen: Any = None) -> "NearestAntecedent":
        # Thinc's method would make a plain Model, without the methods of this class.
        return NearestAntecedent(**self.attrs)


def forward(
    model: NearestAntecedent, docs: List[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Find the links of Docs. Training is refused, since there are no weights."""
    if is_train:
        raise NotImplementedError(Errors.FC153)
    parsed = [doc for doc in docs if len(doc)]
    missing = [n for n in _NEEDED if not all(doc.has_annotation(n) for doc in parsed)]
    if missing and not model.has_warned:
        model.has_warned = True
        message = Warnings.FCW13.format(missing=", ".join(missing))
        warnings.warn(message, stacklevel=2)
    return [find_links(doc, **model.attrs) for doc in docs], lambda d_links: []


@registry.architectures("spacy_fastcoref.NearestAntecedent.v1")
def make_nearest_antecedent(
    max_sentences: int = 5,
    max_sentences_nouns: int = 2,
    max_sentences_names: Optional[int] = None,
    max_candidates: int = 8,
) -> NearestAntecedent:
    """Make a model without weights, for any language with a grammar.

    It does not import PyTorch. It is as good as the tags and the parse of the pipeline.

    max_sentences (int): The maximum distance of an anaphor and its antecedent, in
        sentences.
    max_sentences_nouns (int): That of two nouns.
    max_sentences_names (Optional[int]): That of two names; null for any distance.
    max_candidates (int): The number of candidate antecedents of each mention.
    RETURNS (NearestAntecedent): The model.
    RAISES (ValueError): A setting is not valid.
    """
    limits = {
        "max_sentences": max_sentences,
        "max_sentences_nouns": max_sentences_nouns,
        "max_sentences_names": max_sentences_names,
        "max_candidates": max_candidates,
    }
    for name, value in limits.items():
        least = 1 if name == "max_candidates" else 0
        is_valid = value is None or value >= least
        check_setting(name, value, is_valid, f"a whole number of {least} or more")
    return NearestAntecedent(**limits)
