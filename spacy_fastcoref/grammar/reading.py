"""Read the features of mentions by the grammar of their language."""

from collections import Counter
from functools import lru_cache
from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..graph import pair_ranges
from . import features as bits
from .heads import find_mention_heads
from .lexicon import Lexicon
from .mention_features import MentionFeatures
from .mentions import find_all_groups, find_reciprocal_spans
from .names import find_runs, make_name_reader
from .speech import Speech
from .tokens import Tokens
from .word_index import Marks, Rows

# For each rare word, words of its kind: {"Deepika": ["woman", "actress"]}.
Kinds = Mapping[str, Sequence[str]]


def read_facts(grammar: Any, tokens: Tokens, mentions: np.ndarray) -> MentionFeatures:
    """Read the features of mentions; see Rules.read."""
    words, lexicon = tokens.words, tokens.lexicon
    heads, is_joined = find_mention_heads(mentions, tokens)
    starts, ends = mentions[:, 0].astype(np.int64), mentions[:, 1].astype(np.int64)
    groups = find_all_groups(grammar, tokens)
    rows, members = find_members(starts, ends, heads, groups)
    # A companion makes a group, too: "Piotr z Kasią".
    joined = grammar.find_comitatives(tokens)[members]
    is_companion = (joined >= starts[rows]) & (joined < ends[rows])
    is_companioned = np.isin(np.arange(len(heads)), rows[is_companion])
    runs, speech = find_runs(tokens), Speech(tokens)
    facts = MentionFeatures(grammar, tokens, runs, speech, starts, ends, heads)
    facts.is_joined = is_joined | is_companioned
    is_alone = ends - starts == 1
    facts.is_indefinite = words.find(lexicon.indefinites)[starts] & ~is_alone
    is_verb = grammar.find_verbs(tokens) & (tokens.person == 0)
    facts.is_pleonastic = facts.ask(grammar.find_pleonastic) | is_verb[heads]
    facts.is_pleonastic &= is_alone
    facts.is_anaphor = facts.is_pronoun & facts.ask(grammar.find_anaphors)
    facts.is_anaphor &= ~facts.is_pleonastic
    agreement = _read_agreement(facts)
    open_genders = (agreement & (bits.MALE | bits.FEMALE)) * bits.OPEN_MALE
    agreement = np.where(facts.is_name, agreement | open_genders, agreement)
    # Reciprocal pronouns of several words.
    n_offsets = len(words.index) + 1
    firsts, lasts = find_reciprocal_spans(words, lexicon).T
    is_reciprocal = np.isin(starts * n_offsets + ends, firsts * n_offsets + lasts)
    facts.agreement = np.where(is_reciprocal, bits.SEVERAL, agreement)
    if facts.is_joined.any():
        is_several = _find_several(facts) | is_companioned
        facts.is_lifeless = facts.is_lifeless & ~facts.is_joined
        facts.agreement = _join(facts, is_several, groups, (rows, members))
    return facts


def find_members(
    starts: Rows, ends: Rows, heads: Rows, groups: Rows
) -> Tuple[Rows, Rows]:
    """Pair mentions with the heads of their members in text order, one or several."""
    n_tokens = len(groups) + 1
    order = np.argsort(groups, kind="stable")
    keys = groups[order] * n_tokens + order
    firsts = np.searchsorted(keys, groups[heads] * n_tokens + starts)
    lasts = np.searchsorted(keys, groups[heads] * n_tokens + ends)
    rows, places = pair_ranges(np.arange(len(heads)), firsts, lasts)
    return rows, order[places]


def _read_agreement(facts: MentionFeatures) -> Rows:
    """Read the agreement bits of mentions that are not coordinations."""
    agreement = facts.grammar.read_agreement(facts)
    if facts.grammar.conversions is not None:
        agreement = facts.grammar.conversions.apply(facts, agreement)
    return np.where(facts.is_pronoun, facts.tokens.as_pronoun[facts.heads], agreement)


