"""Define what a format is, and look formats up by name and by the ending of a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import (
    BinaryIO,
    Callable,
    Dict,
    Iterator,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..registry import registry
from ..training.readers.parsing import STDIN

_ZIPPED = ".gz"


class Document(NamedTuple):
    """Hold one document.

    key (str): The document's name.
    doc (Doc): The document, with the clusters that its file has.
    """

    key: str
    doc: Doc


# A document, or an error that names the file and the line.
Entry = Union[Document, ValueError]


@dataclass(frozen=True)
class Format:
    """Read and write the documents of one file format.

    name (str): The name on the command line.
    description (str): What it is, in a few words.
    endings (Tuple[str, ...]): The endings of its files.
    read (Optional[Callable[[str, Language], Iterator[Union[Document, ValueError]]]]):
        Function that yields the documents of a file, or of standard input if the path
        is "-", and an error for each document that can't be read. The pipeline is for
        its tokenizer and vocabulary. None for formats that are only written.
    dump (Optional[Callable[[Document], bytes]]): Function that writes one document, or
        raises a ValueError if the format can't hold it. A file is what this returns for
        each document, one after the other. None for formats that are only read.
    header (bytes): The beginning of a file.
    footer (bytes): The end of a file.
    finish (Optional[Callable[[BinaryIO, BinaryIO], None]]): Function that reads what
        was dumped and writes the file, for a format in which documents can't be
        written one after the other.
    """

    name: str
    description: str
    endings: Tuple[str, ...] = ()
    read: Optional[Callable[[str, Language], Iterator[Entry]]] = None
    dump: Optional[Callable[[Document], bytes]] = None
    header: bytes = b""
    footer: bytes = b""
    finish: Optional[Callable[[BinaryIO, BinaryIO], None]] = None


def list_formats() -> Dict[str, Format]:
    """List the registered formats.

    RETURNS (Dict[str, Format]): The formats by their names, sorted.
    """
    formats = [make() for make in registry.coref_formats.get_all().values()]
    return {one.name: one for one in sorted(formats, key=lambda one: one.name)}


def get_format(name: str, *, reads: bool) -> Format:
    """Get a format by its name.

    name (str): The name.
    reads (bool): Whether to read files of it, or to write them.
    RETURNS (Format): The format.
    RAISES (ValueError): There is no such format, or it can't be read or written.
    """
    formats = list_formats()
    known = [one.name for one in formats.values() if one.read or not reads]
    known = [one for one in known if reads or formats[one].dump]
    if name not in known:
        use = "read" if reads else "written"
        available = ", ".join(known)
        raise ValueError(Errors.FC160.format(name=name, use=use, available=available))
    return formats[name]


def guess_format(path: Union[str, Path], *, reads: bool) -> Format:
    """Get the format of a file by its ending.

    path (Union[str, Path]): The file; ".gz" at its end is ignored.
    reads (bool): Whether to read the file, or to write it.
    RETURNS (Format): The format.
    RAISES (ValueError): No format has this ending.
    """
    name = str(path).removesuffix(_ZIPPED).lower()
    endings = {}
    for one in list_formats().values():
        if one.read if reads else one.dump:
            endings.update(dict.fromkeys(one.endings, one))
    # The longest ending is the most specific one.
    for ending in sorted(endings, key=len, reverse=True):
        if name.endswith(ending):
            return endings[ending]
    option = "--from" if reads else "--to"
    known = ", ".join(sorted(endings))
    raise ValueError(Errors.FC161.format(path=path, option=option, endings=known))


def name_file(path: Union[str, Path]) -> str:
    """Name the documents of a file that have no names of their own.

    path (Union[str, Path]): The file; "-" for standard input.
    RETURNS (str): The name of the file without its folder and endings.
    """
    if str(path) == STDIN:
        return "stdin"
    return Path(str(path).removesuffix(_ZIPPED)).stem
