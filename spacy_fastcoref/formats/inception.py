"""Read INCEpTION's exports with a chain layer: WebAnno TSV 3 and UIMA CAS XMI."""

import re
from collections import defaultdict
from functools import partial
from typing import Any, Dict, Hashable, Iterator, List, Tuple
from xml.etree import ElementTree

from spacy.language import Language

from ..types import Offsets
from .base import Document, Entry, Format, name_file, reader
from .docs import Link, find_utf16_offsets, link_doc, make_doc, make_document_of_words
from .parsing import Lines, name_in_errors, open_bytes, read_records

# The layers in the header of a TSV file: chains, and others with their columns.
_LAYER = re.compile(r"#T_(\w+)=(.*)")
_CHAINS = "CH"
_TOKEN = re.compile(r"\d+-\d+")
# The number of a chain and of the link in it: "*->1-2".
_LINK = re.compile(r"->(\d+)-(\d+)")
_ID = "{http://www.omg.org/XMI}id"


@reader(read_records)
def read_tsv(lines: Lines, *, nlp: Language, name: str) -> Document:
    """Read a document of tokens."""
    words: List[str] = []
    offsets: List[Offsets] = []
    sent_starts: List[bool] = []
    is_start = True
    # The column of the links: in a chain layer, it is after the type of the mention.
    n_columns, link_column = 3, 0
    # The first and the last token of each mention, by chain and link.
    mentions: Dict[Tuple[str, str], Offsets] = {}
    for line in lines:
        line = line.rstrip("\r\n")
        layer = _LAYER.fullmatch(line)
        cells = line.split("\t")
        if layer is not None:
            if layer[1] == _CHAINS:
                link_column = n_columns + 1
            n_columns += layer[2].count("|")
        # A line of a part of a token has another number.
        elif _TOKEN.fullmatch(cells[0]):
            begin, _, end = cells[1].partition("-")
            offsets.append((int(begin), int(end)))
            words.append(cells[2])
            sent_starts.append(is_start)
            is_start = False
            for link in _LINK.findall(cells[link_column] if link_column else ""):
                start, _ = mentions.get(link, (len(words) - 1, 0))
                mentions[link] = start, len(words)
        elif not line or line.startswith("#"):
            is_start = True
    if not link_column:
        header = "#T_CH=…CoreferenceLink|referenceType|referenceRelation"
        raise ValueError(f"it has no chain layer, in a header such as {header}")
    chains: Dict[str, List[Offsets]] = {}
    for (chain, _), mention in mentions.items():
        chains.setdefault(chain, []).append(mention)
    ends = zip(offsets, [*offsets[1:], (0, 0)], strict=False)
    spaces = [after > end for (_, end), (after, _) in ends]
    given: Dict[str, Any] = {"sent_starts": sent_starts, "spaces": spaces}
    return make_document_of_words(nlp, name, words, [*chains.values()], **given)


def read_xmi(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a document of text."""
    nodes: Dict[str, List[ElementTree.Element]] = defaultdict(list)
    with name_in_errors(path):
        with open_bytes(path) as file:
            for node in ElementTree.parse(file).getroot():
                nodes[node.tag.rpartition("}")[2]].append(node)
        if not nodes["Sofa"]:
            raise ValueError("it has no text")
        text = nodes["Sofa"][0].attrib["sofaString"]
        offsets = find_utf16_offsets(text)
        mentions: Dict[Hashable, Offsets] = {}
        links: List[Link] = []
        for link in (node.attrib for node in nodes["CoreferenceLink"]):
            mentions[link[_ID]] = offsets[int(link["begin"])], offsets[int(link["end"])]
            if "next" in link:
                links.append((link[_ID], link["next"]))
        document = link_doc(make_doc(nlp, text), name_file(path), mentions, links)
    yield document


make_tsv_format = partial(
    Format,
    "inception-tsv",
    "WebAnno TSV 3, INCEpTION's export, with a chain layer",
    (".tsv",),
    read_tsv,
)
make_xmi_format = partial(
    Format,
    "inception-xmi",
    "UIMA CAS XMI, INCEpTION's export, with a chain layer",
    (".xmi",),
    read_xmi,
)
