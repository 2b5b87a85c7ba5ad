"""English: what its pronouns, names and nouns can be."""

from functools import lru_cache
from typing import FrozenSet, Iterable

import numpy as np
from spacy.attrs import IS_LOWER
from spacy.tokens import Doc

from ...decoding.decode import Costs
from ...decoding.duplicates import merge_duplicates
from ...registry import registry
from ...rules import binding, nesting, pairs, persons
from ...rules.acronyms import find_acronyms
from ...rules.agreement import (
    ANY_NAME,
    ANYTHING,
    GROUP,
    SEVERAL,
    THING,
    read_letters,
)
from ...rules.base import PairRule, Rules
from ...rules.facts import Facts
from ...rules.mentions import find_mention_heads
from ...rules.name_parts import find_name_parts
from ...rules.speech import Speech
from ...types import DOUBTFUL, Links
from ..lexicon import get_lexicon
from ..parse import Parse
from ..word_index import (
    GIVEN_NAMES,
    WordIndex,
    is_plural_form,
    is_sign,
    read_table,
    read_words,
)
from . import letters as en_letters
from . import pairs as en_pairs
from .aliases import find_aliases, find_apposed
from .names import (
    find_classes,
    find_name_hyphens,
    find_names,
    find_runs,
    find_title_mask,
    read_names,
)
from .namesakes import find_likeliest, find_namesakes, tie_names
from .nouns import SUBJECTS, find_additions, find_clauses, read_nouns
from .people import find_initials, find_people
from .pleonastic import find_empty_it

_LANG = "en"
_MODALS = frozenset(
    "can could may might must shall should will would 'd 'll ’d ’ll".split()
)
_QUESTIONS = frozenset("how what when where which who whom whose why".split())
_NOT_ONLY_SAYING = frozenset("began continued returned thought went".split())
_CHOICES = frozenset(("or", "nor"))
_MUTUAL = (
    (frozenset(("each",)), frozenset(("other",))),
    (frozenset(("one",)), frozenset(("another",))),
)
# Labels of names that may have an "and" in them: "Bosnia and Herzegovina".
_JOINED = ("ORG", "GPE", "LOC", "FAC", "WORK_OF_ART")
# Rules that grammar knows and that lower the scores of the corpora; see
# benchmarks/RESULTS.md.
DISABLED = ("cataphora", "entity", "generic", "indefinite", "named_self", "quoted")