def _join(
    facts: MentionFeatures, is_several: Marks, groups: Rows, pairs: Tuple[Rows, Rows]
) -> Rows:
    """Read the agreement bits of coordinations, and keep those of other mentions."""
    grammar, tokens = facts.grammar, facts.tokens
    is_member = facts.is_joined[pairs[0]]
    rows, members = pairs[0][is_member], pairs[1][is_member]
    # Each member as its head alone.
    offsets = members, members + 1, members
    mask = _read_agreement(
        MentionFeatures(grammar, tokens, facts.runs, facts.speech, *offsets)
    )
    joined, places, counts = np.unique(rows, return_index=True, return_counts=True)
    columns = np.arange(len(rows)) - np.repeat(places, counts)
    # Without a parse, only the first member is known: the second one can be anything.
    table = np.full((len(joined), int(counts.max(initial=2))), -1)
    table[counts == 1, 1] = bits.ANYTHING
    table[np.repeat(np.arange(len(joined)), counts), columns] = mask
    several = grammar.join_agreement(facts, table)
    # Alternatives can be one of their members: "Peter or Paul … he".
    any_member = np.bitwise_or.reduce(np.where(table < 0, 0, table), axis=1)
    alternatives = grammar.find_alternatives(tokens)
    if tokens.has_dep:
        firsts = groups[tokens.heads[alternatives]]
        is_either = np.isin(groups[facts.heads], firsts)
    else:
        is_either = facts.contain(alternatives)
    several = np.where(is_either[joined], several | any_member, several)
    found = np.where(facts.is_joined, bits.ANYTHING, facts.agreement)
    # Without a determiner, it can be one person: "his friend and helper".
    found[joined] = np.where(is_several[joined], several, bits.ANYTHING)
    return found


def _find_several(facts: MentionFeatures) -> Marks:
    """Find coordinations of several people or things: "Peter and his wife"."""
    lexicon, words = facts.lexicon, facts.words
    opens = words.find(lexicon.determiners | lexicon.possessives)
    names = facts.tokens.is_name | (words.map(lexicon.read_title) > 0)
    begins = names | opens | words.find(lexicon.pronouns)
    starts_anew = words.find(lexicon.coordinators) & np.append(begins[1:], False)
    if facts.tokens.has_dep:
        # Without a single coordinator: "Peter as well as his wife".
        begins = names | (facts.tokens.person > 0) | facts.tokens.has_child(opens)
        starts_anew |= facts.tokens.has_role("conjunct") & begins
    return facts.is_joined & facts.contain(starts_anew)


@lru_cache(maxsize=None)
def make_determiner_reader(lexicon: Lexicon) -> Callable[[str], int]:
    """Make a function that reads what the noun of a determiner can be; 0 for others."""
    masks: Dict[str, int] = {}
    find_ending = _make_ending_reader(lexicon, "adjective_endings")
    table = [one for one in lexicon.features.items() if "PronType=Dem" in one[0]]
    for feats, forms in [*lexicon.articles.items(), *table]:
        for form in forms.split():
            masks[form] = masks.get(form, 0) | bits.read_morph(feats)
    return lambda form: masks.get(form) or find_ending(form)


@lru_cache(maxsize=None)
def _make_ending_reader(lexicon: Lexicon, name: str) -> Callable[[str], int]:
    """Make a function that reads what a word can be by its ending; 0 for others."""
    endings = [
        (ending, feats and bits.read_morph(feats))
        for feats, found in getattr(lexicon, name).items()
        for ending in found.split()
    ]
    endings.sort(key=lambda one: -len(one[0]))
    return lambda form: next((m for end, m in endings if form.endswith(end)), 0) or 0


def read_determiners(facts: MentionFeatures) -> Rows:
    """Read what nouns can be by their first word, or by the preposition before it."""
    words, lexicon, starts = facts.words, facts.lexicon, facts.starts
    masks = words.map(make_determiner_reader(lexicon))
    # Such as "im": a preposition that contains an article.
    is_open = words.find(lexicon.cutters - lexicon.determiners - lexicon.relatives)
    before = np.append(0, np.where(is_open, masks, 0))[starts]
    found = np.where(starts < facts.heads, masks[starts], 0)
    found = np.where(found > 0, found, before)
    is_bare = (found == 0) & (facts.ends - starts == 1) & ~facts.is_name
    by_ending = words.map(_make_ending_reader(lexicon, "word_endings"))[starts]
    found = np.where(is_bare, by_ending, found)
    neuter = words.map(lexicon.read_neuter)[facts.heads]
    found = found & ~bits.NEUT_PERSON | np.where(found & bits.NEUT_THING, neuter, 0)
    is_noun = (found > 0) & (facts.person == 0)
    # A group of people in the singular can be taken up in the plural: "das Paar … sie".
    return np.where(is_noun, found | bits.GROUP, bits.ANYTHING)


