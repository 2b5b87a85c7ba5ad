"""English: the "it" that refers to nothing."""

from functools import lru_cache
from typing import Callable, FrozenSet, List, Sequence

import numpy as np
from spacy.tokens import Doc

from ..lexicon import get_lexicon
from ..word_index import WordIndex, is_plural_form, read_table, read_words

_LANG = "en"
_SKIPPED = frozenset(
    "may might must will would shall should could can had has have 'd 'll ’d ’ll not "
    "n't n’t also often always soon still already now then thus therefore began "
    "started to only just very so quite rather too really perfectly more most less no "
    "a an about almost nearly probably certainly perhaps even all".split()
)
_CLAUSE_STARTS = frozenset("that if whether how why what when who".split())
_JUDGEMENTS = frozenset(
    "idea thing time pity shame mistake practice fact pleasure honour honor wonder "
    "surprise relief chance matter sign".split()
)
_SUBJECTS = frozenset("i he she we they you there it".split())
_FINDING = frozenset(
    "find finds found finding make makes made making think thought consider considered "
    "take takes took thinks considers believe believed".split()
)
# "Closed on Monday", "stolen last night": a thing was. "It was on Monday that".
_TIME_PREPOSITIONS = frozenset("on in at by during since for from".split())
_TIME_STARTS = _TIME_PREPOSITIONS | frozenset(
    "until till before after last next this that every each one".split()
)
# "Hard to wash again, to pick up".
_ENDINGS = frozenset(
    "again now today well too up down out off over away back on together apart".split()
)
# What a "to" before a noun phrase is read as.
_NO_INFINITIVE = "unto"
_ARTICLES = frozenset(("a", "an"))
# "Early morning", but "open Saturday".
_PARTS_OF_TIME = frozenset(
    "early late mid past half quarter high broad full nearly around".split()
)
# What follows a time that is told: "two years ago", "winter here".
_AFTER_TIMES = frozenset(
    "ago later earlier already here there outside when since because and but or in of "
    "by at as after before until till that sharp".split()
)
_STOPS = frozenset(". , ; : ! ? ) ( \" “ ” `` ''".split())


def find_empty_it(doc: Doc, words: WordIndex) -> np.ndarray:
    """Find each "it" of the weather, of the time, of clauses that follow, of clefts.

    doc (Doc): The document; it needs no annotation.
    words (WordIndex): Its words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
    """
    found = np.zeros(len(doc), dtype=bool)
    for i in np.flatnonzero(words.find(frozenset(("it",)))).tolist():
        texts = [token.text for token in doc[max(0, i - 1) : i + 14]]
        after = texts[2:] if i else texts[1:]
        before = texts[0].lower() if i else ""
        found[i] = is_empty_it(before, _cut(after))
    return found


def _cut(texts: List[str]) -> List[str]:
    """Keep what comes before the clause ends."""
    for n, text in enumerate(texts):
        if text in _STOPS:
            return texts[:n]
    return texts


def is_empty_it(before: str, after: List[str]) -> bool:
    """Tell whether an "it" between these words refers to nothing.

    before (str): The word before it, in lower case.
    after (List[str]): The words after it, up to a sign.
    RETURNS (bool): Whether it does.
    """
    words = _lower(after)
    if before in _FINDING and _starts_judgement(words):
        return True
    rest = _skip(words)
    if not rest:
        return False
    tests: List[Callable[[List[str]], bool]] = [_is_weather, _seems, _takes]
    if any(test(rest) for test in tests):
        return True
    if rest[0] not in read_words(_LANG, "be"):
        return False
    said = _skip(rest[1:])
    if said and said[0] in read_words(_LANG, "be"):
        said = _skip(said[1:])
    if not said:
        return False
    # "It is a Swedish company that …", "it is a winter coat"
    has_article = not _ARTICLES.isdisjoint(words[: len(words) - len(said)])
    # "It was raining", but "it was hailed as a success"
    is_raining = _is_weather(said) and said[0].endswith("ing")
    if is_raining or _is_time(said, has_article):
        return True
    # "It is a good idea to wait", but "a good phone for people who travel"
    is_judged = not has_article or not _JUDGEMENTS.isdisjoint(said[:3])
    if is_judged and _starts_judgement(said):
        return True
    return not has_article and _is_cleft(after[len(after) - len(said) :])


def _lower(texts: List[str]) -> List[str]:
    """Put words in lower case, so that each "to" left begins an infinitive."""
    lower = [text.lower() for text in texts]
    for n, text in enumerate(texts[1:], 1):
        is_noun = not text[:1].islower() or _starts_noun(lower[n])
        if lower[n - 1] == "to" and is_noun:
            lower[n - 1] = _NO_INFINITIVE
    return lower


def _starts_noun(word: str) -> bool:
    """Tell "to patients", "to winning", "to life" from infinitives."""
    if word in _read_noun_starts():
        return True
    # Infinitives are "pass" and "focus", none is "patients".
    if is_plural_form(word):
        return True
    return len(word) > 6 and word.endswith(("ing", "ness", "ism"))


@lru_cache(maxsize=None)
def _read_noun_starts() -> FrozenSet[str]:
    """Read the words that a noun phrase begins with, or that are no verbs."""
    lexicon = get_lexicon(_LANG)
    pronouns = lexicon.pronouns | lexicon.reflexives
    nouns = read_words(_LANG, "nouns_after_to")
    plurals = frozenset(read_table(_LANG, "irregular_plurals"))
    return pronouns | lexicon.determiners | lexicon.possessives | nouns | plurals


def _skip(words: List[str]) -> List[str]:
    n = 0
    while n < len(words) and words[n] in _SKIPPED:
        n += 1
    return words[n:]


def _is_weather(words: List[str]) -> bool:
    return words[0] in read_words(_LANG, "weather_verbs")