class EnglishRules(Rules):
    """Say what English grammar knows of links; see Coreferee, sections 1.4.1 and 3."""

    pair_rules = (
        PairRule("within", nesting.is_within, is_lasting=True),
        PairRule("crossing", nesting.is_crossing),
        PairRule("name_part", nesting.is_name_part),
        PairRule("coordination", en_pairs.is_coordinated, is_lasting=True),
        PairRule("person", persons.are_other_persons, is_lasting=True),
        PairRule("teller", persons.are_teller_and_told, DOUBTFUL),
        PairRule("greeting", en_letters.are_writer_and_reader, is_lasting=True),
        PairRule("speaker", persons.are_other_speakers),
        PairRule("narrator", persons.are_inside_and_outside, is_lasting=True),
        PairRule("quoted", persons.is_quoted_speaker, is_lasting=True),
        PairRule("named_self", persons.is_self_named, DOUBTFUL),
        PairRule("reflexive", binding.is_unbound, needs=("dep",)),
        PairRule("binding", en_pairs.are_arguments, is_lasting=True),
        PairRule("oblique", binding.are_oblique_arguments, DOUBTFUL, needs=("dep",)),
        PairRule("cataphora", binding.is_under_pronoun, needs=("dep",)),
        PairRule("pleonastic", pairs.is_empty),
        PairRule("generic", en_pairs.is_generic, DOUBTFUL),
        PairRule("lifeless", en_pairs.is_lifeless, DOUBTFUL),
        PairRule("indefinite", pairs.is_new, DOUBTFUL),
        PairRule("other", en_pairs.is_another),
        PairRule("abbreviation", en_pairs.are_other_abbreviations, is_lasting=True),
        PairRule("given_name", pairs.are_other_names, DOUBTFUL),
        PairRule("entity", pairs.are_other_classes, needs=("entities",)),
    )

    def read(self, doc: Doc, mentions: np.ndarray) -> Facts:
        """Describe mentions; see Rules.read.

        doc (Doc): The document.
        mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
        RETURNS (Facts): What is known of them.
        """
        words = WordIndex(doc)
        parse = Parse(doc, words, read_words(_LANG, "prepositions"))
        saying = read_words(_LANG, "saying_verbs"), _NOT_ONLY_SAYING
        speech = Speech(doc, words, *saying)
        heads, is_joined = find_mention_heads(
            mentions,
            parse,
            words,
            _LANG,
            find_clauses(words),
            find_additions(words),
            words.find(read_words(_LANG, "approximators")),
        )
        starts, ends = mentions[:, 0].astype(np.int64), mentions[:, 1].astype(np.int64)
        pronouns = _Pronouns(parse, words)
        is_alone = ends - starts == 1
        # "her" is no pronoun where it heads nothing: "her mother".
        person = np.where(is_alone, pronouns.person[heads], 0)
        is_pronoun = person > 0
        is_proper = find_names(parse, words)
        is_name = is_proper[heads] & ~is_pronoun & ~is_joined
        runs = find_runs(words, is_proper)
        names, classes = read_names(parse, words, runs, starts, heads)
        initials = find_initials(words, runs, starts, heads)
        nouns, is_lifeless = read_nouns(parse, words, starts, heads)
        agreement = np.where(is_name, names, nouns)
        joined = _read_joined(parse, words, is_proper, starts, ends, heads)
        agreement = np.where(is_joined, joined, agreement)
        # "Neither Tom nor Ann"
        counts = np.append(0, np.cumsum(words.find(frozenset(("nor",)))))
        has_nor = counts[heads] > counts[starts]
        agreement = np.where(has_nor & ~is_joined, ANYTHING, agreement)
        agreement = np.where(is_pronoun, pronouns.agreement[heads], agreement)
        is_mutual = _find_mutual(words)[starts] & (ends - starts == 2)
        agreement = np.where(is_mutual, SEVERAL, agreement)
        of_noun = words.map(find_classes)[heads]
        is_noun = ~is_name & ~is_pronoun & ~is_joined
        is_indefinite = words.find(read_words(_LANG, "indefinite"))[starts]
        is_empty_it = find_empty_it(doc, words)
        is_verb = _find_verbs(doc, words) & (pronouns.person == 0)
        return Facts(
            parse=parse,
            words=words,
            speech=speech,
            starts=starts,
            ends=ends,
            heads=heads,
            is_joined=is_joined,
            agreement=agreement,
            person=person,
            is_reflexive=is_pronoun & pronouns.is_reflexive[heads],
            is_possessive=is_pronoun & pronouns.is_possessive[heads],
            is_name=is_name,
            is_empty=is_alone & (is_empty_it | is_verb)[heads],
            is_indefinite=is_indefinite & is_noun & (ends - starts > 1),
            is_lifeless=is_lifeless & is_noun,
            classes=np.where(is_name, classes, np.where(is_noun, of_noun, 0)),
            initials=np.where(is_name, initials, ANY_NAME),
            is_subject=is_pronoun & words.find(SUBJECTS)[heads],
        )

    def describe(self, doc: Doc, links: Links) -> Facts:
        """Describe the mentions of a model's links; see Rules.describe.

        doc (Doc): The document.
        links (Links): The model's answer.
        RETURNS (Facts): What is known of the mentions.
        """
        facts = super().describe(doc, links)
        words = facts.words
        is_title = words.map(find_title_mask) > 0
        is_given = words.find(read_words("common", *GIVEN_NAMES)) | is_title
        is_proper = find_names(facts.parse, words)
        starts, heads = facts.starts, facts.heads
        # Of "Ngozi Okonjo-Iweala" no name ends with the hyphen.
        is_hyphen = find_name_hyphens(words, is_proper)
        around = np.append(is_hyphen, False)
        is_cut = around[starts - 1] | around[facts.ends]
        likely = np.where(is_cut, -np.inf, links.mention_scores)
        is_given |= around[1:]
        facts.part_of = find_name_parts(
            starts, facts.ends, likely, is_proper | is_hyphen, is_given, is_title
        )
        links = merge_duplicates(links, facts.part_of)
        # What the model takes for one rather than for two.
        later, column = np.nonzero(links.scores > 0)
        earlier = links.antecedents[later, column]
        is_named = facts.is_name[later] & facts.is_name[earlier]
        linked = later[is_named], earlier[is_named]
        runs = find_runs(words, is_proper)
        people = find_people(words, runs, starts, heads, linked)
        facts.people = np.where(facts.is_name, people, ANY_NAME)
        by_head = find_likeliest(facts, links)
        found = (
            find_aliases(facts, runs, by_head),
            find_apposed(facts, links),
            find_namesakes(facts, runs, by_head),
        )
        pairs = tuple(map(np.concatenate, zip(*found, strict=True)))
        facts.named_as = tie_names(facts, links, pairs)
        return facts


