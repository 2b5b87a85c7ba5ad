"""Provide policies, which choose the replacement of each mention in resolved text.

A policy is a registered function. It takes a ClusterView and one of its mentions and
returns the replacement as a Span or as text, or None to keep the mention. Nested
mentions, possessives, capital letters and spaces are handled in the same way for all
policies.
"""

from functools import partial
from typing import Callable, List, Optional, Set, Union

from spacy.symbols import AUX, VERB
from spacy.tokens import Span

from ..clusters.chains import ClusterView
from ..clusters.index import get_heads, get_index, get_kind
from ..errors import check_setting
from ..grammar.kinds import Kind, is_acronym, is_name, is_pronoun, rate_mention
from ..grammar.lexicon import Lexicon, get_lexicon
from ..registry import registry
from ..span_keys import SPEAKERS
from .forms import agrees, stands_alone, starts_sentence

# Longer main mentions, in tokens, replace nothing, since they would make the sentence
# hard to read.
MAX_LENGTH = 64
_VERBS = frozenset((AUX, VERB))
# The same for the readable policy.
MAX_READABLE = 10
# Chosen on the development sets; docs/results.md has the curve.
MIN_PROBABILITY = 0.9
_CLAUSE_ENDS = frozenset(".!?…,;:()–—")
# The punctuation that can join a mention and an apposition, beside copulas, and the
# maximum number of tokens between the two.
_JOINTS = frozenset((",", "-", "–", "—", "("))
_MAX_JOINTS = 6
Policy = Callable[[ClusterView, Span], Union[Span, str, None]]


@registry.coref_policies("spacy_fastcoref.readable.v1")
def make_readable_policy(min_probability: float = MIN_PROBABILITY) -> Policy:
    """Make the default policy, which replaces mentions where the sense stays the same.

    It is the policy spacy_fastcoref.all.v1 with these exceptions. A mention is
    replaced only if the links from it to its representative are probable. The
    representative is the most informative mention of at most ten tokens, and no
    acronym with the form of a pronoun ("IT"), which is not replaced either. Pronouns
    of the first and second person are replaced only where doc.spans["speakers"] has
    the speaker. A pronoun that is not a subject stays if another mention of its
    cluster stands in the same clause ("Ann lost her keys"), unless a name of another
    cluster comes between them.

    min_probability (float): The least probability of each link from a mention to its
        representative, from 0 to 1.
    RAISES (ValueError): The probability is out of range.
    """
    is_valid = 0 <= min_probability <= 1
    check_setting("min_probability", min_probability, is_valid, "from 0 to 1")
    return partial(replace_readable, min_probability=min_probability)


@registry.coref_policies("spacy_fastcoref.all.v1")
def make_all_policy() -> Policy:
    """Make the policy that replaces most mentions by the cluster's main mention.

    These mentions are not replaced: reflexives ("herself"), relative pronouns ("who"),
    pronominal adverbs ("damit", "y"), predicates ("Ann is a lawyer"),
    appositions ("Ann, a lawyer") and other names ("Ann, born Beth Lee"); nouns, unless
    the main mention is a name, or if a name follows ("my sister Amy"); mentions that do
    not agree with the main mention in number ("they", "Ann"); and pronouns next to a
    verb that does not agree with a name ("I am"). A main mention of more than 64 tokens
    replaces nothing.
    """
    return replace_all


@registry.coref_policies("spacy_fastcoref.pronouns.v1")
def make_pronoun_policy() -> Policy:
    """Make a policy that is that of all mentions, but replaces only pronouns."""
    return replace_pronouns


def replace_readable(
    cluster: ClusterView, mention: Span, *, min_probability: float
) -> Optional[Span]:
    """Replace a mention by its representative; see make_readable_policy."""
    lexicon = get_lexicon(mention.doc.lang_)
    is_participant = _find_persons(mention, lexicon) in ({"1"}, {"2"}, {"1", "2"})
    turns = mention.doc.spans.get(SPEAKERS, ()) if is_participant else ()
    is_said = any(t.start <= mention.start and mention.end <= t.end for t in turns)
    if is_participant and not is_said:
        return None
    if len(mention) == 1 and is_acronym(mention[0]):
        return None
    head = mention.doc[get_heads(mention.doc, mention.start, mention.end)[0]]
    case = head.morph.get("Case") if lexicon.declines_names else []
    # Once for all mentions of the cluster, in each case.
    plans, key = get_index(cluster.doc).plans, (cluster.i, *case)
    if key not in plans:
        best = _choose_representative(cluster, case)
        probabilities = compute_probabilities(cluster, best or 0)
        plans[key] = best, dict(zip(cluster.data.mentions, probabilities, strict=True))
    best, probabilities = plans[key]
    if (
        best is None
        or probabilities[mention.start, mention.end] < min_probability
        or _is_beside(cluster, mention, lexicon)
    ):
        return None
    return replace_all(cluster, mention, cluster[best])


