"""Answer questions about the grammar of a text, without a model."""

from dataclasses import dataclass
from typing import List, NamedTuple, Tuple

import numpy as np
from spacy.tokens import Doc, Span

from ..errors import Errors
from .auto import find_rules
from .features import FIRST, POSSESSIVE, THIRD, write_letters
from .mention_features import MentionFeatures
from .mentions import find_all_groups, find_spans
from .reading import find_members


class Judgement(NamedTuple):
    """Hold what grammar says of a pair of mentions.

    verdict (int): 2 if they can refer to the same entity, 1 if it is possible but
        unlikely, 0 if it is impossible.
    reasons (List[str]): Why not, in words; empty for a verdict of 2.
    """

    verdict: int
    reasons: List[str]


@dataclass(frozen=True)
class Mention:
    """Hold a mention with its grammatical features.

    span (Span): The mention. A dropped subject's is its verb.
    heads (Tuple[int, ...]): The head; several for a coordination.
    kind (str): "pronoun", "zero subject", "noun", "name" or "coordination".
    person (int): 1, 2 or 3 for personal pronouns and dropped subjects; otherwise 0.
    agreement (str): What it can be: "m" a man, "f" a woman, "p" a person of unknown
        gender, "t" a thing or an animal, "g" a group, "s" several.
    is_anaphor (bool): Whether it needs an antecedent.
    is_independent (bool): Whether an anaphor can refer to it by itself.
    is_reflexive (bool): Whether it is a reflexive, or a reciprocal.
    is_possessive (bool): Whether it is a possessive pronoun.
    is_definite, is_indefinite (bool): Whether it is a noun phrase that is definite, or
        could be; and likewise indefinite. Without articles, it can be both.
    coordination (str): "and", "or" or "comitative" for a coordination; otherwise "".
    members (Tuple[Span, ...]): The members of a coordination.
    """

    span: Span
    heads: Tuple[int, ...]
    kind: str
    person: int
    agreement: str
    is_anaphor: bool
    is_independent: bool
    is_reflexive: bool
    is_possessive: bool
    is_definite: bool
    is_indefinite: bool
    coordination: str = ""
    members: Tuple[Span, ...] = ()


def judge(doc: Doc, later: Span, earlier: Span) -> Judgement:
    """Judge by grammar whether two mentions can refer to the same entity.

    The rules are those of the document's language, and read what its pipeline has
    annotated. They don't look at the distance of the mentions.

    later (Span): The later mention. For a coordination with or without one of its
        members, pass the span of the whole or of the member.
    earlier (Span): The earlier mention.
    RETURNS (Judgement): The verdict, with reasons.
    RAISES (ValueError): They are no two spans of this document.
    """
    for span in (later, earlier):
        if not isinstance(span, Span) or span.doc is not doc or span.start >= span.end:
            raise ValueError(Errors.FC044.format(mention=span))
    pair = [(span.start, span.end) for span in (later, earlier)]
    if pair[0] == pair[1]:
        raise ValueError(Errors.FC044.format(mention=earlier))
    pair.sort(key=lambda span: (span[0], -span[1]))
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    spans = np.concatenate([find_spans(rules, tokens), np.array(pair)])
    facts = rules.read_mentions(tokens, np.unique(spans, axis=0))
    offsets = [*zip(facts.starts.tolist(), facts.ends.tolist(), strict=True)]
    indexes = [np.array([offsets.index(span)]) for span in reversed(pair)]
    (verdict,) = rules.judge(facts, *indexes).tolist()
    (reasons,) = rules.find_reasons(facts, *indexes)
    return Judgement(verdict, list(reasons.values()))


def find_anaphors(doc: Doc) -> List[Span]:
    """Find the mentions that need an antecedent.

    RETURNS (List[Span]): The anaphors in text order. A dropped subject's is its verb.
    """
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    facts = rules.read(doc, find_spans(rules, tokens), tokens)
    rows = np.flatnonzero(facts.is_anaphor)
    return [doc[facts.starts[i] : facts.ends[i]] for i in rows]


def find_mentions(doc: Doc) -> List[Mention]:
    """Find all mentions of a document by grammar, with their features.

    RETURNS (List[Mention]): The mentions in text order.
    """
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    facts = rules.read_mentions(tokens, find_spans(rules, tokens))
    groups = find_all_groups(rules, tokens)
    rows, heads = find_members(facts.starts, facts.ends, facts.heads, groups)
    members: List[List[int]] = [[] for _ in range(len(facts))]
    for row, head in zip(rows.tolist(), heads.tolist(), strict=True):
        members[row].append(head)
    alone = {int(facts.heads[i]): i for i in np.flatnonzero(~facts.is_joined)}
    return [_make_mention(doc, facts, i, members[i], alone) for i in range(len(facts))]


def _make_mention(
    doc: Doc, facts: MentionFeatures, row: int, members: List[int], alone: dict
) -> Mention:
    grammar, ask, head = facts.grammar, facts.tokens.once, int(facts.heads[row])
    is_joined, person = bool(facts.is_joined[row]), int(facts.person[row])
    is_noun = not is_joined and not person and bool(ask(grammar.find_nouns)[head])
    kind, coordination = "name" if facts.is_name[row] else "noun", ""
    parts: List[int] = []
    if is_joined:
        kind, coordination = "coordination", "and"
        parts = [alone[i] for i in members if i in alone]
        if (ask(grammar.find_comitatives)[members] >= 0).any():
            coordination = "comitative"
        elif ask(grammar.find_alternatives)[members[0] : members[-1]].any():
            coordination = "or"
    elif person:
        kind = "zero subject" if facts.tokens.is_zero_subject[head] else "pronoun"
    return Mention(
        span=doc[facts.starts[row] : facts.ends[row]],
        heads=tuple(members) if is_joined else (head,),
        kind=kind,
        person=person if FIRST <= person <= THIRD else 0,
        agreement=write_letters(int(facts.agreement[row])),
        is_anaphor=bool(facts.is_anaphor[row]),
        is_independent=is_noun or is_joined,
        is_reflexive=bool(facts.is_reflexive[row]),
        is_possessive=bool(facts.flags[row] & POSSESSIVE),
        is_definite=is_noun and bool(ask(grammar.find_definite)[head]),
        is_indefinite=is_noun and bool(ask(grammar.find_indefinite)[head]),
        coordination=coordination,
        members=tuple(doc[facts.starts[i] : facts.ends[i]] for i in parts),
    )
