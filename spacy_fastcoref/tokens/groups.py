"""Read the SpanGroups of a Doc, and notice those whose tokens have changed."""

from typing import List

from spacy.tokens import Doc, Span

from ..errors import Errors


def find_groups(doc: Doc, name: str) -> List[str]:
    """Find the keys of the groups with a name, or with more after an underscore.

    doc (Doc): The document.
    name (str): The name: "coref_seeds" finds "coref_seeds_1", too.
    RETURNS (List[str]): The keys, sorted.
    """
    return sorted(k for k in doc.spans if k == name or k.startswith(f"{name}_"))


def read_group(doc: Doc, key: str) -> List[Span]:
    """Read a group of spans.

    doc (Doc): The document.
    key (str): The group's key.
    RETURNS (List[Span]): Its spans; none if there is no such group.
    RAISES (ValueError): The Doc was retokenised after the group was made.
    """
    message = Errors.FC110.format(key=key, length=len(doc))
    try:
        spans = list(doc.spans.get(key, ()))
    except IndexError as error:
        raise ValueError(message) from error
    if not all(has_its_tokens(span) for span in spans):
        raise ValueError(message)
    return spans


def has_its_tokens(span: Span) -> bool:
    """Tell whether a Span covers the tokens that it was made for.

    Retokenising changes the tokens that start and end stand for, but a Span keeps the
    characters that it had, also when it is saved.

    span (Span): A span, read from a group.
    RETURNS (bool): Whether its tokens have the characters that it was made for.
    """
    if span.start >= span.end:
        return True
    doc = span.doc
    last = doc[span.end - 1]
    return span.start_char == doc[span.start].idx and span.end_char == last.idx + len(
        last
    )
