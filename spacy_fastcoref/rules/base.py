"""Judge a model's links by the grammar of a language."""

import warnings
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
from spacy.attrs import IS_LOWER
from spacy.tokens import Doc

from ..decoding.costs import Costs
from ..decoding.duplicates import merge_duplicates
from ..errors import REASONS, Errors, Warnings
from ..graph import find_roots
from ..languages.annotation import Annotation
from ..languages.features import ANYTHING, SEVERAL, read_features, read_types
from ..languages.heads import find_mention_heads
from ..languages.lexicon import get_lexicon
from ..languages.word_index import WordIndex
from ..types import ALLOWED, FORBIDDEN, Links, RuleOutput
from . import speakers
from .agreement import find_clash
from .apposition import find_appositions
from .crossing import find_clauses, find_crossed, find_running_on
from .describing import describe_names, find_reciprocals, find_several
from .facts import ANY_NAME, Facts
from .name_runs import find_runs
from .names import read_names
from .pair_rules import PAIR_RULES, PairRule
from .people import make_aspect
from .pleonastic import find_pleonastic
from .same_head import find_same_head
from .speech import Speech

# Rules that hold for whole clusters are applied to each mention with links and this
# number of such mentions before it.
N_NEARBY = 12
# The names of rules on mentions rather than pairs. A rule on pairs can have the same
# name.
_MENTION_RULES = (
    "agreement",
    "apposition",
    "given_name",
    "namesake",
    "narrator",
    "other_name",
    "same_head",
    "type",
)
# The rules that are disabled by default, since they lower the scores on the corpora;
# see docs/results.md.
DISABLED = frozenset(("cataphora", "indefinite"))


