"""Provide policies, which choose the replacement of each mention in resolved text.

A policy is a registered function. It takes a ClusterView and one of its mentions and
returns the replacement as a Span or as text, or None to keep the mention. Nested
mentions, possessives, capital letters and spaces are handled in the same way for all
policies.
"""

from typing import Callable, Optional, Union

from spacy.symbols import AUX, VERB
from spacy.tokens import Span

from ..clusters.chains import ClusterView
from ..clusters.index import get_index, get_kind
from ..grammar.kinds import Kind, is_name, is_pronoun
from ..grammar.lexicon import get_lexicon
from ..registry import registry
from .agreement import agrees

# Longer main mentions, in tokens, replace nothing, since they would make the sentence
# hard to read.
MAX_LENGTH = 64
_VERBS = frozenset((AUX, VERB))
# The punctuation that can join a mention and an apposition, beside copulas, and the
# maximum number of tokens between the two.
_JOINTS = frozenset((",", "-", "–", "—", "("))
_MAX_JOINTS = 6
Policy = Callable[[ClusterView, Span], Union[Span, str, None]]


@registry.coref_policies("spacy_fastcoref.all.v1")
def make_all_policy() -> Policy:
    """Make the default policy, which replaces mentions by the cluster's main mention.

    These mentions are not replaced: reflexives ("herself"), relative pronouns ("who"),
    pronominal adverbs (German "damit", French "y"), predicates ("Ann is a lawyer"),
    appositions ("Ann, a lawyer") and other names ("Ann, born Beth Lee"); nouns, unless
    the main mention is a name, or if a name follows ("my sister Amy"); mentions that do
    not agree with the main mention in number ("they", "Ann"); and pronouns next to a
    verb that does not agree with a name ("I am"). A main mention of more than 64 tokens
    replaces nothing.

    RETURNS (Policy): The policy.
    """
    return replace_all


@registry.coref_policies("spacy_fastcoref.pronouns.v1")
def make_pronoun_policy() -> Policy:
    """Make a policy that replaces only pronouns, and otherwise is the default policy.

    RETURNS (Policy): The policy.
    """
    return replace_pronouns


def replace_all(cluster: ClusterView, mention: Span) -> Optional[Span]:
    """Replace a mention by the main mention; see make_all_policy for exceptions.

    cluster (ClusterView): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention, or None to keep the mention.
    """
    lexicon, main = get_lexicon(mention.doc.lang_), cluster.main
    if len(main) > MAX_LENGTH:
        return None
    if lexicon.drops_subjects and (_may_be_verb(mention) or main[0].pos in _VERBS):
        return None
    kept = lexicon.reflexives | lexicon.pronominal_adverbs
    if len(mention) == 1 and mention[0].lower_ in kept:
        return None
    if _is_relative(cluster, mention) or _find_renamed(cluster, mention) >= 0:
        return None
    if _find_renamed(cluster, main) == mention.end:
        return None
    if get_kind(mention.doc, mention.start, mention.end) == Kind.NOUN:
        # "My sister Amy" must not become "Amy Amy".
        is_named = mention.end < len(mention.doc) and is_name(mention.doc[mention.end])
        if is_named or get_kind(main.doc, main.start, main.end) != Kind.NAME:
            return None
    return main if agrees(mention, main) else None


def replace_pronouns(cluster: ClusterView, mention: Span) -> Optional[Span]:
    """Replace a mention by the main mention if it is a pronoun.

    cluster (ClusterView): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention, or None to keep the mention.
    """
    if len(mention) == 1 and is_pronoun(mention[0]):
        return replace_all(cluster, mention)
    return None


def _may_be_verb(mention: Span) -> bool:
    """Check whether a mention can be a verb that stands for its subject.

    It says more than its subject: Polish "wróciła". Without a tagger, any single word
    that is no pronoun can be one.
    """
    token = mention[0]
    if token.pos:
        return token.pos in _VERBS
    return len(mention) == 1 and not is_pronoun(token)


def _is_relative(cluster: ClusterView, mention: Span) -> bool:
    """Check whether a mention is a relative pronoun: "who" in "the man who left"."""
    doc = mention.doc
    lexicon = get_lexicon(doc.lang_)
    form = mention.text.lower()
    if form not in lexicon.relatives:
        return False
    # A form that can be a demonstrative ("that") is a relative pronoun if the
    # morphology says so, or if it directly follows its antecedent.
    return (
        form not in lexicon.determiners
        or "Rel" in mention[0].morph.get("PronType")
        or cluster.i in get_index(doc).by_end.get(mention.start, ())
    )


def _find_renamed(cluster: ClusterView, mention: Span) -> int:
    """Find the end of the mention to which another one is joined as a predicate, an
    apposition or another name: "Ann" in "Ann is [a lawyer]", "Ann, [a lawyer]" and "Ann
    was born [Beth Lee]". Return -1 if there is none."""
    doc = mention.doc
    if len(mention) == 1 and is_pronoun(mention[0]):
        return -1
    lexicon, by_end = get_lexicon(doc.lang_), get_index(doc).by_end
    words = lexicon.copulas | lexicon.renames
    for i in range(mention.start - 1, max(mention.start - 1 - _MAX_JOINTS, -1), -1):
        joins = doc[i].text in _JOINTS or doc[i].lower_ in words
        if not (joins or doc[i].is_space):
            return -1
        if joins and cluster.i in by_end.get(i, ()):
            return i
    return -1
