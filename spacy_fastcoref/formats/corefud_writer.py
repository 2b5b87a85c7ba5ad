"""Write CoNLL-U with the clusters of CorefUD in the last column."""

import re
from typing import Dict, List

from spacy.tokens import Doc, Token

from ..clusters.index import check_index
from .base import Document, Format
from .corefud import read
from .docs import (
    Offsets,
    Visible,
    list_clusters,
    list_sentences,
    list_speakers,
    list_types,
)
from .entities import FIELDS, write_entities

_BREAKS = re.compile(r"[\t\n\r]")


def make_corefud_format() -> Format:
    """Make the format of CorefUD.

    RETURNS (Format): The format.
    """
    return Format(
        name="corefud",
        description="CorefUD: CoNLL-U with clusters in the last column",
        endings=(".conllu",),
        read=read,
        dump=dump,
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
