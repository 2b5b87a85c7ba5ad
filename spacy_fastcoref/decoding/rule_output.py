"""Validate the output of rules, and fill in the fields that rules leave out."""

from typing import Any, NamedTuple, Tuple

import numpy as np

from ..errors import Errors
from ..types import ALLOWED, ANYTHING, FORBIDDEN, Links, RuleOutput


class _Field(NamedTuple):
    """Describe the valid values of a field of RuleOutput.

    default (numpy.ndarray): The value if rules leave out the field. All values are
        converted to its dtype.
    shape (Tuple[int, ...]): The shape of the field, with -1 for any length.
    least, most (int): The smallest and the largest value in the array.
    expected (str): A description of the values, for error messages.
    """

    default: np.ndarray
    shape: Tuple[int, ...]
    least: int = -(2**63)
    most: int = 2**64 - 1
    expected: str = "a whole number"


def complete_output(answer: Any, links: Links, rules: Any = None) -> RuleOutput:
    """Validate the output of rules, and fill in the fields that are None.

    answer (Any): The output: a RuleOutput, an array of verdicts, or None to allow all
        links.
    links (Links): The links that the rules judged.
    rules (Any): The rules, for error messages.
    RETURNS (RuleOutput): The output, with all fields set.
    RAISES (ValueError): A field has the wrong shape, or a value that is not valid.
    """
    if not isinstance(answer, RuleOutput):
        answer = RuleOutput(answer)
    name = getattr(rules, "__qualname__", type(rules).__qualname__)
    fields = _list_fields(*links.scores.shape)
    found = {
        key: _take(getattr(answer, key), field, key, name)
        for key, field in fields.items()
    }
    return RuleOutput(**found)


def _list_fields(n_mentions: int, n_antecedents: int) -> dict:
    rows, flags = np.full(n_mentions, -1), np.zeros(n_mentions, dtype=bool)
    last, mention = n_mentions - 1, "the index of a mention"
    verdicts = np.full((n_mentions, n_antecedents), ALLOWED)
    shape, one = verdicts.shape, (n_mentions,)
    row = _Field(rows, one, -1, last, f"{mention}, or -1 for none")
    return {
        "verdicts": _Field(verdicts, shape, FORBIDDEN, ALLOWED, "0, 1 or 2"),
        "agreement": _Field(np.full((n_mentions, 1), ANYTHING), (n_mentions, -1)),
        "is_anaphor": _Field(flags, one, 0, 1, "True or False"),
        "conflicts": _Field(np.zeros((0, 2), dtype=int), (-1, 2), 0, last, mention),
        "must_links": row,
        "duplicate_of": row,
    }


def _take(value: Any, field: _Field, key: str, rules: str) -> np.ndarray:
    if value is None:
        return field.default
    try:
        values = np.asarray(value)
    except ValueError:
        # numpy makes no array of rows with different lengths. Report a wrong shape.
        values = np.asarray(None)
    if values.ndim == 1 and len(field.shape) == 2 and key == "agreement":
        values = values[:, None]
    fits = values.ndim == len(field.shape) and all(
        size in (-1, found)
        for size, found in zip(field.shape, values.shape, strict=True)
    )
    if not fits:
        expected = str(field.shape).replace("-1", "n")
        raise ValueError(
            Errors.FC040.format(
                rules=rules, name=key, shape=values.shape, expected=expected
            )
        )
    is_wrong = np.ones(values.shape, dtype=bool)
    if values.dtype.kind in "biuf":
        is_wrong = ~((values >= field.least) & (values <= field.most))
        # Refuse fractions. NaN and infinity fail the comparison with the bounds.
        is_wrong |= values != np.trunc(values)
    if is_wrong.any():
        raise ValueError(
            Errors.FC045.format(
                rules=rules,
                name=key,
                value=values[is_wrong].tolist()[0],
                expected=field.expected,
            )
        )
    return values.astype(field.default.dtype)
