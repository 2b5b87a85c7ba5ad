"""Read the features of a document's mentions by the grammar of its language."""

from dataclasses import replace
from typing import Any, Tuple

import numpy as np

from .describing import find_reciprocals, find_several
from .facts import Facts
from .features import ANYTHING, SEVERAL
from .heads import find_mention_heads
from .name_runs import find_runs
from .speech import Speech
from .tokens import Tokens


def read_facts(grammar: Any, tokens: Tokens, mentions: np.ndarray) -> Facts:
    """Read the features of mentions; see Rules.read.

    grammar (Grammar): The grammar of the document's language.
    tokens (Tokens): The document's tokens.
    mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
    RETURNS (Facts): The features of the mentions.
    """
    doc, annotation, words, lexicon, features = tokens
    heads, is_joined = find_mention_heads(mentions, annotation, words, lexicon)
    starts, ends = mentions[:, 0].astype(np.int64), mentions[:, 1].astype(np.int64)
    groups = find_all_groups(grammar, tokens)
    rows, members = find_members(starts, ends, heads, groups)
    # A companion makes a group, too: "Piotr z Kasią".
    joined = grammar.find_comitatives(tokens)[members]
    is_companion = (joined >= starts[rows]) & (joined < ends[rows])
    is_companioned = np.isin(np.arange(len(heads)), rows[is_companion])
    is_joined = is_joined | is_companioned
    is_alone = ends - starts == 1
    person = np.where(is_alone, features.person[heads], 0)
    is_pronoun = person > 0
    is_nothing = grammar.find_pleonastic(tokens)
    is_verb = grammar.find_verbs(annotation, words) & (features.person == 0)
    is_pleonastic = is_alone & (is_nothing | is_verb)[heads]
    facts = Facts(
        annotation=annotation,
        words=words,
        lexicon=lexicon,
        features=features,
        runs=find_runs(words, lexicon, features.is_name, annotation.is_pos("NOUN")),
        speech=Speech(doc, words, lexicon),
        starts=starts,
        ends=ends,
        heads=heads,
        person=person,
        flags=np.where(is_pronoun, features.flags[heads], 0),
        is_joined=is_joined,
        is_name=features.is_name[heads] & ~is_pronoun & ~is_joined,
        is_pleonastic=is_pleonastic,
        is_indefinite=words.find(lexicon.indefinites)[starts] & ~is_alone,
        is_anaphor=is_pronoun & grammar.find_anaphors(tokens)[heads] & ~is_pleonastic,
        grammar=grammar,
        tokens=tokens,
    )
    agreement = _read_agreement(grammar, facts)
    facts.agreement = np.where(find_reciprocals(facts), SEVERAL, agreement)
    if is_joined.any():
        is_several = find_several(facts) | is_companioned
        facts.is_lifeless = facts.is_lifeless & ~is_joined
        facts.agreement = _join(grammar, facts, is_several, groups, (rows, members))
    return facts


def find_all_groups(grammar: Any, tokens: Tokens) -> np.ndarray:
    """Find the first member of each word's group, with companions as members.

    grammar (Grammar): The grammar of the document's language.
    tokens (Tokens): The document's tokens.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64.
    """
    groups, joined = grammar.find_groups(tokens), grammar.find_comitatives(tokens)
    return np.where(joined >= 0, groups[joined], groups)


def find_members(
    starts: np.ndarray, ends: np.ndarray, heads: np.ndarray, groups: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Find the members of groups inside of mentions.

    starts, ends, heads (numpy.ndarray): Shape (n_mentions,), token indexes.
    groups (numpy.ndarray): Shape (n_tokens,), see find_all_groups.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_members,): the
        mention, and the head of the member, in text order for each mention. A mention
        that is no group has one member, its head.
    """
    n_tokens = len(groups) + 1
    order = np.argsort(groups, kind="stable")
    keys = groups[order] * n_tokens + order
    firsts = np.searchsorted(keys, groups[heads] * n_tokens + starts)
    lasts = np.searchsorted(keys, groups[heads] * n_tokens + ends)
    counts = lasts - firsts
    rows = np.repeat(np.arange(len(heads)), counts)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, order[firsts[rows] + places]


def _read_agreement(grammar: Any, facts: Facts) -> np.ndarray:
    """Read the agreement bits of mentions that are not coordinations."""
    agreement = grammar.read_agreement(facts)
    conversions = getattr(grammar, "conversions", None)
    if conversions is not None:
        agreement = conversions.apply(grammar, facts, agreement)
    is_pronoun = facts.person > 0
    return np.where(is_pronoun, facts.features.as_pronoun[facts.heads], agreement)


def _join(
    grammar: Any,
    facts: Facts,
    is_several: np.ndarray,
    groups: np.ndarray,
    pairs: Tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Read the agreement bits of coordinations, and keep those of other mentions."""
    rows, members = pairs
    of_group = facts.is_joined[rows]
    rows, members = rows[of_group], members[of_group]
    bits = _read_agreement(grammar, _read_members(facts, members))
    joined, places, counts = np.unique(rows, return_index=True, return_counts=True)
    columns = np.arange(len(rows)) - np.repeat(places, counts)
    # Without a parse, only the first member is known: the second one can be anything.
    table = np.full((len(joined), int(counts.max(initial=2))), -1)
    table[counts == 1, 1] = ANYTHING
    table[np.repeat(np.arange(len(joined)), counts), columns] = bits
    several = grammar.join_agreement(facts, table)
    # Alternatives can be one of their members: "Peter or Paul … he".
    any_member = np.bitwise_or.reduce(np.where(table < 0, 0, table), axis=1)
    is_either = _find_either(facts, grammar.find_alternatives(facts.tokens), groups)
    several = np.where(is_either[joined], several | any_member, several)
    found = np.where(facts.is_joined, ANYTHING, facts.agreement)
    # Without a determiner, it can be one person: "his friend and helper".
    found[joined] = np.where(is_several[joined], several, ANYTHING)
    return found


def _find_either(
    facts: Facts, alternatives: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """Find the mentions that are joined by coordinators of alternatives."""
    if facts.annotation.has_dep:
        firsts = groups[facts.annotation.heads[alternatives]]
        return np.isin(groups[facts.heads], firsts)
    counts = np.append(0, np.cumsum(alternatives))
    return counts[facts.ends] > counts[facts.starts]


def _read_members(facts: Facts, members: np.ndarray) -> Facts:
    """Make the facts of the members of coordinations, each as its head alone."""
    person = facts.features.person[members]
    return replace(
        facts,
        starts=members,
        ends=members + 1,
        heads=members,
        person=person,
        flags=np.where(person > 0, facts.features.flags[members], 0),
        is_joined=None,
        is_name=facts.features.is_name[members] & (person == 0),
        is_pleonastic=None,
        is_indefinite=None,
        is_anaphor=None,
        agreement=None,
    )
