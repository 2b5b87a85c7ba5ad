"""Texts in which annotators named the antecedent of each pronoun."""

from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Union

from ..word_lists import read_personal_pronouns
from .parsing import parse_json
from .partial import LabelledMention, Offsets, PartialRecord, find_phrase

_ANNOTATORS = ("a1", "a2")
_NO_REFERENT = "$no_ref$"
# QuAC ends each paragraph with it, as the answer to some questions.
_NO_ANSWER = "CANNOTANSWER"


class GroundedText(NamedTuple):
    """Hold a text and the names that its words refer to.

    text (str): The text.
    referents (Dict[Tuple[int, int], str]): The name by the word's character offsets.
    """

    text: str
    referents: Dict[Offsets, str]

    def make_record(self, lang: str) -> PartialRecord:
        """Make a partly labelled text of the personal pronouns and their names.

        lang (str): The language's code, whose pronouns are looked up.
        RETURNS (PartialRecord): The record. Of a name only the first place is labelled:
            later ones need not refer to the same.
        RAISES (ValueError): The language has no list of pronouns.
        """
        # Annotators labelled relative pronouns and demonstratives, too.
        pronouns = read_personal_pronouns(lang, "GroundedCorpus.v1")
        referents = {
            (start, end): name
            for (start, end), name in self.referents.items()
            if self.text[start:end].lower() in pronouns
        }
        mentions = [LabelledMention(*span, name) for span, name in referents.items()]
        for name in dict.fromkeys(referents.values()):
            span = find_phrase(self.text, name, ignore_case=True)
            if span is not None:
                mentions.append(LabelledMention(*span, name))
        return PartialRecord(self.text, mentions)


def read_grounded(path: Union[str, Path]) -> Iterator[Union[GroundedText, ValueError]]:
    """Read texts in the format of Aralikatte & Søgaard (2020).

    path (Union[str, Path]): The file, a JSON object: the texts by name.
    YIELDS (Union[GroundedText, ValueError]): Each text, or an error that names the file
        and the text.
    RAISES (ValueError): The file is not JSON.
    """
    return parse_json(path, _parse_text, "a text with grounded pronouns")


def _parse_text(data: Dict[str, Any]) -> GroundedText:
    text = data["paragraph"].removesuffix(_NO_ANSWER)
    annotations = [data[name]["para_ann"] for name in _ANNOTATORS if name in data]
    return GroundedText(text, find_referents(text, annotations))


def find_referents(
    text: str, annotations: Sequence[Sequence[Sequence[str]]]
) -> Dict[Offsets, str]:
    """Find the words that all annotators gave the same one name.

    text (str): The text.
    annotations (Sequence[Sequence[Sequence[str]]]): For each annotator rows of a word's
        first character, the word and the name of its referent.
    RETURNS (Dict[Tuple[int, int], str]): The name by the word's character offsets.
    RAISES (ValueError): A word is not at its first character.
    """
    given: Dict[Offsets, List[Set[str]]] = {}
    for rows in annotations:
        found: Dict[Offsets, Set[str]] = {}
        for start, word, name in rows:
            span = int(start), int(start) + len(word)
            if text[slice(*span)].lower() != word.lower():
                raise ValueError(f"{word!r} at {start} is {text[slice(*span)]!r}")
            found.setdefault(span, set()).add(name)
        for span, names in found.items():
            given.setdefault(span, []).append(names)
    return {
        span: name
        for span, (names, *others) in given.items()
        # Several names may be one entity or a group, and a word without one of the
        # names may refer to something else.
        if len(names) == 1 and len(others) == len(annotations) - 1
        for name in names - {_NO_REFERENT}
        if all(other == names for other in others)
    }
