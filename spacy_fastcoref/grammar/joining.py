"""Join documents that rules can read as if they were one."""

from typing import Any, Hashable, Optional, Sequence

from spacy.tokens import Doc

from .base import Rules
from .columns import read_kinds
from .joined import JoinedDocs


def get_kind(rules: Any, doc: Doc) -> Optional[Hashable]:
    """Get the kind of a document; those of equal kinds can be read like one.

    rules (Any): The rules of the document's language; None for no rules.
    doc (Doc): The document.
    RETURNS (Optional[Hashable]): The kind; None if the rules read one Doc at a time.
    """
    if rules is not None and not (isinstance(rules, Rules) and rules.takes_joined):
        return None
    return doc.vocab, doc.lang_, id(rules), read_kinds(doc)


def join_docs(docs: Sequence[Doc]) -> JoinedDocs:
    """Join documents of equal kinds.

    docs (Sequence[Doc]): The documents.
    RETURNS (JoinedDocs): What rules can read like a Doc.
    """
    return JoinedDocs(docs)
