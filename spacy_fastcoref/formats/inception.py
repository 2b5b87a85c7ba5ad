"""Read INCEpTION's exports with a chain layer: WebAnno TSV 3 and UIMA CAS XMI."""

import re
from collections import defaultdict
from functools import partial
from typing import Any, Dict, Iterator, List, Tuple
from xml.etree import ElementTree

from spacy.language import Language

from ..errors import Errors
from ..types import Offsets
from .base import Document, Entry, Format, name_file
from .docs import find_utf16_offsets, make_doc, make_document_of_words, mark_doc
from .parsing import PARSE_ERRORS, Lines, open_bytes, read_records

# The layers in the header of a TSV file: chains, and others with their columns.
_LAYER = re.compile(r"#T_(\w+)=(.*)")
_CHAINS = "CH"
_TOKEN = re.compile(r"\d+-\d+")
# The number of a chain and of the link in it: "*->1-2".
_LINK = re.compile(r"->(\d+)-(\d+)")
_ID = "{http://www.omg.org/XMI}id"


def read_tsv(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a document of tokens."""
    # The column of the links: in a chain layer, it is after the type of the mention.
    columns: List[int] = []
    make = partial(_make, nlp=nlp, key=name_file(path), columns=columns)
    for entry in read_records(path, make):
        if not columns:
            reason = "it has no chain layer, in a header such as "
            reason += "#T_CH=…CoreferenceLink|referenceType|referenceRelation"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        yield entry


def _make(lines: Lines, *, nlp: Language, key: str, columns: List[int]) -> Document:
    words: List[str] = []
    offsets: List[Offsets] = []
    sent_starts: List[bool] = []
    n_columns, is_start = 3, True
    # The first and the last token of each mention, by chain and link.
    mentions: Dict[Tuple[str, str], Offsets] = {}
    for line in lines:
        line = line.rstrip("\r\n")
        layer = _LAYER.fullmatch(line)
        cells = line.split("\t")
        if layer is not None:
            columns += [n_columns + 1] * (layer[1] == _CHAINS)
            n_columns += layer[2].count("|")
        # A line of a part of a token has another number.
        elif _TOKEN.fullmatch(cells[0]):
            begin, _, end = cells[1].partition("-")
            offsets.append((int(begin), int(end)))
            words.append(cells[2])
            sent_starts.append(is_start)
            is_start = False
            for link in _LINK.findall(cells[columns[-1]] if columns else ""):
                start, _ = mentions.get(link, (len(words) - 1, 0))
                mentions[link] = start, len(words)
        elif not line or line.startswith("#"):
            is_start = True
    chains: Dict[str, List[Offsets]] = {}
    for (chain, _), mention in mentions.items():
        chains.setdefault(chain, []).append(mention)
    ends = zip(offsets, [*offsets[1:], (0, 0)], strict=False)
    spaces = [after > end for (_, end), (after, _) in ends]
    given: Dict[str, Any] = {"sent_starts": sent_starts, "spaces": spaces}
    return make_document_of_words(nlp, key, words, [*chains.values()], **given)


def read_xmi(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a document of text."""
    try:
        with open_bytes(path) as file:
            root = ElementTree.parse(file).getroot()
    except (EOFError, ElementTree.ParseError) as error:
        raise ValueError(Errors.FC052.format(path=path, reason=error)) from error
    try:
        text, clusters = _read_cas(root)
        document = mark_doc(make_doc(nlp, text), name_file(path), clusters)
    except PARSE_ERRORS as error:
        reason = f"it has no text, or a chain without its links: {error}"
        raise ValueError(Errors.FC052.format(path=path, reason=reason)) from error
    yield document


def _read_cas(root: ElementTree.Element) -> Tuple[str, List[List[Offsets]]]:
    nodes: Dict[str, List[ElementTree.Element]] = defaultdict(list)
    for node in root:
        nodes[node.tag.rpartition("}")[2]].append(node)
    (sofa,) = nodes["Sofa"]
    text = sofa.attrib["sofaString"]
    offsets = find_utf16_offsets(text)
    links = {node.attrib[_ID]: node.attrib for node in nodes["CoreferenceLink"]}
    clusters = []
    for chain in nodes["CoreferenceChain"]:
        cluster = []
        name = chain.attrib.get("first")
        # A link that was read is taken out, so that no ring is read for ever.
        while name is not None:
            link = links.pop(name)
            cluster.append((offsets[int(link["begin"])], offsets[int(link["end"])]))
            name = link.get("next")
        clusters.append(cluster)
    return text, clusters


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
