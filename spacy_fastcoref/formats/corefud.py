"""Read and write CoNLL-U with the clusters of CorefUD in the last column.

See Nedoluzhko et al. (2022). A library would read the columns, which is a split at
tabs; the brackets, and errors with their lines, are what takes the code.
"""

import re
from typing import Dict, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from ..clusters.index import check_index
from ..types import Offsets
from .base import Collector, Document, Entry, Format, name_file
from .docs import (
    NO_SPEAKER,
    Visible,
    finish_document,
    list_clusters,
    list_sentences,
    list_speakers,
    list_types,
)
from .entities import FIELDS, EntityReader, write_entities
from .parsing import open_lines

_DOCUMENT, _SPEAKER, _ENTITY = "# newdoc", "# speaker", "# global.Entity"
_N_COLUMNS = 10
_BREAKS = re.compile(r"[\t\n\r]")


def make_corefud_format() -> Format:
    """Make the format of CorefUD."""
    return Format(
        name="corefud",
        description="CorefUD: CoNLL-U with clusters in the last column",
        endings=(".conllu",),
        read=read,
        dump=dump,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file.

    Words are the tokens; empty nodes and the surface of multiword tokens are left out.
    """
    number = 1
    document = _Document(path, 1, f"{name_file(path)}-1", FIELDS)
    with open_lines(path) as lines:
        for line_number, line in enumerate(lines, start=1):
            line = line.rstrip("\r\n")
            if _read_comment(line, _DOCUMENT) is None:
                document.collect(line, line_number)
                continue
            for entry in document.finish(nlp):
                yield entry
                number += 1
            key = line.partition("=")[2].strip() or f"{name_file(path)}-{number}"
            document = _Document(path, line_number, key, document.reader.fields)
    yield from document.finish(nlp)


def _read_comment(line: str, name: str) -> Optional[str]:
    """Read the value of a comment such as "# speaker = Ann"; None for other lines."""
    before, _, value = line.partition("=")
    is_named = before.strip() == name or before.startswith(f"{name} ")
    return value.strip() if is_named else None


class _Document(Collector):
    """Collect the words of one document."""

    def __init__(self, path: str, line: int, key: str, fields: Tuple[str, ...]) -> None:
        super().__init__(path, line, key)
        self.columns: Dict[str, list] = {
            name: []
            for name in "words spaces tags pos morphs lemmas heads deps".split()
        }
        self.sent_starts: List[bool] = []
        self.speakers: List[str] = []
        self.speaker = NO_SPEAKER
        self.reader = EntityReader(fields)
        self.begin = 0
        # The last word of a multiword token, and whether a space follows the token.
        self.multiword: Tuple[str, bool] = ("", True)

    @property
    def has_words(self) -> bool:
        return bool(self.columns["words"])

    def add(self, line: str, number: int) -> None:
        if not line.strip():
            self.begin = len(self.columns["words"])
            self.speaker = NO_SPEAKER
        elif line.startswith("#"):
            fields = _read_comment(line, _ENTITY)
            if fields:
                self.reader.fields = tuple(fields.split("-"))
            speaker = _read_comment(line, _SPEAKER)
            self.speaker = speaker or self.speaker
        else:
            self.add_word(line.split("\t"), number)

    def add_word(self, columns: List[str], line: int) -> None:
        if len(columns) != _N_COLUMNS:
            raise ValueError(f"{len(columns)} columns, where CoNLL-U has {_N_COLUMNS}")
        number, word, lemma, pos, tag, morph, head, dep, _, misc = columns
        values = dict(part.partition("=")[::2] for part in misc.split("|"))
        has_space = values.get("SpaceAfter") != "No"
        if "-" in number:
            self.multiword = number.partition("-")[2], has_space
            return
        n_words = len(self.columns["words"])
        # A mention of an empty node alone has no words.
        is_empty = "." in number
        entity = values.get("Entity", "")
        self.reader.read(entity, n_words, n_words + (not is_empty), line)
        if is_empty:
            return
        if int(number) != n_words - self.begin + 1:
            raise ValueError(f"word {number} follows word {n_words - self.begin}")
        if not word:
            raise ValueError("a word is empty")
        if number == self.multiword[0]:
            has_space = self.multiword[1]
            self.multiword = "", True
        root = n_words if head in ("0", "_") else self.begin + int(head) - 1
        row = {
            "words": word,
            "spaces": has_space,
            "tags": tag,
            "pos": pos,
            "morphs": morph,
            "lemmas": lemma,
            "heads": root,
            "deps": dep,
        }
        for name, value in row.items():
            self.columns[name].append("" if value == "_" and name != "words" else value)
        self.sent_starts.append(n_words == self.begin)
        self.speakers.append(self.speaker)

    def make_document(self, nlp: Language) -> Document:
        self.reader.close()
        given = dict(self.columns)
        if not all(given["deps"]):
            # Sentences without a parse.
            del given["heads"], given["deps"]
        else:
            n_words = len(given["words"])
            if not all(0 <= head < n_words for head in given["heads"]):
                raise ValueError("a head is outside of its document")
        if not all(given["pos"]):
            del given["pos"]
        given["spaces"][-1] = False
        doc = Doc(nlp.vocab, sent_starts=self.sent_starts, **given)
        clusters, types = self.reader.clusters.values(), self.reader.types
        return finish_document(
            self.key, doc, clusters, types, self.speakers, line=self.line
        )


def dump(document: Document) -> bytes:
    """Write a document.

    document (Document): The document. Tokens of white space are left out.
    RETURNS (bytes): The lines.
    RAISES (ValueError): Two mentions of a cluster cross.
    """
    doc = document.doc
    visible = Visible(doc)
    key = _clean(document.key)
    entities = _write_entities(doc, visible)
    speakers = list_speakers(doc)
    lines = [f"# newdoc id = {key}", f"# global.Entity = {'-'.join(FIELDS)}"]
    sentences = visible.move(list_sentences(doc))
    for number, (start, end) in enumerate(sentences, start=1):
        tokens = visible.tokens[start:end]
        text = doc[tokens[0].i : tokens[-1].i + 1].text
        lines += [f"# sent_id = {key}-{number}", f"# text = {_clean(text)}"]
        if speakers is not None and len({speakers[t.i] for t in tokens}) == 1:
            lines.append(f"# speaker = {_clean(speakers[tokens[0].i])}")
        places = {token.i: i for i, token in enumerate(tokens, start=1)}
        for i, token in enumerate(tokens, start=start):
            misc = [] if i not in entities else [f"Entity={entities[i]}"]
            if not token.whitespace_ and _has_next(token):
                misc.append("SpaceAfter=No")
            columns = _write_word(token, places)
            lines.append("\t".join([*columns, "_", "|".join(misc) or "_"]))
        lines.append("")
    return "\n".join([*lines, ""]).encode()


def _clean(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


def _has_next(token: Token) -> bool:
    """Check whether the next token, if any, is not white space."""
    return token.i + 1 < len(token.doc) and not token.nbor().is_space


def _write_word(token: Token, places: Dict[int, int]) -> List[str]:
    """Write the first eight columns of a word."""
    head, dep = "_", "_"
    if token.dep_:
        # The head may be a token of white space, or in another sentence.
        place = places.get(token.head.i, 0)
        head = "0" if token.head.i == token.i else str(place)
        dep = "root" if head == "0" else _clean(token.dep_)
    word = _BREAKS.sub(" ", token.text)
    values = [token.lemma_, token.pos_, token.tag_, str(token.morph)]
    columns = [_clean(value) or "_" for value in values]
    return [str(places[token.i]), word, *columns, head, dep]


def _write_entities(doc: Doc, visible: Visible) -> Dict[int, str]:
    heads: Dict[Offsets, int] = {}
    types: Dict[Offsets, str] = {}
    for cluster, label in zip(check_index(doc).clusters, list_types(doc), strict=True):
        for mention, tokens in zip(cluster.mentions, cluster.heads, strict=True):
            # Mentions can differ in white space alone; the first one is kept.
            for span in visible.move([mention]):
                heads.setdefault(span, visible.places[tokens[0]])
                types.setdefault(span, label)
    return write_entities(visible.move_clusters(list_clusters(doc)), heads, types)
