"""Read INCEpTION's exports with a chain layer: WebAnno TSV 3 and UIMA CAS XMI."""

import re
from typing import Dict, Iterator, List, Optional, Tuple
from xml.etree import ElementTree

from spacy.language import Language

from ..errors import Errors
from ..types import Offsets
from .base import Document, Entry, Format, name_file
from .docs import make_doc, make_document_of_words, mark_doc
from .parsing import PARSE_ERRORS, Lines, open_bytes, read_records
from .spans import find_utf16_offsets

# The layers in the header of a TSV file: chains, and others with their columns.
_LAYER = re.compile(r"#T_(\w+)=(.*)")
_CHAINS = "CH"
_TOKEN = re.compile(r"\d+-\d+")
# The number of a chain and of the link in it: "*->1-2".
_LINK = re.compile(r"->(\d+)-(\d+)")
_ID = "{http://www.omg.org/XMI}id"


def make_tsv_format() -> Format:
    """Make the format WebAnno TSV 3 of INCEpTION and WebAnno."""
    return Format(
        name="inception-tsv",
        description="WebAnno TSV 3, INCEpTION's export, with a chain layer",
        endings=(".tsv",),
        read=read_tsv,
    )


def make_xmi_format() -> Format:
    """Make the format UIMA CAS XMI of INCEpTION and other programs of UIMA."""
    return Format(
        name="inception-xmi",
        description="UIMA CAS XMI, INCEpTION's export, with a chain layer",
        endings=(".xmi",),
        read=read_xmi,
    )


def read_tsv(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a document of tokens."""
    table = _Table()

    def make(lines: Lines) -> Document:
        for line in lines:
            table.add(line.rstrip("\r\n"))
        spaces = [table.begins[i + 1] > end for i, end in enumerate(table.ends[:-1])]
        return make_document_of_words(
            nlp,
            name_file(path),
            table.words,
            table.list_clusters(),
            sent_starts=table.sent_starts,
            spaces=[*spaces, False][: len(table.words)],
        )

    for entry in read_records(path, make):
        if table.column is None:
            reason = "it has no chain layer, in a header such as "
            reason += "#T_CH=…CoreferenceLink|referenceType|referenceRelation"
            raise ValueError(Errors.FC052.format(path=path, reason=reason))
        yield entry


class _Table:
    """Collect the tokens of a TSV file, and the links of its chain layer."""

    def __init__(self) -> None:
        self.words: List[str] = []
        self.begins: List[int] = []
        self.ends: List[int] = []
        self.sent_starts: List[bool] = []
        # The column of the links.
        self.column: Optional[int] = None
        self.n_columns = 3
        self.ends_sentence = True
        # The first and the last token of each mention, by chain and link.
        self.mentions: Dict[Tuple[int, int], Offsets] = {}

    def add(self, line: str) -> None:
        layer = _LAYER.fullmatch(line)
        columns = line.split("\t")
        if layer is not None:
            features = layer[2].split("|")[1:]
            if layer[1] == _CHAINS:
                # The type of the mention and, after it, the link.
                self.column = self.n_columns + 1
            self.n_columns += len(features)
        elif _TOKEN.fullmatch(columns[0]):
            self._add_token(columns)
        # A line of a part of a token has another number.
        elif not line or line.startswith("#"):
            self.ends_sentence = True

    def _add_token(self, columns: List[str]) -> None:
        begin, _, end = columns[1].partition("-")
        self.begins.append(int(begin))
        self.ends.append(int(end))
        self.words.append(columns[2])
        self.sent_starts.append(self.ends_sentence)
        self.ends_sentence = False
        if self.column is None:
            return
        word = len(self.words) - 1
        for chain, link in _LINK.findall(columns[self.column]):
            name = int(chain), int(link)
            start, _ = self.mentions.get(name, (word, word))
            self.mentions[name] = start, word + 1

    def list_clusters(self) -> List[List[Offsets]]:
        chains: Dict[int, List[Offsets]] = {}
        for (chain, _), mention in self.mentions.items():
            chains.setdefault(chain, []).append(mention)
        return list(chains.values())


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
    nodes: Dict[str, List[ElementTree.Element]] = {}
    for node in root:
        nodes.setdefault(node.tag.rpartition("}")[2], []).append(node)
    (sofa,) = nodes["Sofa"]
    text = sofa.attrib["sofaString"]
    offsets = find_utf16_offsets(text)
    links = {node.attrib[_ID]: node.attrib for node in nodes.get("CoreferenceLink", [])}
    clusters = []
    for chain in nodes.get("CoreferenceChain", []):
        cluster = []
        name = chain.attrib.get("first")
        # A link that was read is taken out, so that no ring is read for ever.
        while name is not None:
            link = links.pop(name)
            cluster.append((offsets[int(link["begin"])], offsets[int(link["end"])]))
            name = link.get("next")
        clusters.append(cluster)
    return text, clusters
