"""Judge a model's links by the grammar of a language."""

import json
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

import numpy as np
from spacy.tokens import Doc

from ..errors import check_known
from ..graph import find_roots
from ..types import ALLOWED, DOUBTFUL, FORBIDDEN, Costs, Links, RuleOutput
from . import binding, nesting, nouns, speakers
from .features import ANYTHING, NEUT_PERSON, ONE_PERSON, find_clash, read_types
from .grammar import Grammar
from .heads import find_all_heads
from .mention_features import ANY_NAME, MentionFeatures
from .nouns import do_agree, relax_genders
from .people import describe_names, find_name_parts
from .reading import Conversions, Kinds, read_facts
from .tokens import Tokens
from .word_index import Marks, Rows

# What rules say: the reasons for and against links, and what those do that no reason is
# given for, or several.
_SAID = json.loads(Path(__file__).with_name("reasons.json").read_text("utf8"))
REASONS: Dict[str, str] = _SAID["reasons"]
# The sentence for a rule with a reason, by its verdict.
_FORBIDS, _DOUBTS = "No link if {reason}.", "A link is doubtful if {reason}."

Check = Callable[[MentionFeatures, Rows, Rows], Marks]
# A single person, also one whose noun is neuter.
_PERSON = ONE_PERSON | NEUT_PERSON


