"""Read and write CoNLL-2012: a word a line, with clusters in the last column."""

import re
from typing import Dict, Iterator, List

from spacy.language import Language

from ..errors import Errors
from ..training.readers.conll import read_conll
from ..training.readers.records import NO_SPEAKER
from .base import Document, Entry, Format, name_file
from .docs import (
    Offsets,
    Visible,
    find_crossing,
    list_clusters,
    list_sentences,
    list_speakers,
    make_doc_of_words,
)

_HEADER = re.compile(r"\((.*)\)(?:; part (\d+))?")
# What separates columns, lines, and, in the header, the name from the part.
_BREAKS = re.compile(r"[\t\n\r]")
_SPACES = re.compile(r"\s")


def make_conll_format() -> Format:
    """Make the format of the shared task CoNLL-2012 (Pradhan et al. 2012).

    RETURNS (Format): The format.
    """
    return Format(
        name="conll",
        description="CoNLL-2012: a word a line, clusters in the last column",
        endings=(".conll", "_conll"),
        read=read,
        dump=dump,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file.

    path (str): The file; "-" for standard input.
    nlp (Language): The pipeline, for its vocabulary.
    YIELDS (Union[Document, ValueError]): Each document, or an error.
    """
    for number, record in enumerate(read_conll(path), start=1):
        if isinstance(record, ValueError):
            yield record
            continue
        key = _read_key(record.key) or f"{name_file(path)}-{number}"
        yield Document(key, make_doc_of_words(nlp, record))


def _read_key(header: str) -> str:
    match = _HEADER.fullmatch(header)
    if match is None:
        return header
    name, part = match.groups()
    return f"{name}_{part}" if int(part or 0) else name


def dump(document: Document) -> bytes:
    """Write a document.

    document (Document): The document. Tokens of white space are left out.
    RETURNS (bytes): The lines.
    RAISES (ValueError): Two mentions of a cluster cross, so that their brackets could
        not be told apart.
    """
    doc = document.doc
    visible = Visible(doc)
    key = _SPACES.sub("_", document.key)
    key = f"_{key}" if key.startswith("#") else key or "_"
    column = write_brackets(visible.move_clusters(list_clusters(doc)))
    speakers = list_speakers(doc) or [NO_SPEAKER] * len(doc)
    lines = [f"#begin document ({key}); part 000"]
    for start, end in visible.move(list_sentences(doc)):
        for i in range(start, end):
            token = visible.tokens[i]
            speaker = _SPACES.sub("_", speakers[token.i])
            word = _BREAKS.sub(" ", token.text)
            names = [key, "0", str(i - start), word, token.tag_ or "-", *"----"]
            lines.append("\t".join([*names, speaker, "*", column.get(i, "-")]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""]).encode()


def write_brackets(clusters: List[List[Offsets]]) -> Dict[int, str]:
    """Write clusters as brackets, such as "(0|(1)" at the first token of two mentions.

    clusters (List[List[Tuple[int, int]]]): The token offsets of the mentions.
    RETURNS (Dict[int, str]): The brackets of each token that has any.
    RAISES (ValueError): Two mentions of a cluster cross.
    """
    opened: Dict[int, List[str]] = {}
    closed: Dict[int, List[str]] = {}
    mentions = [(*mention, i) for i, c in enumerate(clusters) for mention in c]
    check_crossing(clusters, "conll")
    # Longer mentions are opened first.
    for start, end, i in sorted(mentions, key=lambda one: (one[0], -one[1])):
        if end - start == 1:
            opened.setdefault(start, []).append(f"({i})")
            continue
        opened.setdefault(start, []).append(f"({i}")
        # Those that were opened last are closed first.
        closed.setdefault(end - 1, []).insert(0, f"{i})")
    tokens = {*opened, *closed}
    return {t: "|".join([*opened.get(t, []), *closed.get(t, [])]) for t in tokens}


def check_crossing(clusters: List[List[Offsets]], name: str) -> None:
    """Check that no two mentions of the same cluster cross.

    clusters (List[List[Tuple[int, int]]]): The token offsets of the mentions.
    name (str): The name of the format, for the message.
    RAISES (ValueError): Two mentions of a cluster cross.
    """
    for cluster in clusters:
        crossing = find_crossing(cluster)
        if crossing is not None:
            (start, end), (other_start, other_end) = crossing
            reason = (
                f"two mentions of one cluster overlap without nesting: the words "
                f"{start} to {end - 1} and {other_start} to {other_end - 1}"
            )
            raise ValueError(Errors.FC162.format(name=name, reason=reason))
