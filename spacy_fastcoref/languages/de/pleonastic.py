"""Find German pronouns that refer to nothing, or to a clause: "es regnet"."""

from typing import FrozenSet

import numpy as np

from ...grammar.features import DEMONSTRATIVE, THING
from ...grammar.schemes import CLAUSAL_SUBJECT, OBJECT, OPEN_COMPLEMENT, RELATIVE
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks

_GIVE = frozenset("gibt gab gäbe gebe gegeben geben".split())
_GO = frozenset("geht ging gehe ginge gegangen gehen".split())
# Verbs with a formal subject and a preposition: "es geht um", "es fehlt an".
_WITH_PREPOSITION = {
    "um": _GO | frozenset("handelt handelte handele gehandelt dreht drehte".split()),
    "an": frozenset("fehlt fehlte mangelt mangelte liegt lag".split()),
    "zu": frozenset("kommt kam komme käme gekommen kommen".split()),
}
# Verbs whose subject can be a clause: "es scheint, dass".
_WITH_CLAUSE = frozenset(
    "scheint schien heißt hieß gelingt gelang gelungen freut freute wundert wunderte "
    "ärgert ärgerte stört störte gefällt gefiel genügt genügte reicht reichte passiert "
    "passierte geschieht geschah kommt kam stimmt stimmte gilt galt fällt fiel lohnt "
    "lohnte empfiehlt empfahl bedarf stellt stellte zeigt zeigte liegt lag überrascht "
    "überraschte erstaunt erstaunte gehört gehörte macht machte tut tat".split()
)
_THAT = frozenset("dass daß ob".split())
_TO = frozenset(("zu",))
# Prepositions of adverbial infinitives, such as "um zu".
_PURPOSE = frozenset("um ohne statt anstatt".split())
_DATIVES = ("da", "iobj", "obl:arg")
_ACCUSATIVES = ("oa", "obj")


def find_adverbs(tokens: Tokens) -> Marks:
    """Find pronominal adverbs, such as "damit" and "darauf"."""
    features = tokens.features
    is_thing = (features.as_pronoun & THING) == THING
    return is_thing & ((features.flags & DEMONSTRATIVE) > 0) & (features.person > 0)


def find_impersonal(tokens: Tokens) -> Marks:
    """Find "es" as a formal subject.

    Grammars list verbs of the weather; "es gibt" with an accusative, and no dative; "es
    geht um" and the like; and "es geht" with a dative. See Duden, Die Grammatik (2016),
    on "es" as a formal subject.
    """
    annotation, words, lexicon = tokens.annotation, tokens.words, tokens.lexicon
    is_it = words.find(lexicon.expletives)
    if not is_it.any():
        return is_it
    is_weather, is_give = words.find(lexicon.weather_verbs), words.find(_GIVE)
    if not annotation.has_dep:
        is_verb = is_weather | is_give
        is_beside = np.append(False, is_verb[:-1]) | np.append(is_verb[1:], False)
        return is_it & is_beside
    has_dative = annotation.has_child(annotation.has_label(*_DATIVES))
    has_accusative = annotation.has_child(annotation.has_label(*_ACCUSATIVES) & ~is_it)
    is_formal = is_weather & annotation.is_verb
    is_formal |= is_give & has_accusative & ~has_dative
    is_formal |= words.find(_GO) & annotation.has_child(
        annotation.has_label(*_DATIVES) & annotation.has_morph("Case=Dat")
    )
    for preposition, verbs in _WITH_PREPOSITION.items():
        with_it = words.find(frozenset((preposition,)))
        has_it = annotation.has_child(with_it)
        is_formal |= words.find(verbs) & (has_it | annotation.has_child(has_it))
    # The subject of an auxiliary is that of the verb below it.
    is_open = annotation.is_verb & annotation.has_role(OPEN_COMPLEMENT)
    is_formal |= annotation.has_child(is_formal & is_open)
    return is_it & is_formal[annotation.heads] & ~annotation.has_role(OBJECT)


def find_correlates(tokens: Tokens) -> Marks:
    """Find pronouns that stand for a clause after them: "darauf, dass", "es, zu"."""
    annotation, words = tokens.annotation, tokens.words
    is_it, is_adverb = words.find(tokens.lexicon.expletives), find_adverbs(tokens)
    found = np.zeros(len(is_it), dtype=bool)
    if not annotation.has_dep or not (is_it | is_adverb).any():
        return found
    heads, index = annotation.heads, np.arange(len(is_it))
    is_finite = annotation.has_child(words.find(_THAT))
    is_infinitive = annotation.has_child(words.find(_TO) & ~annotation.is_preposition)
    is_infinitive |= annotation.has_tag("VVIZU")
    is_infinitive &= ~annotation.has_child(words.find(_PURPOSE))
    (clauses,) = np.nonzero((is_finite | is_infinitive) & (heads != index))
    # The clause depends on the pronoun.
    found[heads[clauses]] = True
    # Or it depends on the same predicate and follows the pronoun.
    after_clause, after_that, after_subject = np.full((3, len(is_it)), -1)
    after_clause[heads[clauses]] = clauses
    after_that[heads[clauses[is_finite[clauses]]]] = clauses[is_finite[clauses]]
    is_subject = annotation.has_role(CLAUSAL_SUBJECT)[clauses]
    after_subject[heads[clauses[is_subject]]] = clauses[is_subject]
    is_object = annotation.has_role(OBJECT)
    may_extrapose = _find_predicates(tokens)[heads] & ~is_object
    is_sibling = (after_subject[heads] > index) & is_it
    is_sibling |= (after_clause[heads] > index) & is_it & (is_object | may_extrapose)
    is_sibling |= (after_that[heads] > index) & is_adverb
    return (found | is_sibling) & (is_it | is_adverb)


def _find_predicates(tokens: Tokens) -> np.ndarray:
    """Find predicates whose subject can be an extraposed clause."""
    annotation, words, lexicon = tokens.annotation, tokens.words, tokens.lexicon
    found = words.find(_WITH_CLAUSE) | words.find(lexicon.extraposing)
    is_copula = words.find(lexicon.copulas)
    found |= is_copula | annotation.has_child(is_copula)
    return found


def find_determinatives(tokens: Tokens) -> Marks:
    """Find demonstratives with a relative clause of their own: "der, der das sagt"."""
    annotation = tokens.annotation
    is_demonstrative = (tokens.features.flags & DEMONSTRATIVE) > 0
    if annotation.has_dep:
        return is_demonstrative & annotation.has_child(annotation.has_role(RELATIVE))
    # Without tags, a demonstrative can be a determiner.
    closed: FrozenSet[str] = tokens.lexicon.determiners - tokens.lexicon.possessives
    return tokens.words.find(closed) & ~annotation.has_pos
