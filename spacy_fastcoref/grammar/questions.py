"""Answer questions about the grammar of a text, without a model."""

from dataclasses import dataclass
from typing import List, NamedTuple, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc, Span

from ..errors import Errors
from ..types import Offsets
from .auto import find_rules
from .features import POSSESSIVE, THIRD, write_letters
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
    pair: List[Offsets] = []
    for span in (later, earlier):
        is_own = isinstance(span, Span) and span.doc is doc and span.start < span.end
        if not is_own or (span.start, span.end) in pair:
            raise ValueError(Errors.FC044.format(mention=span))
        pair.append((span.start, span.end))
    pair.sort(key=lambda span: (-span[0], span[1]))
    facts = _read(doc, pair)
    offsets = [*zip(facts.starts.tolist(), facts.ends.tolist(), strict=True)]
    indexes = [np.array([offsets.index(span)]) for span in pair]
    (verdict,) = facts.grammar.judge(facts, *indexes).tolist()
    (reasons,) = facts.grammar.find_reasons(facts, *indexes)
    return Judgement(verdict, list(reasons.values()))


def _read(doc: Doc, others: Sequence[Offsets] = ()) -> MentionFeatures:
    """Read the mentions that grammar finds, and others."""
    rules = find_rules(doc.lang_)
    tokens = rules.read_tokens(doc)
    spans = find_spans(rules, tokens), np.array(others, dtype=np.int64).reshape(-1, 2)
    return rules.read_mentions(tokens, np.unique(np.concatenate(spans), axis=0))


def find_anaphors(doc: Doc) -> List[Span]:
    """Find the mentions that need an antecedent.

    RETURNS (List[Span]): The anaphors in text order. A dropped subject's is its verb.
    """
    facts = _read(doc)
    offsets = zip(facts.starts, facts.ends, facts.is_anaphor, strict=True)
    return [doc[start:end] for start, end, is_anaphor in offsets if is_anaphor]


def find_mentions(doc: Doc) -> List[Mention]:
    """Find all mentions of a document by grammar, with their features.

    RETURNS (List[Mention]): The mentions in text order.
    """
    facts = _read(doc)
    grammar, is_joined = facts.grammar, facts.is_joined
    groups = find_all_groups(grammar, facts.tokens)
    members: List[List[int]] = [[] for _ in range(len(facts))]
    pairs = find_members(facts.starts, facts.ends, facts.heads, groups)
    for row, head in zip(*(one.tolist() for one in pairs), strict=True):
        members[row].append(head)
    is_zero_subject = facts.tokens.is_zero_subject[facts.heads] & facts.is_pronoun
    marks = [is_joined, is_zero_subject, facts.is_pronoun, facts.is_name]
    kinds = ["coordination", "zero subject", "pronoun", "name"]
    is_noun = ~is_joined & ~facts.is_pronoun & facts.ask(grammar.find_nouns)
    arrays = (
        np.select(marks, kinds, "noun"),
        np.where(facts.person <= THIRD, facts.person, 0),
        np.array([write_letters(mask) for mask in facts.agreement.tolist()]),
        facts.is_anaphor > 0,
        is_noun | is_joined,
        facts.is_reflexive,
        (facts.flags & POSSESSIVE) > 0,
        is_noun & facts.ask(grammar.find_definite),
        is_noun & facts.ask(grammar.find_indefinite),
    )
    spans = [doc[i:j] for i, j in zip(facts.starts, facts.ends, strict=True)]
    alone = {int(facts.heads[i]): spans[i] for i in np.flatnonzero(~is_joined)}
    joint = [own if is_joined[i] else [] for i, own in enumerate(members)]
    columns = [
        spans,
        [tuple(own or [int(facts.heads[i])]) for i, own in enumerate(joint)],
        *(one.tolist() for one in arrays),
        [_find_coordination(facts, own) for own in joint],
        [tuple(alone[one] for one in own if one in alone) for own in joint],
    ]
    return [Mention(*row) for row in zip(*columns, strict=True)]


def _find_coordination(facts: MentionFeatures, heads: List[int]) -> str:
    """Find what joins the members of a coordination, given their heads; "" for none."""
    grammar, ask = facts.grammar, facts.tokens.once
    if not heads:
        return ""
    if (ask(grammar.find_comitatives)[heads] >= 0).any():
        return "comitative"
    is_or = ask(grammar.find_alternatives)[heads[0] : heads[-1]].any()
    return "or" if is_or else "and"
