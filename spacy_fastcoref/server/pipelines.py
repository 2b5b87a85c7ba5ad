"""Make Docs of what a client sends, and resolve them with one of the pipelines."""

import contextlib
from typing import Any, Dict, Iterable, Iterator, List, Sequence

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..clusters.store import set_clusters
from ..errors import Errors
from ..factories import find_last_component, get_component
from ..formats.docs import set_speakers
from ..grammar.auto import AutoRules
from ..grammar.rules import Rules
from ..pipeline.component import FastCoref
from ..span_keys import APART, CANDIDATES, SEEDS, SPEAKERS
from ..types import Cluster, Offsets
from .problems import name_place
from .schemas import Document, PipelineInfo, RuleChoice


class Pipeline:
    """Resolve documents by the last coreference component, in one thread at a time."""

    def __init__(self, name: str, nlp: Language) -> None:
        self.name, self.nlp = name, nlp
        self.component = get_component(nlp, find_last_component(nlp))

    def describe(self) -> PipelineInfo:
        """Describe the pipeline, and the rules that can be disabled."""
        rules = self._get_rules()
        reasons = rules.describe_names() if isinstance(rules, Rules) else {}
        return PipelineInfo(
            name=self.name,
            lang=self.nlp.lang,
            components=self.nlp.pipe_names,
            rules={name: name not in rules.disabled for name in reasons},
            reasons=reasons,
        )

    def _get_rules(self) -> Any:
        rules = self.component.rules
        return rules.find(self.nlp.lang) if isinstance(rules, AutoRules) else rules

    @contextlib.contextmanager
    def use_rules(self, choice: RuleChoice) -> Iterator[None]:
        """Use other rules within the context."""
        before, rules = self.component.rules, self._get_rules()
        if not choice.enabled:
            self.component.rules = None
        elif choice.disabled is not None:
            with name_place("rules.disabled"):
                if isinstance(rules, Rules):
                    self.component.rules = rules.copy_without(choice.disabled)
                elif choice.disabled:
                    raise ValueError(Errors.FC212.format(name=self.name))
        try:
            yield
        finally:
            self.component.rules = before

    def resolve(self, documents: Sequence[Document]) -> List[Doc]:
        """Resolve documents in one batch, with the corrections of each."""
        docs = [self._make_doc(document) for document in documents]
        docs = list(self.nlp.pipe(docs, batch_size=max(1, len(docs))))
        for doc, document in zip(docs, documents, strict=True):
            correct(doc, document, self.component)
        return docs

    def _make_doc(self, document: Document) -> Doc:
        """Make a Doc with the speakers, must-links and cannot-links of a document."""
        length, most = count_characters(document), self.nlp.max_length
        if length > most:
            message = Errors.FC208.format(length=length, name=self.name, most=most)
            raise ValueError(message)
        make = _make_text if document.tokens is None else _make_tokens
        doc = make(self.nlp, document)
        corrections = document.corrections
        if corrections is None:
            return doc
        dropped = _find_offsets(doc, document, corrections.drop)
        # A mention that is added is a must-link with itself: it is surely a mention.
        seeds = [*corrections.together, *([mention] for mention in corrections.add)]
        for key, groups in ((SEEDS, seeds), (APART, corrections.apart)):
            for i, group in enumerate(groups, start=1):
                found = _find_offsets(doc, document, group)
                for span in (found[offsets] for offsets in found if offsets in dropped):
                    raise ValueError(Errors.FC211.format(mention=span.text))
                doc.spans[f"{key}_{i}"] = list(found.values())
        return doc


def count_characters(document: Document) -> int:
    """Count the characters of a document, without the spaces between tokens."""
    return len(document.text or "") + sum(map(len, document.tokens or ()))


def _make_text(nlp: Language, document: Document) -> Doc:
    doc = nlp.make_doc(document.text)
    turns = []
    for turn in document.turns:
        span = _find_span(doc, document, (turn.start, turn.end))
        turns.append(Span(doc, span.start, span.end, label=turn.speaker))
    if turns:
        doc.spans[SPEAKERS] = turns
    return doc


def _make_tokens(nlp: Language, document: Document) -> Doc:
    n_tokens = len(document.tokens)
    for name, given in (("spaces", document.spaces), ("speakers", document.speakers)):
        if given is not None and len(given) != n_tokens:
            raise ValueError(
                Errors.FC210.format(
                    n_given=len(given), name=name, n_owners=n_tokens, owners="tokens"
                )
            )
    doc = Doc(nlp.vocab, words=document.tokens, spaces=document.spaces)
    set_speakers(doc, [speaker or "" for speaker in document.speakers or ()])
    return doc


def _find_span(doc: Doc, document: Document, offsets: Offsets) -> Span:
    """Find the span of token offsets, or the words that character offsets touch."""
    start, end = offsets
    is_text = document.tokens is None
    length = len(document.text) if is_text else len(doc)
    span = None
    if 0 <= start < end <= length:
        span = doc[start:end]
        if is_text:
            span = doc.char_span(start, end, alignment_mode="expand")
    if span is None or not len(span):
        unit = "characters" if is_text else "tokens"
        message = Errors.FC209.format(start=start, end=end, length=length, unit=unit)
        raise ValueError(message)
    return span


def _find_offsets(
    doc: Doc, document: Document, mentions: Iterable[Offsets]
) -> Dict[Offsets, Span]:
    spans = (_find_span(doc, document, mention) for mention in mentions)
    return {(span.start, span.end): span for span in spans}


def correct(doc: Doc, document: Document, component: FastCoref) -> None:
    """Resolve a document again with the mentions that a reader added or dropped.

    Those that are added, and are in no cluster then, are clusters of their own.
    """
    corrections = document.corrections
    if corrections is None or not (corrections.add or corrections.drop):
        return
    added = _find_offsets(doc, document, corrections.add)
    dropped = _find_offsets(doc, document, corrections.drop)
    # Only the model knows the mentions that it finds, so it has to be asked first.
    (links,) = component.predict([doc])
    mentions = {*links.rows, *added} - set(dropped)
    doc.spans[CANDIDATES] = [Span(doc, *mention) for mention in sorted(mentions)]
    component(doc)
    clusters = check_index(doc).clusters
    known = {mention for cluster in clusters for mention in cluster.mentions}
    alone = [Cluster([offsets]) for offsets in added if offsets not in known]
    if alone:
        set_clusters(doc, [*clusters, *alone])
