"""Read brat's standoff files: a .ann file beside the .txt file of its text."""

import re
from functools import partial
from pathlib import Path
from typing import Dict, Hashable, Iterator, List

from spacy.language import Language

from ..errors import Errors
from ..types import Offsets
from .base import Document, Entry, Format, name_file
from .docs import Link, link_doc, make_doc
from .parsing import STDIN, Lines, open_lines, read_records

# The relations that join mentions of one entity: "Coref", "Equiv", "CorefersWith".
_SAME = re.compile("coref|equiv|ident", re.IGNORECASE)
# A label that numbers an entity, as LitBank's "Anne-8": its mentions corefer.
_ENTITY = re.compile(r".+-\d+")


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a text and its mentions; discontinuous ones are read as a whole."""
    # "a.ann" and "a.ann.gz" have the text "a.txt".
    source = Path(path).with_name(f"{name_file(path)}.txt")
    if path == STDIN or not source.is_file():
        reason = f"its text is in a file beside it, '{source.name}', which is not there"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    with open_lines(source) as lines:
        text = "".join(lines)
    return read_records(path, partial(_make, nlp=nlp, key=name_file(path), text=text))


def _make(lines: Lines, *, nlp: Language, key: str, text: str) -> Document:
    mentions: Dict[Hashable, Offsets] = {}
    links: List[Link] = []
    # The first mention of each entity that has a name.
    entities: Dict[str, str] = {}
    for line in lines:
        name, _, rest = line.rstrip("\n").partition("\t")
        label, *values = rest.partition("\t")[0].split() or [""]
        # "T1	PER 0 3;8 12"
        if name.startswith("T"):
            if _ENTITY.fullmatch(label):
                links.append((entities.setdefault(label, name), name))
            numbers = [int(n) for n in " ".join(values).replace(";", " ").split()]
            mentions[name] = min(numbers), max(numbers)
        # "R1	Coref Arg1:T1 Arg2:T2"
        elif name.startswith("R") and _SAME.search(label):
            one, two = (value.partition(":")[2] for value in values[:2])
            links.append((one, two))
        # "*	Equiv T1 T2 T3". There are more kinds, such as notes and attributes.
        elif name.startswith("*") and _SAME.search(label):
            links += [(values[0], other) for other in values[1:]]
    return link_doc(make_doc(nlp, text), key, mentions, links)


make_brat_format = partial(
    Format,
    "brat",
    "brat: .ann files, each beside the .txt file of its text",
    (".ann",),
    read,
)