def compute_probabilities(cluster: ClusterView, i: int) -> List[float]:
    """Compute the least probability of the links from each mention to one of them; 1 if
    they are not known, as for clusters of a user."""
    probs, antecedents = cluster.probs, cluster.antecedents
    if not (probs and antecedents):
        return [1.0] * len(cluster)
    found = {i: 1.0}
    # Up from the mention, and then down to all others: antecedents come first.
    while antecedents[i] >= 0:
        found[antecedents[i]] = min(found[i], probs[i])
        i = antecedents[i]
    for j, antecedent in enumerate(antecedents):
        if j not in found:
            found[j] = min(found[antecedent], probs[j]) if antecedent >= 0 else 1.0
    return [found[j] for j in range(len(antecedents))]


def _choose_representative(cluster: ClusterView, case: List[str]) -> Optional[int]:
    """Choose the most informative mention; of equal ones, the first."""
    doc, ratings = cluster.doc, {}
    for i, (start, end) in enumerate(cluster.data.mentions):
        heads = cluster.data.heads[i]
        rating = rate_mention(doc, start, end, heads)
        is_homograph = end - start == 1 and is_acronym(doc[start])
        if rating[0] == Kind.PRONOUN or is_homograph or end - start > MAX_READABLE:
            continue
        # In a language with cases, the same name is there in several forms.
        has_case = bool(case) and doc[heads[0]].morph.get("Case") == case
        ratings[i] = has_case, rating
    return max(ratings, key=ratings.__getitem__, default=None)


def _find_persons(mention: Span, lexicon: Lexicon) -> Set[str]:
    """Find the grammatical persons that a pronoun can have; none for a noun."""
    if len(mention) > 1:
        return set()
    form = mention.text
    is_capital = form[:1].isupper() and not starts_sentence(mention[0])
    if is_capital and form.lower() in lexicon.formal:
        return {"2"}
    readings = lexicon.readings.get(form.lower(), ())
    return {f for given in readings for f in given.get("Person", ())}


def _is_beside(cluster: ClusterView, mention: Span, lexicon: Lexicon) -> bool:
    """Check for a mention in the same clause, as for "her" in "Ann lost her keys"."""
    if not stands_alone(mention):
        return False
    readings = lexicon.readings.get(mention.text.lower(), ())
    if not readings or any(
        given.keys().isdisjoint(("Poss", "Reflex"))
        and "Nom" in given.get("Case", ("Nom",))
        for given in readings
    ):
        # It may be the subject.
        return False
    doc = mention.doc
    by_end, ends = get_index(doc).by_end, lexicon.coordinators | lexicon.relatives
    for i in range(mention.start, 0, -1):
        here = by_end.get(i, ())
        if cluster.i in here:
            return True
        before = doc[i - 1]
        is_end = before.text[-1:] in _CLAUSE_ENDS or before.lower_ in ends
        if is_end or before.is_sent_start or (here and is_name(before)):
            return False
    return False


def replace_all(
    cluster: ClusterView, mention: Span, by: Optional[Span] = None
) -> Optional[Span]:
    """Replace a mention by the main mention; see make_all_policy for exceptions."""
    lexicon, main = get_lexicon(mention.doc.lang_), by or cluster.main
    if len(main) > MAX_LENGTH:
        return None
    if lexicon.drops_subjects:
        # A verb can stand for its subject.
        pos, is_word = mention[0].pos, len(mention) == 1 and not is_pronoun(mention[0])
        if (pos in _VERBS if pos else is_word) or main[0].pos in _VERBS:
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
    """Replace a mention by the main mention if it is a pronoun."""
    return replace_all(cluster, mention) if stands_alone(mention) else None


def _is_relative(cluster: ClusterView, mention: Span) -> bool:
    """Check whether a mention is a relative pronoun: "who" in "the man who left"."""
    lexicon, form = get_lexicon(mention.doc.lang_), mention.text.lower()
    # A form that can be a demonstrative ("that") is a relative pronoun if the
    # morphology says so, or if it directly follows its antecedent.
    return form in lexicon.relatives and (
        form not in lexicon.determiners
        or "Rel" in mention[0].morph.get("PronType")
        or cluster.i in get_index(mention.doc).by_end.get(mention.start, ())
    )


def _find_renamed(cluster: ClusterView, mention: Span) -> int:
    """Find the end of "Ann" for "a lawyer" in "Ann is a lawyer"; -1 for none."""
    doc = mention.doc
    if stands_alone(mention):
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
