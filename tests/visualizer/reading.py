"""Documents to draw, and pictures read back, which are well-formed XML."""

import re
from xml.etree import ElementTree

from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref import set_clusters

from ..conftest import blank


def make_doc(text, *clusters, lang="en"):
    """A Doc of words between spaces, with clusters as token offsets."""
    words = text.split()
    spaces = [i + 1 < len(words) for i in range(len(words))]
    doc = Doc(blank(lang).vocab, words=words, spaces=spaces)
    set_clusters(doc, clusters)
    return doc


@st.composite
def docs(draw, words):
    """Draw a Doc of words, with any two clusters."""
    words = draw(st.lists(words, min_size=1, max_size=9))
    doc = Doc(blank("en").vocab, words=words)
    ends = st.tuples(*[st.integers(0, len(words))] * 2).map(sorted).map(tuple)
    spans = draw(st.lists(ends.filter(lambda m: m[0] < m[1]), unique=True))
    set_clusters(doc, [spans[::2], spans[1::2]])
    return doc


def shown(text):
    """A text as it is shown: what XML does not allow is replaced."""
    return re.sub(
        "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text
    )


def parse(markup):
    """Parse a page, or parts of one; tags lose their namespace."""
    if not markup.startswith("<!DOCTYPE"):
        markup = f"<main>{markup}</main>"
    root = ElementTree.fromstring(markup)
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
    return root


def find_all(node, tag, name=None):
    """List the elements of a tag, and of a class."""
    return [
        one
        for one in node.iter(tag)
        if name is None or name in one.get("class", "").split()
    ]


def find(node, tag, name=None):
    return find_all(node, tag, name)[0]


def get_text(node, *, numbers=True):
    """The text of an element, with or without the numbers of clusters."""
    if node.tag == "sub" and not numbers:
        return ""
    inner = (get_text(one, numbers=numbers) + (one.tail or "") for one in node)
    return (node.text or "") + "".join(inner)
