"""Read texts in which annotators gave the name that each pronoun refers to."""

from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Union

from ..word_lists import read_personal_pronouns
from .parsing import parse_json
from .partial import LabelledMention, Offsets, PartialRecord, find_phrase

_ANNOTATORS = ("a1", "a2")
_NO_REFERENT = "$no_ref$"
# The last word of each paragraph of QuAC, which is the answer to some questions.
_NO_ANSWER = "CANNOTANSWER"


class GroundedText(NamedTuple):
    """Hold a text and the names that its words refer to.

    text (str): The text.
    referents (Dict[Tuple[int, int], str]): The name that a word refers to, by the
        word's character offsets.
    """

    text: str
    referents: Dict[Offsets, str]

    def make_record(self, lang: str) -> PartialRecord:
        """Make a partly labelled text with the personal pronouns and their names.

        lang (str): The language's code, to look up pronouns.
        RETURNS (PartialRecord): The partly labelled text. Only the first occurrence of
            a name is labelled, since others can refer to another entity.
        RAISES (ValueError): The language has no list of pronouns.
        """
        # The annotators also labelled relative pronouns and demonstratives.
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

    path (Union[str, Path]): The file, a JSON object of texts by name.
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
    """Find the words for which all annotators gave one and the same name.

    text (str): The text.
    annotations (Sequence[Sequence[Sequence[str]]]): The rows of each annotator: a
        word's first character, the word and the name that it refers to.
    RETURNS (Dict[Tuple[int, int], str]): The name that a word refers to, by the word's
        character offsets.
    RAISES (ValueError): The text has another word at that character.
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
        # Several names can be one entity or a group. A word that an annotator didn't
        # label can refer to something else.
        if len(names) == 1 and len(others) == len(annotations) - 1
        for name in names - {_NO_REFERENT}
        if all(other == names for other in others)
    }
