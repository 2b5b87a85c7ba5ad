"""Read the features of mentions by the grammar of their language."""

from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..graph import pair_ranges
from . import features as bits
from .features import PERSON_LABELS, read_morph
from .heads import find_mention_heads
from .lexicon import Lexicon
from .mention_features import MentionFeatures
from .mentions import find_all_groups, find_reciprocal_spans
from .names import find_runs, make_name_reader
from .resources import COMMON, read_words
from .speech import Speech
from .tokens import Tokens
from .word_index import Marks


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
    is_joined = is_joined | is_companioned
    is_alone = ends - starts == 1
    is_nothing = grammar.find_pleonastic(tokens)
    is_verb = grammar.find_verbs(tokens) & (tokens.person == 0)
    is_pleonastic = is_alone & (is_nothing | is_verb)[heads]
    facts = MentionFeatures(
        grammar=grammar,
        tokens=tokens,
        runs=find_runs(words, lexicon, tokens.is_name, tokens.is_pos("NOUN")),
        speech=Speech(tokens.doc, words, lexicon),
        starts=starts,
        ends=ends,
        heads=heads,
        is_joined=is_joined,
        is_pleonastic=is_pleonastic,
        is_indefinite=words.find(lexicon.indefinites)[starts] & ~is_alone,
    )
    is_anaphor = facts.is_pronoun & grammar.find_anaphors(tokens)[heads]
    facts.is_anaphor = is_anaphor & ~is_pleonastic
    agreement = _read_agreement(grammar, facts)
    for gender, is_open in (
        (bits.MALE, bits.OPEN_MALE),
        (bits.FEMALE, bits.OPEN_FEMALE),
    ):
        can_be = facts.is_name & ((agreement & gender) > 0)
        agreement = np.where(can_be, agreement | is_open, agreement)
    facts.agreement = np.where(_find_reciprocals(facts), bits.SEVERAL, agreement)
    if is_joined.any():
        is_several = _find_several(facts) | is_companioned
        facts.is_lifeless = facts.is_lifeless & ~is_joined
        facts.agreement = _join(grammar, facts, is_several, groups, (rows, members))
    return facts


def find_members(
    starts: np.ndarray, ends: np.ndarray, heads: np.ndarray, groups: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Find the members of groups inside of mentions.

    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_members,): the
        mention, and the head of the member, in text order for each mention. A mention
        that is no group has one member, its head.
    """
    n_tokens = len(groups) + 1
    order = np.argsort(groups, kind="stable")
    keys = groups[order] * n_tokens + order
    firsts = np.searchsorted(keys, groups[heads] * n_tokens + starts)
    lasts = np.searchsorted(keys, groups[heads] * n_tokens + ends)
    rows, places = pair_ranges(np.arange(len(heads)), firsts, lasts)
    return rows, order[places]


def _read_agreement(grammar: Any, facts: MentionFeatures) -> np.ndarray:
    """Read the agreement bits of mentions that are not coordinations."""
    agreement = grammar.read_agreement(facts)
    conversions = getattr(grammar, "conversions", None)
    if conversions is not None:
        agreement = conversions.apply(grammar, facts, agreement)
    is_pronoun = facts.person > 0
    return np.where(is_pronoun, facts.tokens.as_pronoun[facts.heads], agreement)


def _join(
    grammar: Any,
    facts: MentionFeatures,
    is_several: np.ndarray,
    groups: np.ndarray,
    pairs: Tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Read the agreement bits of coordinations, and keep those of other mentions."""
    rows, members = pairs
    of_group = facts.is_joined[rows]
    rows, members = rows[of_group], members[of_group]
    mask = _read_agreement(grammar, _read_members(facts, members))
    joined, places, counts = np.unique(rows, return_index=True, return_counts=True)
    columns = np.arange(len(rows)) - np.repeat(places, counts)
    # Without a parse, only the first member is known: the second one can be anything.
    table = np.full((len(joined), int(counts.max(initial=2))), -1)
    table[counts == 1, 1] = bits.ANYTHING
    table[np.repeat(np.arange(len(joined)), counts), columns] = mask
    several = grammar.join_agreement(facts, table)
    # Alternatives can be one of their members: "Peter or Paul … he".
    any_member = np.bitwise_or.reduce(np.where(table < 0, 0, table), axis=1)
    is_either = _find_either(facts, grammar.find_alternatives(facts.tokens), groups)
    several = np.where(is_either[joined], several | any_member, several)
    found = np.where(facts.is_joined, bits.ANYTHING, facts.agreement)
    # Without a determiner, it can be one person: "his friend and helper".
    found[joined] = np.where(is_several[joined], several, bits.ANYTHING)
    return found


