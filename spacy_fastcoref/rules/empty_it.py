"""English: the "it" that refers to nothing."""

from typing import Callable, List

import numpy as np
from spacy.tokens import Doc

from .words import WordIndex, read_words

_LANG = "en"
_SKIPPED = frozenset(
    "may might must will would shall should could can had has have 'd 'll ’d ’ll not "
    "n't n’t also often always soon still already now then thus therefore began "
    "started to only just very so quite rather too really perfectly more most less no "
    "a an about almost nearly probably certainly perhaps even all".split()
)
_CLAUSE_STARTS = frozenset(
    "that to if whether how why what when for who as because".split()
)
_SUBJECTS = frozenset("i he she we they you there it".split())
_FINDING = frozenset(
    "find finds found finding make makes made making think thought consider considered "
    "take takes took thinks considers believe believed".split()
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
    lower = [text.lower() for text in after]
    if before in _FINDING and _starts_judgement(lower):
        return True
    rest = _skip(lower)
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
    if _is_weather(said) or _starts_judgement(said):
        return True
    if set(said[:3]) & read_words(_LANG, "time_words"):
        return True
    return _is_cleft(after[len(after) - len(said) :])


def _skip(words: List[str]) -> List[str]:
    n = 0
    while n < len(words) and words[n] in _SKIPPED:
        n += 1
    return words[n:]


def _is_weather(words: List[str]) -> bool:
    return words[0] in read_words(_LANG, "weather_verbs")


def _seems(words: List[str]) -> bool:
    if words[0] not in read_words(_LANG, "seem_verbs"):
        return False
    rest = words[1:]
    if rest and rest[0] == "out":
        rest = rest[1:]
    if len(rest) > 1 and rest[0] == "to" and rest[1] in {"me", "him", "her", "us"}:
        rest = rest[2:]
    if not rest:
        return False
    return rest[0] in {"that", "as"} | _SUBJECTS or _starts_judgement(_skip(rest))


def _takes(words: List[str]) -> bool:
    return words[0] in {"takes", "took", "take", "costs", "cost"} and "to" in words[1:8]


def _starts_judgement(words: List[str]) -> bool:
    """Find "clear that", "hard to": a clause is what is so."""
    words = _skip(words)
    if not words or words[0] not in read_words(_LANG, "clause_adjectives"):
        return False
    return bool(_CLAUSE_STARTS & set(words[1:7]))


def _is_cleft(texts: List[str]) -> bool:
    """Find "Susan who": what was it, it was her."""
    first = texts[0]
    is_named = first[:1].isupper() or first.lower() in _SUBJECTS | {"me", "him", "her"}
    return is_named and bool({"who", "that", "whom"} & set(texts[1:5]))