def _seems(words: List[str]) -> bool:
    verb, rest = words[0], words[1:]
    if verb not in read_words(_LANG, "seem_verbs") or not rest:
        return False
    # "It follows you", "it turned as he pushed it".
    if verb == "follows":
        return rest[0] == "that" or (rest[0] == "from" and "that" in rest)
    if rest[0] == "out":
        rest = rest[1:]
    elif verb in {"turns", "turned"}:
        return False
    if len(rest) > 1 and rest[0] == _NO_INFINITIVE:
        rest = rest[2:]
    if not rest:
        return False
    if rest[0] == "as":
        return rest[1:2] in (["if"], ["though"])
    return rest[0] in {"that"} | _SUBJECTS or _starts_judgement(_skip(rest))


def _takes(words: List[str]) -> bool:
    """Find "takes time to": not "takes children to school"."""
    if words[0] not in {"takes", "took", "take", "costs", "cost"}:
        return False
    if "to" not in words[1:8]:
        return False
    asked, verbs = words[1 : words.index("to")], words[words.index("to") + 1 :]
    # "It takes an hour to charge": the phone does.
    if not _read_stretches().isdisjoint(asked) and _lacks_object(verbs):
        return False
    known = read_table(_LANG, "effort_words").keys() | read_words(_LANG, "numerals")
    return any(word in known or word[:1].isdigit() for word in asked)


@lru_cache(maxsize=None)
def _read_stretches() -> FrozenSet[str]:
    """Read the words of how long something takes."""
    rows = read_table(_LANG, "effort_words").items()
    return frozenset(word for word, kinds in rows if "time" in kinds)


def _is_time(words: List[str], has_article: bool) -> bool:
    """Find "nearly ten o'clock", "last night that": the time is what is told."""
    if words[0] in _TIME_PREPOSITIONS and not {"that", "when"} & set(words):
        return False
    for n, word in enumerate(words[:3]):
        # Other than "the next morning".
        is_when = word in _TIME_STARTS and words[n - 1] != "the"
        if n and (is_when or words[n - 1].endswith("ed")):
            return False
        if word in read_words(_LANG, "time_words"):
            is_told = has_article or all(map(_is_part_of_time, words[:n]))
            return is_told and _ends_time(words[n + 1 :])
    return False


def _is_part_of_time(word: str) -> bool:
    known = _PARTS_OF_TIME | _TIME_STARTS | {"the"}
    return word in known | read_words(_LANG, "numerals") or word[:1].isdigit()


def _ends_time(words: List[str]) -> bool:
    """Tell "a winter morning" from "a winter coat"."""
    times = read_words(_LANG, "time_words")
    rest = [word for word in words if word not in times]
    return not rest or rest[0] in _AFTER_TIMES | _ENDINGS | _TIME_STARTS


def _starts_judgement(words: List[str]) -> bool:
    """Find "clear that", "hard to": a clause is what is so."""
    words = _skip(words)
    kinds = read_table(_LANG, "clause_adjectives").get(words[0]) if words else None
    if kinds is None:
        return False
    # "Clear he knew", but "worth it", "nice there".
    if words[1:] and words[1] in _SUBJECTS - {"it", "there"}:
        return True
    # "Possible for a friend of the king to say".
    width = 12 if words[1:2] == ["for"] else 7
    for n, word in enumerate(words[1:width], 1):
        if word == "to":
            return _is_judged(kinds, words[n + 1 :])
        if word in _CLAUSE_STARTS:
            return _starts_clause(words[n:], n == 1)
    return False


def _starts_clause(words: List[str], is_next: bool) -> bool:
    """Tell "clear that" and "clear to him that he" from "common in men who smoke"."""
    first, *rest = words
    if is_next and first not in {"if", "when"}:
        return True
    # "Better if you go", but "dangerous if used"
    has_subject = bool(rest) and rest[0] in _SUBJECTS | _read_noun_starts()
    return has_subject and first == ("if" if is_next else "that")


def _is_judged(kinds: Sequence[str], verbs: List[str]) -> bool:
    """Tell what is done, "hard to say", from what is done to something."""
    if "raising" in kinds:
        return bool(verbs) and _is_weather(verbs)
    return "tough" not in kinds or not _lacks_object(verbs)


def _lacks_object(words: List[str]) -> bool:
    """Find "clean", "live in", "clean in winter": something is left out."""
    if not words:
        return False
    verb, rest = words[0], words[1:]
    while rest and (rest[0] in _ENDINGS or rest[0].endswith("ly")):
        rest = rest[1:]
    is_gapless = verb in read_words(_LANG, "gapless_verbs") | read_words(_LANG, "be")
    if rest and rest[0] in read_words(_LANG, "prepositions") | {"in", "by"}:
        # "Reach by train", but "sleep in winter"
        if not is_gapless:
            return True
        rest = rest[1:]
    elif is_gapless:
        return False
    return not rest or rest[0] in _read_clause_ends()


@lru_cache(maxsize=None)
def _read_clause_ends() -> FrozenSet[str]:
    """Read the words that no object begins with."""
    conjunctions = read_words(_LANG, "conjunctions") | {"because", "though", "while"}
    others = frozenset(("than", "when", "even", "once", "using", "without"))
    return get_lexicon(_LANG).coordinators | conjunctions | others


def _is_cleft(texts: List[str]) -> bool:
    """Find "Susan who": what was it, it was her."""
    # "It was to Susan that".
    texts = texts[1:] if texts[0].lower() == "to" else texts
    first = texts[0] if texts else ""
    is_named = first[:1].isupper() or first.lower() in _SUBJECTS | {"me", "him", "her"}
    return is_named and bool({"who", "that", "whom"} & set(texts[1:5]))