def _read_things(names: Rows) -> Rows:
    """Read what a thing with the name of a man or of a woman can be."""
    masks = bits.THING & ~bits.FEM_THING, bits.THING & ~bits.MASC_THING
    return np.select([names == bits.MALE, names == bits.FEMALE], masks, bits.THING)


def read_names(facts: MentionFeatures) -> Rows:
    """Read the agreement bits of names from titles and given names."""
    if not facts.is_name.any():
        return np.full(len(facts), bits.ANYTHING)
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads, given = facts.starts, facts.heads, facts.first_names
    # A family name has no gender.
    by_name = words.map(make_name_reader(lexicon.lang))[given]
    by_name = np.where(runs.is_family[given] & (given == heads), 0, by_name)
    # A title is the first word of the mention, or the word before the name.
    before = np.maximum(given - 1, starts)
    # In "King Charles 's wife Camilla", the title is that of the possessor.
    clitics = np.cumsum(words.find(lexicon.clitics))
    is_own = clitics[heads] == clitics[starts]
    first = np.where(runs.title[before] > 0, before, starts)
    by_title = np.where((first == before) | is_own, runs.title[first], 0)
    is_person = (by_title > 0) & words.find(lexicon.family_titles)[first]
    is_labelled = facts.tokens.is_entity(*bits.PERSON_LABELS)
    is_person |= is_labelled[heads] & is_labelled[given]
    # A ship or a town can have a woman's name, but it doesn't agree with "he".
    things = np.where(is_person, 0, _read_things(by_name))
    gender = np.where(by_name > 0, by_name | things, 0)
    has_gender = (by_title == bits.MALE) | (by_title == bits.FEMALE)
    gender = np.where(has_gender | (gender == 0), by_title, gender)
    # A name with a title can be a thing or a group: the film "King Arthur", the band
    # "Queen".
    named = _read_things(by_title) | bits.GROUP
    named |= np.where(starts == heads, bits.SEVERAL, 0)
    gender = np.where((by_title > 0) & ~is_person, gender | named, gender)
    # A definite determiner before a name: "the Bennets".
    is_plural = words.find(lexicon.definites)[starts] & (starts + 1 == heads)
    return np.where((gender > 0) & ~is_plural, gender, bits.ANYTHING)


class Conversions:
    """Tell which words stand for rare ones. Capitals don't matter."""

    def __init__(self, words: Kinds) -> None:
        self._words = {word.lower(): kinds for word, kinds in words.items()}
        self._readers: Dict[str, Callable[[str], int]] = {}

    def apply(self, facts: MentionFeatures, agreement: Rows) -> Rows:
        """Narrow down what mentions can be, by the words that stand for theirs."""
        mask, runs = facts.words.map(self._make_reader(facts)), facts.runs
        # A word holds for its whole name: "Deepika Padukone".
        by_run = np.zeros_like(mask)
        np.bitwise_or.at(by_run, runs.firsts[runs.is_part], mask[runs.is_part])
        mask = np.where(runs.is_part, by_run[runs.firsts], mask)[facts.heads]
        narrowed = np.where(agreement & mask, agreement & mask, mask)
        return np.where(mask > 0, narrowed, agreement)

    def _make_reader(self, facts: MentionFeatures) -> Callable[[str], int]:
        """Make a function that reads what a rare word can be; 0 for other words."""
        doc = facts.tokens.doc
        if doc.lang_ not in self._readers:
            plain, masks = facts.grammar.convert_words({}), Counter[str]()
            for word, kinds in self._words.items():
                for kind in kinds:
                    one = Doc(doc.vocab, words=[kind])
                    masks[word] |= int(plain.read(one, np.array([[0, 1]])).agreement[0])
                masks[word] = masks[word] or bits.ANYTHING
            self._readers[doc.lang_] = masks.__getitem__
        return self._readers[doc.lang_]
