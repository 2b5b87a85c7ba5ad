"""Read brat's standoff files: a .ann file beside the .txt file of its text."""

import re
from functools import partial
from pathlib import Path
from typing import Callable, Dict, Iterator, List

from spacy.language import Language

from ..errors import Errors
from .base import Document, Entry, Format, name_file
from .parsing import STDIN, Lines, check_text, open_lines, read_records
from .spans import LinkedText

# The relations that join mentions of one entity: "Coref", "Equiv", "CorefersWith".
_SAME = re.compile("coref|equiv|ident", re.IGNORECASE)
# A label that numbers an entity, as LitBank's "Anne-8": its mentions corefer.
_ENTITY = re.compile(r".+-\d+")


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a text and its mentions; discontinuous ones are read as a whole.

    path (str): The .ann file. The .txt file of the same name has the text.
    RAISES (ValueError): A line can't be read, or there is no text.
    """
    # "a.ann" and "a.ann.gz" have the text "a.txt".
    source = Path(path).with_name(f"{name_file(path)}.txt")
    if path == STDIN or not source.is_file():
        reason = f"its text is in a file beside it, '{source.name}', which is not there"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    with open_lines(source) as lines:
        text = "".join(lines)
    check_text(text)

    def make(lines: Lines) -> Document:
        linked = LinkedText(name_file(path), text)
        for line in lines:
            name, _, rest = line.rstrip("\n").partition("\t")
            values = rest.partition("\t")[0].split()
            # brat has more kinds of annotation, such as notes and attributes.
            if name[:1] in _KINDS:
                _KINDS[name[:1]](name, values, linked)
        return linked.make_document(nlp)

    return read_records(path, make)


def _read_mention(name: str, values: List[str], text: LinkedText) -> None:
    # "PER 0 3;8 12"
    label = values[0]
    if _ENTITY.fullmatch(label):
        text.links.append((text.entities.setdefault(label, name), name))
    numbers = [int(n) for n in " ".join(values[1:]).replace(";", " ").split()]
    text.mentions[name] = min(numbers), max(numbers)


def _read_relation(name: str, values: List[str], text: LinkedText) -> None:
    # "Coref Arg1:T1 Arg2:T2"
    if _SAME.search(values[0]):
        one, two = (value.partition(":")[2] for value in values[1:3])
        text.links.append((one, two))


def _read_equivalence(name: str, values: List[str], text: LinkedText) -> None:
    # "Equiv T1 T2 T3"
    if _SAME.search(values[0]):
        text.links += [(values[1], other) for other in values[2:]]


# The kinds of lines by the first letter of their names.
_KINDS: Dict[str, Callable[[str, List[str], LinkedText], None]] = {
    "T": _read_mention,
    "R": _read_relation,
    "*": _read_equivalence,
}


make_brat_format = partial(
    Format,
    "brat",
    "brat: .ann files, each beside the .txt file of its text",
    (".ann",),
    read,
)
