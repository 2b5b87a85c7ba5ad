"""A model without weights, which links anaphors by grammar and distance."""

import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

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
from ...graph import pair_ranges
from ...types import ALLOWED, DOUBTFUL, CorefModel, Links, Offsets

# Later and earlier mentions, each of shape (n_pairs,).
Pairs = Tuple[np.ndarray, np.ndarray]
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
    """
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    spans = find_spans(rules, tokens)
    if not len(spans):
        return Links.empty()
    facts = rules.read_mentions(tokens, spans)
    anaphors = _pair_anaphors(facts, limits.max_sentences)
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
    pairs = _pair_forwards(facts, np.flatnonzero(is_open))
    verdicts = rules.judge(facts, *pairs)
    is_allowed = verdicts == ALLOWED
    later, earlier = _select(pairs, is_allowed)
    # Of several nouns, the nearest one.
    _, places = np.unique(earlier, return_index=True)
    return later[places], earlier[places], np.full(len(places), ALLOWED)


def _link_nouns(rules: Rules, facts: MentionFeatures, limits: Distances):
    pairs = _pair_nouns(facts, limits.max_sentences_nouns, limits.max_sentences_names)
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
    tokens = facts.tokens
    is_zero = tokens.is_zero_subject[facts.heads]
    is_subject = tokens.has_role("subject")[tokens.first_conjunct[facts.heads]]
    is_subject |= is_zero
    sentences = tokens.sentences[facts.heads]
    distances = sentences[later] - sentences[earlier] + ~is_subject[earlier]
    return np.where(is_zero[later], distances, 0)


def _rank(
    facts: MentionFeatures, pairs: Pairs, verdicts: np.ndarray, max_candidates: int
) -> Links:
    """Make links with the nearest candidates first, and doubtful ones last.

    A verb that stands for its subject prefers subjects.
    """
    later, earlier = pairs
    distances = facts.measure_distances(later, earlier)
    shifts = _find_shifts(facts, later, earlier)
    order = np.lexsort((distances, shifts, -verdicts, later))
    later, earlier = later[order], earlier[order]
    counts = np.bincount(later, minlength=len(facts))
    ranks = np.arange(len(later)) - np.repeat(np.cumsum(counts) - counts, counts)
    scores = (_BEST - _STEP * ranks).astype(np.float32)
    mentions = np.stack([facts.starts, facts.ends], 1)
    return Links.from_pairs(mentions, (later, earlier), scores, max_candidates)


def _pair_anaphors(facts: MentionFeatures, max_sentences: int) -> Pairs:
    (anaphors,) = np.nonzero(facts.is_anaphor)
    sentences = facts.tokens.sentences[facts.starts]
    firsts = np.searchsorted(sentences, sentences[anaphors] - max_sentences)
    firsts = np.maximum(firsts, anaphors - _MAX_MENTIONS)
    later, earlier = pair_ranges(anaphors, firsts, anaphors)
    is_candidate = _can_be_antecedent(facts)[earlier]
    return later[is_candidate], earlier[is_candidate]


def _pair_forwards(facts: MentionFeatures, anaphors: np.ndarray) -> Pairs:
    """Pair anaphors with the nouns after them in the same sentence, for cataphora."""
    sentences = facts.tokens.sentences[facts.starts]
    lasts = np.searchsorted(sentences, sentences[anaphors], side="right")
    lasts = np.minimum(lasts, anaphors + _MAX_MENTIONS + 1)
    earlier, later = pair_ranges(anaphors, anaphors + 1, lasts)
    is_noun = _can_be_antecedent(facts) & (facts.person == 0)
    return later[is_noun[later]], earlier[is_noun[later]]


def _pair_nouns(
    facts: MentionFeatures, max_sentences: int, for_names: Optional[int]
) -> Pairs:
    mentions, keys = _list_words(facts)
    order = np.lexsort((mentions, keys))
    mentions, keys = mentions[order], keys[order]
    found = [_pair_classes(facts, max_sentences)]
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


def _can_be_antecedent(facts: MentionFeatures) -> np.ndarray:
    """Find mentions that an anaphor can refer to.

    These are noun phrases, names, coordinations, indefinite pronouns and anaphors, but
    not "I" and "you".
    """
    is_participant = (facts.person > 0) & (facts.person < THIRD)
    return ~is_participant & ~facts.is_pleonastic


def _list_words(facts: MentionFeatures) -> Pairs:
    """List the words by which nouns and names are compared, as numbers.

    For a name, these are its words; for a noun, the head and its lemma.
    """
    is_noun = (facts.person == 0) & ~facts.is_joined
    (names,) = np.nonzero(is_noun & facts.is_name)
    (nouns,) = np.nonzero(is_noun & ~facts.is_name)
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


def _pair_classes(facts: MentionFeatures, max_sentences: int) -> Pairs:
    nouns = frozenset().union(*facts.lexicon.class_nouns.values())
    is_class = facts.tokens.lemmas.find(nouns) | facts.words.find(nouns)
    is_noun = is_class[facts.heads] & (facts.person == 0) & ~facts.is_joined
    (rows,) = np.nonzero(is_noun & ~facts.is_name)
    sentences = facts.tokens.sentences[facts.starts]
    firsts = np.searchsorted(sentences, sentences[rows] - max_sentences)
    firsts = np.maximum(firsts, rows - _MAX_MENTIONS)
    later, earlier = pair_ranges(rows, firsts, rows)
    is_class = have_class_noun(facts, later, earlier)
    return later[is_class], earlier[is_class]


# The annotation by which mentions are found.
_NEEDED = ("DEP", "POS")


class NearestAntecedent(Model[List[Doc], List[Links]], CorefModel):
    """Link each anaphor with its nearest antecedents that grammar permits.

    The attributes of the model are the fields of Distances.

    limits (Distances): The distances at which antecedents are searched.
    """

    def __init__(self, limits: Distances) -> None:
        super().__init__("nearest_antecedent", forward, attrs=limits._asdict())
        self.has_warned = False

    def warn(self, docs: List[Doc]) -> None:
        """Warn once if Docs lack the annotation by which mentions are found."""
        missing = {
            name
            for doc in docs
            for name in _NEEDED
            if len(doc) and not doc.has_annotation(name)
        }
        if missing and not self.has_warned:
            self.has_warned = True
            message = Warnings.FCW13.format(missing=", ".join(sorted(missing)))
            warnings.warn(message, stacklevel=2)

    @property
    def limits(self) -> Distances:
        """The distances at which antecedents are searched."""
        return Distances(**{name: self.attrs[name] for name in Distances._fields})

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        """Score pairs of spans; NaN for those that are no link of the model."""
        links = find_links(doc, self.limits)
        scores = [links.find_score(*pair) for pair in pairs]
        return np.array([np.nan if x is None else x for x in scores], dtype=np.float32)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        raise NotImplementedError(Errors.FC153)

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "NearestAntecedent":
        # Thinc's method would make a plain Model, without the methods of this class.
        return NearestAntecedent(self.limits)


def forward(
    model: NearestAntecedent, docs: List[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    """Find the links of Docs. Training is refused, since there are no weights."""
    if is_train:
        raise NotImplementedError(Errors.FC153)
    model.warn(docs)
    return [find_links(doc, model.limits) for doc in docs], lambda d_links: []


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
    limits = Distances(
        max_sentences, max_sentences_nouns, max_sentences_names, max_candidates
    )
    for name, value in limits._asdict().items():
        least = 1 if name == "max_candidates" else 0
        is_none = value is None and name == "max_sentences_names"
        is_valid = is_none or value >= least
        check_setting(name, value, is_valid, f"a whole number of {least} or more")
    return NearestAntecedent(limits)
