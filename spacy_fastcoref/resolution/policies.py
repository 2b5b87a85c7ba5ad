"""Policies: which mention is replaced by what in a resolved text.

A policy is a registered function. It takes a Cluster and one of its mentions and
returns the Span to put in its place, a text, or None to leave the mention as it is. Of
a Span of another Doc the text is taken. Nested mentions, possessives, capital letters
and spaces are handled for all policies alike.
"""

from typing import Callable, Optional, Union

from spacy.tokens import Span

from ..languages.kinds import Kind, is_name, is_pronoun
from ..languages.lexicon import get_lexicon
from ..registry import registry
from ..tokens.chains import Cluster
from ..tokens.index import get_index, get_kind
from .agreement import agrees

# A longer main mention is not put in anywhere: it would bury the sentence.
MAX_LENGTH = 64
# What stands between a mention and another name or description of it, beside copulas,
# and how many words of it are looked at.
_JOINTS = frozenset((",", "-", "–", "—", "("))
_MAX_JOINTS = 6
Policy = Callable[[Cluster, Span], Union[Span, str, None]]


@registry.coref_policies("spacy_fastcoref.all.v1")
def make_all_policy() -> Policy:
    """Make the default policy: every mention becomes the cluster's main mention.

    RETURNS (Policy): Leaves reflexives ("herself"), relative pronouns ("who"),
        predicates ("Ann is a lawyer"), appositions ("Ann, a lawyer") and other names
        ("Ann, born Beth Lee") as they are; nouns unless there is a name for them ("the
        car") that does not follow already ("my sister Amy"); mentions of another number
        than the main mention ("they", "Ann"); and pronouns beside a verb that would not
        fit a name ("I am"). A main mention of more than 64 tokens replaces nothing.
    """
    return replace_all


@registry.coref_policies("spacy_fastcoref.pronouns.v1")
def make_pronoun_policy() -> Policy:
    """Make the policy under which only pronouns are replaced.

    RETURNS (Policy): As the default policy, for mentions that are pronouns.
    """
    return replace_pronouns


def replace_all(cluster: Cluster, mention: Span) -> Optional[Span]:
    """Replace a mention by the main mention if the sentence keeps its meaning.

    cluster (Cluster): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention or None.
    """
    lexicon, main = get_lexicon(mention.doc.lang_), cluster.main
    if len(main) > MAX_LENGTH:
        return None
    if len(mention) == 1 and mention[0].lower_ in lexicon.reflexives:
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


def replace_pronouns(cluster: Cluster, mention: Span) -> Optional[Span]:
    """Replace a mention by the main mention if it is a pronoun.

    cluster (Cluster): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention or None.
    """
    if len(mention) == 1 and is_pronoun(mention[0]):
        return replace_all(cluster, mention)
    return None


def _is_relative(cluster: Cluster, mention: Span) -> bool:
    """Tell whether a mention is a relative pronoun: "who" in "the man who left"."""
    doc = mention.doc
    lexicon = get_lexicon(doc.lang_)
    form = mention.text.lower()
    if form not in lexicon.relatives:
        return False
    # Without "Rel" a demonstrative, "that", is one if it follows its antecedent.
    return (
        form not in lexicon.determiners
        or "Rel" in mention[0].morph.get("PronType")
        or cluster.i in get_index(doc).by_end.get(mention.start, ())
    )


def _find_renamed(cluster: Cluster, mention: Span) -> int:
    """Find the end of the mention that another one, joined to it, renames: "Ann" before
    "is [a lawyer]", ", [a lawyer]" and "was born [Beth Lee]". -1 if there is none."""
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