def _find_either(
    facts: MentionFeatures, alternatives: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """Find the mentions that are joined by coordinators of alternatives."""
    if facts.tokens.has_dep:
        firsts = groups[facts.tokens.heads[alternatives]]
        return np.isin(groups[facts.heads], firsts)
    counts = np.append(0, np.cumsum(alternatives))
    return counts[facts.ends] > counts[facts.starts]


def _read_members(facts: MentionFeatures, members: np.ndarray) -> MentionFeatures:
    """Make the facts of the members of coordinations, each as its head alone."""
    return replace(
        facts,
        starts=members,
        ends=members + 1,
        heads=members,
        is_joined=False,
        is_pleonastic=False,
        is_indefinite=False,
        is_anaphor=False,
        agreement=bits.ANYTHING,
    )


def _find_reciprocals(facts: MentionFeatures) -> Marks:
    """Find mentions that are reciprocal pronouns of several words."""
    starts, ends = find_reciprocal_spans(facts.words, facts.lexicon).T
    n_offsets = len(facts.words.index) + 1
    keys = facts.starts * n_offsets + facts.ends
    return np.isin(keys, starts * n_offsets + ends)


def _find_several(facts: MentionFeatures) -> Marks:
    """Find coordinations of several people or things: "Peter and his wife"."""
    lexicon, words = facts.lexicon, facts.words
    begins = words.find(lexicon.determiners | lexicon.possessives | lexicon.pronouns)
    is_title = words.map(lexicon.read_title) > 0
    begins |= facts.tokens.is_name | is_title
    starts_anew = words.find(lexicon.coordinators) & np.append(begins[1:], False)
    if facts.tokens.has_dep:
        # Without a single coordinator: "Peter as well as his wife".
        opens = words.find(lexicon.determiners | lexicon.possessives)
        begins = facts.tokens.is_name | (facts.tokens.person > 0) | is_title
        begins |= facts.tokens.has_child(opens)
        starts_anew |= facts.tokens.has_role("conjunct") & begins
    counts = np.append(0, np.cumsum(starts_anew))
    return facts.is_joined & (counts[facts.ends] > counts[facts.starts])


@lru_cache(maxsize=None)
def make_determiner_reader(lexicon: Lexicon) -> Callable[[str], int]:
    """Make a function that reads what the noun of a determiner can be; 0 for others.

    The determiners are the lexicon's `articles` and its demonstratives, and words with
    `adjective_endings`. A form with several readings, such as "leur", can have each.
    """
    masks: Dict[str, int] = {}
    find_ending = _make_ending_reader(lexicon, "adjective_endings")
    tables = [lexicon.articles.items()]
    tables.append((k, v) for k, v in lexicon.features.items() if "PronType=Dem" in k)
    for feats, forms in chain(*tables):
        for form in forms.split():
            masks[form] = masks.get(form, 0) | read_morph(feats)
    return lambda form: masks.get(form) or find_ending(form)


@lru_cache(maxsize=None)
def _make_ending_reader(lexicon: Lexicon, name: str) -> Callable[[str], int]:
    """Make a function that reads what a word can be by its ending; 0 for others."""
    endings = [
        (ending, feats and read_morph(feats))
        for feats, found in getattr(lexicon, name).items()
        for ending in found.split()
    ]
    endings.sort(key=lambda one: -len(one[0]))
    return lambda form: next((m for end, m in endings if form.endswith(end)), 0) or 0


def read_determiners(facts: MentionFeatures) -> np.ndarray:
    """Read what mentions can be by their first word, or by the preposition before it.

    A group of people in the singular can be taken up in the plural: "das Paar … sie".

    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py;
        ANYTHING for pronouns, and nouns and names without a determiner.
    """
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
    return np.where(is_noun, found | bits.GROUP, bits.ANYTHING)


# What a thing with the name of a man, and with that of a woman, can be.
_THINGS = (bits.THING & ~bits.FEM_THING, bits.THING & ~bits.MASC_THING)


def read_names(facts: MentionFeatures) -> np.ndarray:
    """Read the agreement bits of names from titles and given names.

    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py. The
        values for mentions that are not names are not used.
    """
    if not facts.is_name.any():
        return np.full(len(facts), bits.ANYTHING)
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    given = np.maximum(runs.firsts[heads], starts)
    # A family name has no gender. A word is a family name if it is in the list, or if
    # it is a later word of a name or follows a title such as "Dr." in this document.
    is_family = np.isin(words.index[given], words.index[runs.is_later])
    is_family |= words.find(read_words(COMMON, "family_names"))[given]
    by_name = words.map(make_name_reader(lexicon.lang))[given]
    by_name = np.where(is_family & (given == heads), 0, by_name)
    by_title, is_person = _read_titles(facts, given)
    is_labelled = facts.tokens.is_entity(*PERSON_LABELS)
    is_person |= is_labelled[heads] & is_labelled[given]
    # A ship or a town can have a woman's name, but it doesn't agree with "he".
    things = np.select(
        [by_name == bits.MALE, by_name == bits.FEMALE], _THINGS, bits.THING
    )
    gender = np.where(by_name > 0, by_name | np.where(is_person, 0, things), 0)
    has_gender = (by_title == bits.MALE) | (by_title == bits.FEMALE)
    gender = np.where(has_gender | (gender == 0), by_title, gender)
    # A name with a title can be a thing or a group: the film "King Arthur", the band
    # "Queen".
    things = np.select(
        [by_title == bits.MALE, by_title == bits.FEMALE], _THINGS, bits.THING
    )
    named = things | np.where(starts == heads, bits.GROUP | bits.SEVERAL, bits.GROUP)
    gender = np.where((by_title > 0) & ~is_person, gender | named, gender)
    # A definite determiner before a name: "the Bennets".
    is_plural = words.find(lexicon.definites)[starts] & (starts + 1 == heads)
    return np.where((gender > 0) & ~is_plural, gender, bits.ANYTHING)


def _read_titles(
    facts: MentionFeatures, given: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Read the bits of titles, 0 for none, and whether a person has to have them."""
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    # A title is the first word of the mention, or the word before the name.
    before = np.maximum(given - 1, starts)
    # In "King Charles 's wife Camilla", the title is that of the possessor.
    clitics = np.cumsum(words.find(lexicon.clitics))
    is_own = clitics[heads] == clitics[starts]
    first = np.where(runs.title[before] > 0, before, starts)
    found = np.where((first == before) | is_own, runs.title[first], 0)
    return found, (found > 0) & words.find(lexicon.family_titles)[first]


class Conversions:
    """Tell which words stand for rare ones.

    words (Mapping[str, Sequence[str]]): For each rare word, words of its kind:
        {"Deepika": ["woman", "actress"]}. Capitals don't matter.

    ATTRIBUTES:
        words (Dict[str, List[str]]): The same, with the rare words in lower case.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.words = {word.lower(): list(kinds) for word, kinds in words.items()}
        self._masks: Dict[str, Dict[str, int]] = {}

    def apply(
        self, grammar: Any, facts: MentionFeatures, agreement: np.ndarray
    ) -> np.ndarray:
        """Narrow down what mentions can be, by the words that stand for theirs.

        agreement (numpy.ndarray): Shape (n_mentions,), int64, the agreement bits of the
            mentions.
        """
        (tokens,) = np.nonzero(facts.words.find(frozenset(self.words)))
        if not len(tokens):
            return agreement
        doc, runs = facts.tokens.doc, facts.runs
        masks = self._read(grammar, doc.vocab, doc.lang_)
        mask = np.zeros(len(doc), dtype=np.int64)
        mask[tokens] = [masks[form] for form in facts.words.get_forms(tokens)]
        # A word holds for its whole name: "Deepika Padukone".
        parts = tokens[runs.is_part[tokens]]
        by_run = np.zeros(len(doc), dtype=np.int64)
        np.bitwise_or.at(by_run, runs.firsts[parts], mask[parts])
        mask = np.where(runs.is_part, by_run[runs.firsts], mask)[facts.heads]
        narrowed = np.where(agreement & mask, agreement & mask, mask)
        return np.where(mask > 0, narrowed, agreement)

    def _read(self, grammar: Any, vocab: Vocab, lang: str) -> Dict[str, int]:
        """Read the agreement bits of the words that stand for rare ones."""
        if lang not in self._masks:
            plain = grammar.convert_words({})
            self._masks[lang] = {
                word: self._read_kinds(plain, vocab, kinds)
                for word, kinds in self.words.items()
            }
        return self._masks[lang]

    def _read_kinds(self, grammar: Any, vocab: Vocab, kinds: Sequence[str]) -> int:
        mask = 0
        for kind in kinds:
            doc = Doc(vocab, words=[kind])
            (found,) = grammar.read(doc, np.array([[0, 1]])).agreement.tolist()
            mask |= found
        return mask or bits.ANYTHING