class _Pronouns:
    """Look up the pronouns of a Doc: arrays of shape (n_tokens,)."""

    def __init__(self, parse: Parse, words: WordIndex) -> None:
        is_name = find_acronyms(parse, words, _LANG)
        self.agreement = np.where(is_name, ANYTHING, words.map(_find_pronoun_mask))
        self.person = np.where(is_name, 0, words.map(_find_person))
        self.is_reflexive = words.find(_read_pronouns("r"))
        self.is_possessive = words.find(_read_pronouns("p"))


def _find_pronoun_mask(word: str) -> int:
    row = read_table(_LANG, "pronouns").get(word)
    return ANYTHING if row is None else read_letters(row[0])


def _find_person(word: str) -> int:
    return int(read_table(_LANG, "pronouns").get(word, ("", 0))[1])


def _find_mutual(words: WordIndex) -> np.ndarray:
    """Find where "each other" and "one another" begin."""
    found = np.zeros(len(words.index), dtype=bool)
    for first, second in _MUTUAL:
        is_second = words.find(second)
        found |= words.find(first) & np.append(is_second[1:], False)
    return found


def _find_verbs(doc: Doc, words: WordIndex) -> np.ndarray:
    """Find "is", and "launch" in "would launch": a Will and a May have capitals."""
    lexicon = get_lexicon(_LANG)
    verbs = read_words(_LANG, "auxiliaries", "be") - lexicon.clitics
    # "Could that", "will someone"
    others = lexicon.determiners | read_words(_LANG, "indefinite_pronouns")
    # "Can dogs swim?", "how should patients eat?"
    openers = lexicon.relatives | lexicon.coordinators
    openers |= read_words(_LANG, "conjunctions") | _QUESTIONS
    opens = (words.map(is_sign) > 0) | words.find(openers)
    # "How long can dogs swim?", but "what he said will matter"
    is_subject = words.find(lexicon.pronouns)
    opens |= np.append(False, words.find(_QUESTIONS)[:-1]) & ~is_subject
    asks = np.append(True, opens[:-1])
    is_modal = words.find(_MODALS) & ~asks
    # No infinitive ends as "investors" does.
    others |= frozenset(read_table(_LANG, "irregular_plurals"))
    is_verb = np.append(False, is_modal[:-1]) & ~words.find(others)
    is_verb &= words.map(is_plural_form) == 0
    return (words.find(verbs) | is_verb) & (doc.to_array(IS_LOWER) > 0)


@lru_cache(maxsize=None)
def _read_pronouns(kind: str) -> FrozenSet[str]:
    rows = read_table(_LANG, "pronouns").items()
    return frozenset(word for word, row in rows if row[2] == kind)


def _read_joined(
    parse: Parse,
    words: WordIndex,
    is_name: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    heads: np.ndarray,
) -> np.ndarray:
    """Tell what "Peter and his wife" can be, and "his friend and helper"."""
    lexicon = get_lexicon(_LANG)
    is_determined = words.find(read_words(_LANG, "definite", "indefinite"))
    is_determined |= words.find(lexicon.possessives)
    # "Tom or Bill" is one of them.
    is_joint = words.find(lexicon.coordinators - _CHOICES)
    # The second one is a person of its own if it has a name or a determiner.
    starts_anew = np.append((is_name | is_determined)[1:], False) & is_joint
    counts = np.append(0, np.cumsum(starts_anew))
    are_two = counts[ends] > counts[starts]
    is_firm = is_name[heads] & ~words.find(read_words("common", *GIVEN_NAMES))[heads]
    if "entities" in parse.annotation:
        is_firm &= parse.is_entity(*_JOINED)[heads]
    counts = np.append(0, np.cumsum(words.find(frozenset("&"))))
    is_firm |= is_name[heads] & (counts[ends] > counts[starts])
    several = np.where(is_firm, SEVERAL | GROUP | THING, SEVERAL)
    return np.where(are_two, several, ANYTHING)


@registry.coref_rules("spacy_fastcoref.en.v1")
def make_english_rules(
    disabled: Iterable[str] = DISABLED,
    doubtful: float = Costs.doubtful,
    alone: float = Costs.alone,
    warns: bool = True,
) -> EnglishRules:
    """Make English rules.

    disabled (Iterable[str]): The names of rules that are switched off; () for none.
    doubtful (float): What a doubtful link costs, in log-odds.
    alone (float): What an anaphor pays for having no antecedent, as a share of the
        model's log-odds that it has one.
    warns (bool): Whether it is said, once, that annotation is missing.
    RETURNS (EnglishRules): The rules.
    """
    return EnglishRules(disabled, doubtful, alone, warns)
