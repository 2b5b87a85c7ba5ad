"""Texts whose pronouns are labelled with the names of what they refer to."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterator, List, Sequence, Set, Union

from ...languages.lexicon import get_lexicon
from .items import parse_json
from .partial import LabelledMention, Offsets, PartialRecord, find_phrase

_ANNOTATORS = ("a1", "a2")
_NOTHING = "$no_ref$"
# Ends a paragraph of QuAC, to be the answer to some questions.
_NO_ANSWER = "CANNOTANSWER"


def read_grounded(path: Union[str, Path]) -> Iterator[Union[PartialRecord, ValueError]]:
    """Read texts in the format of Aralikatte & Søgaard (2020).

    path (Union[str, Path]): The file, a JSON object: the texts by name.
    YIELDS (Union[PartialRecord, ValueError]): Each text, or what is wrong with it, with
        file and name.
    RAISES (ValueError): The file is no JSON.
    """
    return parse_json(path, _parse_text, "text with grounded pronouns")


def _parse_text(data: Dict[str, Any]) -> PartialRecord:
    text = data["paragraph"].removesuffix(_NO_ANSWER)
    annotations = [data[name]["para_ann"] for name in _ANNOTATORS if name in data]
    referents = find_referents(text, annotations)
    mentions = [LabelledMention(*span, name) for span, name in referents.items()]
    for name in dict.fromkeys(referents.values()):
        # Its first place alone: words that are there again need not mean the same.
        span = find_phrase(text, name, ignore_case=True)
        if span is not None:
            mentions.append(LabelledMention(*span, name))
    return PartialRecord(text, mentions)


def find_referents(
    text: str, annotations: Sequence[Sequence[Sequence[str]]]
) -> Dict[Offsets, str]:
    """Find the personal pronouns that all annotators give the same one name.

    text (str): The text.
    annotations (Sequence[Sequence[Sequence[str]]]): For each annotator rows of a
        word's first character, the word and the name of what it refers to.
    RETURNS (Dict[Tuple[int, int], str]): The pronouns' characters and the names.
    RAISES (ValueError): A word is not where it is said to be.
    """
    given: Dict[Offsets, List[Set[str]]] = {}
    for rows in annotations:
        found: Dict[Offsets, Set[str]] = {}
        for start, word, name in rows:
            span = int(start), int(start) + len(word)
            if text[slice(*span)].lower() != word.lower():
                raise ValueError(f"{word!r} at {start} is {text[slice(*span)]!r}")
            # Words such as "which" and "as" are labelled, too, and are no mentions.
            if word.lower() in _list_pronouns():
                found.setdefault(span, set()).add(name)
        for span, names in found.items():
            given.setdefault(span, []).append(names)
    return {
        span: name
        for span, (names, *others) in given.items()
        # Of several names there is no telling whether they are one or a group, and
        # what refers to no name of the list may refer to something else.
        if len(names) == 1 and len(others) == len(annotations) - 1
        for name in names - {_NOTHING}
        if all(other == names for other in others)
    }


@lru_cache(maxsize=None)
def _list_pronouns() -> FrozenSet[str]:
    return frozenset(get_lexicon("en").groups) - {"this", "that"}
