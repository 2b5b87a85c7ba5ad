"""What may stand in the attrs of a cluster's group, which anybody can write to."""

from numbers import Real
from typing import Any, Callable, Dict

from ..span_keys import ANTECEDENTS, HEADS, PROBS, SCORED, SCORES

# For each key a function of its list and the Doc's length: whether it can be read.
Check = Callable[[list, int], bool]


def are_numbers(values: list, n_tokens: int) -> bool:
    """Tell whether there is a number for each mention.

    values (list): One entry a mention.
    n_tokens (int): Not used.
    RETURNS (bool): Whether all of them are numbers.
    """
    return all(isinstance(value, Real) for value in values)


def are_antecedents(values: list, n_tokens: int) -> bool:
    """Tell whether there is an earlier mention for each one, or -1.

    values (list): One entry a mention, an index of the same list.
    n_tokens (int): Not used.
    RETURNS (bool): Whether all of them are.
    """
    return all(isinstance(one, int) and -1 <= one < i for i, one in enumerate(values))


def are_heads(values: list, n_tokens: int) -> bool:
    """Tell whether there are head tokens for each mention.

    values (list): One list of tokens a mention.
    n_tokens (int): The length of the Doc.
    RETURNS (bool): Whether all of them are tokens.
    """
    return all(
        _is_list(heads) and all(_is_token(head, n_tokens) for head in heads)
        for heads in values
    )


def are_candidates(values: list, n_tokens: int) -> bool:
    """Tell whether there are scored spans for each mention.

    values (list): One list a mention, of the spans' token offsets and log-odds.
    n_tokens (int): The length of the Doc.
    RETURNS (bool): Whether all of them are spans with a score.
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
