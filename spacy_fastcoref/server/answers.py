"""Make the answers of the server: Docs as JSON, and as files to train on."""

import json
import math
from typing import Any, Dict, List, Literal, Optional, Sequence

from spacy.tokens import Doc, DocBin, Span

from ..clusters.index import check_index, find_characters
from ..errors import Warnings
from ..formats.base import Document
from ..formats.jsonl import dump
from ..grammar.foreign import LanguageCheck
from ..pipeline.explain import Explanation
from ..resolution.resolve import resolve
from ..span_keys import CANDIDATES
from ..types import Cluster
from .pipelines import Pipeline
from .schemas import Part

# The formats of a corpus.
Kind = Literal["spacy", "jsonl"]
# The candidates of a mention that are told, beside the chosen one.
MAX_CANDIDATES = 8


def make_answer(
    pipeline: Pipeline, docs: Sequence[Doc], parts: Sequence[Part], policy: str
) -> bytes:
    """Make the answer to a request, see schemas.CorefAnswer."""
    documents = [_make_document(pipeline, doc, parts, policy) for doc in docs]
    answer = {"pipeline": pipeline.name, "documents": documents}
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf8")


def _make_document(
    pipeline: Pipeline, doc: Doc, parts: Sequence[Part], policy: str
) -> Dict[str, Any]:
    text, clusters = doc.text, check_index(doc).clusters
    document: Dict[str, Any] = {
        "text": text,
        "clusters": [_make_cluster(doc, text, cluster) for cluster in clusters],
        **dict.fromkeys(("tokens", "resolved", "explanations")),
        "warnings": [],
    }
    if LanguageCheck().notice(doc):
        document["warnings"].append(Warnings.FCW36.format(lang=doc.lang_))
    if "tokens" in parts:
        document["tokens"] = [[token.idx, token.idx + len(token)] for token in doc]
    if "resolved" in parts:
        found = resolve(doc, policy)
        resolved = {"text": found.text, "replacements": found.replacements}
        document["resolved"] = resolved
    if "explanations" in parts:
        explained = pipeline.component.explain_all(doc)
        told = [_make_explanation(one) for one in explained if one.candidates]
        document["explanations"] = told
    return document


def _make_cluster(doc: Doc, text: str, cluster: Cluster) -> Dict[str, Any]:
    n_mentions = len(cluster.mentions)
    antecedents = cluster.antecedents or [-1] * n_mentions
    scores = cluster.scores or [math.nan] * n_mentions
    mentions: List[Dict[str, Any]] = []
    for i, (start, end) in enumerate(cluster.mentions):
        first, last = find_characters(doc, start, end)
        is_linked = antecedents[i] >= 0
        mentions.append(
            {
                "text": text[first:last],
                "chars": [first, last],
                "tokens": [start, end],
                "antecedent": antecedents[i] if is_linked else None,
                "score": _round(scores[i]) if is_linked else None,
            }
        )
    return {"main": cluster.main, "mentions": mentions}


def _make_explanation(explanation: Explanation) -> Dict[str, Any]:
    candidates = explanation.candidates
    kept = candidates[:MAX_CANDIDATES]
    kept += [one for one in candidates[MAX_CANDIDATES:] if one.is_chosen]
    return {
        "chars": _find_chars(explanation.mention),
        "candidates": [
            {
                "chars": _find_chars(one.mention),
                "score": _round(one.score),
                "verdict": one.verdict,
                "reasons": one.reasons,
                "rules": one.rules,
                "chosen": one.is_chosen,
            }
            for one in kept
        ],
    }


def _find_chars(span: Span) -> List[int]:
    return list(find_characters(span.doc, span.start, span.end))


def _round(score: float) -> Optional[float]:
    """Round a score; None for one that is not known, which JSON has no number for."""
    return round(score, 3) if math.isfinite(score) else None


def make_corpus(pipeline: Pipeline, docs: Sequence[Doc], kind: Kind) -> bytes:
    """Write documents with their clusters; a DocBin has the corrections as well."""
    if kind == "jsonl":
        return b"".join(dump(Document("", doc)) for doc in docs)
    for doc in docs:
        # What was a candidate here would be the only candidate in training.
        doc.spans.pop(CANDIDATES, None)
    return DocBin(docs=docs, store_user_data=False).to_bytes()
