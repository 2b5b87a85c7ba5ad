"""Which mention is replaced by what in a resolved text.

A policy is a registered function that takes a Cluster and one of its mentions and
returns the Span to put in its place, or a text, or None to leave it as it is. Of a Span
of another Doc the text is taken.
Everything else (nested mentions, possessives, capitals, spaces) is done for all
policies alike.
"""

from typing import Callable, Optional, Union

from spacy.tokens import Span

from ..languages.heads import find_heads
from ..languages.kinds import Kind, find_kind, is_name, is_pronoun
from ..languages.lexicon import get_lexicon
from ..registry import registry
from ..tokens.chains import Cluster
from ..tokens.index import get_index
from .verbs import breaks_agreement

_JOINTS = frozenset((",", "-", "–", "—", "("))
# So many words before a mention what it renames may end.
_REACH = 6
Policy = Callable[[Cluster, Span], Union[Span, str, None]]


@registry.coref_policies("spacy_fastcoref.all.v1")
def make_all_policy() -> Policy:
    """Make the default policy: every mention becomes the cluster's main one.

    RETURNS (Policy): Leaves reflexives ("herself"), relatives ("who"), predicates ("Ann
        is a lawyer"), appositions ("Ann, a lawyer") and other names ("Ann, born Beth
        Lee") as they are, nouns unless there is a name for them ("the car") that is not
        there yet ("my sister Amy"), and pronouns beside a verb that would not fit a
        name ("I am").
    """
    return replace_all


@registry.coref_policies("spacy_fastcoref.pronouns.v1")
def make_pronoun_policy() -> Policy:
    """Make the policy under which only pronouns are replaced.

    RETURNS (Policy): As the default one, for mentions that are pronouns.
    """
    return replace_pronouns


def replace_all(cluster: Cluster, mention: Span) -> Optional[Span]:
    """Replace a mention by the main one where that reads as the same sentence.

    cluster (Cluster): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention or None.
    """
    lexicon = get_lexicon(mention.doc.lang_)
    if len(mention) == 1 and mention[0].lower_ in lexicon.reflexives:
        return None
    if _is_relative(cluster, mention):
        return None
    main = cluster.main
    if _find_renamed(cluster, mention) >= 0:
        return None
    if _find_renamed(cluster, main) == mention.end:
        return None
    if _find_kind(mention) == Kind.NOUN:
        # "My sister Amy" must not become "Amy Amy".
        is_named = mention.end < len(mention.doc) and is_name(mention.doc[mention.end])
        if is_named or _find_kind(main) != Kind.NAME:
            return None
    return None if breaks_agreement(mention, main) else main


def replace_pronouns(cluster: Cluster, mention: Span) -> Optional[Span]:
    """Replace a mention by the main one if it is a pronoun.

    cluster (Cluster): The cluster.
    mention (Span): One of its mentions.
    RETURNS (Optional[Span]): The main mention or None.
    """
    if len(mention) == 1 and is_pronoun(mention[0]):
        return replace_all(cluster, mention)
    return None


def _find_kind(mention: Span) -> Kind:
    heads = find_heads(mention.doc, mention.start, mention.end)
    return find_kind(mention.doc, mention.start, mention.end, heads)


def _is_relative(cluster: Cluster, mention: Span) -> bool:
    """Find "who" in "the man who left"."""
    doc = mention.doc
    lexicon = get_lexicon(doc.lang_)
    form = mention.text.lower()
    if form not in lexicon.relatives:
        return False
    # "That" is another's determiner, or stands alone.
    return (
        form not in lexicon.determiners
        or "Rel" in mention[0].morph.get("PronType")
        or cluster.i in get_index(doc).by_end.get(mention.start, ())
    )


def _find_renamed(cluster: Cluster, mention: Span) -> int:
    """Find where what a mention says again ends, -1 for nothing: "Ann is [a lawyer]",
    "Ann, [a lawyer]" and "Ann was born [Beth Lee]" must not become "Ann is Ann", "Ann,
    Ann" and "Beth Lee was born Beth Lee"."""
    doc = mention.doc
    if len(mention) == 1 and is_pronoun(mention[0]):
        return -1
    lexicon, by_end = get_lexicon(doc.lang_), get_index(doc).by_end
    words = lexicon.copulas | lexicon.renames
    for i in range(mention.start - 1, max(mention.start - 1 - _REACH, -1), -1):
        joins = doc[i].text in _JOINTS or doc[i].lower_ in words
        if not (joins or doc[i].is_space):
            return -1
        if joins and cluster.i in by_end.get(i, ()):
            return i
    return -1
