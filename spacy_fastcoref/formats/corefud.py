"""Read and write CoNLL-U with the clusters of CorefUD in the last column.

See Nedoluzhko et al. (2022).
"""

import re
from functools import partial
from typing import Any, Dict, List, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from ..clusters.index import check_index
from ..types import Offsets
from .base import Document, Format, reader
from .docs import (
    NO_SPEAKER,
    Visible,
    list_clusters,
    list_sentences,
    list_speakers,
    list_types,
    make_document_of_words,
)
from .entities import EntityReader, write_entities
from .parsing import Lines, read_records

_DOCUMENT, _SPEAKER, _ENTITY = "# newdoc", "# speaker", "# global.Entity"
_N_COLUMNS = 10
_BREAKS = re.compile(r"[\t\n\r]")
# What can't be in an entity type.
_RESERVED = re.compile(r"[-()=|,\s]")
FIELDS = ("eid", "etype", "head")


def _read_comment(line: str, name: str) -> Optional[str]:
    """Read the value of a comment such as "# speaker = Ann"; None for other lines."""
    before, _, value = line.partition("=")
    is_named = before.strip() == name or before.startswith(f"{name} ")
    return value.strip() if is_named else None


@reader(read_records, lambda line: _read_comment(line, _DOCUMENT) is not None)
def read(lines: Lines, *, nlp: Language, name: str) -> Optional[Document]:
    """Read the documents of a file.

    Words are the tokens; empty nodes and the surface of multiword tokens are left out.
    """
    key, speaker, begin = "", NO_SPEAKER, 0
    rows: List[List[str]] = []
    spaces: List[bool] = []
    heads: List[int] = []
    sent_starts: List[bool] = []
    speakers: List[str] = []
    # Only the first document may say what the brackets have.
    entities = EntityReader(lines.shared.get("fields", FIELDS))
    # The last word of a multiword token, and whether a space follows the token.
    multiword: Tuple[str, bool] = "", True
    for line in lines:
        line = line.rstrip("\r\n")
        if not line.strip():
            begin, speaker = len(rows), NO_SPEAKER
        if line.startswith("#"):
            key = _read_comment(line, _DOCUMENT) or key
            speaker = _read_comment(line, _SPEAKER) or speaker
            named = _read_comment(line, _ENTITY)
            if named:
                lines.shared["fields"] = entities.fields = named.split("-")
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != _N_COLUMNS:
            raise ValueError(f"{len(columns)} columns, where CoNLL-U has {_N_COLUMNS}")
        number, head = columns[0], columns[6]
        values = dict(part.partition("=")[::2] for part in columns[-1].split("|"))
        has_space = values.get("SpaceAfter") != "No"
        if "-" in number:
            multiword = number.partition("-")[2], has_space
            continue
        n_words = len(rows)
        # A mention of an empty node alone has no words.
        end = n_words + ("." not in number)
        entities.read(values.get("Entity", ""), n_words, end, lines.number)
        if end == n_words:
            continue
        if int(number) != n_words - begin + 1:
            raise ValueError(f"word {number} follows word {n_words - begin}")
        if not columns[1]:
            raise ValueError("a word is empty")
        if number == multiword[0]:
            has_space, multiword = multiword[1], ("", True)
        rows.append(["" if value == "_" else value for value in columns])
        rows[-1][1] = columns[1]
        spaces.append(has_space)
        heads.append(n_words if head in ("0", "_") else begin + int(head) - 1)
        sent_starts.append(n_words == begin)
        speakers.append(speaker)
    if not rows:
        return None
    clusters = entities.close()
    _, words, lemmas, pos, tags, morphs, _, deps, *_ = map(
        list, zip(*rows, strict=True)
    )
    given: Dict[str, Any] = {"lemmas": lemmas, "tags": tags, "morphs": morphs}
    if all(pos):
        given["pos"] = pos
    # Sentences may have no parse.
    if all(deps):
        if not all(0 <= head < len(rows) for head in heads):
            raise ValueError("a head is outside of its document")
        given.update(heads=heads, deps=deps)
    return make_document_of_words(
        nlp,
        key or f"{name}-{lines.index}",
        words,
        clusters,
        line=lines.first,
        speakers=speakers,
        types=entities.types,
        spaces=[*spaces[:-1], False],
        sent_starts=sent_starts,
        **given,
    )


def dump(document: Document) -> bytes:
    """Write a document without its tokens of white space."""
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
            is_last = token.i + 1 == len(doc) or token.nbor().is_space
            if not token.whitespace_ and not is_last:
                misc.append("SpaceAfter=No")
            columns = _write_word(token, places)
            lines.append("\t".join([*columns, "_", "|".join(misc) or "_"]))
        lines.append("")
    return "\n".join([*lines, ""]).encode()


def _clean(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


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
                types.setdefault(span, _RESERVED.sub("_", label))
    return write_entities(
        visible.move_clusters(list_clusters(doc)),
        "corefud",
        lambda i: f"e{i + 1}",
        lambda mention: f"-{types[mention]}-{heads[mention] - mention[0] + 1}",
    )


make_corefud_format = partial(
    Format,
    "corefud",
    "CorefUD: CoNLL-U with clusters in the last column",
    (".conllu",),
    read,
    dump,
)
