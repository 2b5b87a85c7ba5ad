"""Read and write CoNLL-2012: a word a line, with clusters in the last column."""

import re
from functools import partial
from typing import Any, Dict, Optional

from spacy.language import Language

from .base import Document, Format, reader
from .docs import (
    NO_SPEAKER,
    Visible,
    list_clusters,
    list_sentences,
    list_speakers,
    make_document_of_words,
)
from .entities import EntityReader, write_entities
from .parsing import Lines, read_records

_HEADER = re.compile(r"\((.*)\)(?:; part (\d+))?")
# What separates columns, lines, and, in the header, the name from the part.
_BREAKS = re.compile(r"[\t\n\r]")
_SPACES = re.compile(r"\s")
_BEGIN, _END, _COMMENT = "#begin document", "#end document", "# "
# The columns of CoNLL-2012; other formats have fewer.
_WORD, _SPEAKER, _N_COLUMNS = 3, 9, 12


def _is_border(line: str) -> bool:
    return line.lstrip().startswith((_BEGIN, _END))


@reader(read_records, _is_border)
def read(lines: Lines, *, nlp: Language, name: str) -> Optional[Document]:
    """Read the documents of a file; of other corpora as well, with fewer columns."""
    key, is_start = "", True
    words, sent_starts, speakers = [], [], []
    entities = EntityReader()
    for line in lines:
        if _is_border(line):
            key = _read_key(line.strip()) if _BEGIN in line else ""
            continue
        # Not str.split(), which would split words at other white space: "5\xa0000".
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) == 1:
            columns = [column for column in columns[0].split(" ") if column]
        if not line.strip():
            is_start = True
            continue
        # The word of a line with two columns can be "#". A comment starts with "# ".
        is_word = len(columns) == 2 and not line.startswith(_COMMENT)
        if columns[0].startswith("#") and not is_word:
            continue
        if len(columns) < 2:
            raise ValueError("one column, but at least two are needed")
        is_conll = len(columns) >= _N_COLUMNS
        # In other corpora, the word is in the first column or follows an index.
        words.append(columns[_WORD if len(columns) > _WORD + 1 else len(columns) > 2])
        speakers.append(columns[_SPEAKER] if is_conll else NO_SPEAKER)
        sent_starts.append(is_start)
        is_start = False
        entities.read(columns[-1], len(words) - 1, len(words), lines.number)
    if not words:
        return None
    key = key or f"{name}-{lines.index}"
    given: Dict[str, Any] = {"sent_starts": sent_starts, "speakers": speakers}
    clusters = entities.close()
    return make_document_of_words(nlp, key, words, clusters, line=lines.first, **given)


def _read_key(line: str) -> str:
    header = line.removeprefix(_BEGIN).strip()
    match = _HEADER.fullmatch(header)
    if match is None:
        return header
    name, part = match.groups()
    return f"{name}_{part}" if int(part or 0) else name


def dump(document: Document) -> bytes:
    """Write a document without its tokens of white space."""
    doc = document.doc
    visible = Visible(doc)
    key = _SPACES.sub("_", document.key)
    key = f"_{key}" if key.startswith("#") else key or "_"
    clusters = visible.move_clusters(list_clusters(doc))
    column = write_entities(clusters, "conll", separator="|")
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


make_conll_format = partial(
    Format,
    "conll",
    "CoNLL-2012: a word a line, clusters in the last column",
    (".conll", "_conll"),
    read,
    dump,
)
