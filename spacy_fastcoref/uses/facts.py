"""Find who does what to whom: a small example of what clusters are good for."""

from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Tuple

import numpy as np
from spacy.symbols import ADP
from spacy.tokens import Doc, Span, Token

from ..clusters.chains import get_clusters
from ..clusters.index import get_kind
from ..errors import Errors
from ..grammar.annotation import Annotation
from ..grammar.kinds import Kind
from ..resolution.policies import compute_probabilities
from ..resolution.resolve import find_core_end

# The labels of predicates in schemes in which the copula is their head.
_PREDICATES = ("attr", "pd")


@dataclass(frozen=True)
class Fact:
    """Hold one fact.

    subject, object (Span): The main mentions of the entities that the verb joins.
    verb (Token): The verb.
    predicate (str): Its lemma, with "not" and its preposition; its form in the passive.
    mentions (Tuple[Span, Span]): The subject and the object as they are in the place.
    """

    subject: Span
    verb: Token
    object: Span
    predicate: str
    mentions: Tuple[Span, Span]

    @property
    def is_named(self) -> bool:
        """Whether neither the subject nor the object is a pronoun."""
        spans = (self.subject, self.object)
        return all(get_kind(s.doc, s.start, s.end) > Kind.PRONOUN for s in spans)

    def __str__(self) -> str:
        return f"{self.subject.text} | {self.predicate} | {self.object.text}"


def find_facts(doc: Doc, *, min_probability: float = 0.7) -> List[Fact]:
    """Find subjects, verbs and objects in a parsed Doc, named by their clusters.

    The objects of a verb's prepositions count, and so do predicates where the parse has
    the copula above them. Each member of a coordination has a fact of its own.

    doc (Doc): The document, with a parse.
    min_probability (float): The least probability of the links from a mention to the
        main mention that names it; 1 or more leaves all mentions as they are.
    RETURNS (List[Fact]): The facts, in the order of their objects.
    RAISES (ValueError): The Doc has no parse.
    """
    if not doc.has_annotation("DEP"):
        raise ValueError(Errors.FC272.format(text=repr(doc.text[:30])))
    name, facts = _make_namer(doc, min_probability), []
    for subject, object, verb, predicate in _find_triples(doc, Annotation(doc)):
        (one, main), (other, other_main) = name(subject), name(object)
        facts.append(Fact(main, doc[verb], other_main, predicate, (one, other)))
    return facts


def _find_triples(doc: Doc, parse: Annotation) -> Iterator[Tuple[int, int, int, str]]:
    """Yield subject, object and verb as tokens, and the predicate."""
    verbs = np.where(parse.has_label(*_PREDICATES), parse.heads, parse.verb)
    verbs, is_subject = verbs[parse.first_conjunct], parse.has_role("subject")
    is_object = (verbs >= 0) & ~is_subject & ~parse.is_preposition
    is_agent = parse.has_role("agent")
    is_agent = (is_agent | is_agent[parse.heads])[parse.first_conjunct]
    is_relative = parse.words.find(parse.lexicon.relatives)
    is_clause = parse.has_role("relative clause")
    for object in np.flatnonzero(is_object).tolist():
        verb = int(verbs[object])
        first = int(parse.subject[verb])
        if first in (-1, object):
            continue
        predicate = _write_predicate(doc, parse, verb, first, object, is_agent[object])
        for subject in np.flatnonzero(parse.first_conjunct == first).tolist():
            # "who" stands for the noun that its clause is about.
            subject, other = (
                int(parse.heads[verb]) if is_relative[one] and is_clause[verb] else one
                for one in (subject, object)
            )
            if subject != other:
                swapped = is_agent[object]
                ends = (other, subject) if swapped else (subject, other)
                yield *ends, verb, predicate


def _write_predicate(
    doc: Doc, parse: Annotation, verb: int, subject: int, object: int, is_agent: bool
) -> str:
    token, first = doc[verb], int(parse.first_conjunct[object])
    words = [token.lemma_ or token.text]
    if not is_agent:
        if doc[subject].dep_.endswith("pass"):
            words = [token.text]
        above = int(parse.heads[first])
        if above != verb:
            words.append(doc[above].lower_)
        is_case = parse.has_role("preposition") & (parse.heads == first)
        if not parse.scheme.has_preposition_heads:
            words += [doc[i].lower_ for i in np.flatnonzero(is_case).tolist()]
    negations = parse.lexicon.negations
    is_negated = any(child.lower_ in negations for child in token.children)
    return " ".join(["not"] * is_negated + words)


def _make_namer(doc: Doc, min_probability: float) -> Callable[[int], Tuple[Span, Span]]:
    """Make a function that finds the mention of a head, and what names its cluster."""
    # The spans are those of the first cluster with a mention that a token heads.
    mentions: Dict[int, Span] = {}
    mains: Dict[int, Span] = {}
    for cluster in get_clusters(doc):
        main = _cut(cluster.main)
        probabilities = compute_probabilities(cluster, cluster.data.main)
        rows = zip(cluster, cluster.data.heads, probabilities, strict=True)
        for mention, (head, *others), probability in rows:
            if not others and head not in mentions:
                mentions[head] = mention
                if probability >= min_probability:
                    mains[head] = main

    def name(token: int) -> Tuple[Span, Span]:
        start = doc[token].left_edge.i
        start += start < token and doc[start].pos == ADP
        mention = mentions.get(token, doc[start : token + 1])
        return mention, mains.get(token) or _cut(mention)

    return name


def _cut(span: Span) -> Span:
    """Cut a relative clause, an apposition or a possessive ending off."""
    return span.doc[span.start : find_core_end(span)]
