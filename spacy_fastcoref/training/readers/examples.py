"""Make examples of documents with clusters."""

from typing import List, Optional, Sequence

import numpy as np
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc, Span
from spacy.training import Example

from ...clusters.index import check_index
from ...clusters.store import set_clusters
from ...formats.base import Document
from ...formats.docs import Visible, list_clusters, list_speakers, set_speakers
from ...span_keys import MASKED, SPEAKERS, TYPED

# The groups that are input of the model rather than gold annotation.
_INPUTS = frozenset((SPEAKERS, MASKED))
# The annotation of words that no parser makes.
_WORDS = ("TAG", "POS", "MORPH", "LEMMA", "ENT_IOB", "ENT_TYPE")
# The pipeline's own sentence segmentation may not be trained yet.
_SENTENCIZER = Sentencizer()


def make_examples(
    document: Document,
    scheme: Optional[str] = None,
    *,
    max_words: int = 0,
    is_annotated: bool = False,
) -> List[Example]:
    """Make the examples of a document of a file.

    Of a text, the tokens of white space are left out, and sentences are told by
    punctuation. A document of more than max_words words is split into windows at the
    ends of sentences; 0 keeps it whole. The predicted Docs keep sentences without tags
    or a parse in any case.
    """
    doc = _split_sentences(document.doc) if document.is_text else document.doc
    _list_types(doc)
    has_tags = any(map(doc.has_annotation, ("TAG", "POS", "DEP")))
    return [
        make_example(window, scheme, is_annotated=is_annotated or not has_tags)
        for window in _cut_windows(doc, max_words)
    ]


def make_example(
    reference: Doc, scheme: Optional[str] = None, *, is_annotated: bool = False
) -> Example:
    """Make an example of a Doc with clusters.

    If not is_annotated, the pipeline's components predict tags and sentences.
    """
    predicted = Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
    )
    if is_annotated:
        copy_annotation(reference, predicted, _WORDS)
        predicted.tensor = reference.tensor
    for key in _INPUTS.intersection(reference.spans):
        predicted.spans[key] = [
            Span(predicted, span.start, span.end, label=span.label)
            for span in reference.spans[key]
        ]
    predicted._.coref_scheme = scheme or reference._.coref_scheme
    return Example(predicted, reference)


def copy_annotation(doc: Doc, new: Doc, attributes: Sequence[str]) -> None:
    """Copy attributes of words, and sentences or the parse, to a Doc as long."""
    tree = ("HEAD", "DEP") if doc.has_annotation("DEP") else ("SENT_START",)
    copied = [one for one in (*attributes, *tree) if doc.has_annotation(one)]
    if copied:
        new.from_array(copied, doc.to_array(copied))


def _split_sentences(doc: Doc) -> Doc:
    """Copy the words of a text, with its sentences, clusters and speakers."""
    if not doc.has_annotation("SENT_START"):
        _SENTENCIZER(doc)
    visible = Visible(doc)
    # A sentence may start with a token of white space.
    starts = np.array(visible.places)[[token.i for token in doc if token.is_sent_start]]
    tokens = visible.tokens
    is_start = np.isin(np.arange(len(tokens)), starts).tolist()
    new = Doc(doc.vocab, words=[t.text for t in tokens], sent_starts=is_start)
    set_clusters(new, visible.move_clusters(list_clusters(doc)))
    speakers = list_speakers(doc)
    if speakers is not None:
        set_speakers(new, [speakers[token.i] for token in tokens])
    return new


def _list_types(doc: Doc) -> None:
    typed = [
        Span(doc, start, end, label=label)
        for cluster in check_index(doc).clusters
        for (start, end), label in zip(cluster.mentions, cluster.types, strict=False)
    ]
    if typed:
        doc.spans[TYPED] = typed


def _cut_windows(doc: Doc, max_words: int) -> List[Doc]:
    if not max_words or len(doc) <= max_words:
        return [doc]
    cuts = [token.i for token in doc if token.is_sent_start and token.i]
    ends = []
    begin = 0
    for cut, following in zip(cuts, [*cuts, len(doc)][1:], strict=True):
        if following - begin > max_words:
            ends.append(cut)
            begin = cut
    ends.append(len(doc))
    return [_cut(doc, a, z) for a, z in zip([0, *ends[:-1]], ends, strict=True)]


def _cut(doc: Doc, begin: int, end: int) -> Doc:
    new = doc[begin:end].as_doc()
    kept = []
    for cluster in list_clusters(doc):
        part = [(a - begin, z - begin) for a, z in cluster if begin <= a and z <= end]
        # A single mention left of a larger cluster is not a singleton.
        kept += [part] if len(part) > 1 or (part and len(cluster) == 1) else []
    set_clusters(new, kept)
    speakers = list_speakers(doc)
    if speakers is not None:
        set_speakers(new, speakers[begin:end])
    if TYPED in doc.spans:
        new.spans[TYPED] = [
            Span(new, span.start - begin, span.end - begin, label=span.label)
            for span in doc.spans[TYPED]
            if begin <= span.start and span.end <= end
        ]
    return new
