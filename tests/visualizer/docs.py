"""Documents to draw."""

import re

import spacy
from spacy.tokens import Doc

from spacy_fastcoref import set_clusters


def make_doc(text, *clusters, lang="en"):
    """A Doc of words between spaces, with clusters as token offsets."""
    doc = Doc(spacy.blank(lang).vocab, words=text.split())
    if len(doc):
        doc = Doc(
            doc.vocab, words=text.split(), spaces=[True] * (len(doc) - 1) + [False]
        )
    set_clusters(doc, clusters)
    return doc


def shown(text):
    """A text as it is shown: what XML does not allow is replaced."""
    return re.sub(
        "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text
    )
