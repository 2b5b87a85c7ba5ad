"""Judge pairs of mentions by Polish grammar: who a pronoun of a clause can be."""

from typing import NamedTuple

import numpy as np

from ...grammar.features import DEMONSTRATIVE, POSSESSIVE, REFLEXIVE, THIRD
from ...grammar.mention_features import MentionFeatures
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows
from .verbs import read_clauses

_MAX_DEPTH = 6
# The classes of masculine nouns: people, animals and things.
_SUBGENDERS = ("Animacy=Hum", "Animacy=Nhum", "Animacy=Inan")


class Binding(NamedTuple):
    """Hold the subjects of a document's clauses.

    predicates (Rows): The nearest predicate above each token.
    subject (Rows): The subject of each predicate, also of infinitives and adverbial
        participles, which share that of the clause above; -1 if unknown.
    nouns (Rows): The noun that each relative pronoun stands for; -1 for other words.
    """

    predicates: Rows
    subject: Rows
    nouns: Rows


def are_in_clause(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a pronoun and the subject of its clause, for which there is a reflexive."""
    binding, tokens = facts.tokens.once(read_binding), facts.tokens
    index = np.arange(len(tokens.heads))
    is_pronoun = (tokens.person == THIRD) & ~tokens.is_zero_subject
    is_pronoun &= (tokens.flags & (POSSESSIVE | REFLEXIVE)) == 0
    is_pronoun |= binding.nouns >= 0
    above = tokens.heads[tokens.first_conjunct]
    is_argument = is_pronoun & ~tokens.has_role("subject")
    is_argument &= above == binding.predicates[tokens.first_conjunct]
    subjects = np.where(is_argument, binding.subject[above], -1)
    # What a relative pronoun is, its noun is, too.
    nouns = np.where(binding.nouns >= 0, binding.nouns, index)
    found = _are_paired(facts, nouns, subjects, later, earlier)
    subjects = np.where(subjects < 0, -1, nouns[subjects])
    return found | _are_paired(facts, nouns, subjects, later, earlier)


def is_unbound(
    facts: MentionFeatures, later: Rows, earlier: Rows, *, within: bool = False
) -> Marks:
    """Find a reflexive and a mention that is not in its clause: "Robert … swój".

    within (bool): Whether to find other mentions of its clause than the subject.
    """
    found = np.zeros(len(later), dtype=bool)
    binding, tokens = facts.tokens.once(read_binding), facts.tokens
    is_reflexive, (first, last) = (facts.flags & REFLEXIVE) > 0, tokens.edges
    for one, other in ((later, earlier), (earlier, later)):
        head, heads = facts.heads[one], facts.heads[other]
        predicates = binding.predicates[head]
        subjects = binding.subject[predicates]
        is_bound = (subjects < 0) | (subjects == heads)
        is_bound |= subjects == tokens.first_conjunct[heads]
        # The subject of a relative clause is the noun before it.
        is_bound |= np.where(subjects < 0, -1, binding.nouns[subjects]) == heads
        # A reflexive in the subject's own phrase.
        is_bound |= (first[subjects] <= head) & (head <= last[subjects])
        is_near = binding.predicates[heads] == predicates
        is_pair = is_reflexive[one] & ~is_reflexive[other]
        found |= is_pair & ~is_bound & (is_near == within)
    return found


def is_owned_by_subject(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a possessive and the subject, which would take "swój": "Jan … jego"."""
    binding, tokens = facts.tokens.once(read_binding), facts.tokens
    is_owner = (tokens.person == THIRD) & ((tokens.flags & POSSESSIVE) > 0)
    is_owner &= (tokens.flags & REFLEXIVE) == 0
    # But not inside of a companion of the subject: "przyszli z jego żoną".
    is_companion = facts.grammar.find_comitatives(facts.tokens) >= 0
    is_owner &= ~is_companion[facts.tokens.heads]
    index = np.arange(len(is_owner))
    subjects = np.where(is_owner, binding.subject[binding.predicates], -1)
    nouns = np.where(subjects < 0, -1, binding.nouns[subjects])
    found = _are_paired(facts, index, subjects, later, earlier)
    return found | _are_paired(facts, index, nouns, later, earlier)


def is_contrasted(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find "ten" and a subject before it: "ten" takes up another noun."""
    is_that = (facts.flags[later] & DEMONSTRATIVE) > 0
    is_that &= facts.person[later] == THIRD
    return is_that & facts.tokens.has_role("subject")[facts.heads[earlier]]


def are_other_subgenders(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a masculine pronoun or verb and a noun of another class, which taggers tell
    from the context: "kupił" is what people do."""
    classes = np.zeros(len(facts.tokens.heads), dtype=np.int64)
    # A possessive such as "swój" agrees with the noun after it.
    is_own = ~facts.tokens.has_morph("Poss=Yes")
    for number, feat in enumerate(_SUBGENDERS, 1):
        classes[facts.tokens.has_morph(feat) & is_own] = number
    left, right = classes[facts.heads[later]], classes[facts.heads[earlier]]
    has_anaphor = facts.is_pronoun[later] | facts.is_pronoun[earlier]
    return has_anaphor & (left > 0) & (right > 0) & (left != right)


def read_binding(tokens: Tokens) -> Binding:
    """Read the subjects of a document's clauses."""
    clauses = tokens.once(read_clauses)
    heads, index = tokens.heads, np.arange(len(tokens.heads))
    is_predicate = tokens.is_verb & (clauses.heads == index)
    is_predicate[clauses.heads[clauses.is_finite]] = True
    is_predicate |= clauses.subject >= 0
    predicates = heads
    for _ in range(_MAX_DEPTH):
        above = heads[predicates]
        predicates = np.where(is_predicate[predicates], predicates, above)
    subject = clauses.subject.copy()
    (zero,) = np.nonzero(tokens.is_zero_subject)
    subject[clauses.heads[zero]] = zero
    # Infinitives and participles: "chciał mu pomóc", "wyszedł, śpiewając".
    has_object = tokens.has_child(tokens.has_role("object"))
    shares = tokens.has_role("open complement") & ~has_object[heads]
    shares |= tokens.has_morph("VerbForm=Conv")
    for _ in range(_MAX_DEPTH):
        subject = np.where((subject < 0) & shares, subject[heads], subject)
    subject = np.where(subject < 0, tokens.subject, subject)
    is_relative = tokens.has_morph("PronType=Rel")
    is_relative |= tokens.words.find(tokens.lexicon.relatives)
    is_relative &= tokens.is_pos("DET", "PRON")
    opens = tokens.has_role("relative clause")[predicates]
    nouns = np.where(is_relative & opens, heads[predicates], -1)
    return Binding(predicates, subject, nouns)


def _are_paired(
    facts: MentionFeatures, one: Rows, other: Rows, later: Rows, earlier: Rows
) -> Marks:
    """Find mentions whose heads are a pair of tokens; the second can be -1."""
    n_tokens = len(facts.tokens.heads)
    keys = np.unique((one * n_tokens + other)[other >= 0])
    heads = facts.heads[later], facts.heads[earlier]
    found = np.isin(heads[0] * n_tokens + heads[1], keys)
    return found | np.isin(heads[1] * n_tokens + heads[0], keys)
