"""What a language's rules are, and how they answer the decoder."""

import warnings
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..decoding.components import find_roots
from ..decoding.decode import Costs
from ..decoding.duplicates import merge_duplicates
from ..errors import REASONS, Errors, Warnings
from ..types import ALLOWED, FORBIDDEN, Links, RuleOutput
from .agreement import find_clash, find_ways
from .crossing import find_crossed, find_running_on
from .facts import Facts
from .quotations import find_narrators, find_speakers
from .same_head import find_versions

# Mentions with links up to so many places apart are kept out of one cluster by all.
LOCAL = 12
# Rules that are about mentions; one of that name may be about pairs, too.
_OF_MENTIONS = (
    "agreement",
    "given_name",
    "namesake",
    "narrator",
    "other_name",
    "version",
)
Check = Callable[[Facts, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class PairRule:
    """Say which pairs of mentions cannot be one, and why.

    name (str): What it is switched off by, and what its reason is found by.
    check (Check): A function of the facts and of two arrays of mentions, each of shape
        (n_pairs,), the later ones first. It returns an array of bool: where the rule
        holds. It loops over no pairs.
    verdict (int): FORBIDDEN or DOUBTFUL.
    is_lasting (bool): Whether the two cannot be in one cluster either, by whatever
        other links.
    reason (str): Why, in words, for people who ask; its name if there are none.
    needs (Tuple[str, ...]): The annotation without which it is not asked: "pos", "dep",
        "entities". Where it lacks other annotation it says False.
    """

    name: str
    check: Check
    verdict: int = FORBIDDEN
    is_lasting: bool = False
    needs: Tuple[str, ...] = ()
    reason: str = ""


class Rules:
    """Say what a language's grammar knows of a document's links.

    A language is a subclass with two things of its own: `read`, which describes
    mentions, and `pair_rules`. An instance is what a function registered with
    @spacy.registry.coref_rules("my_package.xx.v1") returns; a package names that
    function in the entry point group `spacy_coref_rules`.

    disabled (Iterable[str]): The names of rules that are switched off; "agreement" is
        one, "given_name", by which a person has one, "other_name", by which a person
        has no two names that nothing connects, "namesake", by which a family name is
        who had it in full, and another name who is said to have it, "narrator", by
        which "I" is who speaks, in a quotation and outside of them, and "version", by
        which one of several mentions with one head stays.
    doubtful (float): What a doubtful link costs, in log-odds.
    alone (float): What an anaphor pays for having no antecedent, see Costs.
    warns (bool): Whether it is said, once, that annotation is missing.
    RAISES (ValueError): A name that is no rule's.
    """

    pair_rules: Sequence[PairRule] = ()

    def __init__(
        self,
        disabled: Iterable[str] = (),
        doubtful: float = Costs.doubtful,
        alone: float = Costs.alone,
        warns: bool = True,
    ) -> None:
        self.disabled = frozenset(disabled)
        names = self.list_names()
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
        """List the rules that can be switched off.

        RETURNS (List[str]): Their names.
        """
        names = [*_OF_MENTIONS, *(rule.name for rule in cls.pair_rules)]
        return list(dict.fromkeys(names))

    def read(self, doc: Doc, mentions: np.ndarray) -> Facts:
        """Describe mentions.

        What nothing tells stays open: a mention of which nothing is known can be
        anything. Time has to be linear in tokens and mentions.

        doc (Doc): The document, with whatever annotation its pipeline makes.
        mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
        RETURNS (Facts): What is known of them.
        """
        raise NotImplementedError

    def describe(self, doc: Doc, links: Links) -> Facts:
        """Describe the mentions of a model's links.

        A language adds what depends on how likely the model finds each mention.

        doc (Doc): The document.
        links (Links): The model's answer.
        RETURNS (Facts): What is known of the mentions.
        """
        facts = self.read(doc, links.mentions)
        scores = links.mention_scores
        facts.is_likely = scores > 0
        runs_on = find_running_on(facts.words, facts.starts, facts.ends)
        scores = np.where(runs_on, -np.inf, scores)
        facts.is_crossed = find_crossed(facts.starts, facts.ends, scores) | runs_on
        facts.spoken_by = find_speakers(facts, scores)
        return facts

    def __call__(self, doc: Doc, links: Links) -> RuleOutput:
        """Judge a model's links.

        doc (Doc): The document.
        links (Links): The model's answer.
        RETURNS (RuleOutput): The verdicts, agreement, anaphors and conflicts.
        """
        verdicts = np.full(links.scores.shape, ALLOWED)
        if not len(links):
            return RuleOutput(verdicts)
        facts = self.describe(doc, links)
        duplicate_of = self._find_wholes(facts, links)
        links = merge_duplicates(links, duplicate_of)
        rows, columns = np.nonzero(links.antecedents >= 0)
        earlier = links.antecedents[rows, columns].astype(np.int64)
        if self.warns:
            self._warn(facts)
        verdicts[rows, columns] = self.judge(facts, rows, earlier)
        agreement = None
        if "agreement" not in self.disabled:
            agreement = self._find_aspects(facts)
        conflicts = self._find_conflicts(facts, np.union1d(rows, earlier))
        must_links = _pass_on(self._find_same(facts), duplicate_of)
        return RuleOutput(
            verdicts, agreement, facts.is_anaphor, conflicts, must_links, duplicate_of
        )

    def _find_wholes(self, facts: Facts, links: Links) -> np.ndarray:
        """Tell which mentions others leave their links to; shape (n_mentions,)."""
        mentions = np.arange(len(facts))
        wholes = mentions
        if "version" not in self.disabled:
            versions = find_versions(facts, links)
            wholes = np.where(versions < 0, wholes, versions)
        if "name_part" not in self.disabled and facts.part_of is not None:
            wholes = np.where(facts.part_of < 0, wholes, facts.part_of)
        wholes = find_roots(wholes)
        return np.where(wholes == mentions, -1, wholes)

    def _find_same(self, facts: Facts) -> np.ndarray:
        """Tell which mentions are one by grammar; shape (n_mentions,)."""
        must_links = np.full(len(facts), -1)
        if "narrator" not in self.disabled:
            must_links = find_narrators(facts)
        if "namesake" not in self.disabled and facts.named_as is not None:
            must_links = np.where(must_links < 0, facts.named_as, must_links)
        return must_links

    def _find_aspects(self, facts: Facts) -> np.ndarray:
        """Tell what clusters have to agree in; shape (n_mentions, n_aspects)."""
        aspects = [facts.agreement.astype(np.uint64)]
        for rule, names in (
            ("given_name", facts.initials),
            ("other_name", facts.people),
        ):
            if names is not None and rule not in self.disabled:
                aspects.append(find_ways(facts.agreement, names))
        return np.stack(aspects, axis=1)

    def find_rules(self, facts: Facts) -> List[PairRule]:
        """Find the rules that a document has the annotation for.

        facts (Facts): What is known of its mentions.
        RETURNS (List[PairRule]): Those that are switched on.
        """
        found = facts.parse.annotation
        return [rule for rule in self.rules if found.issuperset(rule.needs)]

    def judge(self, facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Judge pairs.

        facts (Facts): What is known of the mentions.
        later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
        RETURNS (numpy.ndarray): Shape (n_pairs,), the verdicts.
        """
        verdicts = np.full(len(later), ALLOWED)
        for rule in self.find_rules(facts):
            holds = rule.check(facts, later, earlier)
            verdicts = np.where(holds, np.minimum(verdicts, rule.verdict), verdicts)
        if "agreement" not in self.disabled:
            agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
            verdicts = np.where(agree, verdicts, FORBIDDEN)
        return verdicts

    def find_reasons(
        self, facts: Facts, later: np.ndarray, earlier: np.ndarray
    ) -> List[Dict[str, str]]:
        """Tell what speaks against pairs, for people to read.

        facts (Facts): What is known of the mentions.
        later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
        RETURNS (List[Dict[str, str]]): For each pair the reasons in words by the names
            of the rules that hold; "number", "gender" and "animacy" are agreement's.
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

    def _find_conflicts(self, facts: Facts, linked: np.ndarray) -> np.ndarray:
        rules = [rule for rule in self.find_rules(facts) if rule.is_lasting]
        later = np.repeat(np.arange(len(linked)), LOCAL)
        earlier = later - np.tile(np.arange(1, LOCAL + 1), len(linked))
        later, earlier = linked[later[earlier >= 0]], linked[earlier[earlier >= 0]]
        holds = np.zeros(len(later), dtype=bool)
        for rule in rules:
            holds |= rule.check(facts, later, earlier)
        return np.stack([earlier[holds], later[holds]], 1)

    def _warn(self, facts: Facts) -> None:
        asked = self.find_rules(facts)
        silent = [rule for rule in self.rules if rule not in asked]
        missing = {need for rule in silent for need in rule.needs}
        missing -= facts.parse.annotation
        if missing and len(facts):
            names = sorted(rule.name for rule in silent)
            self.warns = False
            message = Warnings.FCW04.format(missing=sorted(missing), rules=names)
            warnings.warn(message, stacklevel=2)


def _pass_on(must_links: np.ndarray, duplicate_of: np.ndarray) -> np.ndarray:
    """Let what mentions are the same as be said of what they stand for."""
    mentions = np.arange(len(must_links))
    wholes = np.where(duplicate_of < 0, mentions, duplicate_of)
    # What stands for itself has the last word.
    rows = np.argsort(duplicate_of < 0, kind="stable")
    rows = rows[must_links[rows] >= 0]
    found = np.full(len(must_links), -1)
    found[wholes[rows]] = wholes[must_links[rows]]
    is_circle = (found >= 0) & (found[found] == mentions) & (found >= mentions)
    return np.where(is_circle, -1, found)