def _is_either(field: str, facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of which one mention has a mark."""
    marks = getattr(facts, field)
    return marks[later] | marks[earlier]


@dataclass(frozen=True)
class PairRule:
    """Define a rule that forbids links between pairs of mentions, or doubts them.

    name (str): The name of the rule, to disable it and to look up its reason.
    check (Check): A function that takes the facts and two arrays of mentions, each of
        shape (n_pairs,), the later mentions first, and returns an array of bool that is
        True for pairs to which the rule objects. It has to be vectorised.
    verdict (int): FORBIDDEN or DOUBTFUL.
    is_cluster_wide (bool): Whether the two mentions can't be in one cluster, either,
        not even by links to other mentions.
    needs (Tuple[str, ...]): The annotation that the rule requires, "pos", "dep" or
        "entities". Without it, the rule is not applied.
    reason (str): The reason in words, for `explain`; "" for that of its name in
        `Rules.reasons`.
    """

    name: str
    check: Check
    verdict: int = FORBIDDEN
    is_cluster_wide: bool = False
    needs: Tuple[str, ...] = ()
    reason: str = ""


PAIR_RULES = (
    PairRule("within", nesting.is_within, is_cluster_wide=True),
    PairRule("crossing", partial(_is_either, "is_crossed")),
    PairRule("name_part", partial(_is_either, "is_part")),
    PairRule("coordination", nesting.is_coordinated, is_cluster_wide=True),
    PairRule("person", speakers.are_other_persons, is_cluster_wide=True),
    PairRule("speaker", speakers.are_other_speakers),
    PairRule("narrator", speakers.are_inside_and_outside, is_cluster_wide=True),
    PairRule("reflexive", binding.is_unbound, needs=("dep",)),
    PairRule("binding", binding.are_arguments, is_cluster_wide=True),
    PairRule("oblique", binding.are_oblique, DOUBTFUL, needs=("dep",)),
    PairRule("cataphora", binding.is_no_cataphora, needs=("dep",)),
    PairRule("crossover", binding.is_crossover, DOUBTFUL, needs=("dep",)),
    PairRule("noun", nouns.are_other_nouns),
    PairRule("description", nouns.are_descriptions, DOUBTFUL),
    PairRule("pleonastic", partial(_is_either, "is_pleonastic")),
    PairRule("collective", nouns.is_collective, DOUBTFUL),
    PairRule("one_thing", nouns.is_one_thing),
    PairRule("lifeless", nouns.is_lifeless, DOUBTFUL),
    PairRule("indefinite", nouns.is_indefinite, DOUBTFUL),
    PairRule("given_name", nouns.are_other_names, DOUBTFUL),
    PairRule("open_gender", nouns.is_of_open_gender, DOUBTFUL),
)


# Rules that hold for whole clusters are applied to each mention with links and this
# number of such mentions before it.
N_NEARBY = 12
# The names of rules on mentions rather than pairs. A rule on pairs can have the same
# name.
_MENTION_RULES = (
    "agreement apposition given_name namesake narrator other_name same_head type"
).split()
# The rules that are disabled by default, since they lower the scores on the corpora;
# see docs/results.md. The ranker reads their verdicts. A language can have others.
DISABLED = frozenset(
    "cataphora collective crossover description indefinite noun one_thing".split()
)


class Rules(Grammar):
    """Judge the links of a document by the grammar of its language.

    The rules read the language's lexicon.json, and the morphology, dependencies and
    entities that a pipeline annotates. If a language needs more than that, subclass
    Rules, override one of the methods below, and register the subclass with
    @spacy.registry.coref_rules("my_package.xx.v1") for the language "xx".

    `pair_rules` lists the rules on pairs of mentions, to which a language can add.
    Short documents are read many at once if the class is defined with
    `takes_joined=True`, see __init_subclass__.

    disabled (Optional[Iterable[str]]): The names of disabled rules; None for those in
        the class's `off`.
    doubtful (float): The cost of a doubtful link, in log-odds.
    alone (float): The cost of an anaphor without an antecedent, see Costs.
    RAISES (ValueError): There is no rule of a name in `disabled`.
    """

    pair_rules: Tuple[PairRule, ...] = PAIR_RULES
    off: FrozenSet[str] = DISABLED
    # The reasons in words by the names of rules; a lexicon has those of its language.
    reasons: Dict[str, str] = REASONS
    takes_joined = True
    conversions: Optional[Conversions] = None

    def __init_subclass__(cls, *, takes_joined: bool = False, **kwargs: Any) -> None:
        """Note whether a subclass takes JoinedDocs in place of a Doc.

        It can, if its methods decide about each token by tokens near it, by its parse,
        or by all tokens with the same `words.index`; not if they ask about the whole
        document, unless they ask `words.count`.
        """
        super().__init_subclass__(**kwargs)
        cls.takes_joined = takes_joined

    def __init__(
        self,
        disabled: Optional[Iterable[str]] = None,
        doubtful: float = Costs.doubtful,
        alone: float = Costs.alone,
    ) -> None:
        self.costs = Costs(doubtful=doubtful, alone=alone)
        off = self.off.intersection(self.list_names())
        self._disable(off if disabled is None else disabled)

    def _disable(self, names: Iterable[str]) -> None:
        self.disabled = frozenset(names)
        for name in self.disabled:
            check_known("rule", name, self.list_names())
        self.rules = [one for one in self.pair_rules if one.name not in self.disabled]

    def copy_without(self, names: Iterable[str]) -> "Rules":
        """Copy the rules with other rules disabled."""
        rules = copy(self)
        rules._disable(names)
        return rules

    def convert_words(self, words: Kinds) -> "Rules":
        """Copy the rules with other words in place of rare ones; see Conversions."""
        rules = copy(self)
        rules.conversions = Conversions(words) if words else None
        return rules

    @classmethod
    def list_names(cls) -> List[str]:
        """List the rules that can be disabled."""
        names = [*_MENTION_RULES, *(rule.name for rule in cls.pair_rules)]
        return list(dict.fromkeys(names))

    @classmethod
    def describe_names(cls) -> Dict[str, str]:
        """Describe the rules that can be disabled."""
        rules = {rule.name: rule for rule in reversed(cls.pair_rules)}
        found = {}
        for name in cls.list_names():
            rule = rules.get(name)
            form = _FORBIDS if rule is None or rule.verdict == FORBIDDEN else _DOUBTS
            reason = getattr(rule, "reason", "") or cls.reasons.get(name, name)
            found[name] = _SAID["rules"].get(name) or form.format(reason=reason)
        return found

    def read(
        self, doc: Doc, mentions: np.ndarray, tokens: Optional[Tokens] = None
    ) -> MentionFeatures:
        """Read the features of mentions, given as token offsets, shape (n_mentions, 2),
        from annotation and word lists."""
        tokens = self.read_tokens(doc) if tokens is None else tokens
        return read_facts(self, tokens, mentions)

    def find_heads(self, doc: Doc, mentions: np.ndarray) -> List[List[int]]:
        """Find all heads of each mention: those of a coordination, and companions."""
        heads = find_all_heads(doc, mentions)
        if type(self).find_comitatives is Grammar.find_comitatives:
            return heads
        joined = self.find_comitatives(self.read_tokens(doc))
        for found, (start, end) in zip(heads, mentions.tolist(), strict=True):
            others = start + np.flatnonzero(np.isin(joined[start:end], found))
            found[:] = sorted({*found, *others.tolist()})
        return heads

    def describe(
        self, doc: Doc, links: Links, tokens: Optional[Tokens] = None
    ) -> MentionFeatures:
        """Read the features of the mentions of a model's links."""
        facts = self.read(doc, links.mentions, tokens)
        scores = links.mention_scores
        facts.is_likely = scores > 0
        runs_on = nesting.find_running_on(facts) | nesting.find_clauses(facts)
        scores = np.where(runs_on, -np.inf, scores)
        is_crossed = nesting.find_crossed(facts.starts, facts.ends, scores)
        facts.is_crossed = is_crossed | runs_on
        facts.spoken_by = speakers.find_speakers(facts, scores)
        if links.types is not None and "type" not in self.disabled:
            by_type = np.where(facts.is_joined, ANYTHING, read_types(links.types))
            # Grammar is surer than a prediction.
            is_open = ~facts.is_pronoun & ((facts.agreement & by_type) > 0)
            facts.agreement = facts.agreement & np.where(is_open, by_type, ANYTHING)
        facts.part_of = find_name_parts(facts, links.mention_scores)
        facts.duplicate_of = self._find_duplicates(facts, links)
        facts.links = links.merge_duplicates(facts.duplicate_of)
        if facts.is_name.any():
            describe_names(facts)
        return facts

    def read_mentions(self, tokens: Tokens, mentions: np.ndarray) -> MentionFeatures:
        """Read the features of mentions, all of which are equally likely."""
        none = np.zeros(0, dtype=np.int64)
        links = Links.from_pairs(mentions, (none, none), none.astype(np.float32), 0)
        return self.describe(tokens.doc, links, tokens)

    def __call__(self, doc: Doc, links: Links) -> RuleOutput:
        """Judge a model's links."""
        verdicts = np.full(links.scores.shape, ALLOWED)
        if not len(links):
            return RuleOutput(verdicts)
        facts = self.describe(doc, links)
        links = facts.links
        rows, columns = np.nonzero(links.antecedents >= 0)
        earlier = links.antecedents[rows, columns].astype(np.int64)
        verdicts[rows, columns] = self.judge(facts, rows, earlier)
        # Pairs that can't be in one cluster, among mentions that are close.
        linked = np.union1d(rows, earlier)
        places = np.repeat(np.arange(len(linked)), N_NEARBY)
        before = places - np.tile(np.arange(1, N_NEARBY + 1), len(linked))
        later, earlier = linked[places[before >= 0]], linked[before[before >= 0]]
        documents = facts.words.documents[facts.starts]
        is_pair = documents[later] == documents[earlier]
        later, earlier = later[is_pair], earlier[is_pair]
        is_apart = np.zeros(len(later), dtype=bool)
        for rule in self._list_rules(facts):
            if rule.is_cluster_wide:
                is_apart |= rule.check(facts, later, earlier)
        return RuleOutput(
            verdicts,
            None if "agreement" in self.disabled else self._find_aspects(facts),
            facts.is_anaphor,
            np.stack([earlier[is_apart], later[is_apart]], 1),
            _redirect(self._find_must_links(facts), facts.duplicate_of),
            facts.duplicate_of,
            links,
        )

    def _find_duplicates(self, facts: MentionFeatures, links: Links) -> Rows:
        """Find the mention that each mention is a duplicate of; -1 for none."""
        wholes = mentions = np.arange(len(facts))
        if "same_head" not in self.disabled:
            same = nesting.find_same_head(facts, links)
            wholes = np.where(same < 0, wholes, same)
        if "name_part" not in self.disabled:
            wholes = np.where(facts.part_of < 0, wholes, facts.part_of)
        wholes = find_roots(wholes)
        return np.where(wholes == mentions, -1, wholes)

    def _find_must_links(self, facts: MentionFeatures) -> Rows:
        """Find the must-link of each mention; -1 for none."""
        found = np.full(len(facts), -1)
        for rule, links in (
            ("narrator", speakers.find_narrators(facts)),
            ("namesake", facts.named_as),
            ("apposition", nesting.find_appositions(facts)),
        ):
            if rule not in self.disabled:
                found = np.where(found < 0, links, found)
        return found

    def _find_aspects(self, facts: MentionFeatures) -> np.ndarray:
        """Collect the aspects of agreement; shape (n_mentions, n_aspects)."""
        aspects = [relax_genders(facts).astype(np.uint64)]
        # Of a name, a bit for a single person of it, and one for everything that is not
        # a single person.
        one, many = (facts.agreement & mask for mask in (_PERSON, ~_PERSON))
        others = np.where(many, np.uint64(ANY_NAME + 1), np.uint64(0))
        for rule, names in (
            ("given_name", facts.given_names),
            ("other_name", facts.people),
        ):
            if rule not in self.disabled and (names != ANY_NAME).any():
                aspects.append(np.where(one, names, 0).astype(np.uint64) | others)
        return np.stack(aspects, axis=1)

    def _list_rules(self, facts: MentionFeatures) -> List[PairRule]:
        """List the rules for which a document has the annotation."""
        found = facts.tokens.annotation
        return [rule for rule in self.rules if found.issuperset(rule.needs)]

    def judge(self, facts: MentionFeatures, later: Rows, earlier: Rows) -> np.ndarray:
        """Judge pairs of mentions, and return the verdict on each."""
        verdicts = np.full(len(later), ALLOWED)
        for rule in self._list_rules(facts):
            holds = rule.check(facts, later, earlier)
            verdicts = np.where(holds, np.minimum(verdicts, rule.verdict), verdicts)
        if "agreement" not in self.disabled:
            verdicts[~do_agree(facts, later, earlier)] = FORBIDDEN
        return verdicts

    def find_reasons(
        self, facts: MentionFeatures, later: Rows, earlier: Rows
    ) -> List[Dict[str, str]]:
        """Find the reasons in words why rules object to each pair, by their names.

        The rule "agreement" has the names "number", "gender" and "animacy".
        """
        found: List[Dict[str, str]] = [{} for _ in later]
        if "agreement" not in self.disabled:
            clash = find_clash(facts.agreement[later], facts.agreement[earlier])
            clash[do_agree(facts, later, earlier)] = ""
            for i in np.flatnonzero(clash != ""):
                found[i][str(clash[i])] = self.reasons[str(clash[i])]
        for rule in self._list_rules(facts):
            reason = rule.reason or self.reasons.get(rule.name, rule.name)
            for i in np.flatnonzero(rule.check(facts, later, earlier)):
                found[i][rule.name] = reason
        return found


def _redirect(must_links: Rows, duplicate_of: Rows) -> Rows:
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
