"""Validate the attrs of a cluster's SpanGroup, which users can overwrite."""

from numbers import Real
from typing import Any, Callable, Dict

from ..span_keys import ANTECEDENTS, HEADS, PROBS, SCORED, SCORES

# A function that takes the list of an attr and the length of the Doc, and returns
# whether the list is valid.
Check = Callable[[list, int], bool]


def are_numbers(values: list, n_tokens: int) -> bool:
    """Check that the value of each mention is a number.

    values (list): One value for each mention.
    n_tokens (int): Not used.
    RETURNS (bool): Whether all values are numbers.
    """
    return all(isinstance(value, Real) for value in values)


def are_antecedents(values: list, n_tokens: int) -> bool:
    """Check that the value of each mention is the index of an earlier mention, or -1.

    values (list): One index for each mention.
    n_tokens (int): Not used.
    RETURNS (bool): Whether all values are such indexes, or -1.
    """
    return all(isinstance(one, int) and -1 <= one < i for i, one in enumerate(values))


def are_heads(values: list, n_tokens: int) -> bool:
    """Check that the value of each mention is a list of tokens, its heads.

    values (list): One list of token indexes for each mention.
    n_tokens (int): The length of the Doc.
    RETURNS (bool): Whether all values are lists of indexes of the Doc's tokens.
    """
    return all(
        _is_list(heads) and all(_is_token(head, n_tokens) for head in heads)
        for heads in values
    )


def are_candidates(values: list, n_tokens: int) -> bool:
    """Check that the value of each mention is a list of spans with scores.

    values (list): One list for each mention, of triples: the start and end of a span as
        token offsets, and the log-odds of a link to it.
    n_tokens (int): The length of the Doc.
    RETURNS (bool): Whether all values are lists of such triples.
    """
    return all(
        _is_list(scored) and all(_is_scored(one, n_tokens) for one in scored)
        for scored in values
    )


def _is_scored(value: Any, n_tokens: int) -> bool:
    if not (_is_list(value) and len(value) == 3 and isinstance(value[2], Real)):
        return False
    start, end = value[:2]
    are_tokens = _is_token(start, n_tokens) and isinstance(end, int)
    return are_tokens and start < end <= n_tokens


def _is_token(value: Any, n_tokens: int) -> bool:
    return isinstance(value, int) and 0 <= value < n_tokens


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


IS_VALID: Dict[str, Check] = {
    HEADS: are_heads,
    ANTECEDENTS: are_antecedents,
    SCORES: are_numbers,
    PROBS: are_numbers,
    SCORED: are_candidates,
}