class Rules:
    """Judge the links of a document by the grammar of its language.

    The rules read the language's lexicon.json, and the morphology, dependencies and
    entities that a pipeline annotates. If a language needs more than that, subclass
    Rules, override `read_agreement`, `find_verbs` or `pair_rules`, and register a
    function that returns the subclass with
    @spacy.registry.coref_rules("my_package.xx.v1") for the language "xx".

    disabled (Optional[Iterable[str]]): The names of disabled rules; None for those in
        DISABLED.
    doubtful (float): The cost of a doubtful link, in log-odds.
    alone (float): The cost of an anaphor without an antecedent, see Costs.
    warns (bool): Whether to warn once if annotation is missing.
    RAISES (ValueError): There is no rule of a name in `disabled`.
    """

    pair_rules: Sequence[PairRule] = PAIR_RULES

    def __init__(
        self,
        disabled: Optional[Iterable[str]] = None,
        doubtful: float = Costs.doubtful,
        alone: float = Costs.alone,
        warns: bool = True,
    ) -> None:
        names = self.list_names()
        self.disabled = frozenset(
            DISABLED & set(names) if disabled is None else disabled
        )
        unknown = sorted(self.disabled - set(names))
        if unknown:
            raise ValueError(Errors.FC043.format(names=unknown, available=names))
        self.costs = Costs(doubtful=doubtful, alone=alone)
        self.warns = warns
        self.rules = [
            rule for rule in self.pair_rules if rule.name not in self.disabled
        ]

    @classmethod
    def list_names(cls) -> List[str]:
        """List the rules that can be disabled.

        RETURNS (List[str]): The names of the rules.
        """
        names = [*_MENTION_RULES, *(rule.name for rule in cls.pair_rules)]
        return list(dict.fromkeys(names))

    def read(self, doc: Doc, mentions: np.ndarray) -> Facts:
        """Read the features of mentions from annotation and word lists.

        A mention of unknown features can have any. The running time is linear in the
        number of tokens and mentions.

        doc (Doc): The document, with any annotation that its pipeline makes.
        mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
        RETURNS (Facts): The features of the mentions.
        """
        words, lexicon = WordIndex(doc), get_lexicon(doc.lang_)
        annotation = Annotation(doc, words, lexicon.argument_prepositions)
        features = read_features(annotation, words, lexicon)
        heads, is_joined = find_mention_heads(mentions, annotation, words, lexicon)
        starts, ends = mentions[:, 0].astype(np.int64), mentions[:, 1].astype(np.int64)
        is_alone = ends - starts == 1
        person = np.where(is_alone, features.person[heads], 0)
        is_pronoun = person > 0
        is_nothing = find_pleonastic(annotation, words, lexicon)
        is_nothing |= self.find_verbs(annotation, words) & (features.person == 0)
        facts = Facts(
            annotation=annotation,
            words=words,
            lexicon=lexicon,
            features=features,
            runs=find_runs(words, lexicon, features.is_name),
            speech=Speech(doc, words, lexicon),
            starts=starts,
            ends=ends,
            heads=heads,
            person=person,
            flags=np.where(is_pronoun, features.flags[heads], 0),
            is_joined=is_joined,
            is_name=features.is_name[heads] & ~is_pronoun & ~is_joined,
            is_pleonastic=is_alone & is_nothing[heads],
            is_indefinite=words.find(lexicon.indefinites)[starts] & ~is_alone,
        )
        agreement = self.read_agreement(facts)
        agreement = np.where(is_joined, ANYTHING, agreement)
        are_several = find_several(facts) | find_reciprocals(facts)
        agreement = np.where(are_several, SEVERAL, agreement)
        facts.agreement = np.where(is_pronoun, features.as_pronoun[heads], agreement)
        return facts

    def read_agreement(self, facts: Facts) -> np.ndarray:
        """Read the agreement bits of names and nouns.

        By default, those of names come from titles and given names, and those of other
        mentions from the morphology and the entity label of the head. Override this for
        a language with word lists of nouns.

        facts (Facts): The features of the mentions that have been read so far.
        RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py.
            The values for pronouns and coordinations are not used.
        """
        by_head = facts.features.as_noun[facts.heads]
        names = read_names(facts)
        narrowed = np.where((names & by_head) > 0, names & by_head, names)
        return np.where(facts.is_name, narrowed, by_head)

    def find_verbs(self, annotation: Annotation, words: WordIndex) -> np.ndarray:
        """Find verbs that can't be mentions, such as "is".

        Override this for a language that drops subject pronouns, in which a verb can be
        an anaphor.

        annotation (Annotation): The document's annotation.
        words (WordIndex): The document's words.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        lexicon = get_lexicon(words.doc.lang_)
        found = words.find((lexicon.auxiliaries | lexicon.copulas) - lexicon.clitics)
        # A name of the same form is capitalised: "Will".
        is_lower = words.doc.to_array(IS_LOWER) > 0
        return found & (annotation.is_pos("AUX") if annotation.has_pos else is_lower)

    def find_person_nouns(self, words: WordIndex) -> Optional[np.ndarray]:
        """Find nouns for people, which can be used like names: "Mother".

        words (WordIndex): The document's words.
        RETURNS (Optional[numpy.ndarray]): Shape (n_tokens,), bool; None if the language
            has no list of such nouns.
        """
        return None

    def describe(self, doc: Doc, links: Links) -> Facts:
        """Read the features of the mentions of a model's links.

        doc (Doc): The document.
        links (Links): The model's predictions.
        RETURNS (Facts): The features of the mentions.
        """
        facts = self.read(doc, links.mentions)
        scores = links.mention_scores
        facts.is_likely = scores > 0
        runs_on = find_running_on(facts) | find_clauses(facts)
        scores = np.where(runs_on, -np.inf, scores)
        facts.is_crossed = find_crossed(facts.starts, facts.ends, scores) | runs_on
        facts.spoken_by = speakers.find_speakers(facts, scores)
        if links.types is not None and "type" not in self.disabled:
            by_type = np.where(facts.is_joined, ANYTHING, read_types(links.types))
            # Grammar is surer than a prediction.
            agreed = facts.agreement & by_type
            is_open = ~facts.is_pronoun & (agreed > 0)
            facts.agreement = np.where(is_open, agreed, facts.agreement)
        if facts.is_name.any():
            describe_names(facts, links, self.find_person_nouns(facts.words))
        return facts

    def __call__(self, doc: Doc, links: Links) -> RuleOutput:
        """Judge a model's links.

        doc (Doc): The document.
        links (Links): The model's predictions.
        RETURNS (RuleOutput): The verdicts, agreement, anaphors, must-links and
            cannot-links.
        """
        verdicts = np.full(links.scores.shape, ALLOWED)
        if not len(links):
            return RuleOutput(verdicts)
        facts = self.describe(doc, links)
        duplicate_of = self._find_duplicates(facts, links)
        links = merge_duplicates(links, duplicate_of)
        rows, columns = np.nonzero(links.antecedents >= 0)
        earlier = links.antecedents[rows, columns].astype(np.int64)
        if self.warns:
            self._warn(facts)
        nearby = _pair_nearby(np.union1d(rows, earlier))
        judged, cannot_links = self._judge(facts, (rows, earlier), nearby)
        verdicts[rows, columns] = judged
        agreement = None
        if "agreement" not in self.disabled:
            agreement = self._find_aspects(facts)
        must_links = _redirect(self._find_must_links(facts), duplicate_of)
        return RuleOutput(
            verdicts,
            agreement,
            facts.is_anaphor,
            cannot_links,
            must_links,
            duplicate_of,
        )

    def _find_duplicates(self, facts: Facts, links: Links) -> np.ndarray:
        """Find the mention that each mention is a duplicate of; -1 for none."""
        mentions = np.arange(len(facts))
        wholes = mentions
        if "same_head" not in self.disabled:
            same = find_same_head(facts, links)
            wholes = np.where(same < 0, wholes, same)
        if "name_part" not in self.disabled:
            wholes = np.where(facts.part_of < 0, wholes, facts.part_of)
        wholes = find_roots(wholes)
        return np.where(wholes == mentions, -1, wholes)

    def _find_must_links(self, facts: Facts) -> np.ndarray:
        """Find the must-link of each mention; -1 for none. Shape (n_mentions,)."""
        must_links = np.full(len(facts), -1)
        if "narrator" not in self.disabled:
            must_links = speakers.find_narrators(facts)
        if "namesake" not in self.disabled:
            must_links = np.where(must_links < 0, facts.named_as, must_links)
        if "apposition" not in self.disabled:
            apposed = find_appositions(facts)
            must_links = np.where(must_links < 0, apposed, must_links)
        return must_links

    def _find_aspects(self, facts: Facts) -> np.ndarray:
        """Collect the aspects of agreement; shape (n_mentions, n_aspects)."""
        aspects = [facts.agreement.astype(np.uint64)]
        for rule, names in (
            ("given_name", facts.given_names),
            ("other_name", facts.people),
        ):
            if rule not in self.disabled and (names != ANY_NAME).any():
                aspects.append(make_aspect(facts.agreement, names))
        return np.stack(aspects, axis=1)

    def find_rules(self, facts: Facts) -> List[PairRule]:
        """Find the rules for which a document has the annotation.

        facts (Facts): The features of the mentions.
        RETURNS (List[PairRule]): The rules, without disabled ones.
        """
        found = facts.annotation.annotation
        return [rule for rule in self.rules if found.issuperset(rule.needs)]

    def judge(self, facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Judge pairs of mentions.

        facts (Facts): The features of the mentions.
        later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
        RETURNS (numpy.ndarray): Shape (n_pairs,), the verdicts.
        """
        return self._judge(facts, (later, earlier))[0]

    def _judge(
        self,
        facts: Facts,
        linked: Tuple[np.ndarray, np.ndarray],
        nearby: Optional[Tuple[np.ndarray, np.ndarray]] = None,
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Judge links, and find conflicts among the other pairs.

        Rules that hold for whole clusters are applied to both in one call.
        """
        n_linked = len(linked[0])
        later, earlier = linked
        if nearby is not None:
            later = np.concatenate([later, nearby[0]])
            earlier = np.concatenate([earlier, nearby[1]])
        verdicts = np.full(n_linked, ALLOWED)
        is_apart = np.zeros(len(later), dtype=bool)
        for rule in self.find_rules(facts):
            if rule.is_cluster_wide:
                holds = rule.check(facts, later, earlier)
                is_apart |= holds
                holds = holds[:n_linked]
            else:
                holds = rule.check(facts, *linked)
            verdicts = np.where(holds, np.minimum(verdicts, rule.verdict), verdicts)
        if "agreement" not in self.disabled:
            agree = (facts.agreement[linked[0]] & facts.agreement[linked[1]]) != 0
            verdicts = np.where(agree, verdicts, FORBIDDEN)
        is_apart[:n_linked] = False
        return verdicts, np.stack([earlier[is_apart], later[is_apart]], 1)

    def find_reasons(
        self, facts: Facts, later: np.ndarray, earlier: np.ndarray
    ) -> List[Dict[str, str]]:
        """Find the reasons why rules object to pairs of mentions.

        facts (Facts): The features of the mentions.
        later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
        RETURNS (List[Dict[str, str]]): For each pair, the reasons in words by the name
            of the rule. The rule "agreement" has the names "number", "gender" and
            "animacy".
        """
        found: List[Dict[str, str]] = [{} for _ in later]
        if "agreement" not in self.disabled:
            clash = find_clash(facts.agreement[later], facts.agreement[earlier])
            for i in np.flatnonzero(clash != ""):
                found[i][str(clash[i])] = REASONS[str(clash[i])]
        for rule in self.find_rules(facts):
            for i in np.flatnonzero(rule.check(facts, later, earlier)):
                found[i][rule.name] = rule.reason or REASONS.get(rule.name, rule.name)
        return found

    def _warn(self, facts: Facts) -> None:
        usable = self.find_rules(facts)
        unusable = [rule for rule in self.rules if rule not in usable]
        missing = {need for rule in unusable for need in rule.needs}
        missing -= facts.annotation.annotation
        if missing and len(facts):
            names = sorted(rule.name for rule in unusable)
            self.warns = False
            message = Warnings.FCW04.format(missing=sorted(missing), rules=names)
            warnings.warn(message, stacklevel=2)


def _pair_nearby(mentions: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Pair each mention with the N_NEARBY mentions before it."""
    later = np.repeat(np.arange(len(mentions)), N_NEARBY)
    earlier = later - np.tile(np.arange(1, N_NEARBY + 1), len(mentions))
    return mentions[later[earlier >= 0]], mentions[earlier[earlier >= 0]]


def _redirect(must_links: np.ndarray, duplicate_of: np.ndarray) -> np.ndarray:
    """Move the must-links of duplicates to the mentions that they are duplicates of."""
    mentions = np.arange(len(must_links))
    wholes = np.where(duplicate_of < 0, mentions, duplicate_of)
    # A mention's own must-link takes precedence over those of its duplicates.
    rows = np.argsort(duplicate_of < 0, kind="stable")
    rows = rows[must_links[rows] >= 0]
    found = np.full(len(must_links), -1)
    found[wholes[rows]] = wholes[must_links[rows]]
    is_cycle = (found >= 0) & (found[found] == mentions) & (found >= mentions)
    return np.where(is_cycle, -1, found)
